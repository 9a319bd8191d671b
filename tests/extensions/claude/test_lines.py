from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from extensions.claude.lines import LineSplitter, TooLong


@given(
    lines=st.lists(st.binary(min_size=1, max_size=9).filter(lambda line: b"\n" not in line)),
    cuts=st.lists(st.integers(min_value=0, max_value=60)),
)
def test_lines_come_out_whole_wherever_the_bytes_are_cut(
    lines: list[bytes], cuts: list[int]
) -> None:
    data = b"".join(line + b"\n" for line in lines)
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    splitter = LineSplitter(100)

    found = [line for start, end in pairwise(edges) for line in splitter.feed(data[start:end])]

    assert found == [line for line in lines if line.strip()]


def test_a_line_that_is_too_long_is_dropped_and_the_next_one_kept() -> None:
    splitter = LineSplitter(4)

    assert splitter.feed(b"1234\n123") == [b"1234"]
    assert splitter.feed(b"45") == []
    assert splitter.feed(b"6789\nab\n") == [TooLong(4), b"ab"]


def test_a_line_without_an_end_is_not_given_yet() -> None:
    splitter = LineSplitter(100)

    assert splitter.feed(b"ab") == []
    assert splitter.feed(b"c\n\n") == [b"abc"]
