from pathlib import Path

import pytest

from extensions.claude.failures import (
    FailureKind,
    failure_of_exit,
    failure_of_servers,
    failure_of_turn,
)
from extensions.claude.stream import LimitReported, TurnEnded, parse_line
from extensions.claude.usage import Usage

RECORDED = Path(__file__).parent / "recorded"
LIMIT = "Claude's usage limit is reached; "


def ended(text: str = "", *, reason: str = "api_error", status: int | None = None) -> TurnEnded:
    return TurnEnded(
        text=text,
        is_error=True,
        subtype="success",
        terminal_reason=reason,
        api_error_status=status,
        turns=1,
        cost_usd=0.0,
        usage=Usage(),
        refused_actions=(),
        queued_turns=0,
        errors=(),
        claude_session_id="s",
        duration_seconds=0.1,
    )


@pytest.mark.parametrize(
    ("name", "kind", "sentence"),
    [
        (
            "bad_key",
            FailureKind.BAD_KEY,
            "Claude did not accept the API key; whoever runs this bot has to set a valid one.",
        ),
        (
            "not_logged_in",
            FailureKind.NOT_LOGGED_IN,
            "Claude is not logged in; whoever runs this bot has to give it an API key.",
        ),
        (
            "usage_limit",
            FailureKind.USAGE_LIMIT,
            LIMIT + "it resets at 17:46 UTC on 17 March.",
        ),
        ("rate_limit", FailureKind.USAGE_LIMIT, LIMIT + "try again in a while."),
        (
            "no_credit",
            FailureKind.USAGE_LIMIT,
            "The credit for Claude is used up; whoever runs this bot has to top it up.",
        ),
        (
            "overloaded",
            FailureKind.OVERLOADED,
            "Claude is overloaded at the moment; try again in a minute.",
        ),
        (
            "server_error",
            FailureKind.API_DOWN,
            "Claude cannot be reached at the moment; try again in a minute.",
        ),
        (
            "refused_connection",
            FailureKind.API_DOWN,
            "Claude cannot be reached at the moment; try again in a minute.",
        ),
        (
            "too_long",
            FailureKind.TOO_LONG,
            (
                "This has grown too long for Claude; "
                "begin a new conversation, or ask for less at once."
            ),
        ),
        (
            "max_turns",
            FailureKind.MAX_TURNS,
            (
                "Claude stopped after as many steps as it may take; "
                "ask for less at once, or for the rest."
            ),
        ),
        ("interrupted", FailureKind.INTERRUPTED, "Claude was interrupted."),
        (
            "no_such_model",
            FailureKind.UNKNOWN_MODEL,
            "Claude has no such model; choose another one.",
        ),
        (
            "unknown_session",
            FailureKind.SESSION_UNKNOWN,
            "Claude no longer knows this conversation; what was said in it before is lost to it.",
        ),
    ],
)
def test_a_recorded_failure_becomes_one_clear_sentence(
    name: str, kind: FailureKind, sentence: str
) -> None:
    events = list(map(parse_line, (RECORDED / f"{name}.jsonl").read_bytes().splitlines()))
    limits = [event for event in events if isinstance(event, LimitReported)]
    (turn,) = (event for event in events if isinstance(event, TurnEnded))

    failure = failure_of_turn(turn, limits[-1] if limits else None)

    assert failure is not None
    assert (failure.kind, failure.sentence) == (kind, sentence)
    assert failure.detail


@pytest.mark.parametrize("name", ["tools", "refused_action"])
def test_a_turn_that_went_well_is_no_failure(name: str) -> None:
    events = map(parse_line, (RECORDED / f"{name}.jsonl").read_bytes().splitlines())
    (turn,) = (event for event in events if isinstance(event, TurnEnded))

    assert failure_of_turn(turn) is None


@pytest.mark.parametrize(
    ("text", "sentence", "resets_at"),
    [
        (
            "Claude AI usage limit reached|1900000000",
            LIMIT + "it resets at 17:46 UTC on 17 March.",
            1_900_000_000.0,
        ),
        (
            "usage limit reached|1900000000000",
            LIMIT + "it resets at 17:46 UTC on 17 March.",
            1_900_000_000.0,
        ),
        (
            "You've hit your weekly limit · resets 12:23am (UTC)",
            LIMIT + "it resets 12:23am (UTC).",
            None,
        ),
        ("Request rejected (429) · limit", LIMIT + "try again in a while.", None),
    ],
)
def test_a_usage_limit_says_when_it_ends_where_that_is_known(
    text: str, sentence: str, resets_at: float | None
) -> None:
    failure = failure_of_turn(ended(text, status=429))

    assert failure is not None
    assert (failure.sentence, failure.resets_at) == (sentence, resets_at)


