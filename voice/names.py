"""Finds names in transcripts, in which they are seldom spelled as they are written. Pure."""

import difflib
from collections.abc import Iterable, Sequence
from functools import lru_cache

from voice.words import Token, tokens_of, word_set

_ALIKE = 0.75
"""Like this or more, a word may be the name.

With nine of eight names in three voices each it found all but three or four of 72 (the project's
own measurement, in words that moonshine wrote down).
"""
_LENGTH_APART = 2
"""A word that is longer or shorter by more is another word: `paper` is not `Papercup`."""
_CALLS = word_set("hey hi hello ok okay so and but yo oh well listen look dear")


def name_length(tokens: Sequence[Token], at: int, names: Iterable[str]) -> int:
    """Return how many words from `at` on are one of the names: none, one or two."""
    one = tokens[at].word
    if any(_is_alike(name, one) for name in names):
        return 1
    if at + 1 < len(tokens) and any(_is_alike(name, one + tokens[at + 1].word) for name in names):
        return 2
    return 0


def calls_other(text: str, names: Iterable[str]) -> bool:
    """Say whether a text calls one of the people: `Hey Bob, ...`, `Bob?` or `..., Bob.`."""
    wanted = tuple(filter(None, (_first_name(name) for name in names)))
    clause = list[Token]()
    for token in tokens_of(text):
        clause.append(token)
        if token.ends_clause:
            if _is_call(clause, wanted):
                return True
            clause = []
    return False


def _is_call(clause: Sequence[Token], names: Sequence[str]) -> bool:
    called = [token.word for token in clause if token.word not in _CALLS]
    return len(called) == 1 and any(_is_alike(name, called[0]) for name in names)


def _first_name(name: str) -> str:
    tokens = tokens_of(name)
    return tokens[0].word if tokens else ""


@lru_cache(maxsize=4096)
def _is_alike(name: str, word: str) -> bool:
    wanted = "".join(token.word for token in tokens_of(name))
    if not wanted or abs(len(wanted) - len(word)) > _LENGTH_APART:
        return False
    return difflib.SequenceMatcher(None, wanted, word, autojunk=False).ratio() >= _ALIKE
