import pytest

from bot.text.honest_links import linked, misleads


@pytest.mark.parametrize(
    ("words", "address"),
    [
        ("the docs", "https://docs.example.org/a"),
        ("github.com", "https://github.com/"),
        ("GitHub.com/a/b", "https://www.github.com/a/b#readme"),
        ("https://example.org/a_b", "https://example.org/a_b?c=d"),
        ("`www.example.org`", "https://example.org"),
        ("main.py", "https://example.org/blob/main.py"),
        ("Node.js", "https://nodejs.org"),
        ("version 1.2", "https://example.org"),
        ("e.g. this", "https://example.org"),
        ("asyncio.timeout", "https://docs.python.org/3/library/asyncio-task.html"),
    ],
)
def test_words_that_pass_for_no_other_address_do_not_mislead(words: str, address: str) -> None:
    assert not misleads(words, address)
    assert linked(words, address) == f"[{words}]({address})"


@pytest.mark.parametrize(
    ("words", "address"),
    [
        ("google.com", "https://example.org"),
        ("https://google.com", "https://google.com.example.org"),
        ("google.com", "https://google.com@example.org"),
        ("https://github.com/a/b", "https://github.com/evil/b"),
        ("**google.com**", "https://example.org"),
        ("goo\u200bgle.com", "https://example.org"),
        ("gооgle.com", "https://google.com"),  # noqa: RUF001 - two letters are Cyrillic
        ("see bank.de for more", "https://example.org"),
        ("x.py/login", "https://example.org"),
        ("ftp://files", "https://example.org"),
        ("a." * 20_000, "https://example.org"),
        ("a-" * 20_000, "https://example.org"),
    ],
)
def test_words_that_pass_for_another_address_stand_beside_theirs(words: str, address: str) -> None:
    assert misleads(words, address)
    assert linked(words, address) == f"{words} ({address})"


def test_an_address_without_words_stands_for_itself() -> None:
    assert linked(" ", "https://example.org") == "https://example.org"
