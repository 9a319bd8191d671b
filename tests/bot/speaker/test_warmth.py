"""Who is warm when, on a clock that the test moves."""

from hypothesis import given
from hypothesis import strategies as st

from bot.speaker.warmth import Enter, Leave, Step, Wait, Warmth


def warmth(most: int = 2) -> Warmth:
    return Warmth(most=most, idle_seconds=1800.0)


def test_each_enters_while_there_is_room() -> None:
    seats = warmth()
    assert seats.wants("a") == [Enter("a")]
    assert seats.wants("b") == [Enter("b")]


def test_the_one_that_has_been_idle_for_longest_makes_room() -> None:
    seats = warmth(most=3)
    for name in "abc":
        seats.wants(name)
    seats.is_idle("b", at=5.0)
    seats.is_idle("a", at=7.0)
    assert seats.wants("d") == [Leave("b")]
    assert seats.wants("e") == [Leave("a")]
    assert seats.has_left("b") == [Enter("d")]
    assert seats.has_left("a") == [Enter("e")]


def test_who_is_asked_something_is_the_last_to_leave() -> None:
    seats = warmth()
    for name in "ab":
        seats.wants(name)
        seats.is_idle(name, at=1.0)
    seats.is_busy("a")
    seats.is_idle("a", at=2.0)
    assert seats.wants("c") == [Leave("b")]


def test_if_all_are_busy_it_is_told_once_and_the_first_that_is_done_makes_room() -> None:
    seats = warmth()
    for name in "ab":
        seats.wants(name)
    assert seats.wants("c") == [Wait("c")]
    assert seats.wants("d") == [Wait("d")]
    assert seats.is_idle("b", at=3.0) == [Leave("b")]
    assert seats.has_left("b") == [Enter("c")]
    assert seats.has_left("a") == [Enter("d")]


def test_who_does_not_want_a_seat_any_more_gets_none() -> None:
    seats = warmth(most=1)
    seats.wants("a")
    seats.wants("b")
    seats.wants("c")
    assert seats.has_left("b") == []
    assert seats.has_left("a") == [Enter("c")]


def test_an_idle_one_leaves_after_a_while_and_not_before() -> None:
    seats = warmth()
    seats.wants("a")
    assert seats.is_idle("a", at=100.0) == []
    assert seats.leaves_at("a") == 1900.0
    seats.is_busy("a")
    seats.is_idle("a", at=200.0)
    assert seats.leaves_at("a") == 2000.0


class House:
    """Follows what a `Warmth` says."""

    def __init__(self, most: int) -> None:
        self.seats = warmth(most)
        self.warm: set[str] = set()
        self.busy: set[str] = set()
        self.waiting: set[str] = set()

    def move(self, name: str, move: str, at: float) -> None:
        match move:
            case "use" if name in self.warm:
                self.busy.add(name)
                self.seats.is_busy(name)
            case "use" if name not in self.waiting:
                self.waiting.add(name)
                self.carry_out(self.seats.wants(name))
            case "rest" if name in self.busy:
                self.busy.remove(name)
                self.carry_out(self.seats.is_idle(name, at=at))
            case "leave" if name in self.warm | self.waiting:
                for group in (self.warm, self.busy, self.waiting):
                    group.discard(name)
                self.carry_out(self.seats.has_left(name))
            case _:
                pass

    def carry_out(self, steps: list[Step]) -> None:
        for step in steps:
            match step:
                case Enter(name):
                    self.waiting.remove(name)
                    self.warm.add(name)
                    self.busy.add(name)
                case Leave(name):
                    assert name in self.warm - self.busy
                case Wait(name):
                    assert name in self.waiting


MOVES = st.tuples(st.sampled_from("abcdef"), st.sampled_from(["use", "rest", "leave"]))


@given(st.integers(min_value=1, max_value=3), st.lists(MOVES))
def test_there_are_never_too_many_and_nobody_waits_for_an_empty_seat(
    most: int, moves: list[tuple[str, str]]
) -> None:
    house = House(most)
    for at, (name, move) in enumerate(moves):
        house.move(name, move, float(at))
        assert len(house.warm) <= most
        assert not house.waiting or len(house.warm) == most
