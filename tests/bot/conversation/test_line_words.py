"""What is said when a line opens, and how voices are listed."""

from dataclasses import dataclass

import pytest

from bot.conversation.line_opening import BROKE, opening_notice, sentence_of
from bot.conversation.voice_words import voice_list, voices_of
from voice.errors import EngineError


@dataclass(frozen=True)
class Voice:
    name: str
    language: str
    gender: str = ""


MANY = [Voice(f"en-US-{number}", "en-US") for number in range(45)] + [Voice("de-X", "de-DE")]


@pytest.mark.parametrize(
    ("days", "others", "words"),
    [
        (0, False, "what people say who may talk to me is written down, but not kept."),
        (7, True, "what is said here is written down, and kept for 7 days"),
        (1, False, "and kept for 1 day."),
        (0.5, False, "and kept for 12 hours."),
        (0.01, False, "and kept for 1 hour."),
    ],
)
def test_it_is_posted_what_is_kept(days: float, words: str, *, others: bool) -> None:
    assert words in opening_notice(days=days, others=others)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (EngineError("No model."), "No model."),
        (ExceptionGroup("", [ValueError("x"), EngineError("No model.")]), "No model."),
        (ValueError("x"), BROKE),
        (ExceptionGroup("", [ValueError("x")]), BROKE),
    ],
)
def test_of_a_fault_people_are_told_what_they_can_mend(error: Exception, sentence: str) -> None:
    assert sentence_of(error) == sentence


@pytest.mark.parametrize(
    ("language", "names"),
    [("de", ["de-X"]), ("DE_de", ["de-X"]), ("d", []), ("fr", []), (" de ", ["de-X"])],
)
def test_voices_are_found_by_their_language(language: str, names: list[str]) -> None:
    assert [voice.name for voice in voices_of(MANY, language)] == names


def test_of_many_voices_the_languages_are_listed() -> None:
    assert voice_list(MANY, "", None).splitlines() == [
        "`de-DE` 1 · `en-US` 45",
        "`/voice list language:en` lists one.",
    ]
    assert voice_list(MANY, "fr", "hibari").splitlines()[:2] == [
        "I speak with `hibari`.",
        "There is no voice for `fr`. There are voices for:",
    ]


def test_of_one_language_as_many_are_listed_as_fit() -> None:
    lines = voice_list(MANY, "en", None).splitlines()
    assert len(lines) == 41
    assert lines[0] == "`en-US-0` · en-US"
    assert lines[-1] == "… and 5 more."


def test_where_there_is_no_other_voice_that_is_said() -> None:
    assert voice_list([], "", "hibari").splitlines()[-1] == (
        "There is no other voice to choose from."
    )
