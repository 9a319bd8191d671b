"""What plugins may change at each hook is what the host takes there."""

from collections.abc import Mapping
from typing import Any

import pytest

from extensions.hooks import HookPoint
from extensions.plugins.hook_patches import BadPatch, effective_patch
from papercup_plugin.conformance import Level
from papercup_plugin.conformance.kinds import Anything, Kind
from papercup_plugin.conformance.patches import SEP, STDIO, findings_of_outcome
from papercup_plugin.conformance.samples import right, wrong
from papercup_plugin.conformance.sep_frames import HOOKS
from papercup_plugin.conformance.stdio_frames import HOOKS as STDIO_HOOKS

SEEN = {"argv": ["ls"], "command": "ls"}


def taken(hook: str, patch: Mapping[str, Any]) -> dict[str, Any] | BadPatch:
    return effective_patch(HookPoint(hook), patch, SEEN, is_own_tool=True)


def test_every_hook_is_there() -> None:
    assert (list(SEP), set(STDIO)) == (list(HOOKS), set(STDIO_HOOKS))


@pytest.mark.parametrize(
    ("hook", "name", "kind"),
    [(hook, name, kind) for hook, kinds in SEP.items() for name, kind in kinds.items()],
)
def test_what_may_be_changed_the_host_takes_and_nothing_else(
    hook: str, name: str, kind: Kind
) -> None:
    change = taken(hook, {name: right(kind), "nobody_knows_this": 1})

    assert isinstance(change, dict)
    assert "nobody_knows_this" not in change
    assert change[name] == right(kind)
    assert not isinstance(kind, Anything)
    assert [why for why, value in wrong(kind) if isinstance(taken(hook, {name: value}), dict)] == []


def levels(hook: str, result: Any) -> list[Level]:
    return [finding.level for finding in findings_of_outcome(hook, result)]


@pytest.mark.parametrize(
    ("hook", "result"),
    [
        ("input", {"action": "continue"}),
        ("input", {"action": "modify", "patch": {"text": "a"}}),
        ("tool_call", {"action": "block", "reason": "no"}),
        ("before_message", None),
        ("before_message", {"decision": "transform", "transformed_body": "a"}),
        ("before_tool_call", {"abort": True, "reason": "no"}),
        ("after_tool_call", {"override": {"result": {"any": 1}}}),
    ],
)
def test_what_has_an_effect_is_not_complained_of(hook: str, result: Any) -> None:
    assert levels(hook, result) == []


@pytest.mark.parametrize(
    ("hook", "result", "level"),
    [
        ("input", {"action": "block"}, Level.WARN),
        ("input", {"action": "modify", "patch": {"prompt": "a"}}, Level.WARN),
        ("input", {"action": "modify", "patch": {"text": 7}}, Level.FAIL),
        ("tool_call", {"action": "modify", "patch": {"arguments": {}}}, Level.WARN),
        ("before_message", {"decision": "block"}, Level.WARN),
        ("before_message", {"override": {"text": None}}, Level.FAIL),
        ("after_tool_call", {"abort": True, "reason": "no"}, Level.FAIL),
    ],
)
def test_what_has_none_is_named(hook: str, result: Any, level: Level) -> None:
    assert levels(hook, result) == [level]
