-- When a notice was spoken on a voice line and heard to its end: Unix time, in seconds.
ALTER TABLE notices ADD COLUMN heard_at REAL;

DROP INDEX notices_owed;
CREATE INDEX notices_owed ON notices (recorded_at)
    WHERE message_id IS NULL AND failure IS NULL AND heard_at IS NULL;
