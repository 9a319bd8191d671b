"""Which packets have come already: networks deliver some of them twice. Pure."""

from collections import deque

_REMEMBERED = 64
"""Packets of one stream: more than a second of speech."""
_MOST_STREAMS = 256


class Seen:
    """Remembers the newest packets of each stream."""

    def __init__(self) -> None:
        self._streams: dict[int, deque[int]] = {}

    def is_new(self, ssrc: int, sequence: int) -> bool:
        """Take a packet, and say whether it has not come before."""
        stream = self._streams.get(ssrc)
        if stream is None:
            if len(self._streams) >= _MOST_STREAMS:
                del self._streams[next(iter(self._streams))]
            stream = self._streams[ssrc] = deque(maxlen=_REMEMBERED)
        if sequence in stream:
            return False
        stream.append(sequence)
        return True

    def clear(self) -> None:
        """Forget all: a new connection has new streams."""
        self._streams.clear()
