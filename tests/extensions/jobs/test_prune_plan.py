from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from extensions.jobs.prune_plan import (
    FRESH_SECONDS,
    JobFolders,
    KeepLimits,
    PruneReason,
    Removal,
    prune_plan,
)

DAY = 24 * 3600.0
NOW = 1000 * DAY
LIMITS = KeepLimits(seconds=30 * DAY, bytes=1000)
OLD = JobFolders(
    job_id="0a1b2c3d", name="fox", bytes=100, finished_at=NOW - 31 * DAY, is_awaited=False
)


def gone(*folders: JobFolders, limits: KeepLimits = LIMITS) -> list[str]:
    return [one.job_id for one in prune_plan(folders, limits, now=NOW)]


def test_what_is_older_than_files_are_kept_goes() -> None:
    young = replace(OLD, job_id="11111111", finished_at=NOW - 29 * DAY)

    assert prune_plan([young, OLD], LIMITS, now=NOW) == [
        Removal(
            job_id="0a1b2c3d",
            name="fox",
            bytes=100,
            finished_at=NOW - 31 * DAY,
            reason=PruneReason.AGE,
        )
    ]


def test_beyond_the_size_that_is_kept_the_oldest_go_until_it_fits() -> None:
    folders = [
        replace(OLD, job_id=f"0000000{age}", bytes=400, finished_at=NOW - age * DAY)
        for age in (1, 2, 3, 4)
    ]

    assert gone(*folders) == ["00000004", "00000003"]


def test_a_job_that_has_not_settled_stays_and_counts() -> None:
    running = replace(OLD, job_id="11111111", bytes=5000, finished_at=None)
    ended = replace(OLD, job_id="22222222", finished_at=NOW - DAY)

    assert gone(running, ended) == ["22222222"]


def test_a_job_of_which_somebody_is_to_be_told_stays() -> None:
    assert gone(replace(OLD, is_awaited=True, bytes=5000)) == []


def test_what_has_only_just_ended_stays_whatever_its_size() -> None:
    fresh = replace(OLD, bytes=5000, finished_at=NOW - FRESH_SECONDS + 1)

    assert gone(fresh) == []
    # Not even if nothing is kept, or the clock was set back.
    assert gone(fresh, limits=KeepLimits(seconds=0, bytes=0)) == []
    assert gone(replace(fresh, finished_at=NOW + DAY)) == []


folders = st.builds(
    JobFolders,
    job_id=st.uuids().map(lambda u: u.hex[:8]),
    name=st.just("fox"),
    bytes=st.integers(0, 900),
    finished_at=st.none() | st.floats(NOW - 60 * DAY, NOW),
    is_awaited=st.booleans(),
)


@given(st.lists(folders, max_size=20, unique_by=lambda one: one.job_id))
def test_what_is_kept_fits_unless_it_may_not_go(found: list[JobFolders]) -> None:
    removed = set(gone(*found))
    kept = [one for one in found if one.job_id not in removed]
    may_go = [
        one
        for one in kept
        if one.finished_at is not None
        and not one.is_awaited
        and one.finished_at <= NOW - FRESH_SECONDS
    ]

    assert not may_go or sum(one.bytes for one in kept) <= LIMITS.bytes
    assert all(
        one.finished_at is not None and not one.is_awaited for one in found if one.job_id in removed
    )
