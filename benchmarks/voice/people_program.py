"""People who talk: sends packets over UDP, each when it is due.

Run as `python people_program.py`; needs the standard library alone, so that what people cost is
not counted as the bot's. A line of JSON on stdin is an order:

    {"clip": "a", "packets": "base64 base64 …"}                          remember what is said
    {"say": "a", "port": 4242, "person": 1, "at": 12.5, "seed": 7}       say it, from then on

Times are of `time.monotonic`, which is the same in all processes. When stdin has ended, it tells
how late its packets were, in seconds, as `{"late_p50": …, "late_p99": …}`, and ends.
"""

import base64
import heapq
import json
import os
import random
import select
import socket
import struct
import sys
import time
from itertools import count

HEADER = struct.Struct("!QHI")
"""Before each packet: who says it, its number, and its time in samples of 48 kHz."""
PACKET_SECONDS = 0.02
MOST_JITTER_SECONDS = 0.012
SILENCE = b"\xf8\xff\xfe"
SILENCE_FRAMES = 5

_RATE = 48_000
_READ_BYTES = 1 << 20
_LONGEST_WAIT_SECONDS = 0.5


class People:
    """All people of all lines."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._socket.settimeout(0)
        self._clips: dict[str, list[bytes]] = {}
        self._due: list[tuple[float, int, int, bytes]] = []
        self._order = count()
        self._sequences: dict[int, int] = {}
        self._late: list[float] = []
        self._rest = b""

    @property
    def port(self) -> int:
        """Where they hear the bot."""
        return int(self._socket.getsockname()[1])

    def run(self) -> None:
        """Do as is ordered until stdin ends."""
        is_over = False
        while not is_over:
            wait = _LONGEST_WAIT_SECONDS
            if self._due:
                wait = max(0.0, min(wait, self._due[0][0] - time.monotonic()))
            ready, _, _ = select.select([sys.stdin.fileno(), self._socket], [], [], wait)
            self._send_due()
            if self._socket in ready:
                self._hear()
            if sys.stdin.fileno() in ready:
                is_over = not self._read()

    def lateness(self) -> dict[str, float]:
        """Return how late packets were."""
        late = sorted(self._late) or [0.0]
        return {
            "late_p50": late[len(late) // 2],
            "late_p99": late[int(len(late) * 0.99)],
        }

    def _send_due(self) -> None:
        now = time.monotonic()
        while self._due and self._due[0][0] <= now:
            at, _, port, datagram = heapq.heappop(self._due)
            self._socket.sendto(datagram, ("127.0.0.1", port))
            self._late.append(now - at)

    def _hear(self) -> None:
        try:
            while True:
                self._socket.recv(2048)
        except BlockingIOError:
            pass

    def _read(self) -> bool:
        data = os.read(sys.stdin.fileno(), _READ_BYTES)
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._obey(json.loads(line))
        return bool(data)

    def _obey(self, order: dict[str, object]) -> None:
        match order:
            case {"clip": str(name), "packets": str(packets)}:
                self._clips[name] = [base64.b64decode(packet) for packet in packets.split()]
            case {
                "say": str(name),
                "port": int(port),
                "person": int(person),
                "at": float(at),
                "seed": int(seed),
            }:
                self._say(self._clips[name], port, person, at, random.Random(seed))  # noqa: S311
            case _:
                raise ValueError(f"no such order: {order}")

    def _say(
        self, packets: list[bytes], port: int, person: int, at: float, chance: random.Random
    ) -> None:
        sequence = self._sequences.get(person, 0)
        for number, opus in enumerate([*packets, *[SILENCE] * SILENCE_FRAMES]):
            # Audio can be sent once all of it was said.
            said_at = at + (number + 1) * PACKET_SECONDS
            header = HEADER.pack(person, sequence % 2**16, int(said_at * _RATE) % 2**32)
            due = said_at + chance.uniform(0, MOST_JITTER_SECONDS)
            heapq.heappush(self._due, (due, next(self._order), port, header + opus))
            sequence += 1
        self._sequences[person] = sequence


def main() -> None:
    """Be people, until stdin ends."""
    people = People()
    sys.stdout.write(json.dumps({"port": people.port}) + "\n")
    sys.stdout.flush()
    people.run()
    sys.stdout.write(json.dumps(people.lateness()) + "\n")


if __name__ == "__main__":
    main()
