"""What a plugin says that it offers."""

import json
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from itertools import chain

from papercup_plugin.conformance import sep_frames, stdio_frames
from papercup_plugin.conformance.bench import Bench
from papercup_plugin.conformance.findings import Finding, fail, warn
from papercup_plugin.conformance.methods import Dialect
from papercup_plugin.conformance.offers import OfferedTool, Offers
from papercup_plugin.conformance.schemas import unnamed_required, wrong_rules

MOST_TOOLS = 200
_MOST_OTHERS = 100
_MOST_DESCRIPTION_BYTES = 1024 * 1024
_LONGEST_NAME = 128
_MOST_RULES = 3


async def offers(bench: Bench) -> AsyncGenerator[Finding, None]:
    """What it offers is declared in its manifest, and can be used."""
    offered = bench.offers
    for finding in chain(_undeclared(bench), _unknown_names(bench), _too_many(offered)):
        yield finding
    for finding in _tools(offered.tools):
        yield finding


def _undeclared(bench: Bench) -> Iterator[Finding]:
    offered, subject = bench.offers, bench.subject
    hosts = "hosts leave it out"
    for what, names, declared in (
        ("tool", [tool.name for tool in offered.tools], subject.tools),
        ("hook", offered.hooks or (), subject.hooks),
        ("event", offered.events, _events(bench)),
    ):
        for name in names:
            if declared is not None and name not in declared:
                why = f"the {what} `{name}` is not declared in the manifest: {hosts}"
                yield fail(why, "declare it under [capabilities], or do not offer it")
    for what, is_offered in (("commands", offered.commands), ("providers", offered.providers)):
        if is_offered and what not in subject.declares:
            why = f"`{what}` are not declared in the manifest: {hosts}"
            yield fail(why, f"write `{what} = true` under [capabilities]")


def _events(bench: Bench) -> frozenset[str]:
    """Return what it may subscribe to: on the bus, any topic."""
    declared = bench.subject.events
    if "bus" in bench.subject.declares or "bus/event" in declared:
        topics = {name for name in bench.offers.events if name not in sep_frames.EVENTS}
        return declared | topics | {"bus/event"}
    return declared


def _unknown_names(bench: Bench) -> Iterator[Finding]:
    is_sep = bench.subject.dialect is Dialect.SEP
    known = sep_frames.HOOKS if is_sep else stdio_frames.HOOKS
    for name in bench.offers.hooks or ():
        if name not in known:
            yield fail(f"there is no hook `{name}`", f"there are {', '.join(known)}")
    has_bus = "bus" in bench.subject.declares
    for name in bench.offers.events:
        if name not in sep_frames.EVENTS and not has_bus:
            mend = f"there are {', '.join(sep_frames.EVENTS)}; topics need the capability `bus`"
            yield warn(f"there is no event `{name}`", mend)
    for name in bench.offers.commands:
        if not name.removeprefix("/") or any(each.isspace() for each in name):
            yield fail(f"the command {name!r} is not one word", "call it by one word")
    yield from _twice("command", bench.offers.commands)


def _twice(what: str, names: Iterable[str]) -> Iterator[Finding]:
    for name, count in Counter(names).items():
        if count > 1:
            yield fail(f"the {what} `{name}` is offered {count} times", "offer it once")


def _too_many(offers: Offers) -> Iterator[Finding]:
    lists = {
        "tools": (offers.tools, MOST_TOOLS),
        "commands": (offers.commands, _MOST_OTHERS),
        "events": (offers.events, _MOST_OTHERS),
        "providers": (offers.providers, _MOST_OTHERS),
    }
    for what, (entries, most) in lists.items():
        if len(entries) > most:
            mend = f"offer at most {most}: Papercup takes no more"
            yield warn(f"it offers {len(entries)} {what}", mend)
    size = sum(len(tool.description) + len(json.dumps(tool.schema)) for tool in offers.tools)
    if size > _MOST_DESCRIPTION_BYTES:
        what = f"what it says of its tools, with their schemas, is {size} characters long"
        yield warn(what, "say less: Papercup takes 1 MiB, of all tools together")


def _tools(tools: Sequence[OfferedTool]) -> Iterator[Finding]:
    yield from _twice("tool", [tool.name for tool in tools])
    for tool in tools[:MOST_TOOLS]:
        if len(tool.name) > _LONGEST_NAME or not tool.name.isprintable():
            mend = f"call it by at most {_LONGEST_NAME} characters, all of which can be seen"
            yield fail(f"the tool {tool.name[:_LONGEST_NAME]!r} cannot be called so", mend)
        if not tool.description.strip():
            what = f"the tool `{tool.name}` does not say what it does"
            yield warn(what, "describe it: models choose tools by that")
        yield from _about_schema(tool)


def _about_schema(tool: OfferedTool) -> Iterator[Finding]:
    wrong = wrong_rules(tool.schema)
    for complaint in wrong[:_MOST_RULES]:
        yield fail(f"in the schema of `{tool.name}`, {complaint}", "hosts leave the tool out")
    if not wrong and tool.schema.get("type", "object") != "object":
        mend = 'write "type": "object", and each argument under `properties`'
        yield fail(f"the schema of `{tool.name}` is not that of an object", mend)
    for name in () if wrong else unnamed_required(tool.schema):
        what = f"the schema of `{tool.name}` requires `{name}`, which `properties` does not have"
        yield warn(what, "describe it there, or do not require it: no model knows what it is")
