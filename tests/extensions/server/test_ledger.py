from extensions.claude.usage import Usage
from extensions.server.ledger import AnswerLedger, AnswerState
from tests.fakes.server_clients import JOB, SPEAKER


def test_what_a_caller_used_is_added_up() -> None:
    ledger = AnswerLedger()
    for caller, tokens in ((JOB, 10), (SPEAKER, 1), (JOB, 5)):
        ledger.opened(caller)
        ledger.ended(caller, cut=False, usage=Usage(input_tokens=tokens, output_tokens=1))

    assert ledger.usage_of(JOB) == Usage(input_tokens=15, output_tokens=2)
    assert ledger.usage_of(SPEAKER) == Usage(input_tokens=1, output_tokens=1)


def test_a_caller_that_asked_nothing_used_nothing_and_was_not_cut() -> None:
    assert AnswerLedger().usage_of(JOB) == Usage()
    assert AnswerLedger().last_answer_was_cut(JOB) is False


def test_only_the_answer_that_ended_last_counts_as_cut() -> None:
    ledger = AnswerLedger()
    seen = []
    for cut in (True, False, True):
        ledger.opened(JOB)
        seen.append(ledger.last_answer_was_cut(JOB))
        ledger.ended(JOB, cut=cut, usage=Usage())
        seen.append(ledger.last_answer_was_cut(JOB))

    assert seen == [False, True, True, False, False, True]
    assert ledger.last_answer_was_cut(SPEAKER) is False


def test_a_caller_that_was_forgotten_begins_anew() -> None:
    ledger = AnswerLedger()
    ledger.opened(JOB)
    ledger.ended(JOB, cut=True, usage=Usage(output_tokens=7))
    ledger.forget(JOB)
    ledger.forget(JOB)

    assert ledger.usage_of(JOB) == Usage()
    assert ledger.last_answer_was_cut(JOB) is False


def test_an_answer_counts_as_open_until_none_is() -> None:
    ledger = AnswerLedger()
    assert ledger.state_of(JOB) is AnswerState.WHOLE

    ledger.opened(JOB)
    ledger.opened(JOB)
    ledger.ended(JOB, cut=False, usage=Usage())
    assert ledger.state_of(JOB) is AnswerState.OPEN

    ledger.ended(JOB, cut=True, usage=Usage())
    assert ledger.state_of(JOB) is AnswerState.CUT


def test_an_answer_that_was_cut_before_the_ledger_was_begun_counts_until_one_comes_whole() -> None:
    ledger = AnswerLedger()
    ledger.was_cut(JOB)
    assert ledger.last_answer_was_cut(JOB)

    ledger.opened(JOB)
    ledger.ended(JOB, cut=False, usage=Usage())
    assert not ledger.last_answer_was_cut(JOB)
