-- A message that was sent while a turn was under way carries its sender, and what a turn of its own would need (`request`, which `agent`
-- reads). Messages from before have no known sender, and running them with the rights of whoever's turn is open is what this prevents.
DELETE FROM said_meanwhile;
ALTER TABLE said_meanwhile ADD COLUMN actor TEXT NOT NULL DEFAULT '';
ALTER TABLE said_meanwhile ADD COLUMN request TEXT NOT NULL DEFAULT 'null';

-- Whether a message brought something from outside into its conversation.
ALTER TABLE messages ADD COLUMN is_tainted BIGINT NOT NULL DEFAULT 0;
