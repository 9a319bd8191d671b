from datetime import UTC, datetime, timedelta

from bot.discord_io.edits import Edits

AT = datetime(2026, 1, 1, tzinfo=UTC)


def test_an_update_of_a_message_that_nobody_edited_is_no_edit() -> None:
    assert not Edits().is_new(1, None)


def test_an_edit_counts_once_however_often_the_message_is_told_of() -> None:
    edits = Edits()
    later = AT + timedelta(seconds=1)
    told = [edits.is_new(1, at) for at in (AT, AT, later, later)]
    assert told == [True, False, True, False]
    assert edits.is_new(2, AT)


def test_only_the_newest_thousand_are_remembered() -> None:
    edits = Edits()
    for number in range(1001):
        edits.is_new(number, AT)
    assert not edits.is_new(1000, AT)
    assert edits.is_new(0, AT)
