import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.server.forwarding import (
    KeyMask,
    error_body,
    headers_to_caller,
    headers_to_upstream,
    is_forwarded,
    token_of,
)

KEY = "sk-ant-api03-realkey"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/messages"),
        ("POST", "/v1/messages/count_tokens"),
        ("GET", "/v1/models"),
        ("GET", "/v1/models/claude-opus-5.5"),
        ("GET", "/"),
        ("HEAD", "/"),
    ],
)
def test_what_claude_asks_of_the_api_is_forwarded(method: str, path: str) -> None:
    assert is_forwarded(method, path)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/messages"),
        ("POST", "/v1/models"),
        ("POST", "/v1/messages/batches"),
        ("POST", "/v1/messages/batches/1/cancel"),
        ("POST", "/v1/messagesx"),
        ("POST", "/v1/messages/"),
        ("POST", "/v1/messages/../files"),
        ("POST", "/v1/messages/%2e%2e/files"),
        ("POST", "//v1/messages"),
        ("POST", "http://evil.example/v1/messages"),
        ("POST", "/v1/files"),
        ("POST", "/v1/messages\n"),
        ("GET", "/v1/models/.."),
        ("GET", "/v1/organizations"),
        ("DELETE", "/v1/models/x"),
        ("POST", "/"),
        ("CONNECT", "evil.example:443"),
        ("OPTIONS", "*"),
        ("get", "/"),
    ],
)
def test_nothing_else_is_forwarded(method: str, path: str) -> None:
    assert not is_forwarded(method, path)


@pytest.mark.parametrize(
    ("headers", "token"),
    [
        ({"x-api-key": "t"}, "t"),
        ({"authorization": "Bearer t"}, "t"),
        ({"authorization": "bearer  t "}, "t"),
        ({"x-api-key": "t", "authorization": "Bearer u"}, "t"),
        ({"authorization": "Basic t"}, None),
        ({"authorization": "Bearer "}, None),
        ({"x-api-key": ""}, None),
        ({}, None),
    ],
)
def test_a_token_stands_where_a_key_would(headers: dict[str, str], token: str | None) -> None:
    assert token_of(headers) == token


def test_the_caller_s_token_is_replaced_by_the_key_and_the_rest_is_kept() -> None:
    headers = [
        ("X-Api-Key", "token"),
        ("Authorization", "Bearer token"),
        ("Host", "127.0.0.1:4002"),
        ("Connection", "keep-alive, X-Mine"),
        ("X-Mine", "1"),
        ("Content-Length", "5"),
        ("Transfer-Encoding", "chunked"),
        ("Accept-Encoding", "gzip, br"),
        ("Cookie", "a=b"),
        ("anthropic-version", "2023-06-01"),
        ("anthropic-beta", "one"),
        ("anthropic-beta", "two"),
    ]

    assert headers_to_upstream(headers, api_key=KEY) == [
        ("anthropic-version", "2023-06-01"),
        ("anthropic-beta", "one"),
        ("anthropic-beta", "two"),
        ("accept-encoding", "identity"),
        ("x-api-key", KEY),
    ]


def test_no_header_of_an_answer_shows_the_key_or_belongs_to_the_connection() -> None:
    headers = [
        ("Content-Type", "application/json"),
        ("request-id", "req_1"),
        ("retry-after", "7"),
        ("X-Api-Key", "anything"),
        ("X-Echo", f"you sent {KEY}"),
        ("Set-Cookie", "a=b"),
        ("WWW-Authenticate", "Bearer"),
        ("Connection", "close"),
        ("Transfer-Encoding", "chunked"),
    ]

    assert headers_to_caller(headers, api_key=KEY) == [
        ("Content-Type", "application/json"),
        ("request-id", "req_1"),
        ("retry-after", "7"),
    ]


def test_an_error_has_the_form_of_the_messages_api() -> None:
    assert json.loads(error_body("api_error", "gone")) == {
        "type": "error",
        "error": {"type": "api_error", "message": "gone"},
    }


@given(
    text=st.lists(st.sampled_from([KEY, KEY[:7], "sk-", "s", "other text ", "\n"]), max_size=12),
    sizes=st.lists(st.integers(min_value=1, max_value=30), min_size=1),
)
def test_the_key_is_blotted_out_however_the_bytes_are_divided(
    text: list[str], sizes: list[int]
) -> None:
    data = "".join(text).encode()
    mask, out, at = KeyMask(KEY), b"", 0
    for number in range(len(data)):
        size = sizes[number % len(sizes)]
        out += mask.feed(data[at : at + size])
        at += size
    out += mask.rest()

    assert out == data.replace(KEY.encode(), b"*" * len(KEY))


def test_bytes_that_cannot_begin_the_key_are_passed_on_at_once() -> None:
    mask = KeyMask(KEY)

    assert mask.feed(b"data: {}\n\n") == b"data: {}\n\n"
    assert mask.feed(b"a key: sk-ant-") == b"a key: "
    assert mask.feed(b"x") == b"sk-ant-x"
    assert mask.rest() == b""
