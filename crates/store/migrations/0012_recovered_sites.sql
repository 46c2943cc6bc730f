-- The entry at which a site was last recovered from a damaged log: what came before it does not lead to what is there now.
ALTER TABLE site_logs ADD COLUMN recovered_at BIGINT NOT NULL DEFAULT 0;
