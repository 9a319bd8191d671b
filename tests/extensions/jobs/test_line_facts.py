import json
from pathlib import Path

import pytest

from extensions.claude.usage import Usage
from extensions.jobs.line_facts import AnswerUsage, WorkingFolder, fact_of

RECORDED = Path(__file__).parents[1] / "claude" / "recorded"
ANSWER = {
    "type": "assistant",
    "message": {"id": "msg_1", "content": [], "usage": {"input_tokens": 3, "output_tokens": 1}},
    "parent_tool_use_id": None,
}


def line(**changes: object) -> bytes:
    return json.dumps({**ANSWER, **changes}).encode()


def test_a_recorded_run_tells_where_it_works_and_what_each_answer_took() -> None:
    lines = (RECORDED / "tools.jsonl").read_bytes().splitlines()
    facts = list(dict.fromkeys(fact for each in lines if (fact := fact_of(each)) is not None))

    first = Usage(input_tokens=100, output_tokens=1, cache_read_tokens=5, cache_write_tokens=7)
    second = Usage(input_tokens=100, output_tokens=1)
    assert facts == [
        WorkingFolder("/papercup/work"),
        AnswerUsage(answer_id="msg_000000000000000000000006", usage=first),
        AnswerUsage(answer_id="msg_00000000000000000000001d", usage=second),
    ]


def test_what_a_helper_of_the_model_took_is_not_an_answer() -> None:
    assert fact_of(line()) is not None
    assert fact_of(line(parent_tool_use_id="t1")) is None


@pytest.mark.parametrize(
    "strange",
    [
        b'{"assistant" "usage"',
        b'["assistant", "usage", "init"]',
        b'{"type": "system", "subtype": "init", "cwd": 7}',
        b'{"type": "user", "text": "assistant init usage"}',
        line(message={"id": "msg_1", "usage": {"input_tokens": "many"}}),
        line(message={"id": 7, "usage": {}}),
        line(message=None),
        b"",
    ],
)
def test_a_strange_line_tells_nothing(strange: bytes) -> None:
    assert fact_of(strange) is None
