-- When what visitors see of an entry changes: at once for one that was just published, archived or deleted, later for one with a
-- schedule. A row is written in the transaction of the change and deleted when its release is out, so nothing is lost between the two.
CREATE TABLE content_due (
    site_id TEXT NOT NULL REFERENCES sites (id),
    entry_id TEXT NOT NULL,
    due_at BIGINT NOT NULL,
    actor TEXT NOT NULL,
    claimed_until BIGINT NOT NULL,
    PRIMARY KEY (site_id, entry_id, due_at)
);
CREATE INDEX content_due_by_time ON content_due (site_id, due_at);

CREATE INDEX content_entries_by_begin ON content_entries (site_id, publish_at);
CREATE INDEX content_entries_by_end ON content_entries (site_id, unpublish_at);
