"""Reads a `plugin.toml` without a table `[plugin]`: a command template, offered as one tool. Pure.

The program is given its arguments one by one. Where the template needs a shell, bash is given it
as a script in which what the call says stands as parameters: it is never read as part of it.
"""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from extensions.plugins.manifest import Capabilities, Dialect, Manifest, Tier, WrapperSpec
from extensions.plugins.manifest_values import (
    ManifestError,
    Table,
    checked_command,
    checked_requires,
    shown,
)
from extensions.plugins.naming import MAX_ID_LENGTH, OWN_ID, id_of_name

TOOL = "run"
"""What the tool is called within its plugin."""
NO_VERSION = "0.0.0"
"""Of what says none."""
_DEFAULT_TIMEOUT_SECONDS = 120.0
_MAX_TIMEOUT_SECONDS = 3600.0
_PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")
_SHELL_CHARACTERS = re.compile(r"[|&;<>()$`\\*?\[\]~#!\n]|^\s*[A-Za-z_][A-Za-z0-9_]*=")
_QUOTED = re.compile(r"'[^']*'|\"[^\"$`\\]*\"")
# What reads a value once more after it was put in, or text that is no part of the script.
_READS_AGAIN = re.compile(r"\(\(|(?<!<)<<(?!<)|(?<![\w-])(?:eval|let|declare|source)(?![\w-])")


@dataclass(frozen=True, slots=True, kw_only=True)
class WrapperTemplate(WrapperSpec):
    """A command template, with what its tool takes."""

    schema: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """JSON Schema of the tool's arguments."""
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    """Variables that the program gets; `${env:NAME}` in a value stands for one of the bot's."""


def wrapper_manifest(document: Table) -> Manifest:
    """Read a manifest.

    Raises:
        ManifestError: If it is not right, or its command cannot be run safely.
    """
    if not document.has("command"):
        raise document.wrong("missing field `plugin`, and there is no `command` either")
    name, description = document.text("name"), document.text("description", "")
    command, placeholders = _command(document)
    wrapper = WrapperTemplate(
        tool=TOOL,
        description=description,
        command=command,
        placeholders=placeholders,
        prompt_hint=document.optional_text("prompt_hint") or None,
        timeout_seconds=document.number("timeout_seconds", highest=_MAX_TIMEOUT_SECONDS)
        or _DEFAULT_TIMEOUT_SECONDS,
        schema=_schema(document, placeholders),
        env=document.variables("env"),
    )
    version = document.text("version", NO_VERSION)
    document.refuse_unknown()
    checked_requires((), wrapper.env)
    return Manifest(
        id=_plugin_id(name),
        dialect=Dialect.STDIO,
        tier=Tier.WRAPPER,
        version=version,
        name=name,
        description=description,
        wrapper=wrapper,
        capabilities=Capabilities(tools=frozenset({TOOL})),
    )


def filled(wrapper: WrapperSpec, values: Mapping[str, str]) -> tuple[str, ...]:
    """Return the program and its arguments for one call.

    A placeholder without a value is empty; what looks like one in a value stays as it is.
    """

    def value_of(found: re.Match[str]) -> str:
        return values.get(found[1], "")

    return tuple(_PLACEHOLDER.sub(value_of, part) for part in wrapper.command)


def _plugin_id(name: str) -> str:
    plugin_id = id_of_name(name)
    if plugin_id is None or plugin_id == OWN_ID:
        expected = f"expected letters, digits, `.`, `-` and `_`, max {MAX_ID_LENGTH} chars"
        raise ManifestError(f"name `{shown(name)}` is invalid ({expected})")
    return plugin_id


def _command(document: Table) -> tuple[tuple[str, ...], tuple[str, ...]]:
    template = document.text_or_texts("command")
    placeholders = tuple(dict.fromkeys(_PLACEHOLDER.findall("\0".join(template))))
    if not template or not template[0].strip():
        raise ManifestError("command is empty")
    if _PLACEHOLDER.match(template[0].lstrip()):
        raise ManifestError("command begins with a placeholder: a call could name any program")
    if isinstance(document.raw("command"), str):
        template = _parted(template[0], placeholders)
    checked_command(template[0], "command")
    return template, placeholders


def _parted(template: str, placeholders: tuple[str, ...]) -> tuple[str, ...]:
    """Return a template that was written as one line as a program and its arguments."""
    bare = _QUOTED.sub("", _PLACEHOLDER.sub("x", template))
    if _SHELL_CHARACTERS.search(bare):
        values = tuple(f"{{{{{name}}}}}" for name in placeholders)
        return ("bash", "-c", _script(template, placeholders), "bash", *values)
    # So that one with a space in it stays in one piece.
    tight = _PLACEHOLDER.sub(r"{{\1}}", template)
    try:
        return tuple(shlex.split(tight))
    except ValueError as error:
        raise ManifestError(f"command cannot be read: {error}") from error


def _script(template: str, placeholders: tuple[str, ...]) -> str:
    """Return a template as a script in which `"${1}"` stands for the first placeholder."""
    if placeholders and (found := _READS_AGAIN.search(template)):
        reason = "would read what a call says as part of the script"
        raise ManifestError(f"command: `{found[0]}` {reason}")
    return "".join(_script_parts(template, placeholders))


def _script_parts(template: str, placeholders: tuple[str, ...]) -> Iterator[str]:
    quote, position = "", 0
    while position < len(template):
        character = template[position]
        if found := _PLACEHOLDER.match(template, position):
            yield _parameter(quote, placeholders.index(found[1]) + 1)
            position = found.end()
            continue
        if character == "\\" and quote != "'":
            yield template[position : position + 2]
            position += 2
            continue
        quote = _quote_after(quote, character)
        yield character
        position += 1
    if quote:
        raise ManifestError("command cannot be read: No closing quotation")


def _parameter(quote: str, number: int) -> str:
    match quote:
        case '"':
            return f"${{{number}}}"
        case "'":
            return f"'\"${{{number}}}\"'"
        case _:
            return f'"${{{number}}}"'


def _quote_after(quote: str, character: str) -> str:
    if character not in "\"'":
        return quote
    if not quote:
        return character
    return "" if quote == character else quote


def _schema(document: Table, placeholders: tuple[str, ...]) -> Mapping[str, Any]:
    """Return what the manifest says of the arguments; else each placeholder has to be a text."""
    written = document.raw("parameters")
    if written is None:
        return {
            "type": "object",
            "properties": {name: {"type": "string"} for name in placeholders},
            "required": list(placeholders),
            "additionalProperties": False,
        }
    if not isinstance(written, dict):
        raise document.wrong("`parameters` must be a table")
    schema = {"type": "object"} | cast("dict[str, Any]", written)
    if schema["type"] != "object":
        raise document.wrong("`parameters.type` must be `object`")
    return schema
