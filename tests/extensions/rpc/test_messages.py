import pytest

from extensions.rpc.messages import (
    Bad,
    ErrorCode,
    Failure,
    Notification,
    Request,
    RpcError,
    Success,
    Unreadable,
    parse_frame,
    read_params,
)


def value_of(line: bytes) -> object:
    frame = parse_frame(line)
    assert isinstance(frame, Success)
    return frame.result


def test_each_kind_of_message_is_told_from_the_others() -> None:
    assert parse_frame(b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}') == Request(
        1, "m", {"a": 1}
    )
    assert parse_frame(b'{"jsonrpc":"2.0","id":"x","method":"m"}') == Request("x", "m", None)
    assert parse_frame(b'{"jsonrpc":"2.0","method":"m"}') == Notification("m", None)
    assert parse_frame(b'{"jsonrpc":"2.0","id":1,"result":[]}') == Success(1, [])
    assert parse_frame(
        b'{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no","data":7}}'
    ) == Failure(1, -32000, "no", 7)


@pytest.mark.parametrize(
    ("line", "result"),
    [
        (b'{"id":1,"result":1}', 1),
        (b'{"jsonrpc":"2.0","id":1,"result":1,"error":null}', 1),
        (b'{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":"x"}}', 1),
        (b'{"jsonrpc":"2.0","id":1}', None),
        (b'{"jsonrpc":"2.0","id":1,"result":1,"new":{"in":"version 9"}}\r\n', 1),
        (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"result":1}', 1),
        (b'{"jsonrpc":"2.0","id":9,"id":1,"result":0,"result":1}', 1),
        (rb'{"jsonrpc":"2.0","id":1,"result":"cut \ud83d"}', "cut \ufffd"),
        (rb'{"jsonrpc":"2.0","id":1,"result":"\ude00, whole \uD83D\uDE00"}', "\ufffd, whole 😀"),
        (rb'{"jsonrpc":"2.0","id":1,"result":"no escape: \\ud83d"}', r"no escape: \ud83d"),
    ],
)  # fmt: skip
def test_an_answer_whose_meaning_is_plain_is_taken(line: bytes, result: object) -> None:
    assert value_of(line) == result


def test_an_error_beside_an_empty_result_counts() -> None:
    line = b'{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1,"message":"x"}}'

    assert isinstance(parse_frame(line), Failure)


@pytest.mark.parametrize(
    "line",
    [
        b"Listening on port 8080",
        b"\x00",
        b"[]",
        b'[{"jsonrpc":"2.0","id":1,"result":1}]',
        b'"text"',
        b"{",
        b'{"jsonrpc":"1.0","id":1,"result":1}',
        b'{"jsonrpc":"2.0","id":1.0,"result":1}',
        b'{"jsonrpc":"2.0","id":true,"result":1}',
        b'{"jsonrpc":"2.0","id":[],"result":1}',
        b'{"jsonrpc":"2.0","id":null,"result":1}',
        b'{"jsonrpc":"2.0","id":null,"method":"m"}',
        b'{"jsonrpc":"2.0","result":1}',
        b'{"jsonrpc":"2.0","method":7}',
        b'{"jsonrpc":"2.0","method":"\xff\xfe"}',
        b'{"jsonrpc":"2.0","id":1,"result":NaN}',
        b'{"jsonrpc":"2.0","id":1,"result":-Infinity}',
        b'{"jsonrpc":"2.0","id":1,"error":"text"}',
        b'{"jsonrpc":"2.0","id":"' + b"x" * 300 + b'","method":"m"}',
        b'{"jsonrpc":"2.0","method":"' + b"x" * 300 + b'"}',
        b'{"jsonrpc":"2.0","id":1,"result":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"jsonrpc":"2.0","id":' + b"9" * 1_000_000 + b"}",
        '{"jsonrpc":"2.0","id":1,"result":1}'.encode("utf-16"),
    ],
)
def test_what_is_no_message_is_bad(line: bytes) -> None:
    assert isinstance(parse_frame(line), Bad)


@pytest.mark.parametrize("value", [b'"\xff\xfe"', b"9" * 100_000, b"1e400", b'"\xff\\ud83d"'])
def test_a_value_that_cannot_be_read_stands_in_a_message_that_can(value: bytes) -> None:
    answer = parse_frame(b'{"jsonrpc":"2.0","id":1,"result":' + value + b"}")
    assert isinstance(answer, Success)
    assert isinstance(answer.result, Unreadable)

    failure = parse_frame(b'{"id":1,"error":{"code":1,"message":"no","data":' + value + b"}}")
    assert isinstance(failure, Failure)
    assert (failure.message, type(failure.data)) == ("no", Unreadable)

    request = parse_frame(b'{"jsonrpc":"2.0","id":1,"method":"m","params":' + value + b"}")
    assert isinstance(request, Request)
    assert_no_params(request.params)


def test_params_are_an_object_or_none() -> None:
    assert read_params({"a": [1]}) == {"a": [1]}
    assert read_params(None) == {}
    for other in ([1], 7, "text"):
        assert_no_params(other)


def assert_no_params(params: object) -> None:
    with pytest.raises(RpcError) as raised:
        read_params(params)
    assert raised.value.code == ErrorCode.INVALID_PARAMS
