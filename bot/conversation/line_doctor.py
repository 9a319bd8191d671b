"""What `/voice doctor` says. Pure."""

import unicodedata
from dataclasses import dataclass

from bot.conversation.line_status import seconds_words
from bot.conversation.session_words import as_message
from bot.quoting import code, plain
from voice.line_report import LineReport, StageTimes
from voice.link import LinkReport

TEST_WORDS = ("one", "two", "three")
TEST_PROMPT = "Say: one, two, three."
NOT_THERE = "You are not in the line's channel, so I could not try whether I hear you."
IS_MUTED = "I am not listening at present, so I could not try it: `/voice mute state:off`."

_LONGEST_HEARD = 100
_LONGEST_TROUBLE = 300
_NUMBERS = {"1": "one", "2": "two", "3": "three"}
_RECEIVED = ("received", "packets")
_HEARD = {
    "utterances": "with words",
    "noises": "without",
    "overloaded": "left out, as this machine could not keep up",
}
"""What of the counts is not about packets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HearingTest:
    """What came of having somebody say something."""

    heard: str | None
    """What was heard; `None` if nothing was in time."""
    seconds: float
    """How long that was waited for at most."""


def doctor_text(report: LineReport, test: HearingTest | str) -> str:
    """Return how a line is doing, and what to mend.

    Args:
        report: What the pipeline says.
        test: What came of the test, or why there was none, as a sentence.
    """
    lines = [_tested(test), _link(report.link), _packets(report), _heard(report)]
    if report.engines:
        listed = (f"{what}: {code(name, 80)}" for what, name in report.engines.items())
        lines.append("⚙️ " + " · ".join(listed))
    lines += [f"⏱️ {name}: {_times(each)}" for name, each in report.stages.items() if each.count]
    lines += [f"⚠️ {plain(each, _LONGEST_TROUBLE)}" for each in (*report.troubles, *mends(report))]
    if isinstance(test, HearingTest) and test.heard is None:
        lines.append(f"🔧 {_why_unheard(report)}")
    return as_message(line for line in lines if line)


def is_right(heard: str) -> bool:
    """Say whether what was heard is what was to be said."""
    kept = "".join(c if c.isalnum() else " " for c in unicodedata.normalize("NFKC", heard).lower())
    words = [_NUMBERS.get(word, word) for word in kept.replace("123", "1 2 3").split()]
    return words[-len(TEST_WORDS) :] == list(TEST_WORDS)


def mends(report: LineReport) -> list[str]:
    """Return what the figures alone tell that is amiss, and what to do about it."""
    link, counts = report.link, {**report.hearing_counts, **report.link.counts}
    found: list[str] = []
    if not link.is_connected:
        found.append("There is no connection to the voice channel at present; I try again.")
    elif not link.is_encrypted:
        found.append("The connection is not encrypted from end to end; on a stage that is normal.")
    received = max((counts.get(name, 0) for name in _RECEIVED), default=0)
    if (lost := counts.get("lost", 0)) * 20 > received > 0:
        found.append(f"{lost} of {received + lost} packets got lost: somebody's network is poor.")
    if bad := counts.get("undecryptable", 0):
        found.append(f"{bad} packets could not be decrypted; if they get more, call me anew.")
    return found


def _tested(test: HearingTest | str) -> str:
    if isinstance(test, str):
        return f"🎧 {test}"
    if test.heard is None:
        return f"❌ I heard nothing of you within {test.seconds:.0f} seconds."
    heard = plain(test.heard, _LONGEST_HEARD)
    if is_right(test.heard):
        return f"✅ I can hear you: “{heard}”"
    return f"⚠️ I can hear you, but I understood: “{heard}”"


def _link(link: LinkReport) -> str:
    state = "connected" if link.is_connected else "not connected"
    facts = [f"🔌 {state}", "end-to-end encrypted (DAVE)" if link.is_encrypted else "no DAVE"]
    if link.transport_mode:
        facts.append(code(link.transport_mode, 60))
    if link.latency_seconds is not None:
        facts.append(f"latency {seconds_words(link.latency_seconds)}")
    if link.rejoins:
        facts.append(f"rejoined {link.rejoins}x")
    return " · ".join(facts)


def _packets(report: LineReport) -> str:
    counts = {**report.link.counts, **report.hearing_counts}
    if "received" in counts:
        # The link has counted the same ones already.
        counts.pop("packets", None)
    found = [(name, number) for name, number in counts.items() if number and name not in _HEARD]
    listed = ", ".join(f"{number} {plain(name, 30)}" for name, number in found)
    return f"📦 packets: {listed}" if listed else ""


def _heard(report: LineReport) -> str:
    counts = report.hearing_counts
    found = [f"{counts[name]} {words}" for name, words in _HEARD.items() if counts.get(name)]
    return f"👂 heard: {', '.join(found)}" if found else ""


def _times(times: StageTimes) -> str:
    newest, half, most = times.newest_seconds, times.p50_seconds, times.p95_seconds
    if times.count == 1:
        return seconds_words(newest)
    return (
        f"{seconds_words(newest)} (of {times.count}: half within {seconds_words(half)}, 95 % within"
        f" {seconds_words(most)})"
    )


def _why_unheard(report: LineReport) -> str:
    """Return what to look at first if somebody was not heard."""
    counts = {**report.hearing_counts, **report.link.counts}
    if not report.link.is_connected:
        return "Wait until the connection stands again."
    if not max((counts.get(name, 0) for name in _RECEIVED), default=0):
        return "Nothing arrives: is your microphone on, and are you unmuted in Discord?"
    if report.troubles:
        return "Something arrives, but cannot be understood: see above."
    return "Something arrives, but no words: is the right microphone chosen in Discord?"
