"""How hearing is doing: counts, times, and what is broken. Pure."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from voice.events import Utterance
from voice.line_report import StageTimes
from voice.stage_times import StageLog

WAITED: Final = "end of speech → taken as over"
TRANSCRIBED: Final = "speech to text"
DECIDED: Final = "end of turn"
TOLD: Final = "end of speech → transcript"
_STAGES: Final = (WAITED, TRANSCRIBED, DECIDED, TOLD)


@dataclass(frozen=True, slots=True, kw_only=True)
class HearingReport:
    """What one line has heard so far, and how fast."""

    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    """Of packets: `packets`, `lost` and of those `recovered` or `concealed`, `late`, `broken`,
    `restarts`, `too many`; of what was said: `utterances`, `noises` (no words), `overloaded` (not
    written down, as the models could not keep up)."""
    stages: Mapping[str, StageTimes] = field(default_factory=dict[str, StageTimes])
    """How long things took, newest ones only."""
    troubles: Mapping[str, str] = field(default_factory=dict[str, str])
    """By the name of an engine: what is the matter with it, as of its last use."""


class HearingLog:
    """Keeps what a report tells."""

    def __init__(self) -> None:
        self.counts = Counter[str]()
        self.troubles: dict[str, str] = {}
        self._stages = StageLog(_STAGES)

    def ended(self, utterance: Utterance, now: float) -> None:
        """Count an utterance that was just told."""
        self.counts["utterances"] += 1
        self._stages.took(WAITED, utterance.times.waited)
        self._stages.took(TRANSCRIBED, utterance.times.transcribed)
        if utterance.times.decided:
            self._stages.took(DECIDED, utterance.times.decided)
        self._stages.took(TOLD, now - utterance.ended_at)

    def report(self) -> HearingReport:
        """Return all of it, as it is now."""
        return HearingReport(
            counts=dict(self.counts), stages=self._stages.report(), troubles=dict(self.troubles)
        )
