-- What the answers of speakers have cost; what jobs have cost stands with their runs.
CREATE TABLE speaker_charges (
    session_id TEXT NOT NULL,
    at REAL NOT NULL,
    usd REAL NOT NULL CHECK (usd >= 0)
) STRICT;

CREATE INDEX speaker_charges_by_time ON speaker_charges (at);
CREATE INDEX runs_by_end ON runs (ended_at) WHERE ended_at IS NOT NULL;
