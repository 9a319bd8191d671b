import subprocess
import sys
import tomllib
from pathlib import Path

from voice.installed import missing, packages

ROOT = Path(__file__).parents[2]


def test_nothing_is_missing_here() -> None:
    assert missing() == ()


def test_exactly_the_packages_of_the_extra_are_looked_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = project["optional-dependencies"]["voice"]

    assert sorted(packages()) == sorted(name.partition(">")[0].partition("=")[0] for name in named)


def test_without_any_package_all_are_missing_and_it_still_runs() -> None:
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from voice.installed import VOICE_MISSING, missing\n"
        "print(len(missing()))\n"
        "print(VOICE_MISSING)"
    )
    command = [sys.executable, "-I", "-S", "-c", script]

    done = subprocess.run(command, capture_output=True, text=True, check=True)

    count, said = done.stdout.splitlines()
    assert int(count) == len(packages())
    assert "papercup[voice]" in said
