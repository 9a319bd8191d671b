import json

import pytest

from extensions.server.usage_limit import resets_at, with_reset

NOW = 1_780_000_000.0


@pytest.mark.parametrize(
    ("headers", "at"),
    [
        ({}, None),
        ({"retry-after": "30"}, 1_780_000_030),
        ({"retry-after": "soon"}, None),
        ({"anthropic-ratelimit-requests-reset": "2026-05-28T20:27:00Z"}, 1_780_000_020),
        ({"anthropic-ratelimit-unified-reset": "1780000099"}, 1_780_000_099),
        (
            {
                "anthropic-ratelimit-requests-remaining": "7",
                "anthropic-ratelimit-requests-reset": "1780009999",
                "anthropic-ratelimit-tokens-remaining": "0",
                "anthropic-ratelimit-tokens-reset": "1780000050",
                "retry-after": "3",
            },
            1_780_000_050,
        ),
        ({"anthropic-ratelimit-tokens-reset": "never", "retry-after": "5"}, 1_780_000_005),
    ],
)
def test_the_end_of_the_limit_that_was_reached_is_told(
    headers: dict[str, str], at: int | None
) -> None:
    assert resets_at(headers, now=NOW) == at


def test_the_time_stands_at_the_end_of_the_errors_message() -> None:
    body = {"type": "error", "error": {"type": "rate_limit_error", "message": "Too much."}}

    told = json.loads(with_reset(json.dumps(body).encode(), 1_780_000_030))

    assert told["error"] == {"type": "rate_limit_error", "message": "Too much.|1780000030"}


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"error": "x"}', b'{"error": {}}'])
def test_what_is_no_error_of_the_api_is_left_alone(body: bytes) -> None:
    assert with_reset(body, 1) == body
