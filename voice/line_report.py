"""How a voice line is doing, as data, for `/voice doctor` and its status message. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from voice.link import LinkReport


@dataclass(frozen=True, slots=True, kw_only=True)
class StageTimes:
    """How long one stage took, over the newest turns."""

    count: int = 0
    """How often it was measured."""
    newest_seconds: float = 0.0
    p50_seconds: float = 0.0
    p95_seconds: float = 0.0


TRANSCRIBED = "end of speech → transcript"
FIRST_WORDS = "transcript → first words"
FIRST_SOUND = "first words → first sound"
INTERRUPTED = "interruption → silence"
"""The stages of a turn, as people read them."""
STAGES = (TRANSCRIBED, FIRST_WORDS, FIRST_SOUND, INTERRUPTED)
"""In the order in which they are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineReport:
    """What a line does, with what, and how fast."""

    link: LinkReport
    engines: Mapping[str, str] = field(default_factory=dict[str, str])
    """Which engine does what: `speech to text`, `voice activity`, `end of turn`, `voice`; of one
    that cannot be used, nothing stands here, but in `troubles`."""
    stages: Mapping[str, StageTimes] = field(default_factory=dict[str, StageTimes])
    """By their names, as in `STAGES`; others may be there, too."""
    hearing_counts: Mapping[str, int] = field(default_factory=dict[str, int])
    """Of what was heard, by what became of it: `packets`, `lost`, `concealed`, `late` ..."""
    troubles: tuple[str, ...] = ()
    """What does not work, and what is to be done about it: whole sentences."""
