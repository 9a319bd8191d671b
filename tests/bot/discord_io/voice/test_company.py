from dataclasses import dataclass

from bot.access import Person
from bot.discord_io.voice.company import (
    Company,
    Podium,
    Restraint,
    can_be_heard,
    can_hear,
    sorted_people,
)
from bot.voice_door import CameIn, Restrained, WentOut

ALICE, BOB = Person(id=1, name="alice"), Person(id=2, name="bob")
JUKEBOX = Person(id=3, name="jukebox", is_automatic=True)


@dataclass
class State:
    deaf: bool = False
    self_deaf: bool = False
    mute: bool = False
    suppress: bool = False


def test_everybody_who_comes_or_goes_is_told_of_once() -> None:
    company = Company()
    assert company.changes([ALICE, JUKEBOX]) == [CameIn(person=ALICE)]
    assert company.changes([ALICE]) == []
    assert company.changes([BOB]) == [WentOut(person_id=1), CameIn(person=BOB)]


def test_who_is_deafened_by_anybody_does_not_hear() -> None:
    assert can_hear(State())
    assert not can_hear(State(deaf=True))
    assert not can_hear(State(self_deaf=True))


def test_who_is_muted_by_others_or_not_there_is_not_heard() -> None:
    assert can_be_heard(State())
    assert not can_be_heard(State(mute=True))
    assert not can_be_heard(State(suppress=True))
    assert not can_be_heard(None)


def test_people_are_sorted() -> None:
    states = {1: State(), 2: State(self_deaf=True), 3: State()}
    assert sorted_people(states, [ALICE, BOB, JUKEBOX]) == ([1, 2], [1], [3])


def test_it_is_said_once_when_the_bot_becomes_audience_and_speaker() -> None:
    podium = Podium()
    on_stage = [State(), State(suppress=True), State(suppress=True), State(), State()]
    changes = [podium.change(state, is_stage=True) for state in on_stage]
    assert changes == [None, True, None, False, None]


def test_only_stages_have_an_audience() -> None:
    podium = Podium()
    assert podium.change(State(suppress=True), is_stage=False) is None
    assert podium.change(None, is_stage=True) is None


def test_it_is_said_once_what_a_moderator_does_to_the_bot() -> None:
    restraint, deafened = Restraint(), State(deaf=True)
    states = [State(), None, deafened, deafened, None, State(self_deaf=True)]
    assert [restraint.change(state) for state in states] == [
        None,
        None,
        Restrained(is_muted=False, is_deafened=True),
        None,
        None,
        Restrained(is_muted=False, is_deafened=False),
    ]
