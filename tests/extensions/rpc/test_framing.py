from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.rpc.framing import LineSplitter, Oversized


def lines_of(*chunks: bytes, limit_bytes: int = 100) -> list[bytes | Oversized]:
    splitter = LineSplitter(limit_bytes)
    pieces = [piece for chunk in chunks for piece in splitter.feed(chunk)]
    return [piece.rstrip(b"\n") if isinstance(piece, bytes) else piece for piece in pieces]


@given(st.lists(st.binary(max_size=30)), st.lists(st.integers(0, 400)))
def test_lines_are_the_same_however_they_come(lines: list[bytes], cuts: list[int]) -> None:
    lines = [line.replace(b"\n", b"") for line in lines]
    data = b"\n".join(lines) + b"\n"
    ends = [0, *sorted(cuts), len(data)]
    chunks = [data[begin:end] for begin, end in pairwise(ends)]

    expected = [line for line in lines if line and not line.isspace()]
    assert lines_of(*filter(None, chunks)) == expected


def test_a_line_without_an_end_is_not_given() -> None:
    assert lines_of(b'{"id":1,', b'"res') == []


def test_a_carriage_return_in_a_message_ends_no_line() -> None:
    assert lines_of(b'{"a":\r1}\r\n\r\n{}\r\n') == [b'{"a":\r1}\r', b"{}\r"]


def test_a_line_may_be_as_long_as_the_limit() -> None:
    assert lines_of(b"x" * 99 + b"\n") == [b"x" * 99]
    assert lines_of(b"x" * 101 + b"\n", b"y\n") == [Oversized(None, is_request=False), b"y"]


def test_a_line_that_is_too_long_is_discarded_as_it_comes() -> None:
    splitter = LineSplitter(1000)
    for _ in range(1000):
        assert splitter.feed(b"x" * 1000) == []

    assert splitter.feed(b"x\ny\n") == [Oversized(None, is_request=False), b"y"]
    assert splitter.discarded_bytes == 1_000_002


@pytest.mark.parametrize(
    ("begin", "end", "expected"),
    [
        (b'{"jsonrpc":"2.0","id":7,"result":"', b'"}', Oversized(7, is_request=False)),
        (b'{"id": "a", "result": "', b'"}', Oversized("a", is_request=False)),
        (b'{"result":"', b'","id":7}', Oversized(7, is_request=False)),
        (b'{"result":{"a":"', b'"},"id" : 7, "jsonrpc": "2.0" }', Oversized(7, is_request=False)),
        (b'{"id":7,"method":"kv/set","params":"', b'"}', Oversized(7, is_request=True)),
        (b'{"method":"kv/set","id":7,"params":"', b'"}', Oversized(7, is_request=True)),
        # What stands inside a value is not the message's own.
        (b'{"result":{"id":7,"a":"', b'"}}', Oversized(None, is_request=False)),
        (b'{"result":{"a":"', b'","id":7}}', Oversized(None, is_request=False)),
        (b'{"result":"', rb'\",\"id\":7}"}', Oversized(None, is_request=False)),
        (b'{"id":1.5,"result":"', b'"}', Oversized(None, is_request=False)),
        (b'{"id":12345678901234567890,"result":"', b'"}', Oversized(None, is_request=False)),
    ],
)
def test_the_id_of_a_discarded_line_is_found_if_it_is_sure(
    begin: bytes, end: bytes, expected: Oversized
) -> None:
    line = begin + b"x" * 5000 + end + b"\n"

    assert lines_of(line, limit_bytes=1000) == [expected]
    chunks = [line[i : i + 7] for i in range(0, len(line), 7)]
    assert lines_of(*chunks, limit_bytes=1000) == [expected]


def test_a_line_that_comes_byte_by_byte_takes_little_more_than_its_size() -> None:
    splitter = LineSplitter(100_000)
    for _ in range(50_000):
        splitter.feed(b"x")

    assert len(splitter._chunks) < 20
    assert splitter.feed(b"\n") == [b"x" * 50_000 + b"\n"]
