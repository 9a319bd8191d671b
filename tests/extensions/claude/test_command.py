import json
from dataclasses import replace
from pathlib import Path

import pytest

from extensions.claude.command import (
    JobOptions,
    SpeakerOptions,
    claude_environment,
    job_command,
    mcp_config,
    speaker_command,
)

SPEAKER = SpeakerOptions(
    claude=Path("/opt/claude"),
    claude_session_id="11111111-1111-4111-8111-111111111111",
    is_resumed=False,
    system_prompt_file=Path("/prompts/speaker.md"),
)
JOB = JobOptions(
    claude=Path("/opt/claude"),
    claude_session_id="11111111-1111-4111-8111-111111111111",
    is_resumed=False,
    append_system_prompt_file=Path("/prompts/job.md"),
    tools=("Read", "Write", "Bash"),
)


def test_a_speaker_may_read_its_folder_and_call_the_bots_tools() -> None:
    assert speaker_command(SPEAKER) == [
        "/opt/claude",
        "-p",
        "--input-format=stream-json",
        "--output-format=stream-json",
        "--verbose",
        "--include-partial-messages",
        "--restricted",
        "--strict-mcp-config",
        "--permission-prompts=none",
        "--permission-mode=dontAsk",
        "--tools=Read,Glob,Grep",
        "--allowedTools=mcp__papercup",
        f"--mcp-config={mcp_config()}",
        "--system-prompt-file=/prompts/speaker.md",
        "--system-prompt-snapshot=off",
        "--session-id=11111111-1111-4111-8111-111111111111",
    ]


def test_a_speaker_that_may_do_everything_is_not_confined_and_reads_no_settings_all_the_same() -> (
    None
):
    command = speaker_command(
        replace(SPEAKER, permission_mode="bypassPermissions", tools=("Read", "Bash"))
    )

    assert "--restricted" not in command
    assert {
        "--setting-sources=",
        "--strict-mcp-config",
        "--permission-prompts=none",
        "--permission-mode=bypassPermissions",
        "--tools=Read,Bash",
    } <= set(command)


@pytest.mark.parametrize("mode", ["dontAsk", "acceptEdits", "plan", "auto"])
def test_in_every_other_mode_a_speaker_is_confined(mode: str) -> None:
    command = speaker_command(replace(SPEAKER, permission_mode=mode))

    assert {"--restricted", f"--permission-mode={mode}"} <= set(command)


def test_a_speaker_has_the_servers_that_it_is_given_beside_the_bots_own() -> None:
    notes = {"type": "stdio", "command": "notes", "args": [], "env": {}}
    command = speaker_command(
        replace(SPEAKER, mcp_servers={"notes": notes}, mcp_tools=("mcp__notes__read",))
    )

    assert "--allowedTools=mcp__papercup,mcp__notes__read" in command
    (config,) = [one for one in command if one.startswith("--mcp-config=")]
    servers = json.loads(config.removeprefix("--mcp-config="))["mcpServers"]
    assert servers == {"notes": notes, **json.loads(mcp_config())["mcpServers"]}


def test_a_job_may_use_each_of_its_tools_unasked() -> None:
    assert job_command(JOB) == [
        "/opt/claude",
        "-p",
        "--input-format=stream-json",
        "--output-format=stream-json",
        "--verbose",
        "--restricted",
        "--strict-mcp-config",
        "--permission-prompts=none",
        "--permission-mode=acceptEdits",
        "--tools=Read,Write,Bash",
        "--allowedTools=mcp__papercup,Read,Write,Bash",
        f"--mcp-config={mcp_config()}",
        "--append-system-prompt-file=/prompts/job.md",
        "--max-turns=100",
        "--session-id=11111111-1111-4111-8111-111111111111",
    ]


def test_a_session_that_goes_on_is_resumed_with_the_chosen_model() -> None:
    options = SpeakerOptions(
        claude=SPEAKER.claude,
        claude_session_id=SPEAKER.claude_session_id,
        is_resumed=True,
        system_prompt_file=SPEAKER.system_prompt_file,
        model="sonnet",
        effort="low",
    )

    assert speaker_command(options)[-3:] == [
        "--resume=11111111-1111-4111-8111-111111111111",
        "--model=sonnet",
        "--effort=low",
    ]


