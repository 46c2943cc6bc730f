-- The entry that an entry translates; empty for one that translates none.
ALTER TABLE content_entries ADD COLUMN translation_of TEXT NOT NULL DEFAULT '';
CREATE INDEX content_entries_by_source ON content_entries (site_id, translation_of, locale);
