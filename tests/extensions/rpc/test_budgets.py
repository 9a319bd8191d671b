from extensions.rpc.budgets import Allowance, Tally


def test_an_allowance_is_used_up_and_comes_back() -> None:
    allowance = Allowance(10, 20, now=0)

    assert [allowance.take(15, now=0), allowance.take(15, now=0)] == [True, False]
    assert [allowance.take(15, now=0.9), allowance.take(15, now=1.0)] == [False, True]


def test_no_more_comes_back_than_is_given_at_once() -> None:
    allowance = Allowance(10, 20, now=0)

    assert not allowance.take(21, now=1000)


def test_what_is_overspent_has_to_be_waited_for() -> None:
    allowance = Allowance(10, 20, now=0)

    assert [allowance.spend(20, now=0), allowance.spend(30, now=0)] == [0, 3]
    assert allowance.spend(0, now=2) == 1
    assert allowance.spend(0, now=3) == 0


def test_a_tally_tells_at_once_and_then_once_in_a_while() -> None:
    tally = Tally(10)

    assert [tally.add(1, now=t) for t in (0, 5, 9, 10, 11)] == [1, 0, 0, 3, 0]
    assert [tally.rest(), tally.rest()] == [1, 0]
