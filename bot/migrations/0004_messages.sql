-- What people wrote to the bot. A row stands here before anything else is done about it.
CREATE TABLE messages (
    message_id INTEGER PRIMARY KEY,
    guild_id INTEGER,
    channel_id INTEGER NOT NULL,
    author_id INTEGER NOT NULL,
    author_name TEXT NOT NULL,
    author_guild_id INTEGER,
    author_role_ids TEXT NOT NULL,  -- a JSON list of numbers
    text TEXT NOT NULL,             -- empty once nothing is to be done about it any more
    arrived_at REAL NOT NULL,
    state TEXT NOT NULL DEFAULT 'accepted' CHECK (state IN (
        'accepted', 'answering', 'answered', 'withdrawn', 'stale'
    )),
    -- Of a message that is being answered:
    session_id TEXT,
    answering_at REAL,
    answered_with INTEGER,          -- the newest of the messages that are answered together
    answer TEXT,                    -- once it is whole, and until it is shown
    shown_in TEXT NOT NULL DEFAULT '[]'  -- a JSON list of the answer's messages, in order
) STRICT;

CREATE INDEX messages_by_channel ON messages (channel_id, message_id);
CREATE INDEX messages_unanswered ON messages (message_id) WHERE state IN ('accepted', 'answering');
CREATE INDEX messages_answered_together ON messages (answered_with);
