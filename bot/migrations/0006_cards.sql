-- Whether a card shows how its job ended; one that does not yet is shown anew at the next start.
ALTER TABLE cards ADD COLUMN is_final INTEGER NOT NULL DEFAULT 0;
