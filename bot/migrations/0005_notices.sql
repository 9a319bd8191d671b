-- A notice for each run that has settled and each place that is to hear of it.
CREATE TABLE notices_of_runs (
    job_id TEXT NOT NULL,
    run_number INTEGER NOT NULL,
    guild_id INTEGER,
    channel_id INTEGER NOT NULL,           -- where it is wanted
    person_id INTEGER,                     -- who is told directly if it cannot be said there
    recorded_at REAL NOT NULL,
    is_direct INTEGER NOT NULL DEFAULT 0,  -- whether that person is told directly
    nonce TEXT,                            -- of the message that says it, once one was begun
    message_channel_id INTEGER,            -- where it was said
    message_id INTEGER,                    -- NULL until it was said
    failure TEXT,                          -- why it will never be said
    UNIQUE (job_id, run_number, channel_id)
) STRICT;

INSERT INTO notices_of_runs (job_id, run_number, guild_id, channel_id, person_id, recorded_at,
                             nonce, message_channel_id, message_id)
SELECT
    job_id,
    1,
    guild_id,
    channel_id,
    (SELECT person_id FROM jobs WHERE jobs.id = notices.job_id),
    recorded_at,
    'notice-' || job_id,
    CASE WHEN message_id IS NULL THEN NULL ELSE channel_id END,
    message_id
FROM notices;

DROP TABLE notices;
ALTER TABLE notices_of_runs RENAME TO notices;

CREATE INDEX notices_owed ON notices (recorded_at)
    WHERE message_id IS NULL AND failure IS NULL;

-- When sessions with Discord were started: it allows 1,000 a day.
CREATE TABLE discord_sessions (at REAL NOT NULL) STRICT;
