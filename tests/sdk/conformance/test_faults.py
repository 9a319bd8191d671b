"""Each thing that a plugin does wrongly is found, by the check that looks for it."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from papercup_plugin.conformance import Finding, Level, Outcome, Subject, TestReport, conform
from papercup_plugin.conformance.methods import Dialect
from papercup_plugin.conformance.processes import find_marked
from papercup_plugin.conformance.program import running
from tests.fakes.waiting import until

PLUGIN = Path(__file__).parents[2] / "fakes" / "plugins" / "broken_plugin.py"
SECONDS = 5.0
"""How long an answer may take."""
SHORT_SECONDS = 0.3
"""The same, of those that never come."""

FAULTS = {
    "no-start": ("handshake", "to `initialize`: it has ended with exit code 5"),
    "no-line-end": ("handshake", "what it wrote last has no line end: '{\"jsonrpc"),
    "byte-order-mark": ("handshake", "it wrote a line with a byte order mark"),
    "floods": ("handshake", "to `initialize`: it says too much"),
    "empty-greeting": ("handshake", "`protocol_version` is missing"),
    "no-schema": ("handshake", "`registrations.tools[0].parameters` is missing"),
    "wrong-schema": ("offers", "in the schema of `say`, `properties.text.type` is 'txt'"),
    "undeclared-tool": ("offers", "the tool `other` is not declared in the manifest"),
    "null-ping": ("ping", "it is null; it has to be an object"),
    "ids": ("ids", "with the id 9007199254740991: it did not answer"),
    "echoes-version": ("newer-host", "it claims to speak version 99"),
    "strict": ("unknown-members", "it answered the error -32602"),
    "no-content": ("tools", "`content` is missing"),
    "crashes": ("tools", "it has ended with exit code 3"),
    "silent-errors": ("wrong-arguments", "without `text`: it did not answer"),
    "completion": ("completion", "`completions[0].value` is missing"),
    "wrong-patch": ("hooks", "in its change at `tool_call`, `arguments` is 'text'"),
    "outcome": ("hooks", "`action` is 'dance'"),
    "dies-of-events": ("events", "it has ended with exit code 4"),
    "any-tool": ("unknown-names", "which there is not"),
    "deaf": ("waiting", "while it waited for `kv/get`, it answered no ping"),
    "wrong-code": ("unknown-method", "was answered with the error -32602"),
    "answers-notifications": ("output", "an answer to nothing, or a second one"),
    "twice": ("output", "an answer to nothing, or a second one"),
    "text-id": ("output", "it wrote an answer whose id is '2'; the question's is 2"),
    "ends-by-itself": ("staying", "while it was asked nothing, it has ended with exit code 0"),
    "both": ("output", "an answer with both a `result` and an `error`"),
    "not-a-number": ("output", "it wrote NaN, which JSON does not have"),
    "nested": ("output", "in the widget that it shows, it is nested too deeply"),
    "prints": ("output", "a line that is no JSON: 'a word'"),
    "jsonrpc": ("output", "`jsonrpc` is '1.0'"),
    "wrong-question": ("output", "in `kv/set`, `key` is missing"),
    "strange-question": ("output", "in `ui/request`, `prompt` does not belong there"),
    "empty-question": ("output", "`ui/request`, which is refused: options is empty"),
    "unknown-question": ("output", "a question that no host knows: `kv/steal`"),
    "undeclared-question": ("declared", "it asked `ui/request`, and its manifest does not"),
    "dies-of-garbage": ("garbage", "after the line 'no JSON': it has ended with exit code 8"),
    "short-lines": ("large-frames", "to a message of 16777215 bytes: it has ended"),
    "stays": ("shutdown", "it did not end within 0.3 s of `shutdown`"),
    "stays-without-host": ("end-of-input", "it did not end within 0.3 s of the end"),
}
UNREAD = {"no-line-end", "byte-order-mark"}
UNREAD_SECONDS = 1.0
"""How long the first answer may take of those whose first answer cannot be read."""
SILENT = {"ids", "silent-errors", "deaf", "stays", "stays-without-host"}
SILENT |= {"not-a-number", "text-id", *UNREAD}
WARNINGS = {
    "other-name": ("handshake", "it calls its name 'other'"),
    "says-no-hooks": ("hooks", "it does not say which hooks it has"),
    "extra": ("tools", "`more` is a member that nobody knows"),
    "tool-fails": ("tools", '`say` with {"text": "text"} ended in an error: KeyError: 7'),
    "tool-is-mute": ("tools", "ended in an error, of which it says nothing"),
    "tool-refuses": ("tools", '`say` with {"text": "text"} ended in an error: no'),
    "exit-code": ("shutdown", "it ended with exit code 7"),
    "leaves": ("end-of-input", "1 of what it has started run on: `sleep 60`"),
    "requires-unnamed": ("offers", "requires `x`, which `properties` does not have"),
    "many-tools": ("offers", "it offers 300 tools"),
    "unknown-event": ("offers", "there is no event `turn_ended`"),
    "forbidden-question": ("output", "`session/state` was refused: session action requires"),
    "no-reason": ("hooks", "it forbids at `tool_call` without a reason"),
    "vain-patch": ("hooks", "its change of `txt` at `tool_call` has no effect"),
    "completes-much": ("completion", "it gave 10000 completions"),
    "errors-to-nobody": ("events", "notifications with errors without an id"),
    "complains": ("output", "more than 1000000 bytes to its standard error"),
}
NEEDED = {
    "output": ("tools", "unknown-notification", "ids"),
    "declared": ("tools",),
    "waiting": ("tools",),
    "staying": ("newer-host",),
}
"""What has to be done before there is anything to look at."""


MORE = {
    "strange-question": {"ui"},
    "empty-question": {"ui"},
    "forbidden-question": {"session"},
    "run": {"exec"},
}
"""What else the manifest declares."""


def subject(fault: str) -> Subject:
    return Subject(
        folder=PLUGIN.parent,
        dialect=Dialect.SEP,
        name="broken",
        version="1.0.0",
        command=sys.executable,
        args=("-ISE", str(PLUGIN), fault),
        declares=frozenset({"tools", "commands", "kv"} | MORE.get(fault, set())),
        tools=None if fault in {"many-tools", "tools-fail"} else frozenset({"say"}),
        hooks=frozenset({"tool_call"}),
        events=frozenset({"turn_ended"}),
    )


async def probed(fault: str, check: str) -> TestReport:
    only = {check, *NEEDED.get(check, ())}
    seconds = SHORT_SECONDS if fault in SILENT else SECONDS
    start_seconds = UNREAD_SECONDS if fault in UNREAD else SECONDS
    return await conform(
        subject(fault), only=only, timeout_seconds=seconds, start_seconds=start_seconds
    )


def findings(report: TestReport, check: str) -> tuple[Finding, ...]:
    return next(result.findings for result in report.results if result.name == check)


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_is_found_and_it_is_said_what_was_seen(fault: str) -> None:
    check, seen = FAULTS[fault]
    found = findings(await probed(fault, check), check)

    assert any(each.level is Level.FAIL and seen in each.what for each in found), found


@pytest.mark.parametrize("fault", WARNINGS)
async def test_what_hosts_pass_over_is_a_warning(fault: str) -> None:
    check, seen = WARNINGS[fault]
    report = await probed(fault, check)

    assert any(seen in each.what for each in findings(report, check)), report
    assert not report.has_failed


async def test_tools_that_fail_do_not_hide_what_the_others_do_wrongly() -> None:
    report = await probed("tools-fail", "tools")
    first, *_ = findings(report, "tools")

    assert (first.level, first.what) == (
        Level.FAIL,
        "in the answer to the use of the tool `say12`, `content` is missing",
    )


async def test_a_long_error_of_a_tool_is_told_shortly_and_in_one_line() -> None:
    (found,) = findings(await probed("tool-complains", "tools"), "tools")

    assert found.what.endswith(": " + "a " * 100 + "…")


async def test_a_plugin_without_faults_passes() -> None:
    report = await conform(subject("run"), timeout_seconds=SECONDS)

    assert [each for each in report.results if each.outcome in {Outcome.FAIL, Outcome.WARN}] == []
    assert report.count(Outcome.OK) >= 20


async def test_a_tool_that_hangs_does_not_spoil_what_is_looked_at_after_it() -> None:
    only = {"tools", "commands", "hooks", "unknown-names"}
    report = await conform(subject("hangs"), only=only, timeout_seconds=SHORT_SECONDS)

    outcomes = {result.name: result.outcome for result in report.results}
    assert outcomes == dict.fromkeys(only, Outcome.OK) | {"tools": Outcome.FAIL}


async def test_who_answers_nothing_is_soon_asked_no_more() -> None:
    report = await conform(subject("mute"), only=["wrong-params"], timeout_seconds=SHORT_SECONDS)
    *silent, last = findings(report, "wrong-params")

    assert ["it did not answer within" in each.what for each in silent] == [True] * 3
    assert last.what == "it was asked no more here after 3 silences"


async def test_who_answers_no_pings_is_told_so_once() -> None:
    only = {"ping", "garbage", "events", "ids"}
    report = await conform(subject("text-id"), only=only, timeout_seconds=SHORT_SECONDS)

    (said,) = [each.what for each in findings(report, "ping")]
    assert said.startswith("to `ping`: it did not answer")
    skipped = [result.name for result in report.results if result.outcome is Outcome.SKIP]
    assert skipped == ["ids", "events", "garbage"]


async def test_what_ended_it_is_shown_as_it_wrote_it() -> None:
    report = await conform(subject("crashes"), only=["tools"], timeout_seconds=SECONDS)
    assert [each.said for each in findings(report, "tools")] == [("a part is broken",)]


async def test_a_plugin_that_writes_into_its_own_folder_is_told_so(tmp_path: Path) -> None:
    plugin = replace(subject("writes"), folder=tmp_path)
    report = await conform(plugin, only=["folder"], timeout_seconds=SECONDS)

    (found,) = findings(report, "folder")
    assert (found.level, found.what) == (
        Level.WARN,
        "in its own folder there have changed `made.txt`",
    )


async def test_nothing_that_a_plugin_has_started_is_left_when_it_is_ended() -> None:
    async with running(subject("leaves")) as program:
        await program.write(b"{}", timeout_seconds=SECONDS)
        await until(lambda: len(find_marked(program.mark)) > 1)

    assert find_marked(program.mark) == {}


async def test_a_program_that_is_not_there_is_named() -> None:
    missing = Subject(
        folder=PLUGIN.parent, dialect=Dialect.SEP, name="a", version="1", command="./none"
    )
    (result,) = (await conform(missing)).results

    assert result.outcome is Outcome.FAIL
    assert "none` cannot be started: No such file or directory" in result.findings[0].what
