-- How many entries there are, so that the total of a list does not cost more the more entries there are. Written with the entries.
CREATE TABLE content_counts (
    site_id TEXT NOT NULL REFERENCES sites (id),
    collection_id TEXT NOT NULL,
    status TEXT NOT NULL,
    entries BIGINT NOT NULL,
    PRIMARY KEY (site_id, collection_id, status)
);
INSERT INTO content_counts (site_id, collection_id, status, entries)
    SELECT site_id, collection_id, status, COUNT(*) FROM content_entries GROUP BY site_id, collection_id, status;
