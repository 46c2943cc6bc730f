-- One row per call of a tool: what was asked, whether it may run, whether it ran, and what came of it. `life` is the state with
-- what belongs to it; `state` and `due` (when time alone will change it) stand beside it to be found by.
CREATE TABLE calls (
    id TEXT PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES sites (id),
    actor TEXT NOT NULL,
    key TEXT NOT NULL,
    card TEXT NOT NULL,
    scope TEXT NOT NULL,
    tool TEXT NOT NULL,
    digest TEXT NOT NULL,
    arguments TEXT,
    request TEXT NOT NULL,
    judged TEXT,
    preview TEXT,
    state TEXT NOT NULL,
    due BIGINT,
    life TEXT NOT NULL,
    outcome TEXT,
    at BIGINT NOT NULL,
    ended_at BIGINT
);
CREATE UNIQUE INDEX calls_by_key ON calls (site_id, actor, key);
CREATE INDEX calls_by_time ON calls (site_id, at);
CREATE INDEX calls_by_card ON calls (site_id, card);
CREATE INDEX calls_open ON calls (state, due) WHERE state IN ('waiting', 'ready', 'running', 'unknown');

-- A person's yes to calls of one kind in one conversation.
CREATE TABLE grants (
    id TEXT PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES sites (id),
    conversation TEXT NOT NULL,
    person TEXT NOT NULL,
    tool TEXT NOT NULL,
    effect TEXT NOT NULL,
    given_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX grants_by_conversation ON grants (site_id, conversation);

-- The policy of a site, where it is not the one Sitewright comes with, and one that is being tried beside it.
CREATE TABLE policies (
    site_id TEXT PRIMARY KEY REFERENCES sites (id),
    active TEXT,
    candidate TEXT
);

-- Whether something from outside had a part in a change.
ALTER TABLE site_changes ADD COLUMN tainted BIGINT NOT NULL DEFAULT 0;
