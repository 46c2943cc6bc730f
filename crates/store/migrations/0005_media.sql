-- One row per asset. The bytes are blobs: the original as it came, and variants made of it (JSON, smallest first).
CREATE TABLE media (
    id TEXT PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES sites (id),
    blob TEXT NOT NULL,
    format TEXT NOT NULL,
    width BIGINT NOT NULL,
    height BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    is_animated BIGINT NOT NULL,
    name TEXT NOT NULL,
    alt TEXT NOT NULL,
    credit TEXT,
    variants TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
-- The same bytes are one asset of a site.
CREATE UNIQUE INDEX media_by_blob ON media (site_id, blob);
CREATE INDEX media_by_time ON media (site_id, created_at);
