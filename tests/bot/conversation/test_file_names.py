import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.conversation.file_names import LONGEST_NAME, distinct_names, safe_name

ANY_NAME = st.text(max_size=300) | st.text("aA.-_/\\ \u202e\u0301:\x00\U0001f600ñ日", max_size=300)


@pytest.mark.parametrize(
    ("named", "safe"),
    [
        ("report.pdf", "report.pdf"),
        ("Bericht für Jürgen (2).pdf", "Bericht_für_Jürgen_(2).pdf"),
        ("../../etc/passwd", "etc_passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("/etc/passwd", "etc_passwd"),
        (".bashrc", "bashrc"),
        ("-rf", "rf"),
        ("invoice\u202efdp.exe", "invoicefdp.exe"),
        ("a\nb\x1b[31m.txt", "a_b_31m.txt"),
        ("`rm -rf`$(x).sh", "rm_-rf__(x).sh"),
        ("CON", "file-CON"),
        ("nul.txt", "file-nul.txt"),
        ("console.txt", "console.txt"),
        ("name.", "name"),
        ("", "file"),
        ("...", "file"),
        ("हिन्दी.txt", "हिन्दी.txt"),
        ("e\u0301.txt", "é.txt"),
    ],
)
def test_a_name_is_made_harmless_and_stays_readable(named: str, safe: str) -> None:
    assert safe_name(named) == safe


@given(ANY_NAME)
def test_whatever_it_is_called_it_is_one_visible_part_of_a_path(named: str) -> None:
    name = safe_name(named)

    assert name
    assert name[0] not in ".-_"
    assert not name.endswith(".")
    assert len(name) <= LONGEST_NAME + len("file-")
    assert len(name.encode()) < 250
    assert not set(name) & set("/\\:*?\"<>| `$&;'\n\0")
    assert all(unicodedata.category(character)[0] in "LNMPS" for character in name)


@given(ANY_NAME)
def test_a_safe_name_stays_as_it_is(named: str) -> None:
    assert safe_name(safe_name(named)) == safe_name(named)


@given(st.lists(ANY_NAME, max_size=12))
def test_no_two_names_are_alike_on_any_file_system(named: list[str]) -> None:
    names = distinct_names(named)

    assert len(names) == len(named)
    assert len({unicodedata.normalize("NFC", name).casefold() for name in names}) == len(names)
    assert all(name == safe_name(name) for name in names)


def test_the_second_of_a_name_gets_a_number_before_its_ending() -> None:
    assert distinct_names(["a.png", "A.PNG", "a-2.png", "a.png", "x", "x"]) == [
        "a.png",
        "A-2.PNG",
        "a-2-2.png",
        "a-3.png",
        "x",
        "x-2",
    ]


def test_a_long_name_keeps_its_ending() -> None:
    assert safe_name("x" * 300 + ".tar") == "x" * (LONGEST_NAME - 4) + ".tar"
    assert safe_name("日" * 300 + ".txt").endswith("日.txt")
