"""Each row of the table of voice lines: what happens, what is done, what is said."""

from dataclasses import replace

import pytest

from bot.access import Person, Place
from bot.conversation.line_table import (
    ASKED_TO_SPEAK,
    BACK,
    BACK_UNANSWERED,
    MAY_NOT_ASK,
    MAY_SPEAK,
    NOT_IN_VOICE,
    ONLY_IN_SERVERS,
    AloneTooLong,
    CameBack,
    HungUp,
    InWriting,
    LineEvent,
    NobodyLeft,
    NotPossible,
    NotRejoined,
    OnLine,
    PipelineBroke,
    SessionTaken,
    Situation,
    Step,
    Then,
    Wish,
    join_refusal,
    line_for,
    step_after,
)
from bot.voice_door import (
    CameIn,
    ChannelGone,
    Interrupted,
    JoinTrouble,
    Lost,
    MayNotSpeak,
    MaySpeak,
    Moved,
    Restored,
    Restrained,
    ThrownOut,
    WentOut,
)

LOUNGE, DEN = (Place(guild_id=10, channel_id=number) for number in (31, 32))
UWE = Person(id=7, name="uwe")
NOTES = Situation(session="notes")


@pytest.mark.parametrize(
    ("event", "situation", "step"),
    [
        (CameIn(person=UWE), NOTES, Step(then=Then.LOOK)),
        (WentOut(person_id=7), NOTES, Step(then=Then.LOOK)),
        (Interrupted(), NOTES, Step(then=Then.WAIT)),
        (Restored(), Situation(away_seconds=4.9), Step(then=Then.LOOK)),
        (Restored(), Situation(away_seconds=5.0), Step(then=Then.LOOK, spoken=BACK)),
        (
            Moved(place=DEN),
            NOTES,
            Step(
                then=Then.FOLLOW,
                spoken="I was moved here, and I am listening.",
                written="I was moved here, and **notes** with me.",
            ),
        ),
        (MayNotSpeak(may_ask=True), NOTES, Step(then=Then.GO_ON, written=ASKED_TO_SPEAK)),
        (MayNotSpeak(may_ask=False), NOTES, Step(then=Then.GO_ON, written=MAY_NOT_ASK)),
        (MaySpeak(), NOTES, Step(then=Then.GO_ON, spoken=MAY_SPEAK)),
        (
            Restrained(is_muted=True, is_deafened=False),
            NOTES,
            Step(
                then=Then.GO_ON,
                written="A moderator has muted me: nobody hears me until that is undone, so I"
                " write.",
            ),
        ),
        (
            Restrained(is_muted=False, is_deafened=True),
            NOTES,
            Step(
                then=Then.GO_ON,
                written="A moderator has deafened me: I hear nobody until that is undone.",
            ),
        ),
        (
            Restrained(is_muted=True, is_deafened=True),
            NOTES,
            Step(
                then=Then.GO_ON,
                written="A moderator has muted and deafened me: I read and write until that"
                " is undone.",
            ),
        ),
        (
            Restrained(is_muted=False, is_deafened=False),
            NOTES,
            Step(then=Then.GO_ON, written="A moderator lets me hear and speak again."),
        ),
        (CameBack(was_answering=False), NOTES, Step(then=Then.LOOK, spoken=BACK, written=BACK)),
        (
            CameBack(was_answering=True),
            NOTES,
            Step(then=Then.LOOK, spoken=BACK_UNANSWERED, written=BACK_UNANSWERED),
        ),
    ],
)
def test_a_line_goes_on(event: LineEvent, situation: Situation, step: Step) -> None:
    assert step_after(event, situation) == step


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (HungUp(), ""),
        (ChannelGone(), ""),
        (ThrownOut(), "Somebody disconnected me, so I hung up. `/pickup` brings me back."),
        (AloneTooLong(seconds=300), "Nobody was here for 5 minutes, so I hung up."),
        (SessionTaken(place=DEN), "Its session goes on in <#32>, so I hung up here."),
        (NobodyLeft(), "I was away, and nobody is here any more, so I hung up."),
        (PipelineBroke(sentence="No model."), "I had to hang up. No model."),
        (
            Lost(trouble=JoinTrouble.NO_PERMISSION),
            (
                "I lost the line, and hung up. My role lacks a permission in that voice channel: it"
                " needs *View Channel*, *Connect* and *Speak*. `/pickup` brings me back."
            ),
        ),
        (
            Lost(trouble=JoinTrouble.NO_ENCRYPTION),
            (
                "I lost the line, and hung up. Discord wants that channel encrypted from end to"
                " end, and I was not given the keys (code 4017). `papercup doctor` tells whoever"
                " runs me what is missing. `/pickup` brings me back."
            ),
        ),
        (
            NotRejoined(trouble=JoinTrouble.FULL),
            (
                "I was away, and could not come back. That voice channel is full. Raise its user"
                " limit, or give my role *Move Members*, with which I get in all the same."
            ),
        ),
    ],
)
def test_a_line_ends(event: LineEvent, sentence: str) -> None:
    assert step_after(event, NOTES) == Step(then=Then.END, written=sentence)