def test_a_limit_that_is_not_reached_does_not_say_when_another_one_ends() -> None:
    limit = LimitReported(is_reached=False, resets_at=1_900_000_000.0)

    failure = failure_of_turn(ended("slow down", status=429), limit)

    assert failure is not None
    assert failure.resets_at is None


@pytest.mark.parametrize(
    ("status", "text", "kind"),
    [
        (500, "API Error: 500 Overloaded.", FailureKind.OVERLOADED),
        (502, "API Error: 502 bad gateway", FailureKind.API_DOWN),
        (413, "Request too large (max 32MB).", FailureKind.TOO_LONG),
        (None, "API Error: Connection lost mid-response.", FailureKind.API_DOWN),
        (None, "API Error: flagged by the safeguards", FailureKind.OTHER),
    ],
)
def test_other_failures_are_told_apart(status: int | None, text: str, kind: FailureKind) -> None:
    failure = failure_of_turn(ended(text, status=status))

    assert failure is not None
    assert failure.kind is kind


def test_a_failure_of_no_known_kind_says_what_claude_said() -> None:
    failure = failure_of_turn(ended("API Error: 418 I am a teapot.\n\nLearn more", status=418))

    assert failure is not None
    assert failure.sentence == "Claude could not answer: 418 I am a teapot."


def test_a_failure_without_words_still_has_a_sentence() -> None:
    failure = failure_of_turn(ended(""))

    assert failure is not None
    assert failure.sentence == "Claude could not answer: success."


@pytest.mark.parametrize(
    ("text", "status", "kind"),
    [
        ("API Error: 400 model: unknown name", 400, FailureKind.UNKNOWN_MODEL),
        ("There's an issue with the selected model (x)", 404, FailureKind.UNKNOWN_MODEL),
        (
            "API Error: 400 This model does not support the effort parameter",
            400,
            FailureKind.WRONG_EFFORT,
        ),
        ("API Error: 400 output_config.effort: not allowed", 400, FailureKind.WRONG_EFFORT),
        ("API Error: 400 messages: too many", 400, FailureKind.OTHER),
    ],
)
def test_a_model_or_an_effort_that_is_refused_is_told_from_other_refusals(
    text: str, status: int, kind: FailureKind
) -> None:
    failure = failure_of_turn(ended(text, status=status))

    assert failure is not None
    assert failure.kind is kind


def test_servers_that_failed_are_one_failure() -> None:
    failure = failure_of_servers(("papercup",))

    assert failure is not None
    assert failure.kind is FailureKind.SERVER_FAILED
    assert failure.sentence.startswith("Claude could not reach its tools")
    assert failure_of_servers(()) is None


@pytest.mark.parametrize(
    ("failed", "sentence"),
    [
        (("notes",), "Claude goes on without the MCP server notes: not to be reached."),
        (("a", "b"), "Claude goes on without the MCP servers a, b: not to be reached."),
        (
            ("a", "papercup"),
            "Claude could not reach its tools, so it can only talk; hang up and try again.",
        ),
    ],
)
def test_without_another_server_it_goes_on(failed: tuple[str, ...], sentence: str) -> None:
    failure = failure_of_servers(failed)

    assert failure is not None
    assert failure.sentence == sentence


@pytest.mark.parametrize(
    ("returncode", "stderr", "kind", "detail"),
    [
        (-9, "", FailureKind.CRASHED, "it ended with -9"),
        (1, "boom\n", FailureKind.CRASHED, "it ended with 1: boom"),
        (None, "", FailureKind.CRASHED, "it ended"),
        (
            1,
            "No conversation found with session ID: s\n",
            FailureKind.SESSION_UNKNOWN,
            "it ended with 1: No conversation found with session ID: s",
        ),
        (
            1,
            "Error: Session ID s is already in use.",
            FailureKind.SESSION_IN_USE,
            "it ended with 1: Error: Session ID s is already in use.",
        ),
    ],
)
def test_an_end_by_itself_is_a_failure(
    returncode: int | None, stderr: str, kind: FailureKind, detail: str
) -> None:
    failure = failure_of_exit(returncode, stderr)

    assert (failure.kind, failure.detail) == (kind, detail)
    assert failure.sentence
