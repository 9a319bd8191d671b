"""How a plugin is broken off, waits, and ends."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Iterator
from itertools import islice

from papercup_plugin.conformance.answers import Answer, Answered, Refused, Silent
from papercup_plugin.conformance.bench import Bench
from papercup_plugin.conformance.findings import Finding, fail, skip, unanswered, warn
from papercup_plugin.conformance.folders import changes, snapshot
from papercup_plugin.conformance.notebook import findings_about
from papercup_plugin.conformance.questions import Question
from papercup_plugin.conformance.talk import Talk

_PATIENCE_SECONDS = 2.0
_MOST_CANCELLED = 8
_MOST_NAMED = 5
_LONGEST_NAMED = 60


async def cancelling(bench: Bench) -> AsyncGenerator[Finding, None]:
    """What nobody waits for any more, it breaks off."""
    talk = await bench.talk()
    for unknown in ({"id": 987654321}, {"id": "none"}, {"id": None}, {}):
        await bench.tell(talk, "$/cancel", unknown)
    silent = await bench.unanswered_ping(talk) if bench.answers_pings else None
    if silent is not None:
        yield unanswered("after `$/cancel` of what is not open", silent, "pass over it")
    for question in islice(bench.questions.uses(bench.offers), _MOST_CANCELLED):
        silent = await _cancelled(bench, question)
        if silent is not None:
            mend = "stop, take your own questions back by `$/cancel`, and answer with -32800"
            yield warn(f"{question.about} was cancelled, and after that {silent.why}", mend)
            # One is enough: each of them takes its time.
            return


async def _cancelled(bench: Bench, question: Question) -> Silent | None:
    """Ask something, and take it back; return why it was not answered all the same."""
    talk = await bench.talk()
    with talk.host.holding() as was_asked:
        pending = await bench.begin_asking(talk, question)
        await _either(bench, was_asked, pending.is_answered)
        await bench.tell(talk, "$/cancel", {"id": pending.number})
        answer = await pending.answer(min(_PATIENCE_SECONDS, bench.timeout_seconds))
    return answer if isinstance(answer, Silent) else None


async def waiting(bench: Bench) -> AsyncGenerator[Finding, None]:
    """While it waits for the host, it answers other questions."""
    if not bench.notebook.has_waited:
        yield skip("it asked the host nothing")
    if bench.notebook.is_deaf is not None:
        mend = "read in one thread, or task, and wait in others: the answer comes like all else"
        yield fail(f"while it waited for `{bench.notebook.is_deaf}`, it answered no ping", mend)


async def staying(bench: Bench) -> AsyncGenerator[Finding, None]:
    """It stays up until it is told to end."""
    bench.look_for_end()
    for finding in bench.notebook.ends():
        yield finding


async def folder(bench: Bench) -> AsyncGenerator[Finding, None]:
    """It leaves its own folder as it is."""
    changed = changes(bench.folder_before, snapshot(bench.subject.folder))
    if changed:
        named = ", ".join(f"`{name[:_LONGEST_NAMED]}`" for name in changed[:_MOST_NAMED])
        more = len(changed) - _MOST_NAMED
        rest = f" and {more} more" if more > 0 else ""
        mend = "write where NEXO_EXTENSION_STATE_ROOT says: what has changed is not trusted"
        yield warn(f"in its own folder there have changed {named}{rest}", mend)


async def shutdown(bench: Bench) -> AsyncGenerator[Finding, None]:
    """It ends when it is told to, with all that it has started."""
    seconds, farewell = bench.grace_seconds, bench.questions.farewell()
    async with bench.fresh() as talk:
        if bench.questions.is_sep:
            answer = await bench.ask(talk, farewell, timeout_seconds=seconds)
            for finding in _on_farewell(bench, answer):
                yield finding
        else:
            await bench.tell(talk, farewell.method, farewell.params)
        if not await talk.program.ended_within(seconds):
            talk.program.close_input()
            if await talk.program.ended_within(seconds):
                yield warn(
                    "after `shutdown` it ended only when its input was closed", "end by itself"
                )
            else:
                mend = "end after it: what is left then is killed, with all that it started"
                yield fail(f"it did not end within {seconds:g} s of `shutdown`", mend)
        for finding in await _on_exit(talk):
            yield finding


async def end_of_input(bench: Bench) -> AsyncGenerator[Finding, None]:
    """It ends when the host is gone, with all that it has started."""
    seconds = bench.grace_seconds
    async with bench.fresh() as talk:
        talk.program.close_input()
        if not await talk.program.ended_within(seconds):
            what = f"it did not end within {seconds:g} s of the end of its input"
            yield fail(what, "end when there is nothing more to read: the host is gone")
        for finding in await _on_exit(talk):
            yield finding


def _on_farewell(bench: Bench, answer: Answer) -> list[Finding]:
    match answer:
        case Silent() as silent:
            return [unanswered("to `shutdown`", silent, "answer it with {}, and end then")]
        case Refused() as error:
            return [fail(f"`shutdown` was answered with {error}", "answer it with {}")]
        case Answered(result):
            kind = bench.questions.frame("shutdown", "result")
            return list(findings_about(kind, result, "the answer to `shutdown`"))


async def _on_exit(talk: Talk) -> list[Finding]:
    code = talk.program.exit_code
    if code is None:
        return []
    found: list[Finding] = []
    if code:
        found.append(warn(f"it ended with exit code {code}", "end with 0 if all is well"))
    left = await talk.program.left_behind()
    if left:
        named = ", ".join(islice(_counted(left), _MOST_NAMED))
        what = f"it has ended, and {len(left)} of what it has started run on: {named}"
        found.append(warn(what, "end them first: hosts kill what is left"))
    return found


def _counted(names: list[str]) -> Iterator[str]:
    for name, count in Counter(names).most_common():
        shown = name[:_LONGEST_NAMED]
        yield f"`{shown}`" if count == 1 else f"`{shown}` ({count} times)"


async def _either(bench: Bench, first: asyncio.Event, second: asyncio.Event) -> None:
    """Wait for one of two things, but not for ever."""
    async with asyncio.TaskGroup() as tasks:
        waiting_for = {tasks.create_task(each.wait()) for each in (first, second)}
        await asyncio.wait(
            waiting_for,
            timeout=min(_PATIENCE_SECONDS, bench.timeout_seconds),
            return_when=asyncio.FIRST_COMPLETED,
        )
        for task in waiting_for:
            task.cancel()
