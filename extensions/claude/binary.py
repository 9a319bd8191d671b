"""Finds the `claude` program that is used."""

import asyncio
import importlib.util
import logging
import re
import shutil
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from extensions.errors import ClaudeNotFoundError
from extensions.process.child import running_child

logger = logging.getLogger(__name__)

Source = Literal["configured", "path", "bundled"]

NEEDED_OPTIONS = (
    "--restricted",
    "--permission-prompts",
    "--strict-mcp-config",
    "--system-prompt-snapshot",
)
"""What an older `claude` does not know, and nothing may be started without."""

_TIMEOUT_SECONDS = 20.0
_OUTPUT_LIMIT_BYTES = 1 << 20
_VERSION = re.compile(r"(\d+\.\d+\.\d+)\S* \(Claude Code\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaudeBinary:
    """A `claude` program that can be used."""

    path: Path
    version: str
    source: Source
    """Whether the configuration names it, or it was found on PATH or in the package."""


async def find_claude(configured: Path | None) -> ClaudeBinary:
    """Return the `claude` to be used.

    That is the configured one; without one, the operator's own on PATH, if it is new enough; else
    the one in the package `claude-agent-sdk`.

    Raises:
        ClaudeNotFoundError: If there is none that can be used; it says why.
    """
    reasons: list[str] = []
    for source, path in _candidates(configured):
        try:
            version = await _probe(path)
        except _UnusableError as error:
            logger.warning("claude: cannot use %s (%s): %s", path, source, error)
            reasons.append(f"{path}: {error}")
        else:
            return ClaudeBinary(path=path, version=version, source=source)
    raise ClaudeNotFoundError("; ".join(reasons) or "nothing on PATH, none in claude-agent-sdk")


def bundled_claude() -> Path | None:
    """Return the `claude` in the package `claude-agent-sdk`; `None` if it is not there."""
    # Looked up without an import: the package takes 70 MB and half a second.
    spec = importlib.util.find_spec("claude_agent_sdk")
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / "_bundled" / "claude"
    return path if path.is_file() else None


def version_in(text: str) -> str | None:
    """Return the version in what `claude --version` says; `None` if it is not Claude Code's."""
    found = _VERSION.search(text)
    return found[1] if found else None


def missing_options(help_text: str) -> list[str]:
    """Return the needed options that the text of `claude --help` does not name."""
    return [option for option in NEEDED_OPTIONS if option not in help_text]


class _UnusableError(Exception):
    """A candidate cannot be used."""


def _candidates(configured: Path | None) -> list[tuple[Source, Path]]:
    if configured is not None:
        return [("configured", configured.absolute())]
    on_path = shutil.which("claude")
    bundled = bundled_claude()
    found: list[tuple[Source, Path]] = (
        [] if on_path is None else [("path", Path(on_path).absolute())]
    )
    return found if bundled is None else [*found, ("bundled", bundled)]


async def _probe(path: Path) -> str:
    version = version_in(await _said_by([str(path), "--version"]))
    if version is None:
        raise _UnusableError("it is not Claude Code")
    missing = missing_options(await _said_by([str(path), "--help"]))
    if missing:
        raise _UnusableError(f"version {version} is too old, it has no {missing[0]}")
    return version


@asynccontextmanager
async def _in_an_empty_home() -> AsyncGenerator[dict[str, str], None]:
    """Yield an environment that leaves nothing behind; without a home it says nothing of use."""
    with tempfile.TemporaryDirectory(prefix="papercup-claude-") as home:
        yield {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "DISABLE_AUTOUPDATER": "1",
            "HOME": home,
            "TMPDIR": home,
        }


async def _said_by(command: Sequence[str]) -> str:
    try:
        async with (
            asyncio.timeout(_TIMEOUT_SECONDS),
            _in_an_empty_home() as env,
            running_child(command, cwd=Path("/"), env=env, grace_seconds=0.0) as child,
        ):
            assert child.stdout is not None
            output = bytearray()
            while data := await child.stdout.read(65536):
                output += data
                if len(output) > _OUTPUT_LIMIT_BYTES:
                    raise _UnusableError("it says far too much")
            return output.decode(errors="replace")
    except TimeoutError:
        raise _UnusableError(f"it said nothing within {_TIMEOUT_SECONDS:g} seconds") from None
    except OSError as error:
        raise _UnusableError(error.strerror or str(error)) from error
