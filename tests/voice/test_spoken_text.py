"""Written text, as it is said."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voice.spoken_text import spoken_text

MARKUP = {
    "**Done.** _Really_ ~~gone~~ ||secret||": "Done. Really gone secret",
    "snake_case stays *one* word": "snake case stays one word",
    "# The plan": "The plan.",
    "-# small print": "small print.",
    "> quoted *text* here": "quoted text here",
    "Here:\n- one thing\n* two\n\nOk": "Here: one thing. two. Ok",
    "1. Take it.\n2) Give it": "one. Take it. two. Give it.",
    "- [x] write tests": "write tests.",
    "---": "",
    "...": "",
    "": "",
    " \n ": "",
    "See [the docs](https://a.b/c).": "See the docs.",
    "See [https://a.b/c](https://a.b/c).": "See a link.",
    "See https://x.y/z?a=1, or <https://x.y>.": "See a link, or a link.",
    "![a cat](https://x.y/z.png) and ![](https://x.y/z.png)": "a cat and an image",
    "```py\nfoo()\n```": "There is code in the chat.",
    "Look:\n```\nfoo()": "Look: There is code in the chat.",
    "| a | b |\n|--|--|\n| 1 | 2 |\n": "There is a table in the chat.",
    "\U0001f600\U0001f44d\U0001f3fd \u2705": "",
    "Well done \U0001f389!": "Well done!",
    "<@123> in <#45> :smile: <:x:1> <t:1:R>": "someone in a channel",
    "Is <b>bold</b><br>here": "Is bold here",
    "It works (mostly).": "It works, mostly.",
    "Wait \u2014 really?": "Wait, really?",
    "2 \\* 3": "two three",
}
NUMBERS = {
    "It has 1,234 lines": "It has one thousand two hundred thirty-four lines",
    "0.5 or -5 or 007": "zero point five or minus five or zero zero seven",
    "1,234,567.89": (
        "one million two hundred thirty-four thousand five hundred sixty-seven point eight nine"
    ),
    "id 123456789012345678": "id a long number",
    "3rd, 21st and 112th": "third, twenty-first and one hundred twelfth",
    "#12": "number twelve",
    "3-5 minutes, 10\u201320 ms": "three to five minutes, ten to twenty milliseconds",
    "1/2, 3/4, 12/14 and 24/7": "one half, three quarters, "
    "twelve of fourteen and twenty-four seven",
    "12% or 3.2x": "twelve percent or three point two times",
    "10k and 1.5M": "ten thousand and one point five million",
    "a 5-minute job": "a five minute job",
    "~10, 5+, >= 3, \u2264 4": "about ten, five or more, at least three, at most four",
    "mp3, x86 and GPT-4": "mp3, x86 and GPT-4",
    "1 GB, 3.5 GB and 120ms": "one gigabyte, three point five gigabytes and "
    "one hundred twenty milliseconds",
    "4m 30s; 1h 1m": "four minutes thirty seconds; one hour one minute",
    "100 km/h, 20 \u00b0C, 60 fps": "one hundred kilometers per hour, "
    "twenty degrees Celsius, sixty frames per second",
    "$3.50, $1, $0.05, $1.2M, \u20ac5": "three dollars and fifty cents, one dollar, five cents, "
    "one point two million dollars, five euros",
    "at 14:30, 9:05 am, 9:00, 0:15": "at two thirty PM, nine oh five AM, nine o'clock, "
    "twelve fifteen AM",
    "Come at 5 p.m. We wait at 6 p.m. there": "Come at five PM. We wait at six PM there",
    "On 2026-11-21": "On November twenty-first, twenty twenty-six",
    "Dec. 24th, 2025": "December twenty-fourth, twenty twenty-five",
    "In 1984, since 2005, the 1990s": "In nineteen eighty-four, since two thousand five, "
    "the nineteen nineties",
    "2024 files": "two thousand twenty-four files",
}
NAMES = {
    "main.py and config.toml": "main dot P Y and config dot toml",
    "`voice/spoken_text.py`": "voice slash spoken text dot P Y",
    "/home/u/app/main.py:12": "main dot P Y in app, line twelve",
    "~/notes.txt and .gitignore": "home slash notes dot text and dot gitignore",
    "`foo_bar()` of `SentenceSplitter`": "foo bar of Sentence Splitter",
    "`git push --force`": "git push dash dash force",
    "`x == 1 && y != 2`": "x equals one and y is not two",
    "`" + "x" * 81 + "`": "some code",
    "v1.2.3, version 2.0 and Python 3.11": (
        "version one point two point three, version two point zero and Python three point eleven"
    ),
    "3.11.7-rc1": "three point eleven point seven R C one",
    "me@example.com, example.com": "me at example dot com, example dot com",
    "127.0.0.1 or localhost:8080": "one hundred twenty-seven dot zero dot zero dot one or "
    "localhost, port eight thousand eighty",
    "commit a1b2c3d4e5": "commit A one B two",
    "a -> b and/or c & d": "a to b and or c and d",
    "Use it, e.g. here, etc.": "Use it, for example here, and so on.",
}
OTHERS = {
    "Das dauert 3,5 Minuten, siehe https://x.y.": "Das dauert 3,5 Minuten, siehe ein Link.",
    "Voici **3** fichiers :\n```\nx\n```": "Voici 3 fichiers: Le code est dans le chat.",
    "Los 3 tests no pasan.": "Los 3 tests no pasan.",
    "これは3つです。": "これは3つです。",
    "你好 \U0001f600。": "你好 。",
    "파일은 3개입니다.": "파일은 3개입니다.",
    "Привет, 3 файла.": "Привет, 3 файла.",
}


@pytest.mark.parametrize(
    ("written", "spoken"),
    [*MARKUP.items(), *NUMBERS.items(), *NAMES.items(), *OTHERS.items()],
)
def test_text_is_said_as_one_would_read_it_out(written: str, spoken: str) -> None:
    assert spoken_text(written) == spoken


def test_the_language_may_be_known() -> None:
    assert spoken_text("3 GB", "de") == "3 GB"
    assert spoken_text("3 GB", "en") == "three gigabytes"


TOKENS = ["a", "1", "12", ".", ",", "-", "/", "`", "```", "*", "_", "|", "\n", " ", "(", ")", "["]
MORE = ["](", "$", "%", ":", "@", "#", "~", "<", ">", "\U0001f600", "x", "py", "e.g.", "v", "語"]


@settings(deadline=None)
@given(st.lists(st.sampled_from([*TOKENS, *MORE]), max_size=40).map("".join) | st.text(max_size=40))
def test_any_text_can_be_said_or_comes_to_nothing(written: str) -> None:
    spoken = spoken_text(written)

    assert spoken == spoken.strip()
    assert "`" not in spoken
    assert "\n" not in spoken


@pytest.mark.parametrize("piece", ["a.", "a/", "1,", "1.", "-", "a_", "[", "](", "`a", "a@", "~/."])
def test_a_long_and_strange_text_does_not_take_for_ever(piece: str) -> None:
    spoken_text(piece * 400)
