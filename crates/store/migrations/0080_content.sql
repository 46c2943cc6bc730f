-- Entries of collections. A row is always current: it is written in the transaction of the change, so an entry is opened without
-- reading the log. An empty locale is the site's own language; `published_at` is 0 for an entry that never was published.
CREATE TABLE content_entries (
    site_id TEXT NOT NULL REFERENCES sites (id),
    id TEXT NOT NULL,
    collection_id TEXT NOT NULL,
    slug TEXT NOT NULL,
    locale TEXT NOT NULL,
    status TEXT NOT NULL,
    title TEXT NOT NULL,
    publish_at BIGINT,
    unpublish_at BIGINT,
    published_at BIGINT NOT NULL,
    sort_order BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    format BIGINT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (site_id, id)
);
CREATE UNIQUE INDEX content_entries_by_slug ON content_entries (site_id, collection_id, locale, slug);
CREATE INDEX content_entries_by_any_slug ON content_entries (site_id, slug);
CREATE INDEX content_entries_by_creation ON content_entries (site_id, collection_id, created_at, id);
CREATE INDEX content_entries_by_change ON content_entries (site_id, collection_id, updated_at, id);
CREATE INDEX content_entries_by_publication ON content_entries (site_id, collection_id, status, published_at, id);
CREATE INDEX content_entries_by_hand ON content_entries (site_id, collection_id, sort_order, id);

-- Short values of fields, and what entries refer to, for filters: one row per value.
CREATE TABLE content_values (
    site_id TEXT NOT NULL,
    entry_id TEXT NOT NULL,
    field_id TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (site_id, entry_id, field_id, value)
);
CREATE INDEX content_values_by_value ON content_values (site_id, value, field_id, entry_id);

-- Entries that were deleted, until they are collected.
CREATE TABLE content_bin (
    site_id TEXT NOT NULL REFERENCES sites (id),
    id TEXT NOT NULL,
    collection_id TEXT NOT NULL,
    slug TEXT NOT NULL,
    title TEXT NOT NULL,
    published_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    removed_at BIGINT NOT NULL,
    format BIGINT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (site_id, id)
);
CREATE INDEX content_bin_by_time ON content_bin (site_id, removed_at);

-- Whether the site has its first collections and menus. Sites from before there was content get them when they are next opened.
ALTER TABLE site_logs ADD COLUMN content_begun BIGINT NOT NULL DEFAULT 0;
