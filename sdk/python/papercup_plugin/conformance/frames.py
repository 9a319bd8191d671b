"""All that can stand on a line, by name, and whether something does. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from papercup_plugin.conformance import common_frames, sep_frames, sep_questions, stdio_frames
from papercup_plugin.conformance.kinds import complaints_about
from papercup_plugin.conformance.methods import Dialect, Method, Side

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from papercup_plugin.conformance.kinds import Complaint, Kind

METHODS: Mapping[Dialect, tuple[Method, ...]] = {
    Dialect.SEP: (*sep_frames.OF_HOST, *sep_questions.OF_PLUGIN),
    Dialect.STDIO: stdio_frames.OF_HOST,
}
"""Everything that is asked and told."""

_PARTS: dict[str, Kind] = {
    "request": common_frames.REQUEST,
    "notification": common_frames.NOTIFICATION,
    "success": common_frames.SUCCESS,
    "failure": common_frames.FAILURE,
    "error": common_frames.ERROR,
    "context": common_frames.CONTEXT,
    "render block": common_frames.RENDER_BLOCK,
    "registrations": sep_frames.REGISTRATIONS,
    "tool": sep_frames.TOOL,
    "provider": sep_frames.PROVIDER,
    "model": sep_frames.MODEL,
    "completion": sep_frames.COMPLETION,
    "hook outcome": sep_frames.OUTCOME,
}


def _named() -> Iterator[tuple[str, Kind]]:
    yield from _PARTS.items()
    for dialect, methods in METHODS.items():
        for method in methods:
            whose = f"{dialect} {method.by} {method.name}"
            yield f"{whose} params", method.params
            if method.result is not None:
                yield f"{whose} result", method.result


FRAMES: Mapping[str, Kind] = dict(_named())
"""What each may be, such as `request`, or `sep host tool/execute result`: what comes back when a
host asks a plugin that."""


def check(frame_kind: str, value: Any) -> list[Complaint]:
    """Return what is wrong with something that was said; nothing, if it is as it has to be.

    Raises:
        KeyError: If there is no such kind; FRAMES has those that there are.
    """
    return complaints_about(FRAMES[frame_kind], value)


def find_method(dialect: Dialect, by: Side, name: str) -> Method | None:
    """Return what somebody asks or tells; `None` if there is no such thing."""
    return next((each for each in METHODS[dialect] if each.by is by and each.name == name), None)
