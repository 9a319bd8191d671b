"""How a plugin's question is asked aloud, and what is meant by what people say to it. Pure."""

import re
from collections.abc import Sequence
from enum import Enum, auto

from bot.plugin_services.ui_questions import DISMISSED, NO, YES, Asking
from bot.quoting import cleaned
from bot.wording import shortened
from extensions.plugins.services import Confirm, Input, Notify, Select
from voice.interjections import read_interjection
from voice.words import tokens_of, words_of

MOST_READ_OUT = 5
"""Of more choices than these it is only said how many there are."""

_PROMPT_CHARACTERS = 300
_OPTION_CHARACTERS = 60
_MESSAGE_CHARACTERS = 400
_NAME = re.compile(r"[^\W_]+")
# A note is one line in square brackets: nothing in it may pass for another one.
_FORBIDDEN = str.maketrans({"[": "(", "]": ")", '"': "'"})
_SENTENCE_END = re.compile(r"[.!?…:]$")


def spoken_question(plugin_id: str, request: Asking) -> str:
    """Return what is said to ask a question."""
    asks = f"{_spoken_name(plugin_id)} asks: {_sentence(request.prompt, _PROMPT_CHARACTERS)}"
    more = "" if len(_one_line(request.prompt)) <= _PROMPT_CHARACTERS else f" {MORE}"
    return f"{asks}{more} {_how_to_answer(request)}"


def spoken_again(request: Asking) -> str:
    """Return what is said when an answer was not understood."""
    if isinstance(request, Confirm):
        return "I did not get that. Yes or no?"
    return "I did not get that. Say the number, or the name; or choose in the chat."


MORE = "There is more of it in the chat."
"""Said behind a question that is too long to be spoken."""
GIVEN_UP = "I did not get that. Please answer in the chat."


def spoken_notification(plugin_id: str, request: Notify) -> str:
    """Return what is said when a plugin tells people something."""
    return f"{_spoken_name(plugin_id)} says: {_sentence(request.message, _MESSAGE_CHARACTERS)}"


def note_of(spoken: str) -> str:
    """Return what the speaker is told of what was said for a plugin."""
    said = " ".join(spoken.split()).translate(_FORBIDDEN)
    return f'[You have just said on the line, for a plugin: "{said}"]'


def understood(request: Asking, said: str) -> str | None:
    """Return the value of the choice that somebody means; `None` if that cannot be told.

    What could mean either is no answer.
    """
    match request:
        case Confirm():
            return _yes_or_no(said)
        case Select(options=options):
            return _chosen(options, said)
        case Input():
            return None


def _how_to_answer(request: Asking) -> str:
    match request:
        case Confirm():
            return "Yes or no?"
        case Input():
            return "Write your answer in the chat."
        case Select(options=options) if len(options) > MOST_READ_OUT:
            return f"There are {len(options)} choices in the chat. Say the number, or the name."
        case Select(options=options):
            return " ".join(
                f"{number}: {_sentence(option, _OPTION_CHARACTERS)}"
                for number, option in enumerate(options, start=1)
            )


def _spoken_name(plugin_id: str) -> str:
    return " ".join(_NAME.findall(plugin_id)) or "A plugin"


def _sentence(text: str, limit: int) -> str:
    line = shortened(_one_line(text), limit)
    return line if _SENTENCE_END.search(line) else f"{line}."


def _one_line(text: str) -> str:
    return " ".join(cleaned(text).split())


# --- What is meant. -----------------------------------------------------------------------------


class _Kind(Enum):
    YES = auto()
    NO = auto()
    CANCEL = auto()
    NOTHING = auto()


_PHRASES = {
    _Kind.YES: """
        yes; yeah; yep; yup; yea; ya; sure; ok; okay; correct; confirm; confirmed; affirmative;
        absolutely; definitely; certainly; of course; go ahead; go on; do it; do that; do so;
        allow; allow it; allow that; approve; approved; approve it; accept; agreed; fine;
        that's fine; that is fine; sounds good; no problem; please do; you may; right; all right;
        alright; that's right; it is; i am; i do; yes you can;
        ja; jawohl; klar; gerne; mach; mach das; mach es; erlaubt; einverstanden; in ordnung;
        oui; ouais; d'accord; bien sûr; vas y; allez y; accepte;
        sí; si; vale; claro; de acuerdo; adelante; hazlo;
        はい; うん; ええ; いいよ; いいです; お願いします; 네; 예; 응; 그래; 좋아
    """,
    _Kind.NO: """
        no; nope; nah; not; negative; don't; do not; don't do it; don't do that; do not do it;
        no way; never; not now; not yet; deny; denied; deny it; refuse; reject; rather not;
        i'd rather not; better not; please don't; of course not; absolutely not;
        definitely not; certainly not; it isn't; it is not;
        nein; nee; nö; nicht; auf keinen fall; lieber nicht; bloß nicht;
        non; pas du tout; surtout pas; nunca; mejor no;
        いいえ; いや; だめ; ダメ; 아니; 아니요; 안돼
    """,
    _Kind.CANCEL: """
        cancel; cancel that; cancel it; stop; stop it; stop that; never mind; nevermind; forget it;
        forget that; forget about it; none; none of them; none of these; none of those; neither;
        nothing; abbrechen; vergiss es; egal; keins; keine; keines davon; stopp;
        annule; laisse tomber; aucun; aucune; olvídalo; cancela; ninguno; ninguna;
        キャンセル; やめて; 취소; 됐어
    """,
    _Kind.NOTHING: """
        please; um; uh; uhm; er; erm; hm; hmm; well; oh; ah; so; then; just; now; thanks;
        thank you; i think; i guess; i say; let's; the; a; an; take; choose; pick; i'd say;
        i want; i'd like; i would like; use; go with; i'll take; that one; this one; option; number;
        bitte; danke; äh; ähm; mal; doch; die; der; das; nimm; nummer; merci; s'il te plaît;
        s'il vous plaît; euh; le; la; les; numéro; gracias; por favor; el; los; las; número
    """,
}


