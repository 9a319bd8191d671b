"""The three models that hear, together."""

from dataclasses import dataclass

from voice.engines.protocols import EndOfTurn, SpeechToText, VoiceActivity


@dataclass(frozen=True, slots=True, kw_only=True)
class HearingModels:
    """What hears, loaded; shared by all lines."""

    speech_to_text: SpeechToText
    voice_activity: VoiceActivity
    end_of_turn: EndOfTurn
