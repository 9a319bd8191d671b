"""`papercup plugin test --host`: says right and wrong things to Papercup's own host of plugins."""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from bot.cli.plugin_host_ground import HERE, HOLD, UNGRANTED, TrialGround, trial_ground
from bot.cli.plugin_host_peers import (
    BARE,
    EVENT,
    PEER,
    STDIO,
    greeting_id,
    greeting_peers,
    peers,
)
from bot.cli.plugin_host_uses import seen_at_hook, seen_of_greeting, seen_of_use
from extensions.errors import ExtensionsError
from extensions.plugins.manifest import Dialect
from extensions.rpc.errors import ErrorCode
from papercup_plugin.conformance.findings import CheckResult, Finding, TestReport, fail
from papercup_plugin.conformance.frames import FRAMES, check
from papercup_plugin.conformance.host_answers import GREETINGS, OUTCOMES, USES, AnswerCase
from papercup_plugin.conformance.host_cases import (
    NO_MESSAGES,
    QUESTIONS,
    UNDECLARED,
    UNGRANTED_QUESTIONS,
    QuestionCase,
)

_MILLISECONDS = 1000
_CASE_SECONDS = 10.0
_SHORT_SECONDS = 0.2
_MOST_LOOKS = 100
_OLDER = {
    "tools/register": "registry/update",
    "tools/setActive": "tools/set_active",
    "events/publish": "bus/publish",
}

