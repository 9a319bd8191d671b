"""An answer while it is being written. Pure."""

from bot.speaker.speaker import (
    Answered,
    Delayed,
    Failed,
    ParagraphDropped,
    ParagraphEnded,
    SpeakerEvent,
    Spent,
    TextCame,
    Thought,
    ToolFinished,
    ToolUsed,
    Warned,
)

NOTHING_SAID = "I have nothing to say to that."


class Draft:
    """Gathers what a speaker says in one turn into one text."""

    def __init__(self) -> None:
        self._paragraphs: list[str] = []
        self._paragraph = ""
        self._remarks: list[str] = []
        self._delay = ""
        self.is_whole = False
        """Whether the answer is over."""
        self.is_thinking = False
        """Whether the speaker does something before it says more."""

    def add(self, event: SpeakerEvent) -> None:
        """Take what the speaker said or did next."""
        if not isinstance(event, Spent | Warned):
            self.is_thinking = isinstance(event, ToolUsed | ToolFinished | Thought)
        match event:
            case TextCame() | ParagraphEnded() | ParagraphDropped():
                self._say(event)
            case ToolUsed():
                self._end_paragraph()
            case Warned(sentence):
                self._remark(sentence)
            case Delayed(sentence):
                self._delay = f"⏳ {sentence}"
            case Failed(sentence):
                self._remark(sentence)
                self._end()
            case Answered():
                self._end()
            case ToolFinished() | Thought() | Spent():
                pass  # nothing that is said

    @property
    def text(self) -> str:
        """What there is to show so far; empty while nothing was said."""
        said = [*self._paragraphs, self._paragraph.strip(), *self._remarks]
        return "\n\n".join(part for part in said if part) or self._delay

    def _say(self, event: TextCame | ParagraphEnded | ParagraphDropped) -> None:
        match event:
            case TextCame(text):
                self._paragraph += text
            case ParagraphEnded(text):
                self._paragraph = self._paragraph if text is None else text
                self._end_paragraph()
            case ParagraphDropped():
                self._paragraph = ""

    def _remark(self, sentence: str) -> None:
        remark = f"⚠️ {sentence}"
        if remark not in self._remarks:
            self._remarks.append(remark)

    def _end_paragraph(self) -> None:
        if self._paragraph.strip():
            self._paragraphs.append(self._paragraph.strip())
        self._paragraph = ""

    def _end(self) -> None:
        self._end_paragraph()
        self._delay = ""
        self.is_whole = True
        if not self.text:
            self._paragraphs.append(NOTHING_SAID)
