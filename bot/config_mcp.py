"""The MCP servers that the configuration names, as data. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

OWN_SERVER = "papercup"
"""The name of the bot's own server, which no other may have."""

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SERVER_NAME = re.compile(r"[a-z0-9_-]{1,32}")
_HEADER_NAME = re.compile(r"[A-Za-z0-9-]+")
_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MAX_PORT = 65_535


def is_server_name(name: str) -> bool:
    """Say whether a server may be called that."""
    # Two underscores part the name of a server from that of its tool.
    is_clear = "__" not in name and name != OWN_SERVER
    return is_clear and _SERVER_NAME.fullmatch(name) is not None


def variables_in(text: str) -> frozenset[str]:
    """Return the names of the variables of the environment that a text names as `${NAME}`."""
    return frozenset(_VARIABLE.findall(text))


def _literal(text: str) -> str:
    # Claude would put in variables of its own environment: its token for the bot's servers, say.
    if not text or "${" in text or not text.isprintable():
        raise ValueError
    return text


def _url(text: str) -> str:
    parts = urlsplit(_literal(text))
    if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc:
        raise ValueError
    if parts.fragment or (parts.port or 1) > _MAX_PORT:
        raise ValueError
    return text


def _value(text: str) -> str:
    if "${" in _VARIABLE.sub("", text) or not text.isprintable():
        raise ValueError
    return text


def _header(name: str) -> str:
    if _HEADER_NAME.fullmatch(name) is None:
        raise ValueError
    return name


def _variable(name: str) -> str:
    if _VARIABLE_NAME.fullmatch(name) is None:
        raise ValueError
    return name


_Url: TypeAlias = Annotated[
    str, AfterValidator(_url), Field(description="an address that begins with http:// or https://")
]
_Literal: TypeAlias = Annotated[
    str, AfterValidator(_literal), Field(description="text on one line, without ${…}")
]
_Value: TypeAlias = Annotated[str, AfterValidator(_value)]
_Headers: TypeAlias = Annotated[
    Mapping[Annotated[str, AfterValidator(_header)], _Value],
    Field(description="a table of headers and their values, in which ${NAME} is a variable"),
]
_Variables: TypeAlias = Annotated[
    Mapping[Annotated[str, AfterValidator(_variable)], _Value],
    Field(description="a table of variables and their values, in which ${NAME} is a variable"),
]
_Tool: TypeAlias = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9_.-]{1,64}$", description="the name of a tool")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServerConfig:
    """An MCP server that can be enabled in a session: one that is called, or that is run."""

    url: _Url | None = None
    """Where it is called."""
    headers: _Headers = field(default_factory=dict[str, str])
    """What is sent along with each call."""
    command: _Literal | None = None
    """The program that is run, and spoken to over its standard input and output."""
    args: tuple[_Literal, ...] = ()
    """The program's arguments."""
    env: _Variables = field(default_factory=dict[str, str])
    """What is added to the program's environment."""
    tools: tuple[_Tool, ...] = ()
    """Which of its tools may be used; empty means all."""

    @property
    def variables(self) -> frozenset[str]:
        """The variables of the bot's environment that it needs."""
        values = (*self.headers.values(), *self.env.values())
        return frozenset(name for value in values for name in variables_in(value))

    @property
    def wrong(self) -> str | None:
        """What of it does not go together; `None` if all does."""
        if (self.url is None) == (self.command is None):
            return "must have either url or command"
        if self.url is not None and (self.args or self.env):
            return "has a url, and so neither args nor env"
        if self.command is not None and self.headers:
            return "has a command, and so no headers"
        return None
