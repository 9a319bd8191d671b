CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    claude_session_id TEXT,
    guild_id INTEGER,
    channel_id INTEGER NOT NULL,
    opened_by INTEGER NOT NULL,
    notify INTEGER NOT NULL DEFAULT 0,
    is_open INTEGER NOT NULL DEFAULT 1,
    created_at REAL NOT NULL,
    last_active_at REAL NOT NULL
) STRICT;

-- One conversation is open in a channel at a time.
CREATE UNIQUE INDEX open_sessions ON sessions (channel_id) WHERE is_open = 1;

CREATE TABLE cards (
    job_id TEXT PRIMARY KEY,
    channel_id INTEGER NOT NULL,
    message_id INTEGER NOT NULL
) STRICT;

CREATE TABLE notices (
    job_id TEXT NOT NULL,
    guild_id INTEGER,
    channel_id INTEGER NOT NULL,
    recorded_at REAL NOT NULL,
    message_id INTEGER,
    UNIQUE (job_id, channel_id)
) STRICT;

-- What the bot listened on last time: jobs that outlived it look for it there.
CREATE TABLE ports (
    name TEXT PRIMARY KEY,
    port INTEGER NOT NULL
) STRICT;
