-- Entries as somebody last published them: what visitors and other programs see while the rows of `content_entries` are being edited. A
-- copy is made in the transaction of the change that publishes an entry.
CREATE TABLE published_entries (
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
    translation_of TEXT NOT NULL,
    PRIMARY KEY (site_id, id)
);
CREATE INDEX published_entries_by_any_slug ON published_entries (site_id, slug);
CREATE INDEX published_entries_by_creation ON published_entries (site_id, collection_id, created_at, id);
CREATE INDEX published_entries_by_change ON published_entries (site_id, collection_id, updated_at, id);
CREATE INDEX published_entries_by_publication ON published_entries (site_id, collection_id, status, published_at, id);
CREATE INDEX published_entries_by_hand ON published_entries (site_id, collection_id, sort_order, id);
CREATE INDEX published_entries_by_source ON published_entries (site_id, translation_of, locale);

CREATE TABLE published_values (
    site_id TEXT NOT NULL,
    entry_id TEXT NOT NULL,
    field_id TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (site_id, entry_id, field_id, value)
);
CREATE INDEX published_values_by_value ON published_values (site_id, value, field_id, entry_id);

INSERT INTO published_entries (site_id, id, collection_id, slug, locale, status, title, publish_at, unpublish_at, published_at,
    sort_order, created_at, updated_at, seq, format, document, translation_of)
    SELECT site_id, id, collection_id, slug, locale, status, title, publish_at, unpublish_at, published_at,
        sort_order, created_at, updated_at, seq, format, document, translation_of
    FROM content_entries WHERE status = 'published';
INSERT INTO published_values (site_id, entry_id, field_id, value)
    SELECT v.site_id, v.entry_id, v.field_id, v.value FROM content_values v
    JOIN published_entries p ON p.site_id = v.site_id AND p.id = v.entry_id;