def _table() -> dict[tuple[str, ...], _Kind]:
    return {
        tuple(phrase.split()): kind
        for kind, phrases in _PHRASES.items()
        for phrase in phrases.split(";")
        if phrase.strip()
    }


_TABLE = _table()
_LONGEST = max(map(len, _TABLE))
_NUMBERS = {
    word: number
    for words in (
        "one two three four five six seven eight nine ten",
        "first second third fourth fifth sixth seventh eighth ninth tenth",
        "eins zwei drei vier fünf sechs sieben acht neun zehn",
        "erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte",
        "un deux trois quatre cinq six sept huit neuf dix",
        "premier deuxième troisième quatrième cinquième sixième septième huitième neuvième dixième",
        "uno dos tres cuatro cinco seis siete ocho nueve diez",
        "primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo",
    )
    for number, word in enumerate(words.split(), start=1)
}
_ORDINAL = re.compile(r"([0-9]{1,3})(?:st|nd|rd|th)?")


def _kinds(said: str) -> list[_Kind | None]:
    """Return of which kind the phrases are, one after the other; `None` for any other word."""
    words = [token.word for token in tokens_of(said)]
    kinds: list[_Kind | None] = []
    at = 0
    while at < len(words):
        for length in range(min(_LONGEST, len(words) - at), 0, -1):
            kind = _TABLE.get(tuple(words[at : at + length]))
            if kind is not None:
                break
        else:
            kind, length = None, 1
        at += length
        if kind is not _Kind.NOTHING:
            kinds.append(kind)
    return kinds


def _yes_or_no(said: str) -> str | None:
    kinds = _kinds(said)
    declines = {_Kind.NO, _Kind.CANCEL}
    if kinds and set(kinds) <= {_Kind.YES}:
        return YES
    # A no may be explained; a yes with more words may have a condition.
    if kinds and kinds[0] in declines and _Kind.YES not in kinds:
        return NO
    return None


def _chosen(options: Sequence[str], said: str) -> str | None:
    named = _named(options, said)
    if named is not None:
        return str(named)
    if (number := _number(said)) is not None:
        return str(number - 1) if 1 <= number <= len(options) else None
    kinds = _kinds(said)
    return DISMISSED if kinds and set(kinds) <= {_Kind.CANCEL, _Kind.NO} else None


def _named(options: Sequence[str], said: str) -> int | None:
    """Return the one option of which the words were said, or that alone has these words."""
    spoken = words_of(said)
    wanted = [words_of(option) for option in options]
    # To name something is not to choose it: "not the first", "what is the first".
    is_plain = _Kind.NO not in _kinds(said) and not read_interjection(said, ()).asks
    for is_meant in (_is_same, _is_within, _holds) if is_plain else (_is_same,):
        found = [number for number, words in enumerate(wanted) if words and is_meant(words, spoken)]
        if len(found) == 1:
            return found[0]
    return None


def _is_same(option: list[str], spoken: list[str]) -> bool:
    return option == spoken


def _is_within(option: list[str], spoken: list[str]) -> bool:
    length = len(option)
    return any(spoken[at : at + length] == option for at in range(len(spoken) - length + 1))


def _holds(option: list[str], spoken: list[str]) -> bool:
    kept = [word for word in spoken if (word,) not in _TABLE]
    return bool(kept) and set(kept) <= set(option)


def _number(said: str) -> int | None:
    """Return the only number that was said, if there is nothing else."""
    words = [token.word for token in tokens_of(said)]
    left = [word for word in words if _TABLE.get((word,)) is not _Kind.NOTHING]
    if len(left) == 2 and left[1] == "one":  # noqa: PLR2004 - "the second one"
        del left[1]
    if len(left) != 1:
        return None
    if (found := _ORDINAL.fullmatch(left[0])) is not None:
        return int(found[1])
    return _NUMBERS.get(left[0])
