-- The voice lines that are open, one in a server; a later bot goes on with them.
CREATE TABLE lines (
    guild_id INTEGER PRIMARY KEY,
    channel_id INTEGER NOT NULL,
    line_id TEXT NOT NULL,       -- of its status message
    mode TEXT NOT NULL,
    voice TEXT,                  -- NULL means the configured one
    is_muted INTEGER NOT NULL DEFAULT 0,
    opened_at REAL NOT NULL      -- Unix time, in seconds
) STRICT;

-- What was said on voice lines, as long as it is to be kept.
CREATE TABLE transcripts (
    session_id TEXT NOT NULL,
    said_at REAL NOT NULL,       -- Unix time, in seconds
    person_id INTEGER,           -- NULL: the bot itself
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;

CREATE INDEX transcripts_by_session ON transcripts (session_id, said_at);
CREATE INDEX transcripts_by_age ON transcripts (said_at);
