"""What one voice line is made of."""

from collections.abc import Callable
from dataclasses import dataclass, field

from voice.clips import Clips
from voice.hearing import HearingOptions
from voice.hearing_models import HearingModels
from voice.line_listener import LineListener
from voice.link import VoiceLink
from voice.model_calls import Pool
from voice.turn_options import TurnOptions
from voice.voices import Voices


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineParts:
    """What one line is made of."""

    link: VoiceLink
    listener: LineListener
    models: HearingModels | None
    """`None`: it cannot hear; `troubles` says why."""
    pool: Pool
    voices: Voices
    clips: Clips
    turns: TurnOptions
    hearing: HearingOptions = field(default_factory=HearingOptions)
    is_muted: bool = False
    troubles: tuple[str, ...] = ()
    """What does not work from the start, as sentences that say what to do about it."""
    clock: Callable[[], float]
    """Gives seconds of a monotonic clock."""
