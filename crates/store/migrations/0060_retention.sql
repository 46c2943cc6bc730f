-- Blobs that no row names: claimed by somebody who is about to write and name them, or found without a name. `at` is the time of the last
-- claim, or when it was first found; `claims` counts those who have not named it yet. Until `removing_until` one process deletes its bytes.
CREATE TABLE blob_marks (
    site_id TEXT NOT NULL REFERENCES sites (id),
    blob TEXT NOT NULL,
    at BIGINT NOT NULL,
    claims BIGINT NOT NULL,
    removing_until BIGINT,
    PRIMARY KEY (site_id, blob)
);
CREATE INDEX blob_marks_by_time ON blob_marks (site_id, at);

-- When a rollback to the release was last planned: it may be waiting for approval.
ALTER TABLE releases ADD COLUMN planned_at BIGINT NOT NULL DEFAULT 0;

-- The bytes of the original and of all sizes; 0 for assets from before, of which only the original is counted.
ALTER TABLE media ADD COLUMN stored_bytes BIGINT NOT NULL DEFAULT 0;

CREATE INDEX conversations_by_time ON conversations (site_id, updated_at);
