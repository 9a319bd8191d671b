"""Short things that people say while somebody else talks. Pure.

English above all, as the speech-to-text that comes with it knows English alone; of the other
languages what is heard most.
"""

from enum import StrEnum

from voice.words import word_set


class PhraseKind(StrEnum):
    """What is meant by a phrase."""

    STOP = "stop"
    """Be silent."""
    NO = "no"
    """Be silent, if it is said into somebody's speech; else an answer."""
    CANCEL = "cancel"
    """Do not go on with it, either."""
    BACKCHANNEL = "backchannel"
    """I listen: go on. To a question it is an answer."""
    HUM = "hum"
    """The same without a word."""
    HESITATION = "hesitation"
    """I may have something to say."""
    POLITE = "polite"
    """Means nothing by itself."""
    ASKING = "asking"
    """A question of one word: it wants an answer."""


_PHRASES = {
    PhraseKind.STOP: """
        stop; stop it; stop that; stop now; stop talking; stop there; stop speaking; can you stop;
        could you stop; you can stop; you can stop now; please stop; halt; silence; quiet;
        be quiet; shut up; hush; shush; shh; sh; enough; that's enough; that is enough; pause;
        hold on; hold it; hang on; wait; wait up; wait wait; wait a second; wait a sec;
        wait a minute; wait a moment; hold on a second; hold on a sec; hold on a minute;
        hang on a second; hang on a sec; hang on a minute; just a second; just a moment;
        just a minute; one second; one moment; one sec; give me a second; give me a moment;
        let me stop you; freeze;
        stopp; halt mal; warte; warte mal; warte kurz; moment; moment mal; einen moment; ruhe;
        sei still; sei ruhig; hör auf; genug; das reicht; schluss;
        arrête; arrêtez; arrête toi; attends; attendez; tais toi; ça suffit; un instant;
        une seconde; chut;
        para; pare; espera; espere; alto; silencio; cállate; basta; un momento; un segundo;
        ストップ; 止めて; とめて; やめて; 待って; ちょっと待って; 静かに; 静かにして;
        그만; 멈춰; 잠깐; 잠깐만; 조용히; 조용히 해
    """,
    PhraseKind.NO: "no; nope; nah; nein; nee; non; いいえ; いや; 아니; 아니요",
    PhraseKind.CANCEL: """
        cancel; cancel that; cancel it; cancel this; cancel the request; cancel my request; abort;
        abort that; abort it; never mind; nevermind; never mind that; never mind about that;
        forget it; forget that; forget about it; forget about that; forget i asked;
        forget i said that; scrap that; scrap it; drop it; drop that; don't bother;
        stop working; stop working on it; stop working on that; stop doing that; stop doing it;
        vergiss es; vergiss das; egal; schon gut; abbrechen; brich ab; brich das ab;
        laisse tomber; oublie; oublie ça; annule; annule ça;
        olvídalo; olvida eso; déjalo; cancela; cancela eso; cancélalo;
        キャンセル; キャンセルして; 忘れて; もういい; 취소; 취소해; 됐어
    """,
    PhraseKind.BACKCHANNEL: """
        yeah; yep; yes; yup; ya; yea; ok; okay; k; right; all right; alright; i see; sure; cool;
        nice; wow; got it; gotcha; true; exactly; great; good; fine; interesting; really; perfect;
        awesome; amazing; indeed; of course; i know; i know right; makes sense; that makes sense;
        that's true; that's right; that's good; that's great; that's cool; sounds good; oh really;
        no way; no problem; fair; fair enough; i understand; understood; absolutely; definitely;
        totally; very good; very nice; good job; well done; thanks; thank you; thank you very much;
        thank you so much; thanks a lot; i see what you mean; you're right; correct; uh okay;
        lovely; excellent; go on; go ahead; please go on; keep going; continue;
        ja; genau; stimmt; klar; gut; schön; danke; ach so; achso; alles klar; verstehe; echt;
        oui; ouais; d'accord; exact; exactement; super; merci; je vois; bien; bien sûr; c'est vrai;
        sí; si; vale; claro; bueno; exacto; gracias; ya veo; de acuerdo; entiendo;
        はい; うん; ええ; そう; そうですね; なるほど; わかった; わかりました; ありがとう;
        네; 예; 응; 그래; 맞아; 알겠어; 알겠습니다; 고마워
    """,
    PhraseKind.HUM: """
        mm; mmm; mhm; mm hm; mm hmm; mmhmm; hm; hmm; hmmm; uh huh; uhuh; aha; ah; ahh; oh; ooh;
        oh oh; haha; hahaha; ha; ha ha; ha ha ha; heh; huh huh; hehe; ach; aah; wah; öh;
        ふうん; へえ; あはは; 음; 하하
    """,
    PhraseKind.HESITATION: """
        um; umm; uh; uhm; er; erm; eh; ehm; so; well; and; but; actually; hey; hello; like;
        you know; i mean; look; listen; sorry; excuse me; also; or; then; anyway;
        äh; ähm; also; und; aber; naja; euh; alors; et; mais; este; pues; y; pero;
        えっと; あの; その; 저기; 근데
    """,
    PhraseKind.POLITE: """
        please; now; there; just; man; dude; bitte; mal; doch; jetzt; s'il te plaît;
        s'il vous plaît; por favor; お願いします; 좀
    """,
    PhraseKind.ASKING: """
        what; why; who; where; when; how; which; huh; what's that; what is that; what was that;
        how come; how so; since when; pardon; pardon me; say again; say that again; come again;
        repeat; repeat that; again; was; wie; warum; wieso; wer; wo; wann; wie bitte; quoi;
        pourquoi; comment; qui; où; quand; qué; por qué; cómo; quién; dónde; cuándo;
        何; なに; なぜ; どうして; え; 뭐; 왜; 어떻게
    """,
}


def _table() -> dict[tuple[str, ...], PhraseKind]:
    table = dict[tuple[str, ...], PhraseKind]()
    for kind, phrases in _PHRASES.items():
        for phrase in phrases.split(";"):
            table.setdefault(tuple(phrase.split()), kind)
    return table


PHRASES = _table()
"""What each phrase means, by its words."""
UNFINISHED = frozenset(
    phrase[:length]
    for phrase, kind in PHRASES.items()
    if kind is PhraseKind.BACKCHANNEL
    for length in range(2, len(phrase))
)
"""How phrases of several words begin by which people only say that they listen."""
LONGEST_PHRASE = max(map(len, PHRASES))
"""In words."""
ARTICLES = word_set("a an the der die das ein eine le la les un une el los las")
"""Words that say nothing by themselves."""