def test_the_mcp_configuration_holds_no_secret() -> None:
    (server,) = json.loads(mcp_config())["mcpServers"].items()

    assert server == (
        "papercup",
        {
            "type": "http",
            "url": "${PAPERCUP_MCP_URL}",
            "headers": {"Authorization": "Bearer ${PAPERCUP_TOKEN}"},
            "alwaysLoad": True,
            "timeout": 600_000,
        },
    )


def test_the_environment_is_built_from_nothing() -> None:
    environment = claude_environment(
        home=Path("/data/home"),
        tmp=Path("/data/tmp"),
        path="/usr/bin:/bin",
        token="t0ken",
        mcp_url="http://127.0.0.1:1/mcp",
        api_url="http://127.0.0.1:2",
        max_retries=3,
    )

    assert environment == {
        "PATH": "/usr/bin:/bin",
        "HOME": "/data/home",
        "TMPDIR": "/data/tmp",
        "LANG": "C.UTF-8",
        "ANTHROPIC_API_KEY": "t0ken",
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:2",
        "PAPERCUP_MCP_URL": "http://127.0.0.1:1/mcp",
        "PAPERCUP_TOKEN": "t0ken",
        "CLAUDE_CODE_MAX_RETRIES": "3",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_DISABLE_FILE_MENTIONS": "1",
        "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
        "CLAUDE_CODE_DISABLE_BUNDLED_SKILLS": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


@pytest.mark.parametrize(
    "command",
    [
        speaker_command(replace(SPEAKER, hook_relay=("/opt/my python", "relay.py"))),
        job_command(replace(JOB, hook_relay=("/opt/my python", "relay.py"))),
    ],
)
def test_hooks_that_ask_plugins_come_as_settings(command: list[str]) -> None:
    (option,) = [word for word in command if word.startswith("--settings=")]
    hooks = json.loads(option.removeprefix("--settings="))["hooks"]

    relay = "'/opt/my python' relay.py"
    assert hooks["PreToolUse"] == [
        {
            "matcher": "^(?!mcp__papercup__)",
            "hooks": [
                {"type": "command", "command": f"{relay} closed 170 || exit 2", "timeout": 180}
            ],
        }
    ]
    opened = {"type": "command", "command": f"{relay} open 30", "timeout": 40}
    assert hooks["PostToolUse"] == hooks["PostToolUseFailure"]
    assert hooks["PostToolUse"] == [{"matcher": "^(?!mcp__papercup__)", "hooks": [opened]}]
    assert hooks["PreCompact"] == [{"hooks": [opened]}]
    assert (
        hooks["PostCompact"] == hooks["PostToolBatch"] == [{"hooks": [{**opened, "async": True}]}]
    )


def test_without_plugins_there_are_no_settings() -> None:
    for command in (speaker_command(SPEAKER), job_command(JOB)):
        assert not any(word.startswith("--settings") for word in command)


@pytest.mark.parametrize("may_open", [True, False])
def test_skills_come_with_the_tool_that_reads_them(*, may_open: bool) -> None:
    skills = (Path("/data/plugins/dice/skills/1"), Path("/data/plugins/ci/skills/2"))
    speaker = replace(SPEAKER, skills=skills, may_open_skills=may_open)
    job = replace(JOB, skills=skills, may_open_skills=may_open)
    for command, without in (
        (speaker_command(speaker), speaker_command(SPEAKER)),
        (job_command(job), job_command(JOB)),
    ):
        (tools,) = [word for word in command if word.startswith("--tools=")]
        assert tools.endswith(",Skill")
        added = [word for word in command if word not in without]
        folders = [word for word in added if word.startswith(("--plugin-dir", "--add-dir"))]
        assert folders == [f"--plugin-dir={folder}" for folder in skills] + (
            [f"--add-dir={folder}" for folder in skills] if may_open else []
        )


def test_without_skills_there_is_no_tool_to_read_them() -> None:
    for command in (speaker_command(SPEAKER), job_command(JOB)):
        assert not any("Skill" in word or "-dir" in word for word in command)
