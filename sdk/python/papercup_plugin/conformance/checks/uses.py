"""How tools, commands, hooks, events and models of a plugin are used."""

import json
from collections.abc import AsyncGenerator, Iterable, Iterator
from itertools import chain, count, islice

from papercup_plugin.conformance.answers import Answer, Answered, Refused, Silent
from papercup_plugin.conformance.arguments import fitting, misfits
from papercup_plugin.conformance.bench import Bench
from papercup_plugin.conformance.checks.offering import MOST_TOOLS
from papercup_plugin.conformance.checks.wire import answered_notifications
from papercup_plugin.conformance.findings import (
    Finding,
    clipped,
    fail,
    skip,
    unanswered,
    warn,
)
from papercup_plugin.conformance.hook_values import EVENTS
from papercup_plugin.conformance.methods import Dialect
from papercup_plugin.conformance.notebook import findings_about
from papercup_plugin.conformance.patches import findings_of_outcome
from papercup_plugin.conformance.questions import Question, context
from papercup_plugin.conformance.schemas import wrong_rules
from papercup_plugin.errors import BLOCKED, METHOD_NOT_FOUND
from papercup_plugin.json_values import as_list, as_object, as_text

_MOST_MISFITS = 20
_MOST_COMPLETIONS = 25
_LONGEST_GIVEN = 100
_LONGEST_ERROR = 200
"""Of what is quoted, in characters."""
_IN_VAIN = (
    "see why; if it can do nothing with such arguments, give `examples` in its schema; "
    "if it needs what a test does not have, leave it so"
)
_ERROR = 'answer with {"code": …, "message": …} as `error`'


async def tools(bench: Bench) -> AsyncGenerator[Finding, None]:
    """Each tool gives something back, or says why not."""
    if not bench.offers.tools:
        yield skip("it has no tools")
    in_vain: list[Finding] = []
    for tool in bench.offers.tools[:MOST_TOOLS]:
        arguments = fitting(tool.schema)
        talk, question = await bench.talk(), bench.questions.tool(tool.name, arguments)
        answer = await bench.ask(talk, question)
        for finding in _looked_at(bench, question, answer):
            yield finding
        error = _error_in(answer)
        if error is not None and not wrong_rules(tool.schema):
            in_vain.append(_in_vain(f"{question.about} with {_given(arguments)}", error))
    # Last, as a check is given up after some findings: what is broken has to be found first.
    for finding in in_vain:
        yield finding


async def wrong_arguments(bench: Bench) -> AsyncGenerator[Finding, None]:
    """What a tool cannot use it refuses, and goes on."""
    if not bench.offers.tools:
        yield skip("it has no tools")
    mend = "answer with the error -32602: hosts need not look at the schema"
    for tool in bench.offers.tools[:MOST_TOOLS]:
        for why, arguments in islice(misfits(tool.schema), _MOST_MISFITS):
            talk = await bench.talk()
            question = bench.questions.tool(tool.name, arguments)
            match await bench.ask(talk, question):
                case Silent() as silent:
                    yield unanswered(f"to {question.about} {why}", silent, mend)
                case Answered(result) if not _is_error(result) and "that there is not" not in why:
                    yield warn(f"{question.about} {why} was taken", mend)
                case _:
                    pass


async def commands(bench: Bench) -> AsyncGenerator[Finding, None]:
    """Each command says something, or nothing, or why it cannot be run."""
    if not bench.offers.commands:
        yield skip("it has no commands")
    uses = [
        bench.questions.command(name, raw) for name in bench.offers.commands for raw in ("", "text")
    ]
    async for finding in _asked(bench, uses):
        yield finding


async def completion(bench: Bench) -> AsyncGenerator[Finding, None]:
    """What is typed behind a command is completed, if only to nothing."""
    if not bench.offers.commands:
        yield skip("it has no commands")
    for name in bench.offers.commands:
        for partial in ("", "t"):
            talk, question = await bench.talk(), bench.questions.completion(name, partial)
            answer = await bench.ask(talk, question)
            if isinstance(answer, Refused):
                mend = 'answer {"completions": []} if there are none'
                yield warn(f"{question.about} was answered with {answer}", mend)
            else:
                for finding in chain(_looked_at(bench, question, answer), _too_many(answer)):
                    yield finding


async def hooks(bench: Bench) -> AsyncGenerator[Finding, None]:
    """Where it has a say, it says what it wants."""
    if bench.offers.hooks is None:
        mend = "name in the registrations which hooks there are: else each is asked each time"
        yield warn("it does not say which hooks it has", mend)
    asked = list(bench.questions.hooks_to_ask(bench.offers))
    if not asked:
        yield skip("it has no hooks")
    for question in asked:
        talk = await bench.talk()
        answer = await bench.ask(talk, question)
        for finding in chain(_refused_hook(bench, question, answer), _outcome(question, answer)):
            yield finding
        if not isinstance(answer, Refused):
            for finding in _looked_at(bench, question, answer):
                yield finding


