"""How a plugin greets its host, and answers pings."""

from collections.abc import AsyncGenerator, Iterator
from itertools import islice
from typing import Any

from papercup_plugin.conformance.answers import Answered, Refused, Silent
from papercup_plugin.conformance.bench import Bench
from papercup_plugin.conformance.findings import Finding, fail, skip, unanswered, warn
from papercup_plugin.conformance.methods import Dialect
from papercup_plugin.conformance.notebook import findings_about
from papercup_plugin.json_values import as_object

_NEWER = 99
_MOST_TOLD = 3
_EXTRA: dict[str, Any] = {"nobody_knows_this": {"any": [1]}}


async def handshake(bench: Bench) -> AsyncGenerator[Finding, None]:
    """It answers `initialize`, as the protocol has it."""
    match bench.greeting:
        case Silent() as silent:
            mend = "answer it before anything else, and flush the output after each line"
            yield unanswered("to `initialize`", silent, mend)
        case Refused() as error:
            yield fail(f"`initialize` was answered with {error}", "answer it with a result")
        case Answered(result):
            kind = bench.questions.frame("initialize", "result")
            for each in findings_about(kind, result, "the answer to `initialize`"):
                yield each
            for each in _identity(bench, result):
                yield each
            return
    # Else nothing else is looked at, and what it did write tells why.
    for each in islice(bench.notebook.findings(), _MOST_TOLD):
        yield each


async def newer_host(bench: Bench) -> AsyncGenerator[Finding, None]:
    """To a host that speaks newer versions, too, it says which it speaks itself."""
    if bench.subject.dialect is Dialect.STDIO:
        yield skip("this dialect has no versions")
        return
    async with bench.fresh(is_greeted=False) as talk:
        answer = await bench.greet(talk, bench.questions.greeting(_NEWER))
    mend = "answer with the newest version that you speak: the lower of the two counts"
    match answer:
        case Silent() as silent:
            yield unanswered(f"to a host that speaks version {_NEWER}", silent, mend)
        case Refused() as error:
            yield fail(f"a host that speaks version {_NEWER} was answered with {error}", mend)
        case Answered(result):
            said = (as_object(result) or {}).get("protocol_version")
            if said == _NEWER:
                yield fail(f"it claims to speak version {_NEWER}, as the host did", mend)


async def unknown_members(bench: Bench) -> AsyncGenerator[Finding, None]:
    """What it does not know in a message, it passes over."""
    question = bench.questions.greeting()
    params = {name: _with_more(name, member) for name, member in question.params.items()}
    mend = "read what you know, and pass over the rest: newer hosts say more"
    seconds = bench.start_seconds
    asked = [("initialize", {**params, **_EXTRA})]
    if isinstance(bench.first_ping, Answered):
        asked.append((bench.questions.ping().method, _EXTRA))
    async with bench.fresh(is_greeted=False) as talk:
        for method, members in asked:
            pending = await talk.begin(method, members, timeout_seconds=seconds, more=_EXTRA)
            about = f"to `{method}` with members that nobody knows"
            match await pending.answer(seconds):
                case Silent() as silent:
                    yield unanswered(about, silent, mend)
                case Refused() as error:
                    yield fail(f"{about}: it answered {error}", mend)
                case Answered():
                    pass


async def ids(bench: Bench) -> AsyncGenerator[Finding, None]:
    """Each answer has the id of its question, as it came."""
    talk, ping = await bench.talk(), bench.questions.ping()
    for number in ("text", 'ä"\\\u2028', "7", 2**53 - 1, 0):
        pending = await bench.begin_asking(talk, ping, number=number)
        answer = await pending.answer(bench.timeout_seconds)
        if isinstance(answer, Silent):
            mend = "give back the id as it came: a whole number or a text"
            yield unanswered(f"to {ping.about} with the id {number!r}", answer, mend)
            return


async def ping(bench: Bench) -> AsyncGenerator[Finding, None]:
    """It answers pings."""
    question = bench.questions.ping()
    # That dialect has no pings: hosts use something in their place, and do without.
    is_needed = bench.subject.dialect is Dialect.SEP
    match bench.first_ping:
        case Silent() as silent if is_needed:
            mend = "answer it at once, whatever else is done"
            yield unanswered(f"to {question.about}", silent, mend)
        case Silent() as silent:
            yield warn(f"to {question.about}: {silent.why}", "answer it: it is asked as a ping")
        case Refused() as error:
            told = fail if is_needed else warn
            yield told(f"{question.about} was answered with {error}", "answer it with a result")
        case Answered(result):
            kind = bench.questions.frame(question.method, "result")
            for each in findings_about(kind, result, f"the answer to {question.about}"):
                yield each


def _with_more(name: str, member: Any) -> Any:
    """Return a member of the greeting with something that nobody knows."""
    members = as_object(member)
    if members is None or name == "flags":
        return member
    # Each of these is true or false.
    return {**members, **({"any": True} if name == "capabilities_enabled" else _EXTRA)}


def _identity(bench: Bench, result: Any) -> Iterator[Finding]:
    said = as_object((as_object(result) or {}).get("extension")) or {}
    for name, declared in (("name", bench.subject.name), ("version", bench.subject.version)):
        if name in said and said[name] != declared:
            what = f"it calls its {name} {said[name]!r}; its manifest has {declared!r}"
            yield warn(what, "say in both the same")
