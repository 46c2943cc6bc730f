-- Credentials of model providers. The key alone is sealed, bound to its site and credential; Ollama has none.
CREATE TABLE ai_credentials (
    id TEXT PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES sites (id),
    provider_id TEXT NOT NULL,
    label TEXT NOT NULL,
    base_url TEXT,
    sealed_key TEXT,
    created_at BIGINT NOT NULL
);
CREATE INDEX ai_credentials_by_site ON ai_credentials (site_id, created_at);

-- The model a conversation of a scope begins with.
CREATE TABLE ai_defaults (
    site_id TEXT NOT NULL REFERENCES sites (id),
    scope TEXT NOT NULL,
    credential_id TEXT NOT NULL REFERENCES ai_credentials (id),
    model_id TEXT NOT NULL,
    PRIMARY KEY (site_id, scope)
);
CREATE INDEX ai_defaults_by_credential ON ai_defaults (credential_id);

-- What a site's turns may use, as JSON; a site without a row has the caps Sitewright comes with.
CREATE TABLE ai_budgets (
    site_id TEXT PRIMARY KEY REFERENCES sites (id),
    caps TEXT NOT NULL
);

-- The list of model prices as it was last fetched: one row for the instance.
CREATE TABLE ai_prices (
    id BIGINT PRIMARY KEY,
    fetched_at BIGINT NOT NULL,
    catalogue TEXT NOT NULL
);

-- One row per run of a model within a turn. `payer` is the person behind the actor, where there is one. Counts of tokens are the
-- provider's own; `tokens` is all input and output, counted the same way for every provider. A cost that nobody knows is NULL.
CREATE TABLE ai_usage (
    id TEXT PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES sites (id),
    turn_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    actor TEXT NOT NULL,
    payer TEXT NOT NULL,
    scope TEXT NOT NULL,
    provider_id TEXT NOT NULL,
    model_id TEXT NOT NULL,
    prompt_tokens BIGINT NOT NULL,
    completion_tokens BIGINT NOT NULL,
    cache_read_tokens BIGINT NOT NULL,
    cache_creation_tokens BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    cost_picodollars BIGINT,
    at BIGINT NOT NULL
);
CREATE INDEX ai_usage_by_time ON ai_usage (site_id, at);
CREATE INDEX ai_usage_by_payer ON ai_usage (site_id, payer, at);
CREATE INDEX ai_usage_by_scope ON ai_usage (site_id, scope, at);
CREATE INDEX ai_usage_by_turn ON ai_usage (turn_id);
