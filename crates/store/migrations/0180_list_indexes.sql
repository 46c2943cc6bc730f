-- Entries of all collections in the order of their creation, and pictures in the library or in the bin, without reading the whole site.
CREATE INDEX content_entries_by_age ON content_entries (site_id, created_at, id);
CREATE INDEX media_by_deletion ON media (site_id, deleted_at, id);
