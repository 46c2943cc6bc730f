-- Breadcrumbs: versioned JSON records, their events in one order per site, and the tool requests that records make.

-- The last sequence number of a site's events. Its row is the lock that gives events their order on every node.
CREATE TABLE breadcrumb_logs (
    site_id TEXT PRIMARY KEY REFERENCES sites (id),
    seq BIGINT NOT NULL
);

CREATE TABLE breadcrumbs (
    id TEXT PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES sites (id),
    owner TEXT NOT NULL,
    schema_name TEXT NOT NULL,
    version BIGINT NOT NULL,
    -- The event that created it; lists are in this order.
    seq BIGINT NOT NULL,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    -- Lower-case text for searching; empty for what must not be found.
    search TEXT NOT NULL,
    idempotency_key TEXT,
    key_digest TEXT
);
CREATE UNIQUE INDEX breadcrumbs_by_seq ON breadcrumbs (site_id, seq);
CREATE INDEX breadcrumbs_by_schema ON breadcrumbs (site_id, schema_name, seq);
CREATE INDEX breadcrumbs_expired ON breadcrumbs (expires_at) WHERE expires_at IS NOT NULL;
CREATE UNIQUE INDEX breadcrumbs_by_key ON breadcrumbs (site_id, owner, idempotency_key) WHERE idempotency_key IS NOT NULL;

CREATE TABLE breadcrumb_tags (
    site_id TEXT NOT NULL,
    tag TEXT NOT NULL,
    seq BIGINT NOT NULL,
    breadcrumb_id TEXT NOT NULL REFERENCES breadcrumbs (id) ON DELETE CASCADE,
    PRIMARY KEY (site_id, tag, seq)
);
CREATE INDEX breadcrumb_tags_by_record ON breadcrumb_tags (breadcrumb_id);

CREATE TABLE breadcrumb_versions (
    breadcrumb_id TEXT NOT NULL REFERENCES breadcrumbs (id) ON DELETE CASCADE,
    version BIGINT NOT NULL,
    title TEXT NOT NULL,
    tags TEXT NOT NULL,
    context TEXT NOT NULL,
    visibility TEXT NOT NULL,
    sensitivity TEXT NOT NULL,
    ttl BIGINT,
    tainted BIGINT NOT NULL,
    updated_by TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (breadcrumb_id, version)
);

CREATE TABLE breadcrumb_events (
    site_id TEXT NOT NULL REFERENCES sites (id),
    seq BIGINT NOT NULL,
    kind TEXT NOT NULL,
    breadcrumb_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    schema_name TEXT NOT NULL,
    -- Who may see it once its record is gone.
    owner TEXT NOT NULL,
    visibility TEXT NOT NULL,
    tags TEXT NOT NULL,
    detail TEXT,
    at BIGINT NOT NULL,
    PRIMARY KEY (site_id, seq)
);

-- A session belongs to whoever first wrote to it. `conversation_id` is the conversation whose model gets its results.
CREATE TABLE breadcrumb_sessions (
    site_id TEXT NOT NULL REFERENCES sites (id),
    session TEXT NOT NULL,
    owner TEXT NOT NULL,
    conversation_id TEXT,
    PRIMARY KEY (site_id, session)
);

-- A record whose tool requests are executed. It has `due` until all is done: when another process may take it over.
CREATE TABLE breadcrumb_runs (
    breadcrumb_id TEXT PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES sites (id),
    actor TEXT NOT NULL,
    caller TEXT NOT NULL,
    session TEXT,
    -- How many rounds of a model led to it.
    depth BIGINT NOT NULL,
    stopped BIGINT NOT NULL,
    turn_id TEXT,
    holder TEXT NOT NULL,
    due BIGINT,
    at BIGINT NOT NULL
);
CREATE INDEX breadcrumb_runs_due ON breadcrumb_runs (due) WHERE due IS NOT NULL;

CREATE TABLE breadcrumb_requests (
    breadcrumb_id TEXT NOT NULL REFERENCES breadcrumb_runs (breadcrumb_id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    request_id TEXT NOT NULL,
    body TEXT NOT NULL,
    returns BIGINT NOT NULL,
    state TEXT NOT NULL,
    response_id TEXT,
    PRIMARY KEY (breadcrumb_id, position)
);
CREATE UNIQUE INDEX breadcrumb_requests_by_id ON breadcrumb_requests (breadcrumb_id, request_id);

-- A workflow as far as it has come, for screens and for going on after a crash. `body` is the runtime's.
CREATE TABLE workflow_runs (
    id TEXT PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES sites (id),
    actor TEXT NOT NULL,
    body TEXT NOT NULL,
    at BIGINT NOT NULL,
    ended_at BIGINT
);
CREATE INDEX workflow_runs_by_site ON workflow_runs (site_id, id);