def test_a_line_that_is_moved_where_another_conversation_is_open_ends() -> None:
    step = step_after(Moved(place=DEN), Situation(session="notes", is_free=False))
    assert step.then is Then.END
    assert step.written == (
        "I was moved to a channel in which another conversation is open, so I hung up on"
        " **notes**; `/resume` goes on with it."
    )


@pytest.mark.parametrize(
    ("trouble", "detail", "sentence"),
    [
        (
            JoinTrouble.NO_PERMISSION,
            "Connect",
            (
                "My role lacks a permission in that voice channel: it needs *View Channel*,"
                " *Connect* and *Speak*. (Connect)"
            ),
        ),
        (
            JoinTrouble.FULL,
            "",
            (
                "That voice channel is full. Raise its user limit, or give my role *Move Members*,"
                " with which I get in all the same."
            ),
        ),
        (JoinTrouble.GONE, "", "There is no such voice channel any more."),
        (
            JoinTrouble.NO_ENCRYPTION,
            "",
            (
                "Discord wants that channel encrypted from end to end, and I was not given the keys"
                " (code 4017). `papercup doctor` tells whoever runs me what is missing."
            ),
        ),
        (
            JoinTrouble.TIMED_OUT,
            "",
            "Discord did not let me in in time. Try again in a minute.",
        ),
        (
            JoinTrouble.OFFLINE,
            "",
            "I have no connection to Discord at present. Try again in a minute.",
        ),
    ],
)
def test_whoever_wants_a_line_is_told_why_there_is_none(
    trouble: JoinTrouble, detail: str, sentence: str
) -> None:
    assert join_refusal(trouble, LOUNGE, detail) == f"I cannot come to <#31>. {sentence}"


def test_no_trouble_is_without_a_sentence() -> None:
    assert all(join_refusal(trouble, LOUNGE) for trouble in JoinTrouble)


WISH = Wish(mode=None, is_in_server=True, channel=LOUNGE, missing=None)


@pytest.mark.parametrize(
    ("wished", "where"),
    [
        (WISH, OnLine(LOUNGE)),
        (replace(WISH, mode="voice"), OnLine(LOUNGE)),
        (replace(WISH, mode="text"), InWriting()),
        (replace(WISH, channel=None), InWriting()),
        (replace(WISH, channel=None, mode="voice"), NotPossible(NOT_IN_VOICE)),
        (replace(WISH, missing="Add it."), InWriting("Add it.")),
        (replace(WISH, missing="Add it.", mode="text"), InWriting()),
        (replace(WISH, missing="Add it.", channel=None), InWriting()),
        (replace(WISH, missing="Add it.", mode="voice"), NotPossible("Add it.")),
        (
            replace(WISH, is_in_server=False, channel=None, mode="voice"),
            NotPossible(ONLY_IN_SERVERS),
        ),
        (replace(WISH, is_in_server=False, channel=None), InWriting()),
        (replace(WISH, line=LOUNGE), OnLine(LOUNGE)),
        (replace(WISH, line=DEN, line_may_end=True), OnLine(LOUNGE, must_end=DEN)),
        (
            replace(WISH, line=DEN),
            NotPossible(
                "I am on the line in <#32>, and can be in one voice channel of a server at a time."
                " Come there, or end it with `/hangup`."
            ),
        ),
    ],
)
def test_where_a_conversation_is_held(
    wished: Wish, where: InWriting | OnLine | NotPossible
) -> None:
    assert line_for(wished) == where
