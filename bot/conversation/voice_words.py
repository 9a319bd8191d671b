"""How voices are listed. Pure."""

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from bot.conversation.session_words import as_message
from bot.quoting import code, plain

_MOST_LISTED = 40
_LONGEST_NAME = 80


class VoiceChoice(Protocol):
    """A voice that may speak."""

    @property
    def name(self) -> str:
        """By which it is chosen."""
        ...

    @property
    def language(self) -> str:
        """Which language it speaks, as `en-GB`."""
        ...

    @property
    def gender(self) -> str:
        """As its maker says; may be empty."""
        ...


def voices_of(voices: Sequence[VoiceChoice], language: str) -> list[VoiceChoice]:
    """Return the voices of a language, `en` or `en-GB`; all of them, if it is empty."""
    wanted = language.strip().lower().replace("_", "-")
    return [
        voice
        for voice in voices
        if not wanted
        or voice.language.lower() == wanted
        or voice.language.lower().startswith(f"{wanted}-")
    ]


def voice_list(voices: Sequence[VoiceChoice], language: str, present: str | None) -> str:
    """Return what `/voice list` says.

    Args:
        voices: All that there are.
        language: The language that was asked for; empty if none was.
        present: The engine and voice that speak on the line; `None` if there is no line.
    """
    lines = [f"I speak with {code(present, _LONGEST_NAME)}."] if present else []
    if not voices:
        return as_message([*lines, "There is no other voice to choose from."])
    found = voices_of(voices, language)
    if language and not found:
        lines.append(f"There is no voice for {code(language, 30)}. There are voices for:")
    if not found or (not language and len(found) > _MOST_LISTED):
        counts = Counter(voice.language for voice in voices)
        listed = (f"{code(name, 30)} {number}" for name, number in sorted(counts.items()))
        return as_message([*lines, " · ".join(listed), "`/voice list language:en` lists one."])
    lines += [_line(voice) for voice in found[:_MOST_LISTED]]
    more = len(found) - _MOST_LISTED
    return as_message([*lines, *([f"… and {more} more."] if more > 0 else [])])


def _line(voice: VoiceChoice) -> str:
    gender = f" · {plain(voice.gender, 20)}" if voice.gender else ""
    return f"{code(voice.name, _LONGEST_NAME)} · {plain(voice.language, 30)}{gender}"
