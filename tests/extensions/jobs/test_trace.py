from dataclasses import replace

from extensions.claude.events import (
    ActionRefused,
    AssistantMessage,
    BadLine,
    Event,
    LimitReported,
    Other,
    ToolCalled,
    ToolReturned,
)
from extensions.jobs.progress import Progress, ToolUse
from extensions.jobs.trace import RunTrace
from tests.fakes.job_events import BEGAN, ENDED, traced

WRITE = ToolCalled("t1", "Write", {"file_path": "hello.txt"})
BASH = ToolCalled("t2", "Bash", {"command": "python3 hello.py"})


def reports(**arguments: object) -> ToolCalled:
    return ToolCalled("t9", "mcp__papercup__report_progress", arguments)


def test_an_answer_is_counted_once_however_many_parts_it_has() -> None:
    first: list[Event] = [AssistantMessage("I write it."), WRITE, BASH]
    second: list[Event] = [ToolReturned("t1", is_error=False), AssistantMessage("Done.")]

    assert traced(BEGAN, *first).progress.turns == 1
    assert traced(BEGAN, *first, *second).progress.turns == 2


def test_the_newest_tools_are_remembered() -> None:
    trace = traced(BEGAN, WRITE, *(ToolCalled(f"b{n}", "Read", {}) for n in range(3)), BASH)

    assert trace.progress.last_tool == "Bash"
    assert trace.progress.tools == (*[ToolUse("Read")] * 3, ToolUse("Bash", "python3"))


def test_a_file_counts_as_written_once_the_call_has_worked() -> None:
    refused = ToolCalled("t3", "Edit", {"file_path": "/etc/passwd"})
    trace = traced(BEGAN, WRITE, refused)
    assert trace.progress.files_written == 0

    trace = trace.after(ToolReturned("t1", is_error=False)).after(ToolReturned("t3", is_error=True))
    assert (trace.progress.files_written, trace.progress.newest_file) == (1, "hello.txt")

    again = trace.after(replace(WRITE, tool_use_id="t4")).after(ToolReturned("t4", is_error=False))
    assert again.progress.files_written == 1


def test_the_end_of_a_turn_says_how_many_answers_it_had() -> None:
    trace = traced(BEGAN, WRITE, replace(ENDED, turns=3))
    assert trace.progress.turns == 3

    assert trace.after(BEGAN).after(AssistantMessage("More.")).progress.turns == 4
    assert trace.after(BEGAN).after(replace(ENDED, turns=2)).progress.turns == 5


def test_what_the_job_reports_is_progress_and_no_tool() -> None:
    trace = traced(BEGAN, WRITE, reports(message="half of it", fraction=0.5))
    assert trace.progress == Progress(
        turns=1,
        last_tool="Write",
        message="half of it",
        fraction=0.5,
        tools=(ToolUse("Write", "hello.txt"),),
    )

    without = trace.after(reports(message="nearly all of it"))
    assert (without.progress.message, without.progress.fraction) == ("nearly all of it", None)


def test_a_report_that_makes_no_sense_changes_nothing() -> None:
    trace = traced(BEGAN, WRITE)

    assert trace.after(reports(message=7)).progress == trace.progress
    assert trace.after(reports()).progress == trace.progress


def test_a_turn_is_under_way_from_its_beginning_to_its_end() -> None:
    assert not RunTrace().is_in_turn
    assert traced(BEGAN, WRITE).is_in_turn
    assert not traced(BEGAN, WRITE, ENDED).is_in_turn
    assert traced(BEGAN, ENDED, BEGAN).is_in_turn
    assert traced(BEGAN, ENDED, BEGAN).last_turn == ENDED


def test_a_refused_action_is_counted_once_though_it_is_told_twice() -> None:
    refused = ActionRefused("Bash", "t2")

    assert traced(BEGAN, refused).all_refused_actions == ("Bash",)
    ended = traced(BEGAN, refused, replace(ENDED, refused_actions=("Bash", "Bash")))
    assert ended.all_refused_actions == ("Bash", "Bash")
    more = ended.after(BEGAN).after(ActionRefused("Write", "t3"))
    assert more.all_refused_actions == ("Bash", "Bash", "Write")


def test_servers_that_failed_once_are_remembered() -> None:
    began = replace(BEGAN, failed_servers=("papercup",))

    assert traced(began, ENDED, BEGAN, began).failed_servers == ("papercup",)


def test_the_last_word_on_the_usage_limit_is_kept() -> None:
    limit = LimitReported(is_reached=True, resets_at=1_777_700_000.0)

    assert traced(BEGAN, limit, Other("x")).limit == limit


def test_lines_that_tell_nothing_change_nothing() -> None:
    trace = traced(BEGAN, WRITE)

    assert trace.after(Other("system/status")).after(BadLine("not JSON")) == trace


def test_a_run_waits_for_the_bot_while_no_tool_of_its_own_is_at_work() -> None:
    bash, report = "Bash", "mcp__papercup__report_progress"
    called = ToolCalled("t1", bash, {}), ToolCalled("t2", report, {})

    assert not traced().waits_for_bot
    assert traced(BEGAN).waits_for_bot
    assert not traced(BEGAN, *called).waits_for_bot
    assert not traced(BEGAN, *called, ToolReturned("t2", is_error=False)).waits_for_bot
    assert traced(BEGAN, *called, ToolReturned("t1", is_error=False)).waits_for_bot
    assert not traced(BEGAN, *called, ENDED).waits_for_bot
    assert traced(BEGAN, *called, ENDED, BEGAN).waits_for_bot


def test_what_is_kept_of_a_run_stays_small_whatever_it_prints() -> None:
    """A line that costs more the more came before would hold up the whole bot."""
    trace = traced(
        *(replace(BEGAN, failed_servers=(f"server-{number}",)) for number in range(3000)),
        *(ToolCalled(f"t{number}", "Write", {"file_path": "a.txt"}) for number in range(3000)),
        *(ActionRefused("Bash", f"t{number}") for number in range(3000)),
    )
    ended = trace.after(ENDED).after(replace(ENDED, refused_actions=("Bash",) * 3000))

    assert len(repr(trace)) < 50_000
    assert len(ended.refused_actions) == 1000
    assert trace.waits_for_bot is False
