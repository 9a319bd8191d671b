"""The lines of a peer's standard error, no more of them than are worth keeping. Pure."""

from extensions.rpc.budgets import Allowance

_LONGEST_LINE_BYTES = 8 * 1024
_MINUTE_SECONDS = 60.0


class Complaints:
    """Gives lines as they become whole; a long one is cut into several."""

    def __init__(self, bytes_per_minute: int, *, now: float) -> None:
        # Half at once, and half comes back in a minute: within no minute is it more.
        half = bytes_per_minute / 2
        self._allowance = Allowance(half / _MINUTE_SECONDS, half, now=now)
        self._rest = b""
        self.dropped_bytes = 0
        """How much was not kept."""

    def feed(self, data: bytes, *, now: float) -> list[str]:
        """Return the lines that `data` makes whole; what is too much is counted alone."""
        if not self._allowance.take(len(data), now=now):
            self.dropped_bytes += len(data)
            return self.rest()
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _LONGEST_LINE_BYTES:
            lines.append(self._rest)
            self._rest = b""
        return [text for line in lines for text in _texts(line)]

    def rest(self) -> list[str]:
        """Return the line that has not ended, if there is one, as if it had."""
        line, self._rest = self._rest, b""
        return _texts(line)


def _texts(line: bytes) -> list[str]:
    pieces = (
        line[begin : begin + _LONGEST_LINE_BYTES]
        for begin in range(0, len(line), _LONGEST_LINE_BYTES)
    )
    texts = (piece.decode(errors="replace").rstrip() for piece in pieces)
    return [text for text in texts if text]
