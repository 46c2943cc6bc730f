-- When the person last proved who they are, in this session.
ALTER TABLE sessions ADD COLUMN authenticated_at BIGINT NOT NULL DEFAULT 0;

-- The account was deleted; the row remains, without anything personal, for what the person wrote.
ALTER TABLE users ADD COLUMN deleted_at BIGINT;

-- Codes of an authenticator app.
CREATE TABLE totp (
    user_id TEXT PRIMARY KEY REFERENCES users (id),
    sealed TEXT NOT NULL,
    -- The time step of the last code that was accepted; neither it nor an earlier one is accepted again.
    last_step BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE recovery_codes (
    user_id TEXT NOT NULL REFERENCES users (id),
    code_hash TEXT NOT NULL,
    used_at BIGINT,
    PRIMARY KEY (user_id, code_hash)
);

CREATE TABLE passkeys (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    -- The authenticator's own id of it, in base64url.
    credential_id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    -- The public key and its counter as JSON, which only the server crate reads.
    credential TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT
);
CREATE INDEX passkeys_by_user ON passkeys (user_id);

-- Sealed tickets that were used, until they would have expired anyway.
CREATE TABLE spent_tickets (
    ticket_hash TEXT PRIMARY KEY,
    expires_at BIGINT NOT NULL
);

-- What a person is told about changes to their account, until they dismiss it.
CREATE TABLE account_notices (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    at BIGINT NOT NULL,
    event TEXT NOT NULL,
    actor TEXT NOT NULL,
    about TEXT NOT NULL
);
CREATE INDEX account_notices_by_user ON account_notices (user_id, at);
