"""Makes of what a speaker says and does what is to be spoken of it. Pure."""

from bot.speaker.speaker import (
    Delayed,
    Failed,
    ParagraphDropped,
    ParagraphEnded,
    SpeakerEvent,
    TextCame,
    ToolUsed,
)

_BREAK = "\n\n"


class SpeechFeed:
    """Hands out one answer piece by piece. What was handed out is spoken: none is taken back."""

    def __init__(self) -> None:
        self._paragraph = ""
        """What was handed out of the present paragraph."""
        self._again: str | None = None
        """What has come of a paragraph that is said anew; `None` while none is."""
        self._was_delayed = False
        self._has_begun = False

    def add(self, event: SpeakerEvent) -> str:  # noqa: PLR0911 - one for each
        """Return what is to be spoken next; empty if nothing is."""
        match event:
            case TextCame(text):
                return self._say(text)
            case ParagraphEnded(text):
                return self._end_paragraph(text)
            case ParagraphDropped():
                self._again = ""
                return ""
            case ToolUsed():
                # What is said before it is spoken while it works.
                return self._end_paragraph(None)
            case Failed(sentence):
                return self._break() + self._handed(sentence)
            case Delayed(sentence) if not self._was_delayed:
                self._was_delayed = True
                return self._break() + self._handed(sentence) + self._break()
            case _:
                return ""

    def _say(self, text: str) -> str:
        if self._again is None:
            self._paragraph += text
            return self._handed(text)
        self._again += text
        return self._caught_up(self._again)

    def _caught_up(self, again: str) -> str:
        """Return what is new in a paragraph that is said anew; empty while nothing is."""
        said = self._paragraph
        if said.startswith(again):
            return ""
        same = _common_length(said, again)
        self._paragraph, self._again = again, None
        if same == len(said):
            return self._handed(again[same:])
        # It is worded otherwise from some word on: that word is said whole.
        return self._handed(" " + again[again.rfind(" ", 0, same) + 1 :])

    def _end_paragraph(self, whole: str | None) -> str:
        said = self._paragraph if self._again is None else self._again
        rest = ""
        if whole is not None and whole.startswith(said):
            rest = self._say(whole[len(said) :])
        is_empty = not self._paragraph.strip()
        self._paragraph, self._again = "", None
        return rest if is_empty else rest + self._break()

    def _break(self) -> str:
        return _BREAK if self._has_begun else ""

    def _handed(self, text: str) -> str:
        self._has_begun = self._has_begun or bool(text.strip())
        return text


def _common_length(first: str, second: str) -> int:
    for number, (one, other) in enumerate(zip(first, second, strict=False)):
        if one != other:
            return number
    return min(len(first), len(second))
