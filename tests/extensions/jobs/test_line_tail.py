from pathlib import Path

from extensions.jobs.line_tail import LineTail, last_text


def read(tail: LineTail) -> list[bytes]:
    return [line for batch in tail.batches() for line in batch]


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_lines_are_read_once_and_only_when_they_have_ended(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    append(path, b"first\nsec")
    with LineTail(path) as tail:
        assert read(tail) == [b"first"]
        assert read(tail) == []
        append(path, b"ond\n\nthird\n")
        assert read(tail) == [b"second", b"", b"third"]


def test_a_file_that_is_not_there_yet_is_read_once_it_is(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with LineTail(path) as tail:
        assert read(tail) == []
        append(path, b"first\n")
        assert read(tail) == [b"first"]


def test_a_long_file_is_read_in_parts(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    lines = [b"%d:" % number + b"x" * 1000 for number in range(2000)]
    append(path, b"\n".join(lines) + b"\n")

    with LineTail(path) as tail:
        batches = list(tail.batches())

    assert len(batches) > 5
    assert [line for batch in batches for line in batch] == lines


def test_a_line_that_is_too_long_is_cut_and_the_next_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with path.open("wb") as file:
        file.truncate(40 * 1024 * 1024)
    append(path, b"\nnext\n")

    with LineTail(path) as tail:
        long, following = read(tail)

    assert len(long) == 32 * 1024 * 1024
    assert following == b"next"


def test_the_end_of_a_text_is_read_whatever_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "err.log"
    assert last_text(path, length_bytes=10) == ""
    append(path, b"\xff\xfe bad bytes: the end")

    assert last_text(path, length_bytes=7) == "the end"
    assert last_text(path, length_bytes=1000).endswith("bad bytes: the end")
