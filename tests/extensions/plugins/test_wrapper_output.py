import pytest

from extensions.plugins.wrapper_output import Head, Ran, Tail, shown


def head(*pieces: bytes, most_bytes: int = 50_000, most_lines: int = 2000) -> Head:
    kept = Head(most_bytes=most_bytes, most_lines=most_lines)
    for piece in pieces:
        kept.feed(piece)
    return kept


def tail(*pieces: bytes, most_bytes: int = 4000, most_lines: int = 50) -> str:
    kept = Tail(most_bytes=most_bytes, most_lines=most_lines)
    for piece in pieces:
        kept.feed(piece)
    return kept.text


def ran(exit_code: int, stdout: bytes, stderr: bytes, *, too_much: bool = False) -> str:
    errors = Tail()
    errors.feed(stderr)
    return shown(
        Ran(
            exit_code=exit_code,
            stdout=head(stdout),
            stderr=errors,
            has_printed_too_much=too_much,
        )
    )


@pytest.mark.parametrize(
    ("kept", "text"),
    [
        (head(), ""),
        (head(b"one\ntw", b"o\n"), "one\ntwo"),
        (head(b"\xff\xe2\x82", b"\xac"), "\ufffd€"),
        (
            head(b"one\ntwo\n", b"three\nfour", most_lines=2),
            "one\ntwo\n[cut: the first 7 of 18 bytes are shown, which are 2 of 4 lines]",
        ),
        (head(b"one\ntwo\n\n", most_lines=2), "one\ntwo"),
        (
            head("aé".encode(), b"b", most_bytes=2),
            "a\n[cut: the first 2 of 4 bytes are shown, which are 1 of 1 lines]",
        ),
        (
            head(b"one\n", b"\n\n\n\n", most_bytes=5),
            "one\n[cut: the first 5 of 8 bytes are shown, which are 2 of 5 lines]",
        ),
    ],
)
def test_the_beginning_is_shown_and_what_was_cut_is_said(kept: Head, text: str) -> None:
    assert kept.text == text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (tail(b"one\n", b"two\n"), "one\ntwo"),
        (tail(b"one\ntwo\nthree\n", most_lines=2), "two\nthree"),
        (tail("éa".encode(), b"b", most_bytes=3), "ab"),
    ],
)
def test_the_end_is_kept(text: str, kept: str) -> None:
    assert text == kept


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ran(0, b"done\n", b"warned\n"), "done"),
        (ran(0, b"", b"warned\n"), "warned"),
        (ran(0, b"", b""), "(It printed nothing.)"),
        (ran(3, b"", b""), "[it exited with code 3]"),
        (
            ran(3, b"half\n", b"bad\nworse\n"),
            "half\n[it exited with code 3]\nThe end of what it said on stderr:\nbad\nworse",
        ),
        (ran(-9, b"", b""), "[it was ended by signal 9]"),
        (ran(-9, b"y", b"", too_much=True), "y\n[it was stopped, as it printed too much]"),
    ],
)
def test_a_model_is_told_how_a_program_ended(text: str, expected: str) -> None:
    assert text == expected
