-- Tools that were registered over the API. The whole registration is sealed: its headers hold secrets, and its address may.
-- Names are one space for the instance, as the registry's are; a tool belongs to the site that registered it.
CREATE TABLE registered_tools (
    name TEXT PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES sites (id),
    sealed TEXT NOT NULL,
    registered_at BIGINT NOT NULL
);
