import gc
import json

import pytest

from extensions.errors import LocalProtocolError
from extensions.rpc.encoding import (
    encode_failure,
    encode_notification,
    encode_request,
    encode_success,
)
from extensions.rpc.messages import ErrorCode, RpcError


def test_what_is_written_is_one_line_each() -> None:
    assert encode_request(1, "m", {"a": "\n"}) == (
        b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"\\n"}}\n'
    )
    assert encode_notification("m", {}) == b'{"jsonrpc":"2.0","method":"m","params":{}}\n'
    assert encode_success("x", None) == b'{"jsonrpc":"2.0","id":"x","result":null}\n'
    assert encode_failure(None, RpcError(ErrorCode.NO_UI, "no", [1])) == (
        b'{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"no","data":[1]}}\n'
    )
    assert encode_failure(1, RpcError(-1, "no")) == (
        b'{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}\n'
    )


def test_nothing_stays_behind_of_what_was_written() -> None:
    for number in range(1000):
        encode_request(number, "m", {"a": 1})
    gc.collect()
    before = len(gc.get_objects())
    for number in range(1000):
        encode_request(number, "m", {"a": 1})
        encode_notification("m", {})

    assert len(gc.get_objects()) - before < 100


def test_half_an_emoji_is_written_as_a_replacement() -> None:
    line = encode_request(1, "m", {"a": "cut \ud83d"})

    assert json.loads(line)["params"] == {"a": "cut \ufffd"}


@pytest.mark.parametrize("params", [{"a": object()}, {"a": {1j: 1}}])
def test_what_is_no_json_is_a_bug_of_ours(params: dict[str, object]) -> None:
    with pytest.raises(LocalProtocolError):
        encode_request(1, "m", params)
