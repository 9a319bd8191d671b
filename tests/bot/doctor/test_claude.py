from pathlib import Path

import pytest

from bot.config import Config, DiscordConfig, JobsConfig, SpeakerConfig
from bot.doctor.claude import check_claude, check_jail, judge_jail
from bot.doctor.finding import Grade
from extensions.claude.binary import bundled_claude
from extensions.process.jail.bubblewrap import Jail, this_host
from extensions.process.jail.probe import JailReport

BWRAP = Jail(bwrap=Path("/usr/bin/bwrap"), host=this_host(), seccomp=b"filter")


def config_with(claude: Path | None) -> Config:
    return Config(data_dir=Path("/data"), speaker=SpeakerConfig(claude=claude))


def a_program(folder: Path, script: str) -> Path:
    path = folder / "claude"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


async def test_the_real_claude_starts() -> None:
    finding, claude = await check_claude(config_with(bundled_claude()))

    assert finding.grade is Grade.OK
    assert finding.text.endswith("which starts")
    assert claude is not None
    assert claude.version in finding.text


async def test_without_a_claude_it_fails_and_says_where_to_get_one(tmp_path: Path) -> None:
    finding, claude = await check_claude(config_with(tmp_path / "missing"))

    assert (finding.grade, claude) == (Grade.FAIL, None)
    assert "Install Claude Code" in str(finding.mend)


async def test_a_claude_that_does_not_start_is_a_failure(tmp_path: Path) -> None:
    real = bundled_claude()
    script = f"""case "$*" in
        --version|--help) exec {real} "$@" ;;
        *) echo "no such luck" >&2; exit 3 ;;
    esac"""
    finding, claude = await check_claude(config_with(a_program(tmp_path, script)))

    assert (finding.grade, claude) == (Grade.FAIL, None)
    assert "does not start" in finding.text
    assert "no such luck" in finding.text


@pytest.mark.parametrize(
    ("report", "required", "grade", "said"),
    [
        (JailReport(jail=BWRAP), False, Grade.OK, "bubblewrap (/usr/bin/bwrap)"),
        (JailReport(jail=BWRAP, reasons=("x: old",)), True, Grade.OK, "tried before: x: old"),
        (JailReport(jail=None, reasons=("no",)), False, Grade.WARN, "jobs have no Bash: no"),
        (JailReport(jail=None, reasons=("no",)), True, Grade.FAIL, "no job can be started: no"),
    ],
)
def test_what_follows_from_the_jail_is_said(
    report: JailReport, grade: Grade, said: str, *, required: bool
) -> None:
    finding = judge_jail(report, is_required=required)

    assert finding.grade is grade
    assert said in finding.text


async def test_a_jail_that_is_switched_off_is_a_warning() -> None:
    config = Config(
        data_dir=Path("/data"),
        jobs=JobsConfig(jail="off"),
        discord=DiscordConfig(allowed_user_ids=(1,)),
    )
    assert (await check_jail(config, None)).grade is Grade.WARN


async def test_the_jail_is_tried_out() -> None:
    finding = await check_jail(Config(data_dir=Path("/data")), None)

    assert finding.grade in {Grade.OK, Grade.WARN}
    assert "jail" not in finding.text or finding.grade is Grade.WARN
