"""A turn, as data: what somebody says, and how far its answer has come. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.access import Person
from bot.conversation.incoming import Attachment, first_id_at
from bot.messenger import MessageRef

MOST_JOINED = 10
"""How many messages are answered together at most."""
LONGEST_JOINED = 8_000
"""How many characters they may have together."""
MOST_FILES = 10
"""How many files are taken with one turn."""
MOST_FILE_BYTES = 25 * 1024 * 1024
"""How large they may be, each and together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a person, or several in a row, to be answered."""

    people: tuple[Person, ...]
    """In whose name it is taken; it may do what all of them may."""
    text: str
    """Empty if there are only files."""
    attachments: tuple[Attachment, ...] = ()
    """The files that came with its messages."""
    asked_in: MessageRef
    """The message that the answer replies to."""
    joined: tuple[MessageRef, ...] = ()
    """Earlier messages that are answered together with that one."""
    is_from_menu: bool = False
    """Whether it is a question about that message, which somebody else may have written."""
    is_spoken: bool = False
    """Whether it was said on a voice line; `asked_in` is then what `spoken_ref` gives."""
    is_begun: bool = False
    """Whether something of the answer may stand in the channel already."""
    shown_in: tuple[MessageRef, ...] = ()
    """Where it stands then, as far as that is known."""
    answer: str | None = None
    """The whole answer, if it is known and has only to be shown."""

    @property
    def messages(self) -> tuple[MessageRef, ...]:
        """All messages that it is made of, in order."""
        return (*self.joined, self.asked_in)

    @property
    def is_untouched(self) -> bool:
        """Whether its message may still be changed or taken back by its author.

        Nothing was begun yet then. A question about a message stays what it was: whoever asked
        meant what the message said at that time.
        """
        is_message = not self.joined and not self.is_from_menu
        return is_message and not self.is_begun and self.answer is None


def spoken_ref(channel_id: int, *, at: float, number: int) -> MessageRef:
    """Return what stands in place of a message for something that was said.

    Its id is negative, which that of no message is, and lower the later it was said.

    Args:
        channel_id: The voice channel.
        at: Unix time, in seconds.
        number: Another one for each thing that was said.
    """
    return MessageRef(channel_id=channel_id, message_id=-(first_id_at(at) + number))


def next_turn(waiting: Sequence[Turn]) -> tuple[Turn, int]:
    """Return the turn to be answered now, and how many of those that wait it is made of.

    Messages that one person wrote in a row are answered together. What somebody else wrote never
    joins them, nor what the same person wrote with other roles: all of a turn has one's rights.
    A question about a message is answered under that message, so it is never joined either; nor
    is what was said with what was written.
    """
    turn, *others = waiting
    count = 1
    for later in others[: MOST_JOINED - 1]:
        if not _may_join(turn, later):
            break
        turn = _joined(turn, later)
        count += 1
    return turn, count


def joined_text(texts: Sequence[str]) -> str:
    """Return what several messages say together; those without words add nothing."""
    return "\n\n".join(text for text in texts if text)


def with_what_came_before(turn: Turn, earlier: Turn) -> Turn:
    """Return a turn that takes the place of an earlier one, and of all that one was made of."""
    if not earlier.joined:
        return turn
    return replace(turn, text=joined_text((earlier.text, turn.text)), joined=earlier.joined)


def _may_join(turn: Turn, later: Turn) -> bool:
    same_rights = _rights(turn) == _rights(later)
    is_fresh = not turn.is_begun and not later.is_begun
    is_message = not turn.is_from_menu and not later.is_from_menu
    is_alike = turn.is_spoken == later.is_spoken
    return same_rights and is_fresh and is_message and is_alike and _fits(turn, later)


def _fits(turn: Turn, later: Turn) -> bool:
    files = (*turn.attachments, *later.attachments)
    has_room = len(files) <= MOST_FILES and sum(f.size_bytes for f in files) <= MOST_FILE_BYTES
    is_short = len(turn.text) + len(later.text) <= LONGEST_JOINED
    return is_short and (has_room or not later.attachments)


def _rights(turn: Turn) -> list[tuple[int, int | None, frozenset[int]]]:
    return [(person.id, person.guild_id, person.role_ids) for person in turn.people]


def _joined(turn: Turn, later: Turn) -> Turn:
    return replace(
        later,
        text=joined_text((turn.text, later.text)),
        attachments=(*turn.attachments, *later.attachments),
        joined=(*turn.joined, turn.asked_in),
    )


_LONGEST_NAME = 40
_WORDLESS = "(no words, only files)"
_PASSES_FOR_ANOTHER = re.compile(
    r"(?<=[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])(?=\s*\[|.{0,99}\(aloud\):)"
)
"""Before a line that begins like one of the bot's notes, or like something that was said aloud."""
_MARKS_OF_OTHERS = str.maketrans({"[": "(", "]": ")", ":": ";"})


def spoken_line(turn: Turn) -> str:
    """Return what the speaker is told: who says what, and whether it was said aloud.

    The name is cut to one short line without colons and brackets, so that it cannot pass for a
    message of its own, or for a note; lines of the text that could do so are marked.
    """
    names = (_name(person.name) for person in turn.people)
    how = " (aloud)" if turn.is_spoken else ""
    text = _PASSES_FOR_ANOTHER.sub("> ", turn.text) or _WORDLESS
    return f"{' and '.join(names)}{how}: {text}"


def _name(name: str) -> str:
    return " ".join(name.split())[:_LONGEST_NAME].translate(_MARKS_OF_OTHERS)
