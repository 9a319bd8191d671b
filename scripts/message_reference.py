"""Makes docs/plugins/messages.md of the models of the messages, and of what each member means.

Both are in `papercup_plugin.conformance`. Run it by `uv run python -m scripts.message_reference`.
"""

# ruff: noqa: INP001 - it is run with -m, so that it finds its parts

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from papercup_plugin.conformance.frames import METHODS
from papercup_plugin.conformance.kinds import Kind, Object
from papercup_plugin.conformance.meanings import CONTEXT, MEMBERS
from papercup_plugin.conformance.meanings import METHODS as SENTENCES
from papercup_plugin.conformance.methods import Dialect, Method, Side
from scripts.message_examples import EXAMPLES, MORE
from scripts.message_tables import (
    PARTS,
    Member,
    bare_cases,
    kind_words,
    members_of,
    part_of,
    tag_of,
)

PAGE = Path(__file__).parents[1] / "docs" / "plugins" / "messages.md"

_HEAD = """\
# Every message, member by member

<!-- `just messages` makes this page of the models in sdk/python/papercup_plugin/conformance. -->

What the two sides have to say so that every host and every plugin of the dialect understands it.
[protocol.md](protocol.md) has what a table cannot say: when it is said, how long an answer may
take, what Papercup takes besides, errors and limits. The same is there
[as data](kit.md#the-messages-as-data), to be used in tests.

- **needed** says whether a member has to be there, if what it is in is.
- **Members that are not named** are passed over by whoever reads them, and nobody should send any;
  Papercup refuses them in `ui/request` alone. Where they may be there, it is said.
- **In the examples** each line is one message as it stands on the wire, and fits the models; the
  one below a request is its answer.
"""
_SIDES = {Side.HOST: "Host", Side.PLUGIN: "Plugin"}
_SECTIONS = (
    (Dialect.SEP, Side.HOST, "`sep`: what a host asks and tells"),
    (Dialect.SEP, Side.PLUGIN, "`sep`: what a plugin asks and tells"),
    (Dialect.STDIO, Side.HOST, "`stdio`: what a host asks and tells"),
)
_LINES = ("request", "notification", "success", "failure", "error")
_GROUPS = (
    ("What stands on a line", _LINES),
    ("Parts of messages", tuple(name for name in PARTS if name not in _LINES)),
)
_NONE = "| \N{EN DASH} "
_IDS = {Side.HOST: 7, Side.PLUGIN: "p-4"}
_NOTES = {
    "sep host event": "[Which there are](protocol.md#events), and what their `payload` holds.",
    "sep host hook": "[What `input` holds](hooks.md#what-a-plugin-sees) at each point.",
    "stdio host tools/call": (
        "A plugin that answers it with -32601 is asked `tools/NAME` instead, with the arguments"
        " themselves as parameters."
    ),
    "stdio host tools/list": "Papercup reads nothing from the answer.",
}


def main() -> None:
    """Bring the page up to date."""
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """Return the whole page."""
    return "\n".join([_HEAD, *_contents(), "", *_methods(), *_parts()]).rstrip() + "\n"


def _examples_of(method: Method, whose: str) -> list[dict[str, Any]]:
    """Return the lines that show a method: what is said and, of a request, its answer first."""
    said = {"method": method.name, "params": _example(f"{whose} params", method.params)}
    if method.result is None:
        return [{"jsonrpc": "2.0", **said}]
    number = _IDS[method.by]
    answer = _example(f"{whose} result", method.result)
    others = [{**said, "params": each} for each in MORE.get(f"{whose} params", ())]
    return [
        {"jsonrpc": "2.0", "id": number, **said},
        {"jsonrpc": "2.0", "id": number, "result": answer},
        *({"jsonrpc": "2.0", "id": number, **each} for each in others),
    ]


def title_of(method: Method, dialect: Dialect) -> str:
    """Return the heading of a method; no other has the same."""
    return f"{_SIDES[method.by]}: `{method.name}` (`{dialect}`)"


