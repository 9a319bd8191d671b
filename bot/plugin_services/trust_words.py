"""What a plugin asks to be trusted with, in plain words. Pure.

Names in it are the plugin's own words: data, made harmless to show, on one line each.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from bot.quoting import cleaned
from extensions.plugins.environment import environment_names
from extensions.plugins.manifest import Candidate, Manifest, Scope, Tier
from extensions.plugins.packages.origin import Origin

_MOST_NAMES = 20
_LONGEST_NAME = 120
_LONGEST_TEXT = 300

_MESSAGES = "read what people say before it is answered, change it, or keep it from being answered"
_TOOL_CALLS = "see each use of a tool, and forbid it"
_TOOL_RESULTS = "read what tools give back, and change it"
_ANSWERS = "read the answers, and change what is shown of them"
_HOOKS = {
    "input": _MESSAGES,
    "before_message": _MESSAGES,
    "before_agent_start": "add to what the speaker is told",
    "context": "read the whole conversation, and change what the model sees of it",
    "before_provider_request": "read each request to the model, and change it",
    "tool_call": _TOOL_CALLS,
    "before_tool_call": _TOOL_CALLS,
    "tool_result": _TOOL_RESULTS,
    "after_tool_call": _TOOL_RESULTS,
    "message_end": _ANSWERS,
    "after_message": _ANSWERS,
    "user_bash": "see each program that is run for a plugin, and forbid it",
    "session_before_compact": "change how a long session is summed up, or keep it from being",
    "session_before_tree": "keep a session from going on from an earlier point",
}
_SCOPES = {
    Scope.SEARCH_PATH: "in a folder that the configuration names",
    Scope.PROJECT: "of a project",
    Scope.USER: "of this user",
    Scope.SMOOTH: "of this user, for smooth",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedVariable:
    """A variable of the bot's environment that a plugin asks for."""

    name: str
    is_set: bool
    is_own: bool
    """Whether it is a secret of the bot's own, which no plugin ever gets."""

    @property
    def words(self) -> str:
        """What is shown of it; never its value."""
        if self.is_own:
            return f"{_one_line(self.name)} (the bot's own: it does not get that)"
        return f"{_one_line(self.name)}{'' if self.is_set else ' (not set)'}"


def wanted_variables(
    manifest: Manifest, environment: Mapping[str, str], own_names: Iterable[str]
) -> tuple[WantedVariable, ...]:
    """Return the variables that a plugin asks for, by name."""
    own = frozenset(own_names)
    return tuple(
        WantedVariable(name=name, is_set=bool(environment.get(name)), is_own=name in own)
        for name in environment_names(manifest)
    )


def title_words(candidate: Candidate) -> str:
    """Return in a line which plugin it is, and where it was found."""
    manifest = candidate.manifest
    name = _one_line(manifest.name)
    called = manifest.id if name == manifest.id else f"{manifest.id} ({name})"
    whose = _SCOPES[candidate.scope]
    return f"{called} {_one_line(manifest.version)}, {whose}: {_one_line(str(candidate.folder))}"


def description_words(manifest: Manifest) -> str:
    """Return what a plugin says that it is for; empty if it does not."""
    return _one_line(manifest.description, _LONGEST_TEXT)


def origin_words(origin: Origin | None) -> str:
    """Return where a plugin came from; empty if it was not installed, or nobody knows."""
    if origin is None:
        return ""
    who = "" if origin.is_known else " (so the project says)"
    changed = "" if origin.is_unchanged else ", and was changed since"
    return f"{_one_line(origin.resolved, _LONGEST_TEXT)}{who}{changed}"


def capability_words(manifest: Manifest) -> tuple[str, ...]:
    """Return what a plugin asks for, each the end of a sentence that begins with "It may".

    The variables of the environment are not among it.
    """
    return tuple(_capabilities(manifest))


def refusal_words(manifest: Manifest) -> tuple[str, ...]:
    """Return what a plugin asks for that it does not get: a sentence each."""
    return tuple(_one_line(each, _LONGEST_TEXT) for each in manifest.unserved)


def _capabilities(manifest: Manifest) -> Iterator[str]:
    yield from _programs(manifest)
    yield from _offers(manifest)
    yield from _hooks(manifest)
    declared = manifest.capabilities
    if declared.events:
        yield f"be told of what happens: {_names(declared.events)}"
    if declared.ui:
        yield "show people messages and widgets, and ask them questions"
    if declared.session:
        yield (
            "act in the session for which it works: post messages, say something in a person's"
            " stead, and change the model"
        )
    if declared.exec:
        yield "have programs run in a jail"
    if declared.kv:
        yield "keep values"
    if declared.bus:
        yield "exchange messages with other plugins"
    if manifest.passes_context:
        yield "be told with each use of its tools in which session that is"


def _programs(manifest: Manifest) -> Iterator[str]:
    if manifest.run is not None:
        command = " ".join((manifest.run.command, *manifest.run.args))
        yield f"run, with all that this user may do: {_one_line(command, _LONGEST_TEXT)}"
    if manifest.wrapper is not None:
        command = " ".join(manifest.wrapper.command)
        yield f"run for each use, with all that this user may do: {_one_line(command)}"
    for name, server in sorted(manifest.mcp_servers.items()):
        if server.command is not None:
            command = _one_line(" ".join((server.command, *server.args)), _LONGEST_TEXT)
            yield f"run the MCP server {_one_line(name)}, with all that this user may do: {command}"
        else:
            yield f"call the MCP server {_one_line(name)}: {_one_line(server.url or '')}"


def _offers(manifest: Manifest) -> Iterator[str]:
    declared = manifest.capabilities
    if manifest.tier is Tier.WRAPPER and manifest.wrapper is not None:
        yield f"offer models a tool: {_one_line(manifest.wrapper.tool)}"
    elif manifest.tier is Tier.PROCESS and declared.tools is None:
        yield "offer models tools"
    elif declared.tools:
        yield f"offer models tools: {_names(declared.tools)}"
    if declared.commands:
        yield "offer slash commands"
    if declared.providers is None:
        yield "give access to models"
    elif declared.providers:
        yield f"give access to models: {_names(declared.providers)}"
    for kind, paths in (
        ("skills", manifest.resources.skills),
        ("prompts", manifest.resources.prompts),
    ):
        if paths:
            yield f"bring {kind}, which models read: {_names(paths)}"


def _hooks(manifest: Manifest) -> Iterator[str]:
    hooks = manifest.capabilities.hooks
    if hooks is None:
        yield (
            "have a say at every point at which plugins are asked: read and change what people say"
            " and what models are told and answer, and see and forbid each use of a tool"
        )
        return
    words = (_HOOKS.get(name, f"be asked at {_one_line(name)}") for name in sorted(hooks))
    yield from dict.fromkeys(words)


def _names(names: Iterable[str]) -> str:
    ordered = sorted(names)
    shown = ", ".join(_one_line(name) for name in ordered[:_MOST_NAMES])
    more = len(ordered) - _MOST_NAMES
    return f"{shown} and {more} more" if more > 0 else shown


def _one_line(text: str, limit: int = _LONGEST_NAME) -> str:
    line = " ".join(cleaned(text).split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
