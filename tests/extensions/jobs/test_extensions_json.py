import json
from dataclasses import replace
from typing import Any

from extensions.jobs.extensions_json import TEXT_LENGTH_LIMIT, ExtensionsJson, record_of
from extensions.jobs.job import Job, JobStatus, Origin, Outcome

QUEUED = Job(
    id="8d08ba4f",
    name="create-hello-txt",
    task="Create a file called hello.txt with the contents 'hi from papercup'",
    origin=Origin(session_id="5e551011", person_id=7, guild_id=1, channel_id=2),
    folder="/papercup/data/extensions/8d08ba4f",
    jail="bubblewrap",
    created_at=1777694137.0,
)
RUNNING = QUEUED.started(at=1777694137.387).with_pid(793111)
DONE = Outcome(status=JobStatus.COMPLETED, summary="Created `hello.txt` at ...", cost_usd=0.184)


def shown(*jobs: Job, newest_limit: int = 1000) -> list[dict[str, Any]]:
    content = ExtensionsJson(newest_limit=newest_limit)
    for job in jobs:
        content.put(job)
    document = json.loads(content.text())
    assert list(document) == ["extensions"]
    return list(document["extensions"])


def test_a_completed_job_stands_there_as_the_documentation_shows_it() -> None:
    assert shown(RUNNING.settled(DONE, at=1777694149.658)) == [
        {
            "id": "8d08ba4f",
            "name": "create-hello-txt",
            "task": "Create a file called hello.txt with the contents 'hi from papercup'",
            "status": "completed",
            "dir": "/papercup/data/extensions/8d08ba4f",
            "pid": 793111,
            "startedAt": 1777694137387,
            "finishedAt": 1777694149658,
            "durationMs": 12271,
            "summary": "Created `hello.txt` at ...",
            "costUsd": 0.184,
        }
    ]


def test_what_is_not_known_yet_is_null() -> None:
    record = record_of(QUEUED)

    unknown = ["pid", "startedAt", "finishedAt", "durationMs", "summary", "costUsd"]
    assert [key for key, value in record.items() if value is None] == unknown
    assert record_of(RUNNING)["durationMs"] is None


def test_a_failed_job_says_why() -> None:
    failed = RUNNING.settled(Outcome(status=JobStatus.FAILED, error="It ended."), at=1777694150.0)

    assert record_of(failed)["error"] == "It ended."
    assert "error" not in record_of(RUNNING)


def test_a_job_is_shown_as_it_was_put_last_and_the_newest_first() -> None:
    older, newer = replace(QUEUED, id="1"), replace(QUEUED, id="2")

    records = shown(older, newer, older.started(at=5.0))

    assert [(r["id"], r["status"]) for r in records] == [("2", "queued"), ("1", "running")]


def test_only_the_newest_are_kept_but_none_that_has_not_settled_is_left_out() -> None:
    settled = [replace(RUNNING, id=f"{n}").settled(DONE, at=1777694150.0) for n in range(5)]
    running = replace(RUNNING, id="running")

    records = shown(running, *settled, newest_limit=3)

    assert [r["id"] for r in records] == ["4", "3", "2", "running"]

    ended = running.settled(DONE, at=1777694151.0)
    assert [r["id"] for r in shown(running, *settled, ended, newest_limit=2)] == ["4", "3"]


def test_long_texts_are_cut() -> None:
    long = RUNNING.settled(replace(DONE, summary="x" * 100_000), at=1777694150.0)

    summary = record_of(replace(long, task="y" * 50_000))["summary"]

    assert len(summary) == TEXT_LENGTH_LIMIT
    assert summary.endswith("x…")


def test_no_jobs_are_an_empty_list() -> None:
    assert shown() == []


def test_texts_stand_there_readable_and_unbroken() -> None:
    job = replace(QUEUED, task='Größe "x"\n\n   🦊\u2028')
    content = ExtensionsJson()
    content.put(job)

    assert "Größe" in content.text()
    assert json.loads(content.text())["extensions"][0]["task"] == job.task