Trying: TypeAlias = Callable[[TrialGround], Awaitable[list[Finding]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """Something that is tried."""

    name: str
    about: str
    """What has to come of it."""
    tried: Trying


async def try_host(*, only: Collection[str] = (), version: str) -> TestReport:
    """Say all that the kit has to the host, and return what the host made of it.

    Args:
        only: What the names of the cases begin with that are tried; without any, all are.
        version: Of Papercup.
    """
    chosen = [case for case in _cases() if not only or case.name.startswith(tuple(only))]
    with _quiet_logs():
        async with trial_ground() as ground:
            await ground.load([*peers(), *greeting_peers()])
            # So that the plugin has a context of events.
            await ground.host.find_program(PEER).call_tool("probe", {}, HERE)
            results = tuple([await _tried(case, ground) for case in chosen])
    return TestReport(name="papercup", version=version, dialect="sep, stdio", results=results)


def unknown_beginnings(only: Collection[str]) -> list[str]:
    """Return those with which the name of no case begins."""
    names = [case.name for case in _cases()]
    return sorted({each for each in only if not any(name.startswith(each) for name in names)})


@contextmanager
def _quiet_logs() -> Generator[None, None, None]:
    """Keep out of the log what the host refuses, as it would look like faults."""
    loggers = [logging.getLogger(name) for name in ("extensions.plugins", "extensions.rpc")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _cases() -> Iterable[_Case]:
    for answer in (*GREETINGS, *USES, *OUTCOMES):
        about = f"has to come to: {answer.becomes}"
        yield _Case(name=answer.name, about=about, tried=partial(_answered, answer))
    asked = ((PEER, QUESTIONS), (BARE, UNDECLARED), (UNGRANTED, UNGRANTED_QUESTIONS))
    for plugin_id, questions in asked:
        for question in questions:
            code = question.refused_with
            about = "is taken" if code is None else f"is refused with {code}"
            tried = partial(_asked, plugin_id, question)
            yield _Case(name=question.name, about=about, tried=tried)
    for what, line in NO_MESSAGES.items():
        yield _Case(name=f"line: {what}", about="is passed over", tried=partial(_line, line))
    name = "$/cancel: a question that people have"
    yield _Case(name=name, about="is taken back", tried=_taken_back)
    name = "host: a use that takes too long"
    yield _Case(name=name, about="is taken back by the host", tried=_given_up)
    name = "host: two events"
    yield _Case(name=name, about="are told, and counted from 0", tried=_told)
    name = "host: what it says"
    yield _Case(name=name, about="is as the protocol has it", tried=_said)


async def _tried(case: _Case, ground: TrialGround) -> CheckResult:
    started_at = time.monotonic()
    try:
        async with asyncio.timeout(_CASE_SECONDS):
            found = await case.tried(ground)
    except TimeoutError:
        found = [fail(f"nothing came of it within {_CASE_SECONDS:g} s")]
    except (ExtensionsError, ValueError, LookupError) as error:
        found = [fail(f"nothing came of it: {error}")]
    elapsed_ms = round((time.monotonic() - started_at) * _MILLISECONDS)
    return CheckResult(
        name=case.name, about=case.about, findings=tuple(found), elapsed_ms=elapsed_ms
    )


async def _answered(case: AnswerCase, ground: TrialGround) -> list[Finding]:
    """Have the plugin answer so, and look at what the host makes of it."""
    seen = await _became(ground, case)
    # Why something fails, each host says in its own words, unless the plugin gave the reason.
    is_so = seen == case.becomes or seen.startswith(f"{case.becomes}:")
    return [] if is_so else [fail(f"it came to: {seen}")]


async def _became(ground: TrialGround, case: AnswerCase) -> str:
    if case in GREETINGS:
        return seen_of_greeting(ground.host, greeting_id(case))
    plugin_id = PEER if Dialect(case.dialect.value) is Dialect.SEP else STDIO
    await ground.control(plugin_id, {"answer": {case.method: case.members}})
    if case.point is None:
        return await seen_of_use(ground.host, plugin_id, case.method)
    seen = await seen_at_hook(ground.host, case.point)
    # The next case may be about another plugin: this one shall have nothing to say then.
    usual = {"result": {"action": "continue"} if plugin_id == PEER else None}
    await ground.control(plugin_id, {"answer": {case.method: usual}})
    return seen


async def _asked(plugin_id: str, case: QuestionCase, ground: TrialGround) -> list[Finding]:
    asked = [*case.before, (case.method, case.params)]
    lines = [_line_of(id=number, method=each, params=to) for number, (each, to) in enumerate(asked)]
    numbers = list(range(len(lines)))
    replies = await ground.control(plugin_id, {"say": lines, "wait": numbers})
    reply = next(each for each in replies if each.get("id") == numbers[-1])
    return list(judged(case, reply))


def judged(case: QuestionCase, reply: Mapping[str, Any]) -> Iterable[Finding]:
    """Yield what is wrong with how the host answered a question."""
    code = reply.get("error", {}).get("code")
    kind = f"sep plugin {_OLDER.get(case.method, case.method)} result"
    if case.refused_with is not None:
        if code != case.refused_with:
            seen = "taken" if code is None else f"refused with {code}"
            yield fail(f"it was {seen}: {json.dumps(reply)}")
    elif code is not None:
        yield fail(f"it was refused: {json.dumps(reply['error'])}")
    elif case.gives is not None and reply["result"] != case.gives:
        yield fail(f"it was answered {json.dumps(reply['result'])}, not {json.dumps(case.gives)}")
    elif kind in FRAMES:
        yield from (fail(f"in the answer, {each}") for each in check(kind, reply["result"]))


async def _line(line: str, ground: TrialGround) -> list[Finding]:
    replies = await ground.control(PEER, {"say": [line], "wait": []})
    return [fail(f"it was answered: {json.dumps(replies)}")] if replies else []


async def _taken_back(ground: TrialGround) -> list[Finding]:
    asked = _line_of(id=1, method="ui/request", params={"kind": "confirm", "prompt": HOLD})
    cancel = _line_of(method="$/cancel", params={"id": 1})
    replies = await ground.control(PEER, {"say": [asked, cancel], "wait": [1]})
    codes = [reply.get("error", {}).get("code") for reply in replies]
    is_so = codes == [int(ErrorCode.CANCELLED)]
    return [] if is_so else [fail(f"it was answered: {json.dumps(replies)}")]


async def _given_up(ground: TrialGround) -> list[Finding]:
    """Use a tool that never answers, and wait for it no more."""
    plugin = ground.host.find_program(PEER)
    await ground.control(PEER, {"answer": {"tool/execute": None}})
    try:
        async with asyncio.timeout(_SHORT_SECONDS):
            await plugin.call_tool("probe", {}, HERE)
    except TimeoutError:
        pass
    await ground.control(PEER, {"answer": {"tool/execute": {"result": {"content": "text"}}}})
    heard = await ground.control(PEER, {"heard": True})
    used = [each["id"] for each in heard if each.get("method") == "tool/execute"]
    cancelled = [each["params"].get("id") for each in heard if each.get("method") == "$/cancel"]
    is_so = bool(used) and cancelled == used[-1:]
    return [] if is_so else [fail(f"it asked {used[-1:]}, and took {cancelled} back")]


async def _told(ground: TrialGround) -> list[Finding]:
    for _ in range(2):
        ground.host.tell(EVENT, {"session_id": HERE.session_id}, HERE)
    told: list[dict[str, Any]] = []
    # They are sent apart from requests, and may come later.
    for _ in range(_MOST_LOOKS):
        heard = await ground.control(PEER, {"heard": True})
        told = [each["params"] for each in heard if each.get("method") == "event"]
        if len(told) > 1:
            break
    seen = [(each.get("event"), each.get("seq")) for each in told]
    is_so = seen == [(EVENT, 0), (EVENT, 1)]
    return [] if is_so else [fail(f"it told {json.dumps(told)}")]


async def _said(ground: TrialGround) -> list[Finding]:
    """Look at all that the host itself has asked and told."""
    wrong: dict[str, Finding] = {}
    for plugin_id, dialect in ((PEER, Dialect.SEP), (STDIO, Dialect.STDIO)):
        for frame in await ground.control(plugin_id, {"heard": True}):
            for each in wrong_in(dialect, frame):
                wrong.setdefault(each, fail(each))
    return list(wrong.values())


def wrong_in(dialect: Dialect, frame: Mapping[str, Any]) -> Iterable[str]:
    """Yield what is wrong with something that the host itself said."""
    method = frame.get("method")
    shape = ("request" if "id" in frame else "notification") if method else None
    if shape is None:
        shape = "failure" if "error" in frame else "success"
    yield from (f"a {shape} of it: {each}" for each in check(shape, frame))
    kind = f"{dialect} host {method} params"
    # A tool may be asked by its own name, too.
    if method and kind in FRAMES:
        yield from (f"`{method}` of it: {each}" for each in check(kind, frame.get("params", {})))


def _line_of(**members: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", **members})
