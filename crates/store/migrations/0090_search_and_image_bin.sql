-- What editors say about a picture besides its text, as JSON lists.
ALTER TABLE media ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
ALTER TABLE media ADD COLUMN categories TEXT NOT NULL DEFAULT '[]';
-- When it went into the bin; 0 for a picture that is not there.
ALTER TABLE media ADD COLUMN deleted_at BIGINT NOT NULL DEFAULT 0;

-- The words of entries and pictures for searching: lower case, separated by spaces. `number` is a hash of the other keys, for the index
-- that each database builds over the words (`search.rs`).
CREATE TABLE search_texts (
    number BIGINT PRIMARY KEY,
    site_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    words TEXT NOT NULL
);
CREATE UNIQUE INDEX search_texts_by_thing ON search_texts (site_id, kind, id);
