import json
import shlex
from dataclasses import replace
from pathlib import Path

from extensions.claude.skills import SkillShelf
from extensions.jobs.backend import RunRequest
from extensions.jobs.run_plan import BRIEF, GO_ON, LocalSettings, Planner, RunFolders, RunPlan
from extensions.process.interpreter import program_command
from extensions.process.jail.bubblewrap import WRAPPERS, Host, Jail

REQUEST = RunRequest(
    job_id="8d08ba4f",
    run_number=1,
    task="--mcp-config x @/etc/passwd /clear",
    claude_session_id="3f0c1f9e-0000-4000-8000-000000000000",
    folder="/data/extensions/8d08ba4f",
    token="the-secret-token",
)
FOLDERS = RunFolders(Path("/data/run/8d08ba4f"))
SETTINGS = LocalSettings(claude=Path("/opt/claude"), max_turns=7, model="haiku", run_seconds=90)
JAIL = Jail(
    bwrap=Path("/usr/bin/bwrap"),
    host=Host(
        links={},
        folders=("/bin",),
        python=Path("/usr/bin/python3"),
        python_prefix=Path("/usr"),
        user_id=1000,
        group_id=1000,
    ),
    seccomp=None,
)
UNJAILED = Planner(
    settings=SETTINGS,
    jail=None,
    mcp_url="http://127.0.0.1:5001/mcp",
    api_url="http://127.0.0.1:5002",
)
JAILED = replace(UNJAILED, jail=JAIL)


def planned(planner: Planner, *, run_number: int = 1, is_resumed: bool = False) -> RunPlan:
    request = replace(REQUEST, run_number=run_number)
    message_uuid = "5f0c1f9e-0000-4000-8000-000000000000"
    return planner.plan(request, FOLDERS, message_uuid=message_uuid, is_resumed=is_resumed)


def option(plan: RunPlan, name: str) -> str:
    (value,) = [word for word in plan.spec.command if word.startswith(f"{name}=")]
    return value.removeprefix(f"{name}=")


def test_the_token_stands_in_no_argument_and_not_in_what_is_stored() -> None:
    for planner in (JAILED, UNJAILED):
        assert REQUEST.token not in repr(planned(planner).spec)
        assert REQUEST.token not in repr(planned(planner))


def test_in_a_jail_everything_secret_goes_through_descriptors() -> None:
    plan = planned(JAILED)

    assert plan.secrets.environment == {}
    assert any(b"the-secret-token" in content for content in plan.secrets.descriptors.values())
    assert plan.spec.wrappers == WRAPPERS


def test_in_a_jail_claude_sees_its_folders_its_program_and_its_brief() -> None:
    words = b"\0".join(planned(JAILED).secrets.descriptors.values()).split(b"\0")

    for path in ("/data/extensions/8d08ba4f", "/data/run/8d08ba4f/home", "/opt/claude", BRIEF):
        assert str(path).encode() in words
    # Else the job could write its own end.
    assert b"/data/run/8d08ba4f/1" not in words
    assert b"/data/run/8d08ba4f" not in words


