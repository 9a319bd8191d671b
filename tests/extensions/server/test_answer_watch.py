import itertools
import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.claude.usage import Usage
from extensions.server.answer_watch import AnswerWatch, JsonAnswer, StreamedAnswer, watch_for

START = {
    "type": "message_start",
    "message": {
        "id": "msg_1",
        "usage": {
            "input_tokens": 100,
            "cache_creation_input_tokens": 20,
            "cache_read_input_tokens": 3000,
            "output_tokens": 1,
            "service_tier": "standard",
        },
    },
}
TEXT = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "né"}}
DELTA = {
    "type": "message_delta",
    "delta": {"stop_reason": "end_turn"},
    "usage": {"output_tokens": 42},
}
STOP = {"type": "message_stop"}
ERROR = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}


def sse(*events: dict[str, Any], end: str = "\n") -> bytes:
    lines = (f"event: {e['type']}{end}data: {json.dumps(e)}{end}{end}" for e in events)
    return "".join(lines).encode()


WHOLE = sse(START, TEXT, TEXT, DELTA, STOP)
USED = Usage(input_tokens=100, output_tokens=42, cache_read_tokens=3000, cache_write_tokens=20)


def watched(*parts: bytes) -> AnswerWatch:
    watch = StreamedAnswer()
    for part in parts:
        watch.feed(part)
    return watch


def test_a_whole_stream_is_counted() -> None:
    watch = watched(WHOLE)

    assert (watch.is_whole, watch.usage) == (True, USED)


@given(cuts=st.lists(st.integers(min_value=0, max_value=len(WHOLE)), max_size=20))
def test_it_does_not_matter_how_the_bytes_are_divided(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(WHOLE)]
    watch = watched(*(WHOLE[a:b] for a, b in itertools.pairwise(places)))

    assert (watch.is_whole, watch.usage) == (True, USED)


@given(length=st.integers(min_value=0, max_value=len(WHOLE) - 3))
def test_a_stream_that_stops_before_its_last_event_is_not_whole(length: int) -> None:
    assert watched(WHOLE[:length]).is_whole is False


def test_a_stream_that_broke_off_is_counted_as_far_as_it_came() -> None:
    assert watched(sse(START, TEXT)).usage == Usage(
        input_tokens=100, output_tokens=1, cache_read_tokens=3000, cache_write_tokens=20
    )


def test_a_stream_that_ends_with_an_error_says_so_and_is_whole() -> None:
    assert watched(sse(START, TEXT, ERROR)).is_whole is True


def test_the_words_of_an_answer_are_not_taken_for_events() -> None:
    text = {**TEXT, "delta": {"type": "text_delta", "text": 'event: message_stop\ndata: {"type":'}}

    assert watched(sse(START, text)).is_whole is False


@pytest.mark.parametrize(
    "stream",
    [
        sse(START, DELTA, STOP, end="\r\n"),
        b": comment\n\n" + sse(START, {"type": "ping"}, DELTA, STOP),
        sse(START, DELTA, STOP).replace(b"event: ", b"event:").replace(b"data: ", b"data:"),
        b"\n".join(
            line for line in sse(START, DELTA, STOP).split(b"\n") if not line.startswith(b"event")
        ),
    ],
)
def test_streams_may_be_written_in_other_ways(stream: bytes) -> None:
    watch = watched(stream)

    assert (watch.is_whole, watch.usage) == (True, USED)


@pytest.mark.parametrize(
    "strange",
    [
        b"event: message_start\ndata: {not json\n\n",
        b"event: message_start\ndata: []\n\n",
        b'event: message_start\ndata: {"type": "message_start", "message": {"usage": 5}}\n\n',
        b'data: {"type": "message_delta", "usage": {"input_tokens": "many", "x": -1}}\n\n',
        b"data\nevent\n\xff\xfe\n",
    ],
)
def test_what_cannot_be_read_is_passed_over(strange: bytes) -> None:
    watch = watched(sse(START), strange, sse(DELTA, STOP))

    assert (watch.is_whole, watch.usage) == (True, USED)


def test_a_line_without_end_is_not_kept_without_end() -> None:
    watch = StreamedAnswer()
    for _ in range(20):
        watch.feed(b"x" * 1_000_000)
    watch.feed(b"\n\n" + WHOLE)

    assert (watch.is_whole, watch.usage) == (True, USED)


def in_one_piece(parts: Iterable[bytes]) -> AnswerWatch:
    watch = JsonAnswer()
    for part in parts:
        watch.feed(part)
    return watch


def test_an_answer_in_one_piece_is_counted() -> None:
    body = json.dumps(
        {"type": "message", "usage": {"input_tokens": 5, "output_tokens": 7, "nested": {"a": 1}}}
    ).encode()

    watch = in_one_piece([body[:9], body[9:]])
    assert (watch.is_whole, watch.usage) == (True, Usage(input_tokens=5, output_tokens=7))

    watch = in_one_piece([body[:-1]])
    assert (watch.is_whole, watch.usage) == (False, Usage())


@pytest.mark.parametrize(
    ("content_type", "kind"),
    [
        ("text/event-stream", StreamedAnswer),
        ("Text/Event-Stream; charset=utf-8", StreamedAnswer),
        ("application/json", JsonAnswer),
        ("", JsonAnswer),
    ],
)
def test_the_content_type_says_how_an_answer_is_read(content_type: str, kind: type) -> None:
    assert isinstance(watch_for(content_type), kind)
