-- A job may have several runs, each going on where the one before stopped.
ALTER TABLE runs ADD COLUMN resumed_because TEXT CHECK (
    resumed_because IN ('asked', 'bot_away', 'address_lost')
);
-- Whether Claude's count of the cost goes on in the next run.
ALTER TABLE runs ADD COLUMN count_goes_on INTEGER NOT NULL DEFAULT 0;
-- The cost of a run is that of all runs so far; this says whether it is more than that.
ALTER TABLE runs ADD COLUMN cost_is_partial INTEGER NOT NULL DEFAULT 0;
-- How the model's last answer to it came; one that was open when the bot ended counts as cut.
ALTER TABLE runs ADD COLUMN last_answer TEXT CHECK (last_answer IN ('open', 'cut', 'whole'));

DROP VIEW job_records;
CREATE VIEW job_records AS
SELECT
    jobs.*,
    runs.number AS run_number,
    runs.claude_session_id,
    runs.token_hash,
    runs.started_at AS run_started_at,
    runs.ended_at AS run_ended_at,
    runs.resumed_because,
    runs.count_goes_on,
    runs.status AS outcome,
    runs.summary,
    runs.error,
    runs.cost_usd,
    runs.cost_is_partial,
    runs.turns,
    runs.refused_actions,
    runs.failed_servers
FROM jobs
JOIN runs ON runs.job_id = jobs.id
AND runs.number = (SELECT max(r.number) FROM runs AS r WHERE r.job_id = jobs.id);
