"""What a plugin answers to whatever comes over the line."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from queue import SimpleQueue
from typing import Any

import pytest

from papercup_plugin import Context, NoAnswerError, Plugin
from papercup_plugin.framing import MOST_FRAME_BYTES
from papercup_plugin.link import Link
from papercup_plugin.serving import Serving
from papercup_plugin.workers import EventLane, Workers

INITIALIZE = {
    "protocol_version": 3,
    "host": {"name": "papercup", "version": "1"},
    "workspace": {"root": "/w", "trusted": True},
    "mode": "widget",
}
CONTEXT = {"token": "t", "tier": "event"}


class Line:
    """The host's end of a line, with which a test does what it likes."""

    def __init__(self, plugin: Plugin) -> None:
        self.said: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self.serving = Serving(plugin.declared, lambda line: self.said.put(json.loads(line)))

    def write(self, line: bytes | None) -> None:
        """Say a line, whatever it is."""
        self.serving.take(line)

    def send(self, **message: Any) -> None:
        """Say a message."""
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def read(self) -> dict[str, Any]:
        """Return the next message of the plugin's, without what all have."""
        message = self.said.get(timeout=10)
        assert message.pop("jsonrpc") == "2.0"
        return message

    def code(self) -> tuple[Any, int]:
        """Return the id and the code of the error that comes next."""
        message = self.read()
        return message["id"], message["error"]["code"]


@contextmanager
def line(plugin: Plugin) -> Iterator[Line]:
    """A line to a plugin."""
    opened = Line(plugin)
    try:
        yield opened
    finally:
        opened.serving.finish()


@pytest.fixture
def plugin() -> Plugin:
    return Plugin("served", version="1")


def test_the_older_of_two_versions_is_spoken_and_unknown_fields_are_left_alone(
    plugin: Plugin,
) -> None:
    with line(plugin) as host:
        host.send(id=0, method="initialize", params={**INITIALIZE, "news": 1})
        answer = host.read()

    assert answer == {
        "id": 0,
        "result": {
            "protocol_version": 1,
            "extension": {"name": "served", "version": "1"},
            "registrations": {"hooks": []},
        },
    }
    assert host.serving.facts.protocol == 1


@pytest.mark.parametrize("version", [0, "1", True, None])
def test_a_version_that_is_none_is_refused(plugin: Plugin, version: object) -> None:
    with line(plugin) as host:
        host.send(id=1, method="initialize", params={**INITIALIZE, "protocol_version": version})

        assert host.code() == (1, -32602)


def test_what_cannot_be_read_is_answered_and_the_next_line_is_read(plugin: Plugin) -> None:
    with line(plugin) as host:
        for each in (b"no JSON", b"", b"[" * 100_000, b'{"id": 1', b"\xff\xfe"):
            host.write(each)
            assert host.code() == (None, -32700)
        host.write(None)
        assert host.code() == (None, -32600)
        for each in (b"[]", b"7", b"null", b'{"id":5}', b'{"method":"x"}', b'{"result":1}'):
            host.write(each)
        for each in (b'{"id":[1],"result":1}', b'{"id":null,"method":"ping"}'):
            host.write(each)
        host.send(id='a"b', method="no\0such")
        assert host.code() == ('a"b', -32601)
        host.send(id=2, method="ping", params=[1])
        assert host.code() == (2, -32602)
        host.send(id=3, method="ping")
        assert host.read() == {"id": 3, "result": {}}


@pytest.mark.parametrize(
    "method",
    [
        *("tool/execute", "command/execute", "command/complete", "hook"),
        *("provider/complete", "provider/oauth_login", "provider/oauth_refresh"),
    ],
)
def test_parameters_that_are_missing_are_named(plugin: Plugin, method: str) -> None:
    with line(plugin) as host:
        for params in ({}, None, {"context": 7, "input": 7, "tool": 7, "hook": 7}):
            host.send(id=1, method=method, params=params)
            assert host.code() == (1, -32602)


def test_a_hook_that_nobody_has_is_let_pass(plugin: Plugin) -> None:
    with line(plugin) as host:
        host.send(id=1, method="hook", params={"hook": "input", "context": CONTEXT, "input": {}})

        assert host.read() == {"id": 1, "result": {"action": "continue"}}


def test_pings_are_answered_however_busy_it_is(plugin: Plugin) -> None:
    may_end = threading.Event()
    plugin.tool(name="wait")(lambda: may_end.wait(10))
    params = {"call_id": "c", "tool": "wait", "arguments": {}, "context": CONTEXT}
    with line(plugin) as host:
        for number in range(200):
            host.send(id=number, method="tool/execute", params=params)
        host.send(id="p", method="ping")
        assert host.read() == {"id": "p", "result": {}}
        may_end.set()
        answers = [host.read() for _ in range(200)]

    assert sorted(each["id"] for each in answers) == list(range(200))
    assert {each["result"]["content"] for each in answers} == {"true"}


