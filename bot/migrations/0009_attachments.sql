-- The files that came with a message; a JSON list, emptied once nothing is to be done about it.
ALTER TABLE messages ADD COLUMN attachments TEXT NOT NULL DEFAULT '[]';
-- Whether somebody asked about the message from its menu: the row is then the question of whoever
-- asked, and not what its author wrote.
ALTER TABLE messages ADD COLUMN is_from_menu INTEGER NOT NULL DEFAULT 0;
-- The channel that a thread belongs to, as far as that is known.
ALTER TABLE messages ADD COLUMN parent_id INTEGER;
