-- What was published. A release never changes: `routes` is its map from address to file (JSON), `seq` the entry of the site's
-- log that it was made of.
CREATE TABLE releases (
    id TEXT PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES sites (id),
    number BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    actor TEXT NOT NULL,
    note TEXT NOT NULL,
    at BIGINT NOT NULL,
    pages BIGINT NOT NULL,
    routes TEXT NOT NULL
);
CREATE UNIQUE INDEX releases_by_number ON releases (site_id, number);

-- Which release visitors see: that of the last row. A row is one switch, so the switch is there or it is not, and of two that
-- begin at the same row one is refused. `call_id` is the call that switched, `agreed` what was agreed to.
CREATE TABLE release_switches (
    site_id TEXT NOT NULL REFERENCES sites (id),
    turn BIGINT NOT NULL,
    release_id TEXT NOT NULL REFERENCES releases (id),
    actor TEXT NOT NULL,
    call_id TEXT,
    agreed TEXT,
    at BIGINT NOT NULL,
    PRIMARY KEY (site_id, turn)
);
CREATE UNIQUE INDEX release_switches_by_call ON release_switches (site_id, call_id);

-- The files of releases, by their bytes, with the blobs that hold them compressed.
CREATE TABLE release_files (
    site_id TEXT NOT NULL REFERENCES sites (id),
    blob TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    brotli TEXT,
    gzip TEXT,
    PRIMARY KEY (site_id, blob)
);
