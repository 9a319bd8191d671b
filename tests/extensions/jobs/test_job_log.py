import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.jobs.job_log import JobLog
from tests.fakes.example_job import JOB

RECORDED = Path(__file__).parents[1] / "claude" / "recorded"
HEAD = """\
fibonacci (8d08ba4f), queued
Asked for at 1970-01-01 00:16:40; all times are UTC.
Task:
    Write a script
    that prints Fibonacci numbers
"""


def log_of(*lines: bytes, most_bytes: int = 100_000) -> str:
    log = JobLog(JOB, most_bytes=most_bytes)
    log.begin_run(1)
    for line in lines:
        log.add(line)
    return log.text


def steps_of(*messages: Mapping[str, Any] | bytes) -> str:
    lines = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in messages]
    return log_of(*lines).removeprefix(f"{HEAD}\n== Run 1 ==\n").replace("--:--:--  ", "")


def calls(name: str, **arguments: object) -> Mapping[str, Any]:
    block = {"type": "tool_use", "id": "t1", "name": name, "input": arguments}
    return {"type": "assistant", "message": {"id": "m", "content": [block]}}


def returns(content: object, *, is_error: bool = False) -> Mapping[str, Any]:
    block = {
        "type": "tool_result",
        "tool_use_id": "t1",
        "content": content,
        "is_error": is_error,
    }
    return {"type": "user", "message": {"content": [block]}}


def says(text: str) -> Mapping[str, Any]:
    block = {"type": "text", "text": text}
    return {"type": "assistant", "message": {"id": "m", "content": [block]}}


def test_a_recorded_run_reads_as_a_list_of_steps() -> None:
    lines = (RECORDED / "tools.jsonl").read_bytes().splitlines()

    assert log_of(*lines) == (
        HEAD
        + """
== Run 1 ==
--:--:--  A turn began, with claude-opus-5-5. Not reached: papercup.
00:00:00  It says:
    I look.
00:00:00  → Read file_path=notes.txt
00:00:00  → Glob pattern=*
00:00:00  ← Glob:
    notes.txt
00:00:00  ← Read:
    1	Buy milk.
    2
00:00:00  It says:
    Buy milk.
00:00:00  The turn ended: 3 steps, 232 tokens, $0.0012 so far.
"""
    )


def test_a_refused_action_is_told_with_its_reason() -> None:
    lines = (RECORDED / "refused_action.jsonl").read_bytes().splitlines()

    assert "✗ Read was refused: /etc/passwd is outside /papercup/work;" in log_of(*lines)


def test_each_failed_call_of_the_api_is_told_and_how_it_ended() -> None:
    log = log_of(*(RECORDED / "overloaded.jsonl").read_bytes().splitlines())

    assert "The model's API failed: overloaded (529); attempt 1 of 1, again in" in log
    assert "The turn failed: 1 step, 0 tokens" in log
    assert "    API Error: 529 refused by the script." in log


def test_a_command_is_shown_whole_and_long_arguments_are_counted() -> None:
    assert steps_of(calls("Bash", command="cd src\npython3 a.py")) == (
        "→ Bash\n    cd src\n    python3 a.py\n"
    )
    write = calls("Write", file_path="a.py", content="x = 1\ny = 2", flags=[1, 2])
    assert steps_of(write) == (
        "→ Write file_path=a.py content=(2 lines, 11 characters) flags=[1, 2]\n"
    )


def test_a_result_is_shortened_and_one_that_failed_says_so() -> None:
    result = "\n".join(str(number) for number in range(100))

    shown = steps_of(calls("Bash", command="seq"), returns(result))
    assert shown.endswith("    18\n    19\n    … 80 more lines\n")
    assert "← a tool failed:\n    no such file" in steps_of(returns("no such file", is_error=True))
    assert steps_of(returns("")) == "← a tool: (nothing)\n"
    parts = [{"type": "text", "text": "one"}, {"type": "image", "source": {}}]
    assert steps_of(returns(parts)) == "← a tool:\n    one\n    (image)\n"


def test_what_cannot_be_seen_is_left_out() -> None:
    text = "\x1b[31mred\x1b[0m\x1b]0;title\x07 a\u202eb\u200b\r\nc\x00"

    assert steps_of(says(text)) == "It says:\n    red ab\n    c\n"


@pytest.mark.parametrize("line", [b"no JSON", b"7", b'{"type": "assistant"}'])
def test_a_line_that_makes_no_sense_is_said_to_be_one(line: bytes) -> None:
    assert steps_of(line) == "(a line that cannot be read)\n"


def test_a_run_that_has_said_nothing_has_an_empty_log() -> None:
    assert JobLog(JOB, most_bytes=1000).text == f"{HEAD}Nothing has been written down yet.\n"


def test_of_a_long_log_the_newest_part_is_kept_and_it_says_so() -> None:
    lines = [json.dumps(says(f"step {number}")).encode() for number in range(1000)]
    log = log_of(*lines, most_bytes=2000)

    assert len(log.encode()) <= 2000
    assert "The beginning is left out" in log
    assert "step 999\n" in log
    assert "step 1\n" not in log


@given(st.lists(st.text()), st.text(), st.integers(min_value=6000, max_value=20_000))
def test_whatever_is_said_the_log_is_no_longer_than_it_may_be(
    texts: list[str], task: str, most_bytes: int
) -> None:
    log = JobLog(replace(JOB, task=task[:1000]), most_bytes=most_bytes)
    for text in texts:
        log.add(json.dumps(says(text * 50)).encode())
        log.add(json.dumps(calls("Bash", command=text)).encode())

    assert len(log.text.encode()) <= most_bytes
