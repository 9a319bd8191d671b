-- Jobs and their runs. A job's newest run says how the job stands; its outcome is the job's.
CREATE TABLE jobs (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,  -- newest is highest; clocks may be set back
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    task TEXT NOT NULL,
    session_id TEXT NOT NULL,
    person_id INTEGER NOT NULL,
    guild_id INTEGER,
    channel_id INTEGER NOT NULL,
    folder TEXT NOT NULL,
    jail TEXT NOT NULL,
    created_at REAL NOT NULL,
    status TEXT NOT NULL CHECK (status IN (
        'queued', 'running', 'waiting', 'parked',
        'completed', 'failed', 'cancelled', 'interrupted'
    )),
    pid INTEGER,
    started_at REAL,
    finished_at REAL,
    is_end_told INTEGER NOT NULL DEFAULT 0  -- whether those who watch have heard of its end
) STRICT;

CREATE INDEX jobs_by_name ON jobs (name);
CREATE INDEX jobs_by_person ON jobs (person_id, name);
CREATE INDEX jobs_unsettled ON jobs (sequence)
    WHERE status IN ('queued', 'running', 'waiting', 'parked');

CREATE INDEX jobs_with_untold_ends ON jobs (sequence) WHERE is_end_told = 0;

CREATE TABLE runs (
    job_id TEXT NOT NULL REFERENCES jobs (id),
    number INTEGER NOT NULL,
    claude_session_id TEXT NOT NULL,
    token_hash TEXT,
    started_at REAL,
    ended_at REAL,
    -- The outcome: all of it is NULL until the run has ended.
    status TEXT CHECK (status IN ('completed', 'failed', 'cancelled', 'interrupted')),
    summary TEXT,
    error TEXT,
    cost_usd REAL,
    turns INTEGER,
    refused_actions TEXT,  -- a JSON list of strings
    failed_servers TEXT,   -- a JSON list of strings
    PRIMARY KEY (job_id, number),
    CHECK ((ended_at IS NULL) = (status IS NULL))
) STRICT;

-- Each job with its newest run.
CREATE VIEW job_records AS
SELECT
    jobs.*,
    runs.number AS run_number,
    runs.claude_session_id,
    runs.token_hash,
    runs.started_at AS run_started_at,
    runs.ended_at AS run_ended_at,
    runs.status AS outcome,
    runs.summary,
    runs.error,
    runs.cost_usd,
    runs.turns,
    runs.refused_actions,
    runs.failed_servers
FROM jobs
JOIN runs ON runs.job_id = jobs.id
AND runs.number = (SELECT max(r.number) FROM runs AS r WHERE r.job_id = jobs.id);