def test_without_a_jail_it_calls_the_bot_itself_and_has_no_bash() -> None:
    plan = planned(UNJAILED)

    assert plan.secrets.environment["PAPERCUP_MCP_URL"] == "http://127.0.0.1:5001/mcp"
    assert plan.secrets.environment["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:5002"
    assert "IS_SANDBOX" not in plan.secrets.environment
    assert option(plan, "--tools") == "Read,Write,Edit,Glob,Grep"
    assert "Bash" not in " ".join(plan.spec.command)
    assert plan.spec.wrappers == 0


def test_in_a_jail_it_has_the_tools_that_are_set() -> None:
    assert option(planned(JAILED), "--tools") == "Read,Write,Edit,Glob,Grep,Bash"


def test_what_is_set_reaches_claude_and_its_runner() -> None:
    plan = planned(JAILED)

    assert option(plan, "--max-turns") == "7"
    assert option(plan, "--model") == "haiku"
    assert option(plan, "--append-system-prompt-file") == str(BRIEF)
    assert (plan.spec.cwd, plan.spec.timeout_seconds) == (Path(REQUEST.folder), 90)


def test_the_task_goes_through_stdin_as_it_is() -> None:
    plan = planned(JAILED)

    assert plan.spec.first_line is not None
    assert json.loads(plan.spec.first_line)["message"]["content"] == REQUEST.task
    assert REQUEST.task not in " ".join(plan.spec.command)


def test_a_run_that_is_resumed_goes_on_with_its_claude_session() -> None:
    first, second = planned(JAILED), planned(JAILED, is_resumed=True)

    assert option(first, "--session-id") == REQUEST.claude_session_id
    assert option(second, "--resume") == REQUEST.claude_session_id
    assert second.spec.first_line is not None
    assert json.loads(second.spec.first_line)["message"]["content"] == GO_ON


def test_a_later_run_that_claude_has_written_nothing_for_begins_anew_and_knows_it() -> None:
    plan = planned(JAILED, run_number=2)

    assert option(plan, "--session-id") == REQUEST.claude_session_id
    assert plan.spec.first_line is not None
    said = json.loads(plan.spec.first_line)["message"]["content"]
    assert said.startswith(GO_ON)
    assert said.endswith(REQUEST.task)


def test_a_session_can_go_on_once_claude_has_written_of_it(tmp_path: Path) -> None:
    folders = RunFolders(tmp_path)
    assert not folders.knows_session(REQUEST.claude_session_id)

    project = folders.home / ".claude" / "projects" / "-data-extensions-8d08ba4f"
    project.mkdir(parents=True)
    (project / f"{REQUEST.claude_session_id}.jsonl").touch()

    assert folders.knows_session(REQUEST.claude_session_id)
    assert not folders.knows_session("4f0c1f9e-0000-4000-8000-000000000000")


def test_the_limits_reach_the_runner() -> None:
    limited = replace(
        SETTINGS, memory_bytes=2**30, processes=99, cgroups=(Path("/sys/fs/cgroup/papercup"),)
    )
    plan = planned(replace(JAILED, settings=limited))

    assert (plan.spec.memory_bytes, plan.spec.processes) == (2**30, 99)
    assert plan.spec.cgroups == (Path("/sys/fs/cgroup/papercup"),)
    assert str(2**30).encode() in b"".join(plan.secrets.descriptors.values()).split(b"\0")


def test_the_brief_says_how_to_report_and_how_to_end() -> None:
    text = BRIEF.read_text(encoding="utf-8")

    assert "report_progress" in text
    assert "summary" in text


def test_a_run_that_asks_plugins_finds_the_relay_where_it_is() -> None:
    def relay_of(planner: Planner) -> str:
        plan = planner.plan(
            REQUEST, FOLDERS, message_uuid="5f0c", is_resumed=False, asks_plugins=True
        )
        hooks = json.loads(option(plan, "--settings"))["hooks"]
        command: str = hooks["PreToolUse"][0]["hooks"][0]["command"]
        return command.removesuffix(" closed 170 || exit 2")

    assert relay_of(JAILED) == "/usr/bin/python3 -I -S -E /opt/papercup/hook_relay.py"
    assert relay_of(UNJAILED) == shlex.join(program_command("hook_relay"))
    assert not any("--settings" in word for word in planned(JAILED).spec.command)


def test_skills_are_seen_in_the_jail_and_opened_only_there() -> None:
    pack = Path("/data/plugins/dice/skills/1")
    settings = replace(SETTINGS, skills=SkillShelf([pack]))
    jailed = planned(replace(JAILED, settings=settings))
    unjailed = planned(replace(UNJAILED, settings=settings))
    for plan in (jailed, unjailed):
        assert option(plan, "--plugin-dir") == str(pack)
        assert option(plan, "--allowedTools").endswith(",Skill")
    assert option(jailed, "--add-dir") == str(pack)
    assert str(pack).encode() in b"\0".join(jailed.secrets.descriptors.values()).split(b"\0")
    assert not any("--add-dir" in word for word in unjailed.spec.command)
