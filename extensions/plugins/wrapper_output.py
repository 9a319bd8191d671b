"""What is shown of what a program prints: its beginning, or its end, and what was cut. Pure."""

from dataclasses import dataclass

SHOWN_BYTES = 50_000
SHOWN_LINES = 2000
_TAIL_BYTES = 4000
_TAIL_LINES = 50
_CUT_CHARACTER = "\N{REPLACEMENT CHARACTER}"


class Head:
    """Keeps the beginning of what is printed, and counts the rest."""

    def __init__(self, *, most_bytes: int = SHOWN_BYTES, most_lines: int = SHOWN_LINES) -> None:
        self._most_bytes = most_bytes
        self._most_lines = most_lines
        self._kept = bytearray()
        self._line_ends = 0
        self._last = b""
        self.total_bytes = 0
        """How much was printed in all."""

    def feed(self, data: bytes) -> None:
        """Take what was printed next."""
        self._kept += data[: self._most_bytes - len(self._kept)]
        self._line_ends += data.count(b"\n")
        self._last = data[-1:] or self._last
        self.total_bytes += len(data)

    @property
    def text(self) -> str:
        """What is shown: with a note in the last line if something was cut."""
        kept = bytes(self._kept)
        first = b"\n".join(kept.split(b"\n")[: self._most_lines])
        shown = first.decode("utf-8", "replace")
        is_whole = len(kept) == self.total_bytes and not kept[len(first) :].strip(b"\n")
        if is_whole:
            return shown.rstrip("\n")
        line_ends = first.count(b"\n")
        note = (
            f"[cut: the first {len(first)} of {self.total_bytes} bytes are shown, which are"
            f" {_lines(line_ends, first)} of {_lines(self._line_ends, self._last)} lines]"
        )
        return "\n".join((shown.rstrip(_CUT_CHARACTER).rstrip("\n"), note))


class Tail:
    """Keeps the end of what is printed."""

    def __init__(self, *, most_bytes: int = _TAIL_BYTES, most_lines: int = _TAIL_LINES) -> None:
        self._most_bytes = most_bytes
        self._most_lines = most_lines
        self._kept = b""

    def feed(self, data: bytes) -> None:
        """Take what was printed next."""
        self._kept = (self._kept + data)[-self._most_bytes :]

    @property
    def text(self) -> str:
        """What is shown."""
        text = self._kept.decode("utf-8", "replace").lstrip(_CUT_CHARACTER).strip("\n")
        return "\n".join(text.split("\n")[-self._most_lines :])


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How a program ended."""

    exit_code: int
    """The negative number of the signal that ended it, if one did."""
    stdout: Head
    stderr: Tail
    has_printed_too_much: bool = False
    """Whether it was stopped for that."""

    @property
    def is_failure(self) -> bool:
        """Whether it did not do what it was to do."""
        return self.has_printed_too_much or self.exit_code != 0


def shown(ran: Ran) -> str:
    """Return what a model is told of a program that has ended."""
    output, errors = ran.stdout.text, ran.stderr.text
    if not ran.is_failure:
        return output or errors or "(It printed nothing.)"
    parts = [output, f"[{_fault(ran)}]"]
    if errors:
        parts.append(f"The end of what it said on stderr:\n{errors}")
    return "\n".join(part for part in parts if part)


def _lines(ends: int, text: bytes) -> int:
    return ends if text.endswith(b"\n") else ends + 1


def _fault(ran: Ran) -> str:
    if ran.has_printed_too_much:
        return "it was stopped, as it printed too much"
    if ran.exit_code < 0:
        return f"it was ended by signal {-ran.exit_code}"
    return f"it exited with code {ran.exit_code}"
