#!/usr/bin/env python3
"""Pins the version of every package, those that others need included, in pyproject.toml.

The lock file of uv records download addresses, and so depends on the index of whoever made it.
What is written here are names, versions and environment markers alone.

Usage: pin.py [--upgrade]
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUN_PINS = "constraint-dependencies"
BUILD_PINS = "build-constraint-dependencies"

_QUIET = ("--quiet", "--no-annotate", "--no-header")


def main(arguments: Sequence[str]) -> None:
    """Write the pins, and say how many there are."""
    parser = argparse.ArgumentParser(description="Pin every version in pyproject.toml.")
    parser.add_argument("--upgrade", action="store_true", help="take the newest ones that fit")
    upgrade: bool = parser.parse_args(arguments).upgrade
    project = ROOT / "pyproject.toml"
    text = project.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pyproject.toml").write_text(with_pins(text, [], []), encoding="utf-8")
        _copy_members(folder, text)
        run_pins = _run_pins(folder, upgrade=upgrade)
        build_pins = _build_pins(folder, text, upgrade=upgrade)
    project.write_text(with_pins(text, run_pins, build_pins), encoding="utf-8")
    sys.stdout.write(f"{len(run_pins)} packages are pinned, and {len(build_pins)} to build with\n")


def _copy_members(folder: Path, text: str) -> None:
    """Put what is said of the other packages of the workspace beside a copy of pyproject.toml."""
    for member in tomllib.loads(text)["tool"]["uv"].get("workspace", {}).get("members", []):
        (folder / member).mkdir(parents=True)
        shutil.copy(ROOT / member / "pyproject.toml", folder / member)


def with_pins(text: str, run_pins: Sequence[str], build_pins: Sequence[str]) -> str:
    """Return the text of a pyproject.toml with these pins in place of its own.

    Raises:
        ValueError: If it has no place for them.
    """
    for key, pins in ((RUN_PINS, run_pins), (BUILD_PINS, build_pins)):
        block = "".join(f'  "{pin}",\n' for pin in pins)
        start, found, rest = text.partition(f"\n{key} = [\n")
        _, end, rest = rest.partition("]\n") if rest.startswith("]\n") else rest.partition("\n]\n")
        if not found or not end:
            raise ValueError(f"no `{key} = [` on a line of its own, with `]` on another")
        text = f"{start}{found}{block}]\n{rest}"
    return text


def pinned_versions(pins: Sequence[str]) -> dict[str, str]:
    """Return the version of each package, by its name in the normal spelling.

    Raises:
        ValueError: If one of `pins` is not an exact version.
    """
    versions: dict[str, str] = {}
    for pin in pins:
        match = re.fullmatch(r"([a-z0-9-]+)==([^\s;]+)( ; .+)?", pin)
        if match is None:
            raise ValueError(f"not an exact version: {pin!r}")
        versions[match[1]] = match[2]
    return versions


def _run_pins(folder: Path, *, upgrade: bool) -> list[str]:
    """Return a pin for each package that the project in `folder` needs, on any machine."""
    lock = ROOT / "uv.lock"
    if not upgrade:
        if not lock.exists():
            _uv(ROOT, "lock")
        # uv keeps to the versions in it, as far as they still fit.
        shutil.copy(lock, folder)
    options = ("--no-hashes", "--no-emit-project", "--all-groups")
    return _lines(_uv(folder, "export", *_QUIET, *options))


def _build_pins(folder: Path, text: str, *, upgrade: bool) -> list[str]:
    """Return a pin for each package that is needed to build the project."""
    document = tomllib.loads(text)
    known = folder / "constraints.txt"
    known.write_text("" if upgrade else "\n".join(document["tool"]["uv"][BUILD_PINS]))
    wanted = folder / "requirements.in"
    wanted.write_text("\n".join(document["build-system"]["requires"]))
    options = ("--universal", "--python-version=3.11", f"--constraints={known.name}")
    return _lines(_uv(folder, "pip", "compile", *_QUIET, *options, wanted.name))


def _lines(text: str) -> list[str]:
    # In pyproject.toml they stand between double quotes.
    return [line.replace('"', "'") for line in text.splitlines() if line and line[0] not in "#-"]


def _uv(folder: Path, *arguments: str) -> str:
    uv = shutil.which("uv")
    if uv is None:
        sys.exit("uv is needed: pip install uv")
    done = subprocess.run([uv, *arguments], cwd=folder, stdout=subprocess.PIPE, text=True)  # noqa: PLW1510 - see below
    if done.returncode != 0:
        # uv has said why.
        sys.exit(done.returncode)
    return done.stdout


if __name__ == "__main__":
    main(sys.argv[1:])
