"""From datagrams to what somebody said."""

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import replace

from bot.discord_io.voice import end_to_end, rtp, transport
from bot.discord_io.voice.deafness import Deafness
from bot.discord_io.voice.end_to_end import Keys
from bot.discord_io.voice.seen import Seen
from bot.discord_io.voice.speakers import Speakers
from voice.events import SILENCE, HeardPacket

_MOST_EARLY = 16
_EARLY_PACKETS = 50
_EARLY_SECONDS = 1.0


class Unsealer:
    """Opens what comes in on one connection.

    Args:
        keys: Read for each packet: they change whenever somebody comes or goes.
        own_id: The bot's.
        counts: Of packets, by what became of them.
        deafness: Is told what cannot be decrypted.
        gone_deaf: Called when that is too much.
    """

    def __init__(
        self,
        keys: Keys,
        own_id: int,
        counts: Counter[str],
        deafness: Deafness,
        gone_deaf: Callable[[], None],
    ) -> None:
        self._speakers = Speakers()
        self._seen = Seen()
        self._early: dict[int, deque[HeardPacket]] = {}
        """Of streams of which nobody has said yet whose they are: packets overtake messages."""
        self._keys = keys
        self._own_id = own_id
        self._counts = counts
        self._deafness = deafness
        self._gone_deaf = gone_deaf

    def heard(self, datagram: bytes, at: float) -> HeardPacket | None:
        """Return what somebody said; `None` if it is nothing, or cannot be known.

        Args:
            datagram: As it came.
            at: When it came.
        """
        packet = rtp.parse(datagram)
        if packet is None:
            self._counts["other"] += 1
            return None
        keys = self._keys
        if not keys.secret_key or packet.ssrc == keys.ssrc:
            return None
        opened = transport.opened(keys.mode, bytes(keys.secret_key), packet)
        frame = None if opened is None else rtp.payload(packet, opened)
        if frame is None:
            self._counts["not authentic"] += 1
            return None
        if not self._seen.is_new(packet.ssrc, packet.sequence):
            # Nobody could decrypt it a second time.
            self._counts["twice"] += 1
            return None
        return self._said(packet, frame, at) if frame else None

    def begin_anew(self) -> None:
        """Know that there is a new session: its streams are others."""
        self._speakers.clear()
        self._seen.clear()
        self._early.clear()

    def learn(self, ssrc: int, person_id: int) -> list[HeardPacket]:
        """Know whose a stream is, and return what has come of it already."""
        self._speakers.learn(ssrc, person_id)
        packets = [replace(packet, person_id=person_id) for packet in self._early.pop(ssrc, ())]
        if packets:
            self._counts["received"] += len(packets)
            self._counts["unknown speaker"] -= len(packets)
        return packets

    def forget(self, person_id: int) -> None:
        """Know that somebody has left."""
        self._speakers.forget(person_id)

    def _said(self, packet: rtp.RtpPacket, frame: bytes, at: float) -> HeardPacket | None:
        opus = frame if frame == SILENCE else self._understood(packet.ssrc, frame, at)
        if opus is None:
            return None
        person_id = self._speakers.whose(packet.ssrc)
        said = HeardPacket(
            person_id=person_id or 0,
            sequence=packet.sequence,
            timestamp=packet.timestamp,
            opus=opus,
            at=at,
        )
        if person_id is None:
            # Silence is never encrypted, so that it does not tell whose it is.
            self._counts["silence" if opus == SILENCE else "unknown speaker"] += 1
            self._keep(packet.ssrc, said)
            return None
        self._counts["silence" if opus == SILENCE else "received"] += 1
        return said

    def _keep(self, ssrc: int, packet: HeardPacket) -> None:
        if packet.opus == SILENCE or not self._has_room(ssrc, packet.at):
            return
        kept = self._early.setdefault(ssrc, deque(maxlen=_EARLY_PACKETS))
        while kept and _is_old(kept[0], packet.at):
            kept.popleft()
        kept.append(packet)

    def _has_room(self, ssrc: int, now: float) -> bool:
        if ssrc in self._early or len(self._early) < _MOST_EARLY:
            return True
        # Streams that nobody was ever said to be must not keep out those that begin later.
        for old in [each for each, kept in self._early.items() if _is_old(kept[-1], now)]:
            del self._early[old]
        return len(self._early) < _MOST_EARLY

    def _understood(self, ssrc: int, frame: bytes, at: float) -> bytes | None:
        keys = self._keys
        if keys.dave_protocol_version == 0 and not frame.endswith(end_to_end.MARK):
            return frame
        opus = self._decrypted(ssrc, frame)
        if opus is not None:
            self._deafness.understood(ssrc)
            return opus
        is_known = self._speakers.whose(ssrc) is not None
        self._counts["undecryptable" if is_known else "unknown speaker"] += 1
        if self._deafness.not_understood(ssrc, at):
            self._gone_deaf()
        return None

    def _decrypted(self, ssrc: int, frame: bytes) -> bytes | None:
        person_id = self._speakers.whose(ssrc)
        if person_id is not None:
            opus = end_to_end.decrypted(self._keys, person_id, frame)
            if opus is not None:
                return opus
            # Everyone in a call can work out everyone's keys: a key that fits does not make
            # somebody's stream that of another person.
            if self._speakers.was_named(ssrc) and person_id in end_to_end.people(self._keys):
                return None
        return self._by_trial(ssrc, frame)

    def _by_trial(self, ssrc: int, frame: bytes) -> bytes | None:
        """Decrypt what nobody has said to be theirs: only the key of who sent it fits."""
        if not frame.endswith(end_to_end.MARK):
            return None
        for person_id in self._speakers.silent_ones(end_to_end.people(self._keys)):
            if person_id == self._own_id:
                continue
            opus = end_to_end.decrypted(self._keys, person_id, frame)
            # While keys change, a frame that is not really encrypted comes back as it is, whoever
            # is asked for: that proves nothing. What was decrypted is shorter.
            if opus is not None and len(opus) < len(frame):
                self._speakers.found(ssrc, person_id)
                self._counts["speaker found by trial"] += 1
                return opus
        return None


def _is_old(packet: HeardPacket, now: float) -> bool:
    return packet.at < now - _EARLY_SECONDS
