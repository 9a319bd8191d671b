import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.errors import LocalProtocolError, QueueFullError
from extensions.jobs.queue import FairQueue

ANNA, BEN, CARA = 1, 2, 3


def all_taken(queue: FairQueue) -> list[str]:
    taken: list[str] = []
    while (job_id := queue.take()) is not None:
        taken.append(job_id)
    return taken


def test_jobs_get_places_until_there_are_none() -> None:
    queue = FairQueue(places=2, capacity=10)
    for job_id in ("a", "b", "c"):
        queue.put(job_id, ANNA)

    assert all_taken(queue) == ["a", "b"]
    assert len(queue) == 1

    queue.leave("a")

    assert all_taken(queue) == ["c"]


def test_people_take_turns() -> None:
    queue = FairQueue(places=6, capacity=10)
    for job_id in ("a1", "a2", "a3"):
        queue.put(job_id, ANNA)
    for job_id in ("b1", "b2"):
        queue.put(job_id, BEN)
    queue.put("c1", CARA)

    assert all_taken(queue) == ["a1", "b1", "c1", "a2", "b2", "a3"]


def test_who_comes_late_is_next_when_one_person_holds_all_places() -> None:
    queue = FairQueue(places=2, capacity=10)
    for job_id in ("a1", "a2", "a3", "a4"):
        queue.put(job_id, ANNA)
    assert all_taken(queue) == ["a1", "a2"]
    queue.put("b1", BEN)

    queue.leave("a1")

    assert all_taken(queue) == ["b1"]


def test_a_full_queue_takes_no_more() -> None:
    queue = FairQueue(places=1, capacity=2)
    queue.put("a", ANNA)
    queue.take()
    queue.put("b", ANNA)
    queue.put("c", BEN)

    with pytest.raises(QueueFullError) as caught:
        queue.put("d", CARA)

    assert caught.value.limit == 2
    assert len(queue) == 2


def test_a_job_that_was_accepted_before_is_taken_back_even_by_a_full_queue() -> None:
    queue = FairQueue(places=1, capacity=1)
    queue.put("a", ANNA)
    assert all_taken(queue) == ["a"]
    queue.put("b", ANNA)

    queue.put_back("a", ANNA)

    assert len(queue) == 2
    assert all_taken(queue) == ["b"]


def test_adopted_jobs_hold_places_even_beyond_the_limit() -> None:
    queue = FairQueue(places=1, capacity=1)
    queue.adopt("a", ANNA)
    queue.adopt("b", ANNA)
    queue.put("c", ANNA)

    queue.leave("a")
    assert all_taken(queue) == []

    queue.leave("b")
    assert all_taken(queue) == ["c"]


def test_a_job_that_leaves_while_it_waits_is_never_taken() -> None:
    queue = FairQueue(places=1, capacity=3)
    for job_id in ("a", "b", "c"):
        queue.put(job_id, ANNA)

    queue.leave("a")
    queue.leave("unknown")

    assert all_taken(queue) == ["b"]


@pytest.mark.parametrize(("places", "capacity"), [(0, 1), (1, 0)])
def test_a_queue_without_room_cannot_be_made(places: int, capacity: int) -> None:
    with pytest.raises(LocalProtocolError):
        FairQueue(places=places, capacity=capacity)


@given(people=st.lists(st.integers(1, 4), max_size=30), places=st.integers(1, 4))
def test_every_job_is_taken_once_and_never_more_at_once_than_there_are_places(
    people: list[int], places: int
) -> None:
    queue = FairQueue(places=places, capacity=30)
    for number, person in enumerate(people):
        queue.put(f"{number}", person)

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
