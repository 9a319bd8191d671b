import pytest

from bot.commands.locales import LANGUAGES, LOCALES, descriptions_in, descriptions_of, key_of
from bot.commands.spec import CommandKind
from bot.commands.table import COMMANDS, GROUPS

SLASH = [command for command in COMMANDS if command.kind is CommandKind.SLASH]
KEYS = {
    *GROUPS,
    *(key_of(command.name) for command in SLASH),
    *(key_of(command.name, option.name) for command in SLASH for option in command.options),
}
A_JOB = {"de": "Auftrag", "es-ES": "tarea", "fr": "tâche", "ja": "ジョブ", "ko": "작업"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_group_and_option_has_a_description_and_none_is_stale(
    language: str,
) -> None:
    assert set(descriptions_in(language)) == KEYS


@pytest.mark.parametrize("language", LANGUAGES)
def test_discord_takes_every_description(language: str) -> None:
    texts = descriptions_in(language).items()
    assert {key: text for key, text in texts if not 1 <= len(text.strip()) <= 100} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_file_is_in_its_own_language(language: str) -> None:
    assert [
        one for one, word in A_JOB.items() if word in descriptions_in(language)["jobs show"]
    ] == [language]


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_and_values_that_stay_english_are_spelt_as_they_are_typed(language: str) -> None:
    texts = descriptions_in(language)
    for key in ("pickup:permission-mode", "permissions:mode"):
        assert "auto" in texts[key]
        assert "bypassPermissions" in texts[key]
    assert "all" in texts["notify:state"]
    assert "default" in texts["effort:level"]


def test_what_is_described_nowhere_else_has_no_other_languages() -> None:
    assert set(descriptions_of("jobs show", "job")) == set(LOCALES)
    assert descriptions_of("no such command") == {}


def test_people_in_latin_america_read_spanish_too() -> None:
    texts = descriptions_of("pickup")
    assert texts["es-419"] == texts["es-ES"] == descriptions_in("es-ES")["pickup"]
