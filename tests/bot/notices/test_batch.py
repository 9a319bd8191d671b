from dataclasses import replace

from bot.access import Place
from bot.notices.batch import JobNotice, begun_batches, new_batch, nonce_of
from bot.notices.store import OwedNotice
from extensions.jobs.job import JobStatus, Outcome
from tests.fakes.example_job import JOB

SETTLED = JOB.started(at=1000.0).settled(Outcome(status=JobStatus.COMPLETED), at=1240.0)
OWED = OwedNotice(job_id=JOB.id, run_number=1, place=Place(guild_id=1, channel_id=2), person_id=3)
ONE = JobNotice(owed=OWED, job=SETTLED)


def test_a_nonce_stands_for_its_notices_in_any_order_and_for_no_others() -> None:
    there = Place(guild_id=1, channel_id=4)
    others = [
        replace(ONE, owed=replace(OWED, run_number=2)),
        replace(ONE, owed=replace(OWED, place=there)),
        replace(ONE, owed=replace(OWED, job_id="00000000")),
        replace(ONE, owed=OWED.redirected()),
    ]
    assert len({nonce_of([one]) for one in [ONE, *others]}) == 5
    assert nonce_of([ONE, *others]) == nonce_of([*others, ONE]) != nonce_of(others)


def test_a_nonce_is_sent_as_it_is() -> None:
    # Discord takes 25 characters.
    assert len(nonce_of([ONE] * 500)) == 25


def test_what_was_begun_together_stays_together() -> None:
    begun = [replace(ONE, owed=replace(OWED.begun(nonce), job_id=nonce + "1")) for nonce in "aab"]
    batches = begun_batches(begun)

    assert [(batch.nonce, len(batch.notices), batch.may_stand) for batch in batches] == [
        ("a", 2, True),
        ("b", 1, True),
    ]


def test_a_batch_says_the_same_at_each_attempt() -> None:
    batch = new_batch([ONE, replace(ONE, owed=replace(OWED, job_id="00000000"))])

    assert batch.content() == batch.content()
    assert {owed.nonce for owed in batch.owed} == {batch.nonce}
    assert batch.single_job is None
    assert new_batch([ONE]).single_job == SETTLED
