"""The words of what was heard or said, made alike. Pure."""

import re
from dataclasses import dataclass

_TOKEN = re.compile(r"(?P<word>[^\W_]+(?:['\u2019][^\W_]+)*)|(?P<stop>[.!?,;:\u2026\u3001\u3002])")
WIDE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Characters of scripts without spaces between words, as part of a regular expression's class."""
_WIDE = re.compile(f"[{WIDE}]")


def word_set(words: str) -> frozenset[str]:
    """Return the words of a table that is written as one text."""
    return frozenset(words.split())


@dataclass(frozen=True, slots=True)
class Token:
    """A word, in small letters."""

    word: str
    ends_clause: bool = False
    """Whether a comma or a full stop follows, or nothing."""


def tokens_of(text: str) -> list[Token]:
    """Return the words of a text; what is joined by a hyphen are several."""
    tokens = list[Token]()
    for found in _TOKEN.finditer(text.lower()):
        if found["word"]:
            tokens.append(Token(found["word"].replace("\u2019", "'")))
        elif tokens:
            tokens[-1] = Token(tokens[-1].word, ends_clause=True)
    if tokens:
        tokens[-1] = Token(tokens[-1].word, ends_clause=True)
    return tokens


def words_of(text: str) -> list[str]:
    """Return the words of a text, in small letters; of Chinese and Japanese the characters."""
    words = list[str]()
    for token in tokens_of(text):
        if _WIDE.search(token.word):
            words.extend(token.word)
        else:
            words.append(token.word)
    return words


def weight_of(word: str) -> int:
    """Return how many words a token stands for; two characters of Chinese or Japanese are one."""
    return max(1, len(_WIDE.findall(word)) // 2)
