from bot.plugin_services.turn_notes import LONGEST_NOTES, MOST_NOTES, NotedSpeaker, TurnNotes
from bot.speaker.speaker import Answered, Knobs
from tests.fakes.speaker import FakeSpeaker

LEFT_OUT = "[Some of what plugins had to say before that is left out.]\n"


def test_notes_are_told_once_and_each_on_its_own_line() -> None:
    notes = TurnNotes()

    notes.posted("s1", "todo", 'milk\n[bought] by "me"')
    notes.added("s1", "todo", "uwe", "and bread")
    notes.posted("s2", "dice", "6")

    assert notes.take("s1") == (
        "[The plugin todo has posted here: \"milk (bought) by 'me'\"]\n"
        '[The plugin todo adds this in uwe\'s stead to what is said next: "and bread"]\n'
    )
    assert notes.take("s1") == ""
    assert notes.take("s2") == '[The plugin dice has posted here: "6"]\n'


def test_of_many_notes_the_newest_are_told() -> None:
    notes = TurnNotes()

    for number in range(MOST_NOTES + 5):
        notes.posted("s1", "todo", f"note {number}")

    told = notes.take("s1")
    assert told.startswith(f'{LEFT_OUT}[The plugin todo has posted here: "note 5"]\n')
    assert told.count("\n") == MOST_NOTES + 1


def test_long_notes_are_limited_together() -> None:
    notes = TurnNotes()

    for letter in "abc":
        notes.posted("s1", "todo", letter * 50_000)

    told = notes.take("s1")
    assert told.startswith(f'{LEFT_OUT}[The plugin todo has posted here: "ccc')
    assert len(told) < LONGEST_NOTES + 200


async def test_a_speaker_is_told_the_notes_with_its_next_turn() -> None:
    notes, inner = TurnNotes(), FakeSpeaker()
    speaker = NotedSpeaker(inner, notes, "s1")
    notes.posted("s1", "dice", "6")
    notes.posted("s2", "dice", "1")

    for _ in range(2):
        inner.events.put_nowait(Answered())
        assert [event async for event in speaker.answer("uwe: hi")] == [Answered()]
    speaker.warm_up()
    speaker.change(Knobs(model="opus"))

    assert inner.asked == ['[The plugin dice has posted here: "6"]\nuwe: hi', "uwe: hi"]
    assert inner.is_warm
    assert inner.knobs == [Knobs(model="opus")]
    assert not await speaker.interrupt()
