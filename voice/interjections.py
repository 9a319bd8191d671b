"""What is meant by a few words that somebody says while the bot speaks or thinks. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from voice.lexicon import ARTICLES, LONGEST_PHRASE, PHRASES, UNFINISHED, PhraseKind
from voice.names import name_length
from voice.words import Token, tokens_of, weight_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Interjection:
    """Words, judged by themselves alone."""

    has_words: bool = False
    has_name: bool = False
    """Whether the bot's name is among them."""
    is_stop: bool = False
    """Whether they begin with words that ask for silence."""
    is_no: bool = False
    """Whether they begin with a no, and no other words that ask for silence."""
    is_cancel: bool = False
    """Whether they begin with words that take a question back."""
    asks: bool = False
    """Whether there is a word in them by which questions begin."""
    content_words: int = 0
    """How many words say something: no articles, and none of the other kinds here."""
    has_backchannel: bool = False
    """Whether there is something in them that only says that somebody listens."""
    is_hum: bool = False
    """Whether there are no real words: hums, and what one says while looking for words."""

    @property
    def is_command(self) -> bool:
        """Whether they only ask for silence, or take a question back."""
        return (self.is_stop or self.is_cancel) and not self.says_something

    @property
    def is_only_no(self) -> bool:
        """Whether they are a no, and nothing else."""
        return self.is_no and not self.says_something

    @property
    def is_backchannel(self) -> bool:
        """Whether they say nothing but that somebody listens, or thinks."""
        is_other = self.is_stop or self.is_no or self.is_cancel
        return self.has_words and not is_other and not self.says_something

    @property
    def says_something(self) -> bool:
        """Whether there is more in them than a name and phrases."""
        return self.asks or self.content_words > 0


def read_interjection(
    text: str, names: Sequence[str], *, is_unfinished: bool = False
) -> Interjection:
    """Return what is meant by a text.

    Args:
        text: As speech-to-text wrote it: its commas and full stops count, too.
        names: What the bot is called.
        is_unfinished: Whether more words follow.
    """
    tokens = tokens_of(text)
    kinds = list[PhraseKind]()
    content = 0
    has_name = False
    at = 0
    while at < len(tokens):
        if is_unfinished and tuple(token.word for token in tokens[at:]) in UNFINISHED:
            kinds.append(PhraseKind.HESITATION)
            break
        kind, length = _phrase_at(tokens, at)
        if length == 0 and (length := name_length(tokens, at, names)):
            has_name = True
        elif kind is not None:
            kinds += [kind] if content == 0 or kind is PhraseKind.ASKING else []
        else:
            length = 1
            content += 0 if tokens[at].word in ARTICLES else weight_of(tokens[at].word)
        at += length
    return Interjection(
        has_words=bool(tokens),
        has_name=has_name,
        is_stop=PhraseKind.STOP in kinds,
        is_no=PhraseKind.NO in kinds and PhraseKind.STOP not in kinds,
        is_cancel=PhraseKind.CANCEL in kinds,
        asks=PhraseKind.ASKING in kinds,
        content_words=content,
        has_backchannel=PhraseKind.BACKCHANNEL in kinds or PhraseKind.HUM in kinds,
        is_hum=bool(kinds) and not content and not has_name and _SOUNDS.issuperset(kinds),
    )


_SOUNDS = frozenset({PhraseKind.HUM, PhraseKind.HESITATION, PhraseKind.POLITE})


def _phrase_at(tokens: Sequence[Token], at: int) -> tuple[PhraseKind | None, int]:
    """Return the longest known phrase from `at` on, and how many words it has."""
    for length in range(min(LONGEST_PHRASE, len(tokens) - at), 0, -1):
        phrase = tokens[at : at + length]
        kind = PHRASES.get(tuple(token.word for token in phrase))
        if kind is not None and (
            kind is not PhraseKind.CANCEL or _ends_clause(tokens, at + length)
        ):
            return kind, length
    return None, 0


def _ends_clause(tokens: Sequence[Token], end: int) -> bool:
    """Say whether nothing follows up to the next comma: `cancel that` is not `cancel that job`."""
    while not tokens[end - 1].ends_clause:
        if PHRASES.get((tokens[end].word,)) is not PhraseKind.POLITE:
            return False
        end += 1
    return True
