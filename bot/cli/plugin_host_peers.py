"""The plugins by which Papercup's host is tested: each says what it is told to say."""

from collections.abc import Iterable, Mapping
from typing import Any

from bot.cli.plugin_host_ground import COMMANDS_ALONE, UNGRANTED, PeerSpec
from extensions.plugins.manifest import Dialect
from papercup_plugin.conformance.host_answers import GREETINGS, AnswerCase

PEER, BARE, STDIO = "peer", "bare", "stdio-peer"
EVENT = "turn_start"
"""What the first of them has subscribed to."""

_NAMED: Mapping[str, Any] = {"description": "Is tried."}
_COMMANDS = [{"name": name, **_NAMED} for name in ("control", "probe")]
_OFFERS: Mapping[str, Any] = {
    "tools": [{"name": "probe", "parameters": {"type": "object"}, **_NAMED}],
    "commands": _COMMANDS,
    "subscriptions": [EVENT],
    "providers": [{"name": "parrot", "models": [{"id": "grey"}]}],
    "hooks": ["tool_call", "input"],
}


def peers() -> Iterable[PeerSpec]:
    """Yield those that are steered while the host is tested."""
    yield PeerSpec(id=PEER, dialect=Dialect.SEP, answers=_answers(**_OFFERS))
    unhooked = _answers(**{**_OFFERS, "hooks": []})
    yield PeerSpec(id=UNGRANTED, dialect=Dialect.SEP, answers=unhooked)
    yield PeerSpec(id=BARE, dialect=Dialect.SEP, answers=unhooked, capabilities=COMMANDS_ALONE)
    tools = [
        {"name": name, "input_schema": {"type": "object"}, **_NAMED}
        for name in ("control", "probe")
    ]
    hooks = ["before_tool_call", "before_message"]
    yield PeerSpec(
        id=STDIO,
        dialect=Dialect.STDIO,
        answers={
            "initialize": {"result": {"tools": tools, "hooks": hooks}},
            "hooks/before_tool_call": {"result": None},
            "hooks/before_message": {"result": None},
        },
    )


def greeting_peers() -> Iterable[PeerSpec]:
    """Yield one for each answer to `initialize`."""
    for case in GREETINGS:
        yield PeerSpec(
            id=greeting_id(case),
            dialect=Dialect(case.dialect.value),
            answers={case.method: case.members},
        )


def greeting_id(case: AnswerCase) -> str:
    """Return what the plugin is called that answers `initialize` so."""
    return f"greeting-{GREETINGS.index(case)}"


def _answers(**offers: Any) -> dict[str, Any]:
    greeting = {"protocol_version": 1, "extension": {"name": "peer", "version": "1.0.0"}}
    return {
        "initialize": {"result": {**greeting, "registrations": offers}},
        "tool/execute": {"result": {"content": "text"}},
        "hook": {"result": {"action": "continue"}},
        "ping": {"result": {}},
        "shutdown": {"result": {}},
    }
