-- Columns are TEXT or BIGINT (BLOB where bytes are needed): ids TEXT, times BIGINT in ms UTC, flags 0/1, JSON TEXT.
-- The same text runs on SQLite and on Postgres.

CREATE TABLE instance (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE sites (
    id TEXT PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE users (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    password_hash TEXT,
    instance_owner BIGINT NOT NULL,
    disabled BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE members (
    site_id TEXT NOT NULL REFERENCES sites (id),
    user_id TEXT NOT NULL REFERENCES users (id),
    role TEXT NOT NULL,
    PRIMARY KEY (site_id, user_id)
);
CREATE INDEX members_by_user ON members (user_id);

CREATE TABLE roles (
    site_id TEXT NOT NULL REFERENCES sites (id),
    role TEXT NOT NULL,
    name TEXT NOT NULL,
    capabilities TEXT NOT NULL,
    PRIMARY KEY (site_id, role)
);

CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    secret_hash TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL REFERENCES users (id),
    site_id TEXT NOT NULL REFERENCES sites (id),
    csrf_token TEXT NOT NULL,
    user_agent TEXT NOT NULL,
    address TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);

CREATE TABLE links (
    secret_hash TEXT PRIMARY KEY,
    purpose TEXT NOT NULL,
    user_id TEXT REFERENCES users (id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
);

CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES sites (id),
    secret_hash TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    capabilities TEXT NOT NULL,
    user_id TEXT REFERENCES users (id),
    -- The token that made it, and with which it goes.
    parent_id TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    last_used_at BIGINT
);
CREATE INDEX tokens_by_site ON tokens (site_id, created_at);

CREATE TABLE throttle (
    subject TEXT PRIMARY KEY,
    started_at BIGINT NOT NULL,
    attempts BIGINT NOT NULL
);

CREATE TABLE secrets (
    site_id TEXT NOT NULL REFERENCES sites (id),
    name TEXT NOT NULL,
    sealed TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (site_id, name)
);

CREATE TABLE audit (
    id TEXT PRIMARY KEY,
    at BIGINT NOT NULL,
    site_id TEXT,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT,
    detail TEXT,
    digest TEXT NOT NULL,
    seq BIGINT UNIQUE,
    chain TEXT
);

-- One row: where the chain ends. Its row lock is what lets several nodes seal in turn.
CREATE TABLE audit_head (
    id BIGINT PRIMARY KEY,
    seq BIGINT NOT NULL,
    chain TEXT NOT NULL
);
INSERT INTO audit_head (id, seq, chain) VALUES (1, 0, '');
