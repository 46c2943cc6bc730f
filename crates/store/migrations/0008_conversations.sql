-- Conversations with the assistant. A message is a list of blocks, which `agent` reads; a turn is one answer to what somebody said,
-- with as many rounds and calls as it takes. At most one turn of a conversation is under way.
CREATE TABLE conversations (
    id TEXT PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES sites (id),
    owner TEXT NOT NULL,
    scope TEXT NOT NULL,
    title TEXT NOT NULL,
    credential_id TEXT,
    model_id TEXT,
    context_tokens BIGINT,
    is_tainted BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX conversations_by_owner ON conversations (site_id, owner, updated_at);

CREATE TABLE messages (
    conversation_id TEXT NOT NULL REFERENCES conversations (id),
    seq BIGINT NOT NULL,
    turn_id TEXT NOT NULL,
    role TEXT NOT NULL,
    content TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (conversation_id, seq)
);

-- What somebody said while a turn was under way, until a round or a turn of its own takes it up.
CREATE TABLE said_meanwhile (
    id TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL REFERENCES conversations (id),
    content TEXT NOT NULL,
    at BIGINT NOT NULL
);
CREATE INDEX said_by_conversation ON said_meanwhile (conversation_id, id);

-- `request` is what `agent` needs to go on with a turn; `holder` and `held_until` say which process is at it.
CREATE TABLE turns (
    id TEXT PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES sites (id),
    conversation_id TEXT NOT NULL REFERENCES conversations (id),
    actor TEXT NOT NULL,
    state TEXT NOT NULL,
    request TEXT NOT NULL,
    outcome TEXT,
    holder TEXT NOT NULL,
    held_until BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at BIGINT
);
CREATE INDEX turns_by_conversation ON turns (conversation_id, id);
CREATE UNIQUE INDEX turns_open ON turns (conversation_id) WHERE state IN ('running', 'waiting');
CREATE INDEX turns_held ON turns (held_until) WHERE state IN ('running', 'waiting');

-- What people wrote about a site for the assistant.
CREATE TABLE site_briefs (
    site_id TEXT PRIMARY KEY REFERENCES sites (id),
    brief TEXT NOT NULL
);
