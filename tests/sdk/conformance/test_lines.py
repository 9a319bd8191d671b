"""What a plugin may write on a line is a message, and nothing else is."""

import pytest

from papercup_plugin.conformance.lines import BadLine, read_line

MESSAGE = {"jsonrpc": "2.0", "id": 1, "result": {}}
BAD: dict[str, tuple[bytes | None, str]] = {
    "words": (b"a word", "a line that is no JSON: 'a word'"),
    "nothing": (b"", "a line that is no JSON: ''"),
    "a number": (b"7", "a line that is no object: '7'"),
    "a batch": (b"[{}]", "a list in place of a message: '[{}]'"),
    "a byte order mark": (b"\xef\xbb\xbf{}", "a line with a byte order mark: '\\ufeff{}'"),
    "another encoding": (b'{"a": "\xe9"}', 'a line that is not UTF-8: \'{"a": "\ufffd"}\''),
    "a header": (b"Content-Length: 7\r", "a header: 'Content-Length: 7\\r'"),
    "the first of several lines": (b"{ ", "a message that goes on in other lines: '{ '"),
    "NaN": (b'{"a": NaN}', "NaN, which JSON does not have: '{\"a\": NaN}'"),
    "infinity": (b'{"a": -Infinity}', "-Infinity, which JSON does not have"),
    "too large a number": (b'{"a": 1e999}', "the number 1e999, which JSON does not have"),
    "too deep a list": (b"[" * 100_000, "a line that is no JSON: '[[[["),
    "too long a line": (None, "a line of more than 16 MiB"),
}


@pytest.mark.parametrize("line", [b'{"jsonrpc": "2.0", "id": 1, "result": {}}'])
@pytest.mark.parametrize("end", [b"", b"\r", b"  "])
def test_a_message_is_read_whatever_space_is_behind_it(line: bytes, end: bytes) -> None:
    assert read_line(line + end) == MESSAGE


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_message_is_named(name: str) -> None:
    line, what = BAD[name]
    found = read_line(line)

    assert isinstance(found, BadLine)
    assert found.what.startswith(what)
    assert found.mend
