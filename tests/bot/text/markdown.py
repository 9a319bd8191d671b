"""Texts such as models write, made up for properties to hold of them."""

import re

from hypothesis import strategies as st

LANGUAGES = ("", "py", "c++")

_words = st.text(st.sampled_from("abcä🦀`* _"), max_size=30)
_code = st.text(st.sampled_from("xyz =`\t\n "), max_size=150)
_fences = st.builds("{}```{}\n{}\n```{}".format, _words, st.sampled_from(LANGUAGES), _code, _words)
rough_texts = st.lists(
    st.one_of(
        _words,
        _fences,
        st.sampled_from(["\n", "\n\n", "```", "w" * 200, "`" * 90, " ", "- ", "\n- ", "\n  1. "]),
        st.sampled_from(
            ["[", "](", ")", "[a b](https://c.d/e) ", "https://f.g/h", "**", "| a |\n|-"]
        ),
    ),
    max_size=12,
).map("".join)
"""Texts that are not well-formed."""

_plain_words = st.text(st.sampled_from("abcdé字🦀,;"), min_size=1, max_size=12)
_numbers = st.integers(min_value=0, max_value=10**6)
_long_paths = st.text(st.sampled_from("abc/_-"), max_size=100)
_addresses = st.builds("https://example.org/{}/{}".format, _numbers, _long_paths)
_links = st.one_of(
    _addresses,
    st.builds("<{}>".format, _addresses),
    st.builds("[{} {}]({})".format, _plain_words, _plain_words, _addresses),
    st.builds("![{} {}]({})".format, _plain_words, _plain_words, _addresses),
)
_spans = st.one_of(
    st.builds("**{} {}**".format, _plain_words, _plain_words),
    st.builds("`{} {}`".format, _plain_words, _plain_words),
)
_sentences = st.lists(
    st.one_of(_plain_words, _plain_words, _links, _spans), min_size=1, max_size=8
).map(" ".join)
_blocks = st.builds(
    "```{}\n{}\n```".format,
    st.sampled_from(LANGUAGES),
    st.lists(st.text("xyz =\t", min_size=1, max_size=40), min_size=1, max_size=12).map("\n".join),
)
_subitems = st.lists(_sentences.map("\n  - {}".format), max_size=3).map("".join)
_items = st.builds("{} {}{}".format, st.sampled_from(["-", "*", "1."]), _sentences, _subitems)
_lists = st.lists(_items, min_size=1, max_size=5).map("\n".join)
_headings = st.builds("{} {}".format, st.sampled_from(["#", "##", "###"]), _plain_words)
documents = st.lists(st.one_of(_sentences, _lists, _blocks, _headings), min_size=1, max_size=6).map(
    "\n\n".join
)
"""Well-formed texts: paragraphs, lists of two levels, fenced blocks, headings and links."""


def links(text: str) -> list[str]:
    """Return the links in a document."""
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return re.findall(r"!?\[[^\]]*\]\(\S+?\)(?!\S)|<https?://\S+?>|(?<![(<])https?://\S+", prose)


def items(text: str) -> list[str]:
    """Return the items of a document's lists, with those below them."""
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return [
        item.strip()
        for item in re.findall(r"^(?:[-*]|1\.) .*(?:\n  - .*)*", prose, flags=re.MULTILINE)
    ]


def fences(text: str) -> list[str]:
    """Return the fenced blocks of a document."""
    return re.findall(r"```.*?```", text, flags=re.DOTALL)
