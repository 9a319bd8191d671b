"""What plugins want a speaker to know with its next turn."""

from collections import OrderedDict, deque
from collections.abc import AsyncGenerator, Sequence

from bot.quoting import cleaned
from bot.speaker.speaker import Image, Knobs, Speaker, SpeakerEvent

MOST_NOTES = 20
"""Of a session; of more, the newest are told."""
LONGEST_NOTES = 8_000
"""How many characters they have together."""
MOST_SESSIONS = 500

_LEFT_OUT = "[Some of what plugins had to say before that is left out.]"
# A note is one line in square brackets: nothing in it may pass for another one.
_FORBIDDEN = str.maketrans({"[": "(", "]": ")", '"': "'"})


class TurnNotes:
    """Gathers notes for each session until its next turn."""

    def __init__(self) -> None:
        self._notes: OrderedDict[str, deque[str]] = OrderedDict()

    def posted(self, session_id: str, plugin_id: str, text: str) -> None:
        """Take it that a plugin has posted something where a session is held."""
        self._add(session_id, f'[The plugin {plugin_id} has posted here: "{_quoted(text)}"]')

    def added(self, session_id: str, plugin_id: str, name: str, text: str) -> None:
        """Take what a plugin adds, in a person's stead, to what is said next."""
        who = _quoted(name) or "somebody"
        self._add(
            session_id,
            f"[The plugin {plugin_id} adds this in {who}'s stead to what is said next:"
            f' "{_quoted(text)}"]',
        )

    def take(self, session_id: str) -> str:
        """Return a session's notes, each on a line of its own, and forget them."""
        return "".join(f"{note}\n" for note in self._notes.pop(session_id, ()))

    def _add(self, session_id: str, note: str) -> None:
        notes = self._notes.setdefault(session_id, deque())
        self._notes.move_to_end(session_id)
        has_left_out = bool(notes) and notes[0] == _LEFT_OUT
        if has_left_out:
            notes.popleft()
        notes.append(note)
        while len(notes) > MOST_NOTES or (len(notes) > 1 and sum(map(len, notes)) > LONGEST_NOTES):
            notes.popleft()
            has_left_out = True
        if has_left_out:
            notes.appendleft(_LEFT_OUT)
        while len(self._notes) > MOST_SESSIONS:
            self._notes.popitem(last=False)


class NotedSpeaker:
    """A speaker that is told a session's notes with each turn. Implements `Speaker`."""

    def __init__(self, speaker: Speaker, notes: TurnNotes, session_id: str) -> None:
        self._speaker = speaker
        self._notes = notes
        self._session_id = session_id

    async def run(self) -> None:
        """Keep the speaker going until it is cancelled."""
        await self._speaker.run()

    def warm_up(self) -> None:
        """Get ready to answer, in the background."""
        self._speaker.warm_up()

    def answer(self, text: str, images: Sequence[Image] = ()) -> AsyncGenerator[SpeakerEvent, None]:
        """Say the notes and `text` to the speaker, and yield the answer."""
        return self._speaker.answer(self._notes.take(self._session_id) + text, images)

    def change(self, knobs: Knobs) -> None:
        """Answer with other knobs from the next turn on."""
        self._speaker.change(knobs)

    async def interrupt(self) -> bool:
        """Have the running answer end at once; `False` if there is none."""
        return await self._speaker.interrupt()


def _quoted(text: str) -> str:
    """Return a text as one line that ends nothing that it stands in."""
    return " ".join(cleaned(text).split()).translate(_FORBIDDEN)[:LONGEST_NOTES]
