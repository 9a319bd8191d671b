"""How a plugin takes what is wrong, large or unheard of."""

import json
from collections.abc import AsyncGenerator, Iterator
from typing import Any

from papercup_plugin.conformance.answers import Answered, Refused, Silent
from papercup_plugin.conformance.bench import Bench
from papercup_plugin.conformance.findings import Finding, fail, unanswered, warn
from papercup_plugin.conformance.frames import FRAMES
from papercup_plugin.conformance.methods import Dialect
from papercup_plugin.conformance.samples import wrong
from papercup_plugin.errors import METHOD_NOT_FOUND
from papercup_plugin.framing import MOST_FRAME_BYTES
from papercup_plugin.json_values import as_object

_MEBIBYTE = 1024 * 1024
_PATIENCE = 3
"""How many times longer than anything else the largest message may take."""
_GARBAGE = (
    b"no JSON",
    b"",
    b"{",
    b"[]",
    b"7",
    b"null",
    b'"text"',
    b"\xff\xfe",
    b'{"jsonrpc": "2.0"}',
    b'{"jsonrpc": "2.0", "method": 7}',
    b'{"jsonrpc": "2.0", "id": 987654321, "result": {}}',
    b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "text"}}',
    b"[" * 100_000,
)
_LONGEST_SHOWN = 40


async def garbage(bench: Bench) -> AsyncGenerator[Finding, None]:
    """It goes on after lines that are no messages."""
    mend = "pass over it, or answer with the error -32700 or -32600 and the id null; then read on"
    for line in _GARBAGE:
        talk = await bench.talk()
        await talk.write(line, timeout_seconds=bench.timeout_seconds)
        silent = await bench.unanswered_ping(talk)
        if silent is not None:
            about = f"after the line {line[:_LONGEST_SHOWN].decode('latin-1')!r}"
            yield unanswered(about, silent, mend)


async def unknown_method(bench: Bench) -> AsyncGenerator[Finding, None]:
    """A method that there is not, it says so of."""
    mend = "answer with the error -32601, so that hosts know that they need not ask again"
    for method in ("nobody/has_this", "no\x00such"):
        talk = await bench.talk()
        match await bench.ask_any(talk, method, {}):
            case Silent() as silent:
                yield unanswered(f"to {method!r}, which there is not", silent, mend)
            case Refused(code) if code == METHOD_NOT_FOUND:
                pass
            case Refused() as error:
                yield fail(f"{method!r}, which there is not, was answered with {error}", mend)
            case Answered():
                yield fail(f"{method!r}, which there is not, was answered with a result", mend)


async def unknown_notification(bench: Bench) -> AsyncGenerator[Finding, None]:
    """A notification that it does not know, it passes over."""
    talk, before = await bench.talk(), bench.notebook.errors_to_nobody
    for params in ({}, {"any": [1]}):
        await bench.tell(talk, "nobody/tells_this", params)
    silent = await bench.unanswered_ping(talk)
    if silent is not None:
        yield unanswered("after a notification that there is not", silent, "pass over it")
    for finding in answered_notifications(bench, before):
        yield finding
    talk = await bench.talk()
    for odd in ([1], None):
        await bench.tell(talk, "nobody/tells_this", odd)
    silent = await bench.unanswered_ping(talk)
    if silent is not None:
        about = "after a notification whose params are a list, or null"
        yield unanswered(about, silent, "pass over it")


async def wrong_params(bench: Bench) -> AsyncGenerator[Finding, None]:
    """Questions whose parameters are wrong, it refuses."""
    for method, why, params in _wrong_questions(bench):
        talk = await bench.talk()
        answer = await bench.ask_any(talk, method, params)
        mend = "answer with the error -32602"
        if isinstance(answer, Silent):
            yield unanswered(f"to `{method}` ({why})", answer, mend)
        elif isinstance(answer, Answered) and _must_refuse(method, params, answer.result):
            yield fail(f"`{method}` ({why}) was answered with a result", mend)


async def large_frames(bench: Bench) -> AsyncGenerator[Finding, None]:
    """It reads messages of up to 16 MiB."""
    ping = bench.questions.ping()
    for size, patience in ((_MEBIBYTE, 1), (MOST_FRAME_BYTES - 1, _PATIENCE)):
        async with bench.fresh() as talk:
            bare = {"jsonrpc": "2.0", "id": 1000, "method": ping.method, "params": {"any": ""}}
            padding = "x" * (size - len(json.dumps(bare)))
            seconds = bench.timeout_seconds * patience
            pending = await talk.begin(
                ping.method, {"any": padding}, timeout_seconds=seconds, number=1000
            )
            answer = await pending.answer(seconds)
        if isinstance(answer, Silent):
            is_slow = "did not answer" in answer.why or "does not read" in answer.why
            mend = "read lines of up to 16 MiB, and not byte by byte"
            about = f"to a message of {size} bytes"
            if size > _MEBIBYTE and is_slow:
                yield warn(f"{about}: {answer.why}", mend)
            else:
                yield unanswered(about, answer, mend)


async def output(bench: Bench) -> AsyncGenerator[Finding, None]:
    """Its output is nothing but messages, and each is as it has to be."""
    bench.look_back()
    for finding in bench.notebook.findings():
        yield finding


async def declared(bench: Bench) -> AsyncGenerator[Finding, None]:
    """What it asks of the host is declared in its manifest."""
    if bench.subject.dialect is Dialect.STDIO:
        for method in bench.notebook.undeclared:
            yield fail(f"it asked `{method}`: in this dialect the host alone asks")
        return
    for method, capability in bench.notebook.undeclared.items():
        mend = f"write `{capability} = true` under [capabilities]"
        yield fail(f"it asked `{method}`, and its manifest does not declare it: -32004", mend)


def answered_notifications(bench: Bench, before: int) -> Iterator[Finding]:
    """Yield that notifications were answered, if they were.

    Args:
        bench: Where it is tested.
        before: How many errors without an id it had written before.
    """
    count = bench.notebook.errors_to_nobody - before
    if count > 0:
        what = f"it answered {count} notifications with errors without an id"
        yield warn(what, "answer requests alone: nobody waits for anything else")


def _wrong_questions(bench: Bench) -> Iterator[tuple[str, str, Any]]:
    is_sep = bench.questions.is_sep
    methods = ("tool/execute", "command/execute") if is_sep else ("tools/call",)
    for method in methods:
        for params in ([1], 7, "text", None):
            yield method, f"its params are {params!r}", params
        yield from (
            (method, why, params)
            for why, params in wrong(FRAMES[bench.questions.frame(method, "params")])
            if isinstance(params, dict)
        )
    if is_sep:
        yield "hook", "its params are {}", {}
        yield "command/complete", "its params are {}", {}


def _must_refuse(method: str, params: Any, result: Any) -> bool:
    """Say whether a result is no answer: nobody can know what was asked."""
    if (as_object(result) or {}).get("is_error") is True:
        return False
    names = {"tool/execute": "tool", "tools/call": "name", "command/execute": "command"}
    name = names.get(method)
    return name is not None and not isinstance((as_object(params) or {}).get(name), str)