def test_an_id_that_is_in_use_is_refused(plugin: Plugin) -> None:
    may_end = threading.Event()
    plugin.tool(name="wait")(lambda: may_end.wait(10))
    params = {"call_id": "c", "tool": "wait", "arguments": {}, "context": CONTEXT}
    with line(plugin) as host:
        host.send(id=1, method="tool/execute", params=params)
        host.send(id=1, method="tool/execute", params=params)
        assert host.code() == (1, -32600)
        may_end.set()
        assert host.read() == {"id": 1, "result": {"content": "true"}}


def test_a_large_answer_comes_whole_and_one_that_is_too_large_is_an_error(plugin: Plugin) -> None:
    @plugin.tool
    def say(size: int) -> str:
        return "x" * size

    with line(plugin) as host:
        for number, size in enumerate((1_000_000, MOST_FRAME_BYTES)):
            arguments = {"size": size}
            params = {"call_id": "c", "tool": "say", "arguments": arguments, "context": CONTEXT}
            host.send(id=number, method="tool/execute", params=params)
        answers = sorted([host.read(), host.read()], key=lambda each: each["id"])

    assert len(answers[0]["result"]["content"]) == 1_000_000
    assert "are too many for one message" in answers[1]["error"]["message"]


def test_only_our_own_host_is_told_for_which_call_people_are_asked(plugin: Plugin) -> None:
    @plugin.tool
    def ask(ctx: Context) -> str:
        return str(ctx.ui.confirm("?"))

    asked: list[dict[str, Any]] = []
    for name in ("papercup", "other"):
        with line(plugin) as host:
            hello = {**INITIALIZE, "host": {"name": name, "version": "1"}}
            host.send(id=0, method="initialize", params=hello)
            host.read()
            params = {"call_id": "c", "tool": "ask", "arguments": {}, "context": CONTEXT}
            host.send(id=1, method="tool/execute", params=params)
            question = host.read()
            asked.append(question["params"])
            host.send(id=question["id"], result={"confirmed": True})
            assert host.read() == {"id": 1, "result": {"content": "True"}}

    confirm = {"kind": "confirm", "prompt": "?"}
    assert asked == [{**confirm, "context": CONTEXT}, confirm]


def test_a_tool_that_cannot_be_described_fails_the_handshake(plugin: Plugin) -> None:
    @plugin.tool
    def send(data: bytes) -> None: ...

    with line(plugin) as host:
        host.send(id=0, method="initialize", params=INITIALIZE)
        answer = host.read()

    message = answer["error"]["message"]
    assert message.startswith("TypeError: tool 'send': `data`: bytes has no form in JSON; take str")


def test_answers_that_nobody_waits_for_are_left_alone() -> None:
    sent: list[bytes] = []
    link = Link(sent.append)
    replies: list[Any] = []
    number = link.ask("ping", {}, replies.append)
    for message in ({"id": 99, "result": 1}, {"id": number, "result": {}}, {"id": number}):
        link.replied(message)
    link.give_up(number)

    assert [each.result for each in replies] == [{}]
    assert len(sent) == 1


def test_not_more_is_asked_than_the_host_answers() -> None:
    link = Link(lambda _line: None)
    replies: list[Any] = []
    for _ in range(1000):
        link.ask("ping", {}, replies.append)
    with pytest.raises(NoAnswerError, match="has not answered what was asked before"):
        link.ask("ping", {}, replies.append)
    link.close()
    with pytest.raises(NoAnswerError, match="the host is gone"):
        link.ask("ping", {}, replies.append)

    assert {str(each.error) for each in replies} == {"the host is gone"}
    assert len(replies) == 1000


def test_too_many_jobs_are_refused() -> None:
    may_end = threading.Event()
    workers = Workers(most_threads=1, most_waiting=1)
    taken = [workers.submit(may_end.wait) for _ in range(3)]
    may_end.set()
    workers.close()

    assert taken == [True, True, False]


def test_the_oldest_events_are_dropped_where_there_is_no_room() -> None:
    done: list[int] = []
    began, may_go_on = threading.Event(), threading.Event()

    def first() -> None:
        began.set()
        may_go_on.wait(10)

    lane = EventLane(most_waiting=2)
    lane.submit(first)
    assert began.wait(10)
    for number in range(4):
        lane.submit(partial(done.append, number))
    may_go_on.set()

    assert lane.drain(10)
    assert (done, lane.dropped) == ([2, 3], 2)
    lane.close()
    lane.submit(lambda: done.append(9))
    assert done == [2, 3]
