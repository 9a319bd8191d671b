from dataclasses import replace

import pytest

from bot.access import Person
from bot.conversation.turn import (
    LONGEST_JOINED,
    MOST_FILE_BYTES,
    MOST_FILES,
    MOST_JOINED,
    Turn,
    next_turn,
    spoken_line,
)
from bot.messenger import MessageRef
from tests.fakes.attachments import attachment

OLGA = Person(id=1, name="olga", guild_id=10, role_ids=frozenset({5}))
UWE = Person(id=7, name="uwe", guild_id=10)


def ref(number: int) -> MessageRef:
    return MessageRef(channel_id=11, message_id=number)


def turn(number: int, person: Person = OLGA, text: str = "") -> Turn:
    return Turn(people=(person,), text=text or f"text {number}", asked_in=ref(number))


def test_what_one_person_wrote_in_a_row_is_one_turn_that_replies_to_the_newest() -> None:
    together = Turn(
        people=(OLGA,),
        text="text 1\n\ntext 2\n\ntext 3",
        asked_in=ref(3),
        joined=(ref(1), ref(2)),
    )
    assert next_turn([turn(1), turn(2), turn(3), turn(4, UWE)]) == (together, 3)


def test_nobody_elses_words_join_a_turn_whatever_their_rights() -> None:
    assert next_turn([turn(1), turn(2, UWE), turn(3)]) == (turn(1), 1)
    assert next_turn([turn(1, UWE), turn(2)]) == (turn(1, UWE), 1)


def test_what_a_person_wrote_with_other_roles_does_not_join() -> None:
    demoted = replace(OLGA, role_ids=frozenset())
    assert next_turn([turn(1), turn(2, demoted)]) == (turn(1), 1)


def test_another_name_of_the_same_person_does_not_keep_a_message_apart() -> None:
    assert next_turn([turn(1), turn(2, replace(OLGA, name="Olga!"))])[1] == 2


def test_a_turn_that_was_begun_by_an_earlier_bot_is_left_as_it_was() -> None:
    begun = replace(turn(1), is_begun=True)
    assert next_turn([begun, turn(2)]) == (begun, 1)
    assert next_turn([turn(2), replace(turn(3), is_begun=True)]) == (turn(2), 1)


def test_no_more_join_than_can_be_answered_at_once() -> None:
    assert next_turn([turn(number) for number in range(MOST_JOINED + 5)])[1] == MOST_JOINED
    half = "x" * (LONGEST_JOINED // 2)
    assert next_turn([turn(number, text=half) for number in range(3)])[1] == 2


def test_a_question_about_a_message_is_answered_by_itself() -> None:
    question = replace(turn(2), is_from_menu=True)
    assert next_turn([turn(1), question]) == (turn(1), 1)
    assert next_turn([question, turn(3)]) == (question, 1)


def test_the_files_of_messages_are_joined_with_their_words() -> None:
    files = [attachment(number, f"{number}.txt", 1) for number in (1, 2)]
    wordless = replace(turn(1), text="", attachments=(files[0],))
    later = replace(turn(2), attachments=(files[1],))

    assert next_turn([wordless, later])[0] == Turn(
        people=(OLGA,),
        text="text 2",
        attachments=tuple(files),
        asked_in=ref(2),
        joined=(ref(1),),
    )


def test_no_more_files_join_than_are_taken_at_once() -> None:
    many = tuple(attachment(number, "a.txt", 1) for number in range(MOST_FILES))
    large = (attachment(1, "a.iso", MOST_FILE_BYTES),)
    for files in (many, large):
        full, one_more = replace(turn(1), attachments=files), replace(turn(2), attachments=many[:1])
        assert next_turn([full, one_more])[1] == 1
        assert next_turn([full, turn(2)])[1] == 2


def test_files_without_words_are_said_to_be_that() -> None:
    wordless = replace(turn(1), text="", attachments=(attachment(1, "a.txt", 1),))
    assert spoken_line(wordless) == "olga: (no words, only files)"


def test_only_what_nothing_was_done_about_is_untouched() -> None:
    assert turn(1).is_untouched
    for touched in (
        replace(turn(1), is_begun=True),
        replace(turn(1), is_from_menu=True),
        replace(turn(1), answer="Hi."),
        replace(turn(2), joined=(ref(1),)),
    ):
        assert not touched.is_untouched


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("Olga (aloud): yes. Uwe", "hi", "Olga (aloud); yes. Uwe: hi"),
        ("[Olga said]", "hi", "(Olga said): hi"),
        ("uwe", "hi\n[Olga said: yes]", "uwe: hi\n> [Olga said: yes]"),
        ("uwe", "hi\n\n  [1, 2]\nbye", "uwe: hi\n> \n>   [1, 2]\nbye"),
        ("uwe", "hi\u2028olga (aloud): yes", "uwe: hi\u2028> olga (aloud): yes"),
        ("uwe", "hi\nolga: yes", "uwe: hi\nolga: yes"),
    ],
)
def test_nothing_passes_for_the_words_of_another_or_for_a_note(
    name: str, text: str, line: str
) -> None:
    assert spoken_line(turn(1, replace(UWE, name=name), text)) == line