def _refused_hook(bench: Bench, question: Question, answer: Answer) -> Iterator[Finding]:
    match answer:
        case Refused(code) if code == METHOD_NOT_FOUND and bench.offers.hooks is None:
            # Who does not say which hooks there are says it so.
            pass
        case Refused(code) if code != BLOCKED:
            mend = "answer with what shall become of it; else hosts take it as broken"
            yield fail(f"{question.about} was answered with {answer}", mend)
        case _:
            pass


def _outcome(question: Question, answer: Answer) -> Iterator[Finding]:
    if isinstance(answer, Answered):
        yield from findings_of_outcome(question.hook, answer.result)


async def events(bench: Bench) -> AsyncGenerator[Finding, None]:
    """Events disturb nothing, whether it knows them or not."""
    if bench.subject.dialect is Dialect.STDIO:
        yield skip("this dialect has no events")
        return
    talk, numbers = await bench.talk(), count()
    before = bench.notebook.errors_to_nobody
    told = {**EVENTS, "nobody_knows_this_event": {"any": 1}}
    for name, payload in told.items():
        await bench.tell(talk, "event", bench.questions.event(name, next(numbers), payload))
    lost = {"event": "events_lost", "context": context("event"), "payload": {"lost": 3}}
    await bench.tell(talk, "event", lost)
    silent = await bench.unanswered_ping(talk)
    if silent is not None:
        mend = "read on while events are seen to; pass over those that you do not know"
        yield unanswered("after events", silent, mend)
    for finding in answered_notifications(bench, before):
        yield finding


async def providers(bench: Bench) -> AsyncGenerator[Finding, None]:
    """Each provider answers as a model, or says why not."""
    if not bench.offers.providers:
        yield skip("it gives access to no models")
    uses = [bench.questions.provider(each.name, each.model) for each in bench.offers.providers]
    async for finding in _asked(bench, uses):
        yield finding


async def unknown_names(bench: Bench) -> AsyncGenerator[Finding, None]:
    """What it does not offer it refuses."""
    for question in bench.questions.unknown():
        talk = await bench.talk()
        mend = "answer with the error -32602"
        match await bench.ask(talk, question):
            case Silent() as silent:
                yield unanswered(f"to {question.about}, which there is not", silent, mend)
            case Answered(result) if not _is_error(result):
                yield fail(f"{question.about}, which there is not, was answered", mend)
            case _:
                pass


async def _asked(bench: Bench, questions: Iterable[Question]) -> AsyncGenerator[Finding, None]:
    for question in questions:
        talk = await bench.talk()
        answer = await bench.ask(talk, question)
        for finding in _looked_at(bench, question, answer):
            yield finding


def _looked_at(bench: Bench, question: Question, answer: Answer) -> Iterator[Finding]:
    match answer:
        case Silent() as silent:
            mend = "answer each request: with an error, if there is no result"
            yield unanswered(f"to {question.about}", silent, mend)
        case Refused(None):
            yield fail(f"{question.about} was answered with an error that is none", _ERROR)
        case Refused():
            pass
        case Answered(result):
            kind = bench.questions.frame(question.method, "result")
            yield from findings_about(kind, result, f"the answer to {question.about}")


def _too_many(answer: Answer) -> Iterator[Finding]:
    members = as_object(answer.result) if isinstance(answer, Answered) else None
    found = as_list((members or {}).get("completions")) or []
    if len(found) > _MOST_COMPLETIONS:
        mend = f"give the {_MOST_COMPLETIONS} that fit best: Discord shows no more"
        yield warn(f"it gave {len(found)} completions", mend)


def _error_in(answer: Answer) -> str | None:
    """Return what went wrong in a tool, as it says; `None`: nothing did, or it did not say."""
    match answer:
        case Refused(int(), message):
            return message
        case Answered(result) if _is_error(result):
            return as_text((as_object(result) or {}).get("content")) or ""
        case _:
            return None


def _in_vain(about: str, error: str) -> Finding:
    said = clipped(" ".join(error.split()), _LONGEST_ERROR)
    told = f": {said}" if said else ", of which it says nothing"
    return warn(f"{about} ended in an error{told}", _IN_VAIN)


def _given(arguments: object) -> str:
    return clipped(json.dumps(arguments, ensure_ascii=False), _LONGEST_GIVEN)


def _is_error(result: object) -> bool:
    return (as_object(result) or {}).get("is_error") is True
