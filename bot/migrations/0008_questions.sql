-- A card is of any kind now, and known before it is posted, so that it is posted once.
CREATE TABLE cards_of_all_kinds (
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,                 -- the id of the thing that the card shows
    nonce TEXT NOT NULL,                   -- with which it is posted
    channel_id INTEGER NOT NULL,
    message_id INTEGER,                    -- NULL until it is known to stand there
    is_final INTEGER NOT NULL DEFAULT 0,   -- whether it shows how the thing ended
    is_pinned INTEGER NOT NULL DEFAULT 0,
    is_withdrawn INTEGER NOT NULL DEFAULT 0,  -- whether its message is to be deleted
    PRIMARY KEY (kind, subject)
) STRICT;

INSERT INTO cards_of_all_kinds (kind, subject, nonce, channel_id, message_id, is_final)
SELECT 'job', job_id, 'card-' || job_id, channel_id, message_id, is_final FROM cards;

DROP TABLE cards;
ALTER TABLE cards_of_all_kinds RENAME TO cards;

CREATE INDEX cards_unfinished ON cards (kind) WHERE is_final = 0;
CREATE INDEX cards_withdrawn ON cards (kind) WHERE is_withdrawn = 1;

-- What people are asked with buttons, a menu or a form.
CREATE TABLE questions (
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
        'open', 'answered', 'expired', 'withdrawn', 'undeliverable'
    )),
    -- Of an answer:
    answered_by TEXT,                      -- a JSON object: the person, as they were then
    answer_value TEXT,
    answer_text TEXT,
    answered_at REAL,
    is_tried INTEGER NOT NULL DEFAULT 0,   -- whether somebody began to act upon the answer
    is_done INTEGER NOT NULL DEFAULT 0     -- whether all was done that its end brings about
) STRICT;

CREATE INDEX questions_open ON questions (channel_id) WHERE state = 'open';
CREATE INDEX questions_undone ON questions (id) WHERE is_done = 0;
