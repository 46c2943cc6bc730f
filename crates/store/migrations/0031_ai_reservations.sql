-- What an open turn may still spend of its payer's month. It counts against the caps of the month until the turn ends, so that turns
-- that run at the same time cannot each spend what is left. NULL where there is no cap.
CREATE TABLE ai_reservations (
    turn_id TEXT PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES sites (id),
    payer TEXT NOT NULL,
    tokens BIGINT,
    cost_picodollars BIGINT
);
CREATE INDEX ai_reservations_by_payer ON ai_reservations (site_id, payer);
