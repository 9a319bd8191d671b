from extensions.callers import Caller, CallerKind, Callers, token_hash

SPEAKER = Caller(CallerKind.SPEAKER, "5e551011")
JOB = Caller(CallerKind.JOB, "8d08ba4f")


def test_a_token_says_who_calls() -> None:
    callers = Callers()
    callers.admit(SPEAKER, token_hash("one"))
    callers.admit(JOB, token_hash("two"))

    assert callers.resolve("one") == SPEAKER
    assert callers.resolve("two") == JOB


def test_nobody_else_is_let_in() -> None:
    callers = Callers()
    callers.admit(SPEAKER, token_hash("one"))

    for token in ("", "One", "one ", token_hash("one"), "\udcff", "x" * 1_000_000):
        assert callers.resolve(token) is None


def test_a_caller_may_have_two_tokens_and_loses_both_at_once() -> None:
    callers = Callers()
    callers.admit(JOB, token_hash("first"))
    callers.admit(JOB, token_hash("second"))
    callers.admit(SPEAKER, token_hash("other"))
    assert callers.resolve("first") == callers.resolve("second") == JOB

    callers.revoke(JOB)

    assert [callers.resolve(t) for t in ("first", "second", "other")] == [None, None, SPEAKER]


def test_a_speaker_and_a_job_of_the_same_id_are_two_callers() -> None:
    callers = Callers()
    callers.admit(Caller(CallerKind.SPEAKER, "8d08ba4f"), token_hash("one"))
    callers.admit(JOB, token_hash("two"))

    callers.revoke(JOB)

    assert callers.resolve("one") == Caller(CallerKind.SPEAKER, "8d08ba4f")
    assert str(JOB) == "job:8d08ba4f"


def test_a_hash_does_not_tell_the_token() -> None:
    hashed = token_hash("a secret token")

    assert len(hashed) == 64
    assert "secret" not in hashed
    assert hashed == token_hash("a secret token") != token_hash("another token")
