"""What may be set about how turns are taken. Pure."""

from dataclasses import dataclass

from voice.events import LineMode


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOptions:
    """How a line takes turns. All that is longer than a moment is in seconds."""

    names: tuple[str, ...] = ("Papercup", "Paper cup")
    """What people call it, as it may be misheard, too."""
    mode: LineMode = LineMode.OPEN
    """When somebody is taken to talk to it, until `set_mode`."""
    transcribe_others: bool = False
    """Whether what those say who may not talk to it is a remark; else it is dropped."""
    tone: bool = True
    """Whether a tone tells that a turn was taken."""
    filler: bool = True
    """Whether a word or two are said while the answer takes a while."""
    pause_seconds: float = 0.2
    """Of voice, after which the speech is paused."""
    listen_in_seconds: float = 0.6
    """Of voice, after which it is asked what the words are, if somebody goes on."""
    no_words_seconds: float = 1.2
    """After which a paused speech goes on if no words were heard."""
    short_word_seconds: float = 0.6
    """A single word that is not known is no interruption if its voice is shorter."""
    echo_tail_seconds: float = 0.4
    """For how long after its sound the speech may come back from somebody's speakers."""
    late_echo_seconds: float = 0.8
    """The same if that has begun while there was sound: it is late by both ways through Discord,
    and by what their client keeps ready, 0.2 to 0.5 s in all; and rooms go on for a moment."""
    merge_seconds: float = 1.2
    """Who goes on within it after a turn has not ended that turn."""
    reply_seconds: float = 12.0
    """For how long after an answer the person answered needs no name."""
    question_seconds: float = 8.0
    """For how long after its question everybody else needs none, until somebody answers."""
    follow_up_seconds: float = 3.0
    """For how long after their turn somebody needs none while it thinks."""
    push_seconds: float = 8.0
    """How soon after pressing the button to talk they have to begin."""
    filler_after_seconds: float = 1.2
    """Of thinking without a word."""
    quiet_seconds: float = 0.8
    """Nobody has talked for so long before notices are spoken."""
    quiet_after_question_seconds: float = 4.0
    """The same after the bot has asked something."""
