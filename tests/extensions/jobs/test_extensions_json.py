import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.jobs.extensions_json import (
    TEXT_LENGTH_LIMIT,
    ExtensionsJson,
    ShownJob,
    ShownJobs,
    read_extensions,
    record_of,
)
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


class TestReading:
    def test_what_was_written_is_read_again_the_oldest_first(self) -> None:
        content = ExtensionsJson()
        content.put(RUNNING.settled(DONE, at=1777694149.658))
        content.put(replace(QUEUED, id="8d08ba50"))

        found = read_extensions(content.text().encode())

        assert [job.id for job in found.jobs] == ["8d08ba4f", "8d08ba50"]
        assert found.passed_over == ()
        assert found.jobs[0] == ShownJob(
            id="8d08ba4f",
            name="create-hello-txt",
            task=QUEUED.task,
            status=JobStatus.COMPLETED,
            pid=793111,
            started_at=1777694137.387,
            finished_at=1777694149.658,
            summary="Created `hello.txt` at ...",
            error=None,
            cost_usd=0.184,
        )

    @pytest.mark.parametrize(
        "data",
        [
            *(b"", b"null", b"[]", b"{}", b'{"extensions": {}}', b"\xff\xfe\x00"),
            b'{"extensions": [{"id": "8d08ba4f", "status": "running"',
            b'{"extensions": [' + b"7" * 5000 + b"]}",
            b"[" * 100_000,
            bytes(4096),
        ],
    )
    def test_a_file_that_is_torn_or_somebody_elses_is_passed_over_as_a_whole(
        self, data: bytes
    ) -> None:
        found = read_extensions(data)

        assert found.jobs == ()
        (reason,) = found.passed_over
        assert reason.startswith("the whole file: ")

    def test_entries_that_make_no_sense_are_passed_over_and_named_and_the_others_read(self) -> None:
        good = record_of(RUNNING)
        entries = [
            good,
            7,
            None,
            [good],
            {},
            good | {"id": "../../etc"},
            good | {"id": 7},
            good | {"id": "00000001", "status": "exploded"},
            good | {"id": "00000002", "status": ["running"]},
            good | {"summary": "the same job again"},
            record_of(replace(RUNNING, id="00000003")),
        ]

        found = read_extensions(json.dumps({"extensions": entries, "more": 1}).encode())

        assert [job.id for job in found.jobs] == ["00000003", "8d08ba4f"]
        assert [reason.partition(":")[0] for reason in found.passed_over] == [
            f"entry {number}" for number in range(2, 11)
        ]

    @pytest.mark.parametrize(
        ("key", "value"),
        [
            *(("name", 7), ("task", ["x"]), ("summary", {"text": "x"}), ("error", 1.5)),
            *(("pid", -1), ("pid", True), ("pid", 10**400)),
            *(("startedAt", "yesterday"), ("finishedAt", 1e300)),
            *(("costUsd", float("nan")), ("costUsd", float("inf"))),
        ],
    )
    def test_a_field_of_a_wrong_type_counts_as_null_and_is_named(
        self, key: str, value: Any
    ) -> None:
        record = record_of(RUNNING) | {key: value}

        found = read_extensions(json.dumps({"extensions": [record]}).encode())

        assert [job.id for job in found.jobs] == ["8d08ba4f"]
        assert found.passed_over == (f"job 8d08ba4f: its {key}",)

    def test_text_that_could_not_be_stored_is_made_storable(self) -> None:
        record = record_of(RUNNING) | {"summary": "a\ud800b"}

        (job,) = read_extensions(json.dumps({"extensions": [record]}).encode()).jobs

        assert job.summary == "a?b"

    @given(
        document=st.recursive(
            st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=9),
            lambda inner: (
                st.lists(inner, max_size=4)
                | st.dictionaries(
                    st.sampled_from(["extensions", "id", "status", "pid", "startedAt", "task"]),
                    inner | st.sampled_from(["8d08ba4f", "running", "completed"]),
                )
            ),
        )
    )
    def test_whatever_it_holds_it_is_read(self, document: Any) -> None:
        for whole in (document, {"extensions": document}, {"extensions": [document]}):
            assert isinstance(read_extensions(json.dumps(whole).encode()), ShownJobs)
