from pathlib import Path

import pytest

from extensions.programs.runner.output import Output

RESULT = b'{"type":"result","result":"done"}\n'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "out.jsonl"
    path.touch()
    return path


def printed(path: Path, *pieces: bytes) -> Output:
    """Read each piece as it is printed."""
    output = Output(str(path))
    for piece in pieces:
        with path.open("ab") as file:
            file.write(piece)
        assert output.read()
    return output


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b'{"type":"assistant","text":"\\"result\\""}',
        b'{"type":"user","content":"result"}',
        b'{"type":"result","queued_turn_count":2}',
        b'["type","result"]',
        b'{"type":"result"',
        b'"result"',
        b'{"type":"result","x":' + b"[" * 100_000,
    ],
)
def test_other_lines_and_broken_ones_are_no_end_of_all_turns(path: Path, line: bytes) -> None:
    assert printed(path, line + b"\n").result_end == 0


def test_a_result_ends_where_its_line_ends(path: Path) -> None:
    before = b'{"type":"assistant"}\n'

    output = printed(path, before + RESULT, b"more\n")

    assert output.result_end == len(before + RESULT)
    assert output.size == len(before + RESULT + b"more\n")


def test_a_result_may_come_in_pieces(path: Path) -> None:
    output = printed(path, b"x\n" + RESULT[:10], RESULT[10:-1])
    assert output.result_end == 0

    with path.open("ab") as file:
        file.write(b"\n")

    assert output.read()
    assert output.result_end == 2 + len(RESULT)


def test_a_result_may_be_longer_than_what_is_read_at_once(path: Path) -> None:
    line = b'{"type":"result","result":"' + b"x" * 200_000 + b'"}\n'

    assert printed(path, b"x\n", line).result_end == 2 + len(line)


def test_nothing_new_is_told_as_such(path: Path) -> None:
    assert not Output(str(path)).read()
