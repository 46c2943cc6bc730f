-- The files of fonts that a site has installed. The bytes are blobs; visitors ask for them by blob alone.
CREATE TABLE fonts (
    blob TEXT NOT NULL,
    site_id TEXT NOT NULL REFERENCES sites (id),
    family TEXT NOT NULL,
    installed_at BIGINT NOT NULL,
    PRIMARY KEY (blob, site_id)
);
