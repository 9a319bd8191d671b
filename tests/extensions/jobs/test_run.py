from dataclasses import replace

import pytest

from extensions.errors import LocalProtocolError
from extensions.jobs.run import ResumeReason, Run

NEW = Run(job_id="8d08ba4f", number=1, claude_session_id="3f0c1f9e-0000-4000-8000-000000000000")


def test_a_run_keeps_when_it_started_and_ended_and_the_hash_of_its_token() -> None:
    run = NEW.started(token_hash="ab" * 32, at=100.0).ended(at=112.5)

    assert (run.token_hash, run.started_at, run.ended_at) == ("ab" * 32, 100.0, 112.5)


def test_a_run_starts_once_and_ends_once() -> None:
    started = NEW.started(token_hash="ab" * 32, at=100.0)

    with pytest.raises(LocalProtocolError):
        started.started(token_hash="cd" * 32, at=101.0)
    with pytest.raises(LocalProtocolError):
        started.ended(at=102.0).ended(at=103.0)
    with pytest.raises(LocalProtocolError):
        NEW.ended(at=102.0).started(token_hash="cd" * 32, at=103.0)


def test_a_run_whose_start_came_to_nothing_is_as_it_was_before() -> None:
    assert NEW.started(token_hash="ab" * 32, at=100.0).not_started() == NEW


def test_another_run_goes_on_with_the_session_of_the_one_before() -> None:
    ended = NEW.started(token_hash="ab", at=1.0).ended(at=2.0, count_goes_on=True)
    because = ResumeReason.ASKED

    assert ended.followed(because=because, new_session_id="new") == Run(
        job_id=NEW.job_id,
        number=NEW.number + 1,
        claude_session_id=NEW.claude_session_id,
        resumed_because=because,
    )
    lost = replace(ended, claude_session_id="")
    assert lost.followed(because=because, new_session_id="new").claude_session_id == "new"


def test_a_run_that_goes_on_is_followed_by_none() -> None:
    with pytest.raises(LocalProtocolError):
        NEW.followed(because=ResumeReason.ASKED, new_session_id="new")
