"""`docs/soak.md`: what was seen, part by part."""

import datetime as dt
import platform
import re
from pathlib import Path

import psutil

from tests.soak.findings import Findings

PAGE = Path(__file__).resolve().parents[2] / "docs" / "soak.md"

_HEAD = """\
# Soak

What became of bots that were killed again and again: the real bot, `claude`, runners and jails, on
a simulated Discord and a simulated model; of voice lines that were broken, disturbed, and used for
a long time; of plugins that did all that they must not; and of packages that must not be installed.
Written by `just soak`; a part that was not run again stays as it was.
"""
_MOST_SHOWN = 20


def write_part(name: str, sentence: str, findings: Findings, page: Path = PAGE) -> None:
    """Put a part into the page, in place of an older one of that name."""
    parts = _parts(page)
    parts[name] = part(name, sentence, findings)
    page.write_text("\n".join([_HEAD, *parts.values()]), encoding="utf-8")


def part(name: str, sentence: str, findings: Findings) -> str:
    """Return a part: a table of the checks, what was amiss, and the figures."""
    lines = [f"## {name}", "", sentence, "", f"{_today()}, {machine()}.", ""]
    lines += ["| what must hold | looked at | violations |", "|---|---:|---:|"]
    for check, count in findings.looked_at.items():
        lines.append(f"| {check} | {count} | {len(findings.of(check))} |")
    lines.append("")
    shown = findings.violations[:_MOST_SHOWN]
    lines += [f"- {_in_one_line(str(violation))}" for violation in shown]
    if len(findings.violations) > len(shown):
        lines.append(f"- and {len(findings.violations) - len(shown)} more")
    lines += [""] if shown else []
    lines += ["| figure | |", "|---|---|"]
    lines += [f"| {figure} | {value} |" for figure, value in findings.figures.items()]
    return "\n".join([*lines, ""])


def machine() -> str:
    """Return what the machine is like, without its name."""
    memory = round(psutil.virtual_memory().total / (1 << 30))
    system = f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}"
    python = platform.python_version()
    return f"{psutil.cpu_count()} cores, {memory} GB of memory, {system}, Python {python}"


def _today() -> str:
    return dt.datetime.now(tz=dt.UTC).date().isoformat()


def _parts(page: Path) -> dict[str, str]:
    if not page.exists():
        return {}
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"^## .*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return {one.splitlines()[0].removeprefix("## "): one.rstrip() + "\n" for one in found}


def _in_one_line(text: str) -> str:
    return " ".join(text.split())[:300]
