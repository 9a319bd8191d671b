import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.jobs.job import Origin
from extensions.jobs.run import ResumeReason, Run
from extensions.jobs.sheet import BadSheetError, JobSheet, parse_sheet, sheet_text

SHEET = JobSheet(
    id="8d08ba4f",
    name="fibonacci",
    task="Write a script\nthat prints “Fibonacci” numbers 🦊 \x00",
    origin=Origin(session_id="5e551011", person_id=2**62 + 1, guild_id=None, channel_id=2),
    jail="bubblewrap",
    created_at=1000.25,
    run=Run(
        job_id="8d08ba4f",
        number=2,
        claude_session_id="0b1d4f1e-0000-4000-8000-000000000000",
        token_hash="ab" * 32,
        started_at=1001.5,
        resumed_because=ResumeReason.BOT_AWAY,
    ),
)


def changed(change: Callable[[dict[str, Any]], None]) -> bytes:
    document = json.loads(sheet_text(SHEET))
    change(document)
    return json.dumps(document).encode()


def test_it_is_read_as_it_was_written() -> None:
    assert parse_sheet("8d08ba4f", sheet_text(SHEET).encode()) == SHEET

    waiting = replace(SHEET, run=replace(SHEET.run, token_hash=None, started_at=None))
    assert parse_sheet("8d08ba4f", sheet_text(waiting).encode()) == waiting


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda d: d.update(id="00000001"), "another job's"),
        (lambda d: d.update(version=2), "of this version"),
        (lambda d: d.update(run=None), "of this version"),
        (lambda d: d.pop("person_id"), "person_id is no whole number"),
        (lambda d: d.update(person_id=True), "person_id is no whole number"),
        (lambda d: d.update(person_id="7"), "person_id is no whole number"),
        (lambda d: d.update(channel_id=2**63), "channel_id is no whole number"),
        (lambda d: d.update(guild_id=-1), "guild_id is no whole number"),
        (lambda d: d.update(task="\ud800"), "task is no text"),
        (lambda d: d.update(task=["x"]), "task is no text"),
        (lambda d: d.update(created_at=float("nan")), "created_at is no time"),
        (lambda d: d["run"].update(number=1.5), "number is no whole number"),
        (lambda d: d["run"].update(token_hash=5), "token_hash is no text"),
    ],
)
def test_what_is_not_this_jobs_sheet_is_refused_with_the_reason(
    change: Callable[[dict[str, Any]], None], reason: str
) -> None:
    with pytest.raises(BadSheetError, match=reason):
        parse_sheet("8d08ba4f", changed(change))


@pytest.mark.parametrize("data", [b"", b"{", b"[1]", b"\xff\xfe", b"[" * 100_000, b"1" * 5000])
def test_what_is_no_json_is_refused(data: bytes) -> None:
    with pytest.raises(BadSheetError):
        parse_sheet("8d08ba4f", data)


@given(cut=st.integers(0, len(sheet_text(SHEET)) - 3))
def test_no_part_of_a_sheet_is_taken_for_a_sheet(cut: int) -> None:
    with pytest.raises(BadSheetError):
        parse_sheet("8d08ba4f", sheet_text(SHEET).encode()[:cut])
