-- Where the log of each site ends, and the first entry that is still kept.
CREATE TABLE site_logs (
    site_id TEXT PRIMARY KEY REFERENCES sites (id),
    seq BIGINT NOT NULL,
    kept_from BIGINT NOT NULL
);

-- The log: one sequence per site. `ops` are the steps as they happened, `replaced` what each of them replaced.
CREATE TABLE site_changes (
    site_id TEXT NOT NULL REFERENCES sites (id),
    seq BIGINT NOT NULL,
    change_id TEXT NOT NULL,
    digest TEXT NOT NULL,
    author TEXT NOT NULL,
    turn TEXT,
    summary TEXT NOT NULL,
    at BIGINT NOT NULL,
    format BIGINT NOT NULL,
    ops TEXT NOT NULL,
    replaced TEXT NOT NULL,
    left_out TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    PRIMARY KEY (site_id, seq)
);
CREATE UNIQUE INDEX site_changes_by_id ON site_changes (site_id, change_id);
CREATE INDEX site_changes_by_turn ON site_changes (site_id, turn);
CREATE INDEX site_changes_by_time ON site_changes (site_id, at);

-- Which documents an entry is about; the empty name is the shell.
CREATE TABLE site_change_bodies (
    site_id TEXT NOT NULL,
    body_id TEXT NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (site_id, body_id, seq)
);

-- Documents as of an entry, so that opening one does not read the log from its beginning. The newest one serves for
-- opening; those that belong to a restore point stay.
CREATE TABLE site_snapshots (
    site_id TEXT NOT NULL REFERENCES sites (id),
    body_id TEXT NOT NULL,
    seq BIGINT NOT NULL,
    format BIGINT NOT NULL,
    document TEXT NOT NULL,
    restore_point BIGINT NOT NULL,
    PRIMARY KEY (site_id, body_id, seq)
);

-- Entries at which the whole site is kept.
CREATE TABLE site_restore_points (
    site_id TEXT NOT NULL REFERENCES sites (id),
    seq BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (site_id, seq)
);
