import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.errors import LocalProtocolError, QueueFullError
from extensions.jobs.queue import FairQueue, Places

ANNA, BEN, CARA = 1, 2, 3
GUILD, OTHER_GUILD = 10, 20


def all_taken(queue: FairQueue) -> list[str]:
    taken: list[str] = []
    while (job_id := queue.take()) is not None:
        taken.append(job_id)
    return taken


def test_jobs_get_places_until_there_are_none() -> None:
    queue = FairQueue(Places(in_all=2), capacity=10)
    for job_id in ("a", "b", "c"):
        queue.put(job_id, ANNA, GUILD)

    assert all_taken(queue) == ["a", "b"]
    assert len(queue) == 1

    queue.leave("a")

    assert all_taken(queue) == ["c"]


def test_people_take_turns() -> None:
    queue = FairQueue(Places(in_all=6), capacity=10)
    for job_id in ("a1", "a2", "a3"):
        queue.put(job_id, ANNA, GUILD)
    for job_id in ("b1", "b2"):
        queue.put(job_id, BEN, GUILD)
    queue.put("c1", CARA, GUILD)

    assert all_taken(queue) == ["a1", "b1", "c1", "a2", "b2", "a3"]


def test_who_comes_late_is_next_when_one_person_holds_all_places() -> None:
    queue = FairQueue(Places(in_all=2), capacity=10)
    for job_id in ("a1", "a2", "a3", "a4"):
        queue.put(job_id, ANNA, GUILD)
    assert all_taken(queue) == ["a1", "a2"]
    queue.put("b1", BEN, GUILD)

    queue.leave("a1")

    assert all_taken(queue) == ["b1"]


def test_a_full_queue_takes_no_more() -> None:
    queue = FairQueue(Places(in_all=1), capacity=2)
    queue.put("a", ANNA, GUILD)
    queue.take()
    queue.put("b", ANNA, GUILD)
    queue.put("c", BEN, GUILD)

    with pytest.raises(QueueFullError) as caught:
        queue.put("d", CARA, GUILD)

    assert caught.value.limit == 2
    assert len(queue) == 2


def test_a_job_that_was_accepted_before_is_taken_back_even_by_a_full_queue() -> None:
    queue = FairQueue(Places(in_all=1), capacity=1)
    queue.put("a", ANNA, GUILD)
    assert all_taken(queue) == ["a"]
    queue.put("b", ANNA, GUILD)

    queue.put_back("a", ANNA, GUILD)

    assert len(queue) == 2
    assert all_taken(queue) == ["b"]


def test_adopted_jobs_hold_places_even_beyond_the_limit() -> None:
    queue = FairQueue(Places(in_all=1), capacity=1)
    queue.adopt("a", ANNA, GUILD)
    queue.adopt("b", ANNA, GUILD)
    queue.put("c", ANNA, GUILD)

    queue.leave("a")
    assert all_taken(queue) == []

    queue.leave("b")
    assert all_taken(queue) == ["c"]


def test_a_job_that_leaves_while_it_waits_is_never_taken() -> None:
    queue = FairQueue(Places(in_all=1), capacity=3)
    for job_id in ("a", "b", "c"):
        queue.put(job_id, ANNA, GUILD)

    queue.leave("a")
    queue.leave("unknown")

    assert all_taken(queue) == ["b"]


def test_a_queue_without_room_cannot_be_made() -> None:
    with pytest.raises(LocalProtocolError):
        FairQueue(Places(in_all=1), capacity=0)


def test_one_person_gets_no_more_places_than_one_may_have() -> None:
    queue = FairQueue(Places(in_all=4, per_person=2), capacity=10)
    for job_id in ("a1", "a2", "a3"):
        queue.put(job_id, ANNA, GUILD)
    queue.put("b1", BEN, GUILD)

    assert all_taken(queue) == ["a1", "b1", "a2"]

    queue.leave("a1")

    assert all_taken(queue) == ["a3"]


def test_one_guild_gets_no_more_places_than_one_may_have() -> None:
    queue = FairQueue(Places(in_all=4, per_guild=1), capacity=10)
    queue.put("a1", ANNA, GUILD)
    queue.put("b1", BEN, GUILD)
    queue.put("b2", BEN, OTHER_GUILD)
    queue.put("b3", BEN, GUILD)

    assert all_taken(queue) == ["a1", "b2"]

    queue.leave("a1")

    assert all_taken(queue) == ["b1"]


def test_direct_messages_are_no_guild() -> None:
    queue = FairQueue(Places(in_all=3, per_guild=1), capacity=10)
    for job_id in ("a1", "a2"):
        queue.put(job_id, ANNA, None)

    assert all_taken(queue) == ["a1", "a2"]


@pytest.mark.parametrize("limit", ["in_all", "per_person", "per_guild"])
def test_places_for_nobody_cannot_be_made(limit: str) -> None:
    with pytest.raises(LocalProtocolError):
        Places(**{"in_all": 1, limit: 0})


@given(people=st.lists(st.integers(1, 4), max_size=30), places=st.integers(1, 4))
def test_every_job_is_taken_once_and_never_more_at_once_than_there_are_places(
    people: list[int], places: int
) -> None:
    queue = FairQueue(Places(in_all=places), capacity=30)
    for number, person in enumerate(people):
        queue.put(f"{number}", person, GUILD)

    taken: list[str] = []
    while batch := all_taken(queue):
        assert len(batch) <= places
        taken += batch
        for job_id in batch:
            queue.leave(job_id)

    assert sorted(taken, key=int) == [f"{number}" for number in range(len(people))]
    for person in set(people):
        own = [job_id for job_id in taken if people[int(job_id)] == person]
        assert own == sorted(own, key=int)
