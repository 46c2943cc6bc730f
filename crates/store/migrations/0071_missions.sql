-- Missions: calls that succeed together or are taken back. `body` is the whole state; the other columns are for finding and leasing.
-- A mission has `due` until it ended: when a process should look at it next.
CREATE TABLE missions (
    id TEXT PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES sites (id),
    actor TEXT NOT NULL,
    state TEXT NOT NULL,
    body TEXT NOT NULL,
    version BIGINT NOT NULL,
    holder TEXT NOT NULL,
    due BIGINT,
    at BIGINT NOT NULL,
    ended_at BIGINT
);
CREATE INDEX missions_by_site ON missions (site_id, id);
CREATE INDEX missions_due ON missions (due) WHERE due IS NOT NULL;
