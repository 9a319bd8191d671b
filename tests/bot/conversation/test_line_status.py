"""What the status message of a line shows."""

from dataclasses import replace

import pytest

from bot.conversation.line_status import (
    LONGEST_STATUS,
    LineStatus,
    last_status,
    seconds_words,
    stage_words,
    status_message,
)
from bot.conversation.transcript import (
    MOST_RECENT,
    RecentLines,
    SaidHow,
    TranscriptLine,
    shown_line,
)
from voice.events import LineMode, LineState
from voice.line_report import FIRST_SOUND, INTERRUPTED, TRANSCRIBED, StageTimes


def line(text: str, *, at: float = 0.0, how: SaidHow = SaidHow.TO_BOT) -> TranscriptLine:
    return TranscriptLine(at=at, person_id=7, name="uwe", text=text, how=how)


def status(state: LineState) -> LineStatus:
    return LineStatus(line_id="1", session="notes", mode=LineMode.OPEN, state=state)


@pytest.mark.parametrize(
    ("shown", "head"),
    [
        (status(LineState.LISTENING), "☎️ **notes** · 👂 listening"),
        (replace(status(LineState.HEARING), person="u*we"), "☎️ **notes** · 🗨️ hearing u\\*we"),
        (replace(status(LineState.THINKING), person="uwe"), "☎️ **notes** · 🤔 thinking"),
        (status(LineState.SPEAKING), "☎️ **notes** · 🔊 speaking"),
        (status(LineState.MUTED), "☎️ **notes** · 🔇 not listening"),
        (replace(status(LineState.LISTENING), is_muted=True), "☎️ **notes** · 🔇 not listening"),
        (replace(status(LineState.SPEAKING), is_muted=True), "☎️ **notes** · 🔊 speaking"),
        (status(LineState.DEAF), "☎️ **notes** · 🙉 cannot hear"),
        (status(LineState.RECONNECTING), "☎️ **notes** · 🔌 reconnecting"),
    ],
)
def test_each_state_is_shown(shown: LineStatus, head: str) -> None:
    assert status_message(shown).text.splitlines()[0] == head


def test_it_shows_what_was_said_how_long_it_took_and_what_does_not_work() -> None:
    shown = replace(
        status(LineState.LISTENING),
        lines=(line("hello"), line("hm", how=SaidHow.OVERHEARD)),
        stages={
            TRANSCRIBED: StageTimes(count=3, newest_seconds=0.412),
            FIRST_SOUND: StageTimes(count=3, newest_seconds=1.26),
            INTERRUPTED: StageTimes(),
        },
        troubles=("The voice is missing.",),
    )
    content = status_message(shown)
    assert content.text.splitlines() == [
        "☎️ **notes** · 👂 listening",
        "⚠️ The voice is missing.",
        "👤 **uwe**: hello",
        "💬 **uwe**: hm",
        "-# end of speech → transcript 412 ms · first words → first sound 1.3 s",
        (
            "-# Alone with me, just talk; among others, say my name. `/voice mode`"
            " · `/voice mute` · `/hangup`"
        ),
    ]
    assert content.buttons == ()
    assert content.is_silent


def test_of_long_lines_the_newest_are_shown() -> None:
    lines = tuple(line(f"{number} " + "*" * 400) for number in range(20))
    text = status_message(replace(status(LineState.LISTENING), lines=lines)).text
    assert len(text) <= LONGEST_STATUS
    assert "**uwe**: 19 " in text
    assert "**uwe**: 0 " not in text


def test_at_the_end_it_shows_why_and_what_was_said_last() -> None:
    assert last_status("notes", [line("bye")], "").text == (
        "☎️ **notes** · hung up\n👤 **uwe**: bye"
    )
    assert last_status("notes", [], "Nobody was here.").text == (
        "☎️ **notes** · hung up\nNobody was here."
    )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.0, "0 ms"), (0.0244, "24 ms"), (0.9994, "999 ms"), (0.9996, "1.0 s"), (12.34, "12.3 s")],
)
def test_short_times_are_worded(seconds: float, words: str) -> None:
    assert seconds_words(seconds) == words


def test_of_what_was_never_measured_nothing_is_shown() -> None:
    assert stage_words({}) == ""
    assert stage_words({TRANSCRIBED: StageTimes()}) == ""


def test_what_people_said_formats_nothing_and_pings_nobody() -> None:
    shown = shown_line(line("@everyone **bold**\nsecond line " + "x" * 400))
    assert "@everyone" not in shown
    assert "\\*\\*bold" in shown
    assert "\n" not in shown
    assert len(shown) < 300


def test_the_newest_lines_stand_in_the_order_in_which_they_were_begun() -> None:
    recent = RecentLines()
    for number in (3, 1, 2, *range(4, MOST_RECENT + 2)):
        recent.add(line(str(number), at=number))
    assert [each.text for each in recent] == [str(n) for n in range(2, MOST_RECENT + 2)]
