-- How far the log of a site is covered by the audit chain: the last sealed entry with the hash up to it, and the hash up to the last
-- entry that was collapsed. What counts as evidence are the entries of the audit log; these columns say where to go on.
ALTER TABLE site_logs ADD COLUMN sealed_seq BIGINT NOT NULL DEFAULT 0;
ALTER TABLE site_logs ADD COLUMN sealed_chain TEXT NOT NULL DEFAULT '';
ALTER TABLE site_logs ADD COLUMN collapsed_chain TEXT NOT NULL DEFAULT '';