def _contents() -> Iterator[str]:
    yield "## Contents"
    yield ""
    for dialect, side, title in _SECTIONS:
        methods = ((f"`{each.name}`", title_of(each, dialect)) for each in _of(dialect, side))
        yield _entry(title, methods)
    for title, names in _GROUPS:
        yield _entry(title, ((name, name) for name in names))


def _entry(title: str, below: Iterable[tuple[str, str]]) -> str:
    """Return a line of the contents, with what stands below a heading."""
    links = (f"[{shown}](#{_anchor(heading)})" for shown, heading in below)
    return f"- [{title}](#{_anchor(title)}): {', '.join(links)}"


def _methods() -> Iterator[str]:
    for dialect, side, title in _SECTIONS:
        yield f"## {title}\n"
        for method in _of(dialect, side):
            yield from _method(method, dialect)


def _method(method: Method, dialect: Dialect) -> Iterator[str]:
    whose = f"{dialect} {method.by} {method.name}"
    yield f"### {title_of(method, dialect)}\n"
    needs = f" Needs the capability `{method.capability}`." if method.capability else ""
    kind = "A request." if method.is_request else "A notification."
    yield " ".join(filter(None, (f"{kind} {SENTENCES[whose]}{needs}", _NOTES.get(whose)))) + "\n"
    yield from _described("Parameters", f"{whose} params", method.params)
    if method.result is not None:
        yield from _described("Result", f"{whose} result", method.result)
    yield from _shown(_examples_of(method, whose))


def _parts() -> Iterator[str]:
    for title, names in _GROUPS:
        yield f"## {title}\n"
        for name in names:
            yield f"### {name.capitalize()}\n"
            yield from _table(name, PARTS[name])
            yield from _shown([EXAMPLES[name], *MORE.get(name, ())])


def _described(what: str, frame: str, kind: Kind) -> Iterator[str]:
    words = kind_words(kind)
    if part_of(kind) is not None:
        yield f"**{what}**: {words}.\n"
    elif members_of(kind):
        others = " Others may be there, too." if isinstance(kind, Object) and kind.is_open else ""
        or_null = " It may be null, too." if words.endswith(" or null") else ""
        yield f"**{what}**:{others}{or_null}\n" if others or or_null else f"**{what}**:\n"
        yield from _table(frame, kind)
    else:
        yield f"**{what}**: {'none, `{}`' if words == 'object' else words}.\n"


def _table(frame: str, kind: Kind) -> Iterator[str]:
    tag = tag_of(kind)
    first = "" if tag is None else f"| `{tag}` "
    yield f"{first}| member | kind | needed | what it is |"
    yield f"{'|---' if first else ''}|---|---|---|---|"
    yield from (f"| `{case}` {3 * _NONE}| nothing else |" for case in bare_cases(kind))
    for member in members_of(kind):
        yield f"{f'| `{member.case}` ' if first else ''}{_row(frame, member)}"
    yield ""


def _row(frame: str, member: Member) -> str:
    needed = "yes" if member.is_required else "no"
    return f"| `{member.path}` | {kind_words(member.kind)} | {needed} | {_meaning(frame, member)} |"


def _meaning(frame: str, member: Member) -> str:
    said = MEMBERS.get(frame, {})
    if member.name not in said and member.path == "context":
        return CONTEXT
    return said[member.name]


def _shown(lines: list[Any]) -> Iterator[str]:
    yield "```json"
    yield from (json.dumps(line, ensure_ascii=False) for line in lines)
    yield "```\n"


def _example(frame: str, kind: Kind) -> Any:
    if frame in EXAMPLES:
        return EXAMPLES[frame]
    assert not members_of(kind), f"there is no example of {frame}"
    return {}


def _of(dialect: Dialect, side: Side) -> list[Method]:
    return [method for method in METHODS[dialect] if method.by is side]


def _anchor(title: str) -> str:
    """Return under which name a heading can be linked to."""
    kept = "".join(each for each in title if each.isalnum() or each in "_- ")
    return kept.lower().replace(" ", "-")


if __name__ == "__main__":
    main()
