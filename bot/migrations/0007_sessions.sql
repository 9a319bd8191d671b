-- Sessions can be set, resumed elsewhere, and called by their names.
ALTER TABLE sessions ADD COLUMN parent_id INTEGER;  -- of a thread: its channel
-- When it was last opened in its place; the newest of a channel goes on there.
ALTER TABLE sessions ADD COLUMN opened_at REAL NOT NULL DEFAULT 0;
-- NULL means what the configuration says.
ALTER TABLE sessions ADD COLUMN model TEXT;
ALTER TABLE sessions ADD COLUMN effort TEXT;
ALTER TABLE sessions ADD COLUMN permission_mode TEXT;
ALTER TABLE sessions ADD COLUMN mcp_servers TEXT NOT NULL DEFAULT '[]';  -- a JSON list of names
ALTER TABLE sessions ADD COLUMN streaming TEXT NOT NULL DEFAULT 'off';
-- Whether its place is a thread that was opened for it.
ALTER TABLE sessions ADD COLUMN has_own_thread INTEGER NOT NULL DEFAULT 0;

UPDATE sessions SET opened_at = created_at;

-- A name means one session in a server, or in the direct messages of whoever opened it.
UPDATE sessions SET name = name || '-' || id WHERE EXISTS (
    SELECT 1 FROM sessions AS older
    WHERE older.name = sessions.name
    AND older.guild_id IS sessions.guild_id
    AND (sessions.guild_id IS NOT NULL OR older.opened_by = sessions.opened_by)
    AND older.rowid < sessions.rowid
);
CREATE UNIQUE INDEX session_names ON sessions (guild_id, name) WHERE guild_id IS NOT NULL;
CREATE UNIQUE INDEX direct_session_names ON sessions (opened_by, name) WHERE guild_id IS NULL;

CREATE INDEX sessions_by_channel ON sessions (channel_id, opened_at);
CREATE INDEX sessions_by_last_use ON sessions (max(last_active_at, opened_at));

-- Channels in which every message is meant for the bot, beside those of the configuration.
CREATE TABLE bound_channels (
    guild_id INTEGER NOT NULL,
    channel_id INTEGER NOT NULL,
    bound_by INTEGER NOT NULL,
    PRIMARY KEY (guild_id, channel_id)
) STRICT;
