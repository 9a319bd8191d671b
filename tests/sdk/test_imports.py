"""The SDK needs the standard library alone, and little of that to start."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator

from tests.fakes.sdk_host import SDK

SLOW = {"asyncio", "concurrent.futures", "dataclasses", "inspect", "logging", "traceback"}
"""What takes longer to import than all of the SDK."""
RARE = {f"papercup_plugin.{name}" for name in ("async_context", "models", "providers", "widgets")}

PROGRAM = """
import json, sys
from papercup_plugin import Context, Plugin, streams
plugin = Plugin("x", version="1")
@plugin.tool
def say(phrase: str, ctx: Context) -> str:
    return phrase
plugin.registrations()
print(json.dumps(sorted(sys.modules)))
"""


def imported() -> Iterator[str]:
    for path in SDK.glob("papercup_plugin/**/*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                yield from (each.name for each in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0
                yield str(node.module)


def test_nothing_is_needed_but_the_standard_library() -> None:
    roots = {name.partition(".")[0] for name in imported()}

    assert roots - sys.stdlib_module_names == {"papercup_plugin"}


def test_a_plugin_that_needs_little_imports_little() -> None:
    ran = subprocess.run(
        [sys.executable, "-S", "-c", PROGRAM],
        env={"PYTHONPATH": str(SDK)},
        capture_output=True,
        check=True,
        timeout=30,
    )
    modules = set(json.loads(ran.stdout))

    assert modules & (SLOW | RARE) == set()


def test_whatever_is_exported_is_there() -> None:
    import papercup_plugin  # noqa: PLC0415 - all of it, lazily

    missing = [name for name in papercup_plugin.__all__ if getattr(papercup_plugin, name) is None]

    assert missing == []
    assert not hasattr(papercup_plugin, "no_such")
