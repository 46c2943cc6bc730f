-- OpenAPI documents whose operations are tools. The whole document is sealed, because its credentials are with it. `waiting` is a new
-- version that a person has to review first.
CREATE TABLE openapi_documents (
    site_id TEXT NOT NULL REFERENCES sites (id),
    name TEXT NOT NULL,
    sealed TEXT NOT NULL,
    waiting TEXT,
    added_at BIGINT NOT NULL,
    PRIMARY KEY (site_id, name)
);

-- A person's permission to give a field of personal data to a tool.
CREATE TABLE personal_data_grants (
    site_id TEXT NOT NULL REFERENCES sites (id),
    person TEXT NOT NULL,
    tool TEXT NOT NULL,
    field TEXT NOT NULL,
    given_at BIGINT NOT NULL,
    PRIMARY KEY (site_id, person, tool, field)
);
