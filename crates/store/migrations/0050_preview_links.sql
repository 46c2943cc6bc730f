-- Links that show a draft to whoever has one. A row can be withdrawn; the address holds its id, encrypted.
CREATE TABLE preview_links (
    id TEXT PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES sites (id),
    page TEXT NOT NULL,
    actor TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX preview_links_by_page ON preview_links (site_id, page);
