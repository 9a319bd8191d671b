from pathlib import Path

import pytest

from extensions.claude.binary import NEEDED_OPTIONS, find_claude, missing_options, version_in
from extensions.errors import ClaudeNotFoundError


def script(path: Path, body: str) -> Path:
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o700)
    return path


async def test_the_configured_claude_is_taken(claude: Path) -> None:
    found = await find_claude(claude)

    assert (found.path, found.source) == (claude, "configured")
    assert found.version.count(".") == 2


async def test_the_operators_own_claude_comes_before_the_bundled_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = " ".join(NEEDED_OPTIONS)
    own = script(
        tmp_path / "claude",
        f'case "$1" in --version) echo "3.4.5 (Claude Code)";; *) echo "{options}";; esac',
    )
    monkeypatch.setenv("PATH", str(tmp_path))

    found = await find_claude(None)

    assert (found.path, found.version, found.source) == (own, "3.4.5", "path")


async def test_an_own_claude_that_is_too_old_is_passed_over(
    claude: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(tmp_path / "claude", 'echo "1.0.0 (Claude Code)"')
    monkeypatch.setenv("PATH", str(tmp_path))

    found = await find_claude(None)

    assert (found.path, found.source) == (claude, "bundled")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("echo hello", "it is not Claude Code"),
        ('echo "1.0.0 (Claude Code)"', "version 1.0.0 is too old, it has no --restricted"),
    ],
)
async def test_a_configured_claude_that_cannot_be_used_is_refused(
    tmp_path: Path, body: str, reason: str
) -> None:
    path = script(tmp_path / "claude", body)

    with pytest.raises(ClaudeNotFoundError) as refused:
        await find_claude(path)

    assert refused.value.looked_at == f"{path}: {reason}"


async def test_a_configured_claude_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ClaudeNotFoundError, match="No such file"):
        await find_claude(tmp_path / "claude")


def test_the_version_is_read_from_what_it_says() -> None:
    assert version_in("2.1.330 (Claude Code)\n") == "2.1.330"
    assert version_in("GNU bash, version 5.2.15") is None


def test_options_that_are_missing_are_named() -> None:
    assert missing_options("--restricted --strict-mcp-config --permission-prompts") == [
        "--system-prompt-snapshot"
    ]


async def test_a_claude_that_needs_a_home_to_say_what_it_knows_gets_an_empty_one(
    tmp_path: Path,
) -> None:
    options = " ".join(NEEDED_OPTIONS)
    body = f'[ -d "$HOME" ] && [ -z "$(ls -A "$HOME")" ] && echo "3.4.5 (Claude Code) {options}"'

    assert (await find_claude(script(tmp_path / "claude", body))).version == "3.4.5"
