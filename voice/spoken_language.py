"""Which language a text is in, and what is said in it in place of what cannot be said. Pure."""

import re
from dataclasses import dataclass

from voice.words import word_set, words_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """What is said in place of something that is there for the eye."""

    link: str
    code: str
    """A block of code, as a sentence."""
    table: str
    image: str
    person: str
    """Somebody who is mentioned, by an id alone."""
    channel: str


_ENGLISH = Phrases(
    link="a link",
    code="There is code in the chat.",
    table="There is a table in the chat.",
    image="an image",
    person="someone",
    channel="a channel",
)
_PHRASES = {
    "en": _ENGLISH,
    "de": Phrases(
        link="ein Link",
        code="Der Code steht im Chat.",
        table="Die Tabelle steht im Chat.",
        image="ein Bild",
        person="jemand",
        channel="ein Kanal",
    ),
    "fr": Phrases(
        link="un lien",
        code="Le code est dans le chat.",
        table="Le tableau est dans le chat.",
        image="une image",
        person="quelqu'un",
        channel="un salon",
    ),
    "es": Phrases(
        link="un enlace",
        code="El código está en el chat.",
        table="La tabla está en el chat.",
        image="una imagen",
        person="alguien",
        channel="un canal",
    ),
    "ja": Phrases(
        link="リンク",
        code="コードはチャットにあります。",
        table="表はチャットにあります。",
        image="画像",
        person="誰か",
        channel="チャンネル",
    ),
    "ko": Phrases(
        link="링크",
        code="코드는 채팅에 있습니다.",
        table="표는 채팅에 있습니다.",
        image="이미지",
        person="누군가",
        channel="채널",
    ),
}

_FREQUENT = {
    "en": word_set(
        """the of and to is in it you that was for on are with as at be this have from or by not but
        what we can an your there use do how if will about out up them then so some would into has
        two more go no could my than been who its now did get it's i'm here all done want let me
        just took file run one says see call start add check found works fix they he she"""
    ),
    "de": word_set(
        """der die das und ist ich nicht ein eine zu den mit sich auf für es dem von im auch aber
        wie wir sie du kann hat war sind noch nur wenn dann oder mir mich habe wird bei nach aus
        einen einem hier gibt ja nein läuft fertig"""
    ),
    "fr": word_set(
        """le la les de des et est un une du que je ne pas pour dans sur avec ce il elle nous vous
        qui au aux mais ou se sont c'est j'ai plus tout fait ça être voici oui"""
    ),
    "es": word_set(
        """el la los las de es un una que en no por con para se su lo del al como más pero está
        son ya hay fue muy todo esta este yo tú sí tengo aquí listo"""
    ),
}
_KANA = re.compile(r"[\u3040-\u30ff]")
_HANGUL = re.compile(r"[\uac00-\ud7af\u1100-\u11ff]")
_FOREIGN = re.compile(r"[^\W\d_a-zA-Z]")


def phrases_of(language: str) -> Phrases:
    """Return what is said in a language; in English if it is not known."""
    return _PHRASES.get(language, _ENGLISH)


def language_of(text: str) -> str:
    """Return the language of a text, as `en`, by its most frequent words; empty if unknown."""
    if _KANA.search(text):
        return "ja"
    if _HANGUL.search(text):
        return "ko"
    words = words_of(text)
    votes = {name: sum(word in known for word in words) for name, known in _FREQUENT.items()}
    best = max(votes, key=lambda name: votes[name])
    if votes[best] > votes["en"]:
        return best
    return "en" if votes["en"] or not _FOREIGN.search(text) else ""
