import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.commands.table import NAME_LENGTH
from bot.conversation.names import auto_name, model_name, session_name
from bot.quoting import cleaned, plain


def test_a_session_without_a_name_is_called_by_the_time() -> None:
    assert auto_name(at=1_780_000_000.0) == "chat-2026-05-28-2026"


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("Release notes", "release-notes"),
        ("  Ünïcode — Überblick ", "ünïcode-überblick"),
        ("회의 메모", "회의-메모"),
        ("हिन्दी", "हिन्दी"),
        ("<@123> @everyone", "123-everyone"),
        ("**bold** `code` [x](http://y)", "bold-code-x-http-y"),
        ("a\x00b\u202ec\u200bd\ne", "abcd-e"),
        ("\N{MATHEMATICAL BOLD CAPITAL B}old", "bold"),
        ("x" * 61, "x" * 60),
        ("y" * 59 + " z", "y" * 59),
        ("🎉🎉", None),
        ("\u3164\uffa0", None),
        ("", None),
    ],
)
def test_a_name_is_made_of_letters_digits_and_hyphens(wanted: str, name: str | None) -> None:
    assert session_name(wanted) == (None if name is None else unicodedata.normalize("NFKC", name))


@given(st.text(max_size=700))
def test_whatever_is_wanted_a_name_formats_nothing_and_is_not_changed_again(wanted: str) -> None:
    name = session_name(wanted)
    if name is None:
        return
    assert 0 < len(name) <= NAME_LENGTH
    assert name == cleaned(name) == plain(name, 1000)
    assert session_name(name) == name


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("opus", "opus"),
        (" claude-sonnet-4-5[1m] ", "claude-sonnet-4-5[1m]"),
        ("eu.anthropic.claude:0", "eu.anthropic.claude:0"),
        ("--dangerous", None),
        ("two words", None),
        ("a\nb", None),
        ("x" * 81, None),
        ("", None),
    ],
)
def test_a_model_is_called_as_the_command_line_takes_it(wanted: str, name: str | None) -> None:
    assert model_name(wanted) == name
