-- A question may also have ended because whoever asked it did not outlive a restart.
CREATE TABLE questions_with_abandoned (
    id TEXT PRIMARY KEY,
    purpose TEXT NOT NULL,                 -- by which it is known what an answer brings about
    subject TEXT NOT NULL,
    text TEXT NOT NULL,
    choices TEXT NOT NULL,                 -- a JSON list of objects
    free_text TEXT,                        -- a JSON object, if words may be written
    guild_id INTEGER,
    channel_id INTEGER NOT NULL,
    person_id INTEGER NOT NULL,            -- whose it is
    person_guild_id INTEGER,
    actions TEXT NOT NULL,                 -- a JSON list: what one must be allowed to do
    expires_at REAL,
    reply_to_channel_id INTEGER,
    reply_to_message_id INTEGER,
    message_channel_id INTEGER,            -- where it stands
    message_id INTEGER,                    -- NULL until it is known to stand there
    state TEXT NOT NULL DEFAULT 'open' CHECK (state IN (
        'open', 'answered', 'expired', 'withdrawn', 'undeliverable', 'abandoned'
    )),
    -- Of an answer:
    answered_by TEXT,                      -- a JSON object: the person, as they were then
    answer_value TEXT,
    answer_text TEXT,
    answered_at REAL,
    is_tried INTEGER NOT NULL DEFAULT 0,   -- whether somebody began to act upon the answer
    is_done INTEGER NOT NULL DEFAULT 0     -- whether all was done that its end brings about
) STRICT;

INSERT INTO questions_with_abandoned SELECT * FROM questions;

DROP TABLE questions;
ALTER TABLE questions_with_abandoned RENAME TO questions;

CREATE INDEX questions_open ON questions (channel_id) WHERE state = 'open';
CREATE INDEX questions_undone ON questions (id) WHERE is_done = 0;

-- For whom each plugin reached people last, and where.
CREATE TABLE plugin_places (
    plugin_id TEXT PRIMARY KEY,
    session_id TEXT,
    person_id INTEGER,
    guild_id INTEGER,                      -- NULL in a direct message
    channel_id INTEGER NOT NULL
) STRICT;
