from dataclasses import replace

from bot.access import Person, Place
from bot.conversation.message_record import (
    FRESH_SECONDS,
    MessageRecord,
    MessageState,
    UnfinishedTurn,
    as_one,
    unfinished_turns,
)
from bot.conversation.turn import Turn
from bot.messenger import MessageRef
from tests.fakes.attachments import attachment

HERE = Place(guild_id=10, channel_id=11)
THERE = Place(guild_id=10, channel_id=12)
OLGA = Person(id=1, name="olga")
UWE = Person(id=7, name="uwe")


def ref(number: int) -> MessageRef:
    return MessageRef(channel_id=11, message_id=number)


def waiting(number: int, person: Person = OLGA) -> MessageRecord:
    return MessageRecord(
        ref=ref(number), author=person, place=HERE, text=f"text {number}", arrived_at=100.0
    )


def begun(number: int, *, with_: int, answer: str | None = None) -> MessageRecord:
    return MessageRecord(
        ref=ref(number),
        author=OLGA,
        place=HERE,
        text=f"text {number}",
        arrived_at=100.0 + number,
        state=MessageState.ANSWERING,
        session_id="5e55",
        answering_at=200.0,
        answered_with=with_,
        answer=answer,
        shown_in=(ref(90),) if number == with_ else (),
    )


def test_messages_come_again_in_order_and_those_that_were_answered_together_as_one() -> None:
    records = [waiting(4, UWE), begun(3, with_=3), waiting(5), begun(1, with_=3)]

    assert unfinished_turns(records) == [
        UnfinishedTurn(
            turn=Turn(
                people=(OLGA,),
                text="text 1\n\ntext 3",
                asked_in=ref(3),
                joined=(ref(1),),
                is_begun=True,
                shown_in=(ref(90),),
            ),
            place=HERE,
            asked_at=103.0,
            session_id="5e55",
            begun_at=200.0,
        ),
        *(
            UnfinishedTurn(
                turn=Turn(people=(person,), text=f"text {number}", asked_in=ref(number)),
                place=HERE,
                asked_at=100.0,
                session_id=None,
                begun_at=None,
            )
            for number, person in ((4, UWE), (5, OLGA))
        ),
    ]


def test_only_what_is_young_is_answered_and_an_answer_that_is_known_is_always_shown() -> None:
    (young,), (known,) = (
        unfinished_turns([waiting(1)]),
        unfinished_turns([begun(1, with_=1, answer="Hi.")]),
    )

    assert young.is_fresh(now=100.0 + FRESH_SECONDS - 1)
    assert not young.is_fresh(now=100.0 + FRESH_SECONDS)
    assert known.is_fresh(now=100.0 + 100 * FRESH_SECONDS)


def test_of_all_that_one_person_wrote_in_one_place_the_newest_is_replied_to() -> None:
    turns = [
        (HERE, Turn(people=(OLGA,), text="a", asked_in=ref(3), joined=(ref(1),))),
        (HERE, Turn(people=(UWE,), text="b", asked_in=ref(4))),
        (HERE, Turn(people=(OLGA,), text="c", asked_in=ref(2))),
        (THERE, Turn(people=(OLGA,), text="d", asked_in=ref(5))),
    ]

    assert as_one(turns) == [
        (HERE, Turn(people=(OLGA,), text="", asked_in=ref(3), joined=(ref(1), ref(2)))),
        (HERE, Turn(people=(UWE,), text="", asked_in=ref(4))),
        (THERE, Turn(people=(OLGA,), text="", asked_in=ref(5))),
    ]


def test_messages_that_were_answered_together_bring_the_files_of_all() -> None:
    files = [attachment(number, f"{number}.txt", 1) for number in (1, 2, 3)]
    records = [
        replace(begun(1, with_=3), attachments=(files[0],)),
        replace(begun(2, with_=3), text="", attachments=(files[1], files[2])),
        begun(3, with_=3),
    ]
    (unfinished,) = unfinished_turns(records)

    assert unfinished.turn.attachments == tuple(files)
    assert unfinished.turn.text == "text 1\n\ntext 3"


def test_a_question_about_a_message_comes_again_as_one() -> None:
    (unfinished,) = unfinished_turns([replace(waiting(1), is_from_menu=True)])

    assert unfinished.turn == Turn(
        people=(OLGA,), text="text 1", asked_in=ref(1), is_from_menu=True, is_begun=True
    )


def test_each_question_about_a_message_is_replied_to_by_itself() -> None:
    turns = [
        (HERE, Turn(people=(OLGA,), text="a", asked_in=ref(1))),
        (HERE, Turn(people=(OLGA,), text="b", asked_in=ref(2), is_from_menu=True)),
        (HERE, Turn(people=(OLGA,), text="c", asked_in=ref(3), is_from_menu=True)),
    ]

    assert [turn.messages for _, turn in as_one(turns)] == [(ref(1),), (ref(2),), (ref(3),)]
