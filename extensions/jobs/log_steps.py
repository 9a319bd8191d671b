"""What a line of `claude`'s output says to people, as a step of a job's log. Pure."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from extensions.claude.events import (
    ActionRefused,
    ApiRetried,
    AssistantMessage,
    BadLine,
    Compacting,
    Event,
    LimitReported,
    ToolCalled,
    ToolReturned,
    TurnBegan,
    TurnEnded,
)
from extensions.claude.stream import parse_line

_LONGEST_WORDS = 6000
_LONGEST_COMMAND = 2000
_LONGEST_ARGUMENT = 200
_MOST_ARGUMENTS = 10
_LONGEST_RESULT = 2000
_MOST_RESULT_LINES = 20
_LONGEST_REASON = 300
_INDENT = "    "

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)")
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")


class Steps:
    """Puts the lines of one run into words."""

    def __init__(self) -> None:
        self._tools: dict[str, str] = {}
        """The names of the tools that have not returned, by the ids of the calls."""

    def step_of(self, line: bytes) -> str:
        """Return what the next line says, as lines of text; empty if it says nothing to people.

        What it quotes is set in, shortened, and without what cannot be seen.
        """
        match parse_line(line):
            case AssistantMessage(text=text):
                return _titled("It says:", _cut(text, _LONGEST_WORDS))
            case ToolCalled(tool_use_id=tool_use_id, name=name, arguments=arguments):
                self._tools[tool_use_id] = name
                return _call(name, arguments)
            case ToolReturned(tool_use_id=tool_use_id, is_error=is_error):
                name = self._tools.pop(tool_use_id, "")
                return _result(name, _results(line), is_error=is_error)
            case ActionRefused(tool_name=name):
                return _sentence(f"✗ {_on_one_line(name)} was refused", _reason(line))
            case event:
                return _around(event)


def _around(event: Event) -> str:
    match event:
        case TurnBegan():
            return _beginning(event)
        case TurnEnded():
            return _ending(event)
        case ApiRetried():
            return _retry(event)
        case Compacting() | BadLine() | LimitReported(is_reached=True):
            return _SENTENCES[type(event)]
        case _:
            return ""


_SENTENCES: Mapping[type[Event], str] = {
    Compacting: "Claude shortens what it remembers, as that has grown too long.",
    LimitReported: "The account's usage limit is reached.",
    BadLine: "(a line that cannot be read)",
}


def time_of(line: bytes) -> str | None:
    """Return the time of day that a line tells, as 12:34:56 in UTC; `None` if it tells none."""
    found = _TIME.search(line)
    return None if found is None else found[1].decode()


_TIME = re.compile(rb'"timestamp":\s*"\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)[^"]*Z"')


def set_in(text: str) -> str:
    """Return what somebody wrote, each line set in, without what cannot be seen."""
    lines = _shown(text).strip("\n").split("\n")
    return "\n".join((_INDENT + line).rstrip() for line in lines)


def _titled(title: str, text: str) -> str:
    return f"{title}\n{set_in(text)}" if text.strip() else ""


def _call(name: str, arguments: Mapping[str, Any]) -> str:
    title = f"→ {_on_one_line(name)}"
    command = arguments.get("command")
    if name == "Bash" and isinstance(command, str) and command.strip():
        return _titled(title, _cut(command, _LONGEST_COMMAND))
    pairs = list(arguments.items())
    words = [f"{key}={_argument(value)}" for key, value in pairs[:_MOST_ARGUMENTS]]
    words += ["…"] if len(pairs) > _MOST_ARGUMENTS else []
    return " ".join([title, *map(_on_one_line, words)])


def _argument(value: Any) -> str:
    if not isinstance(value, str):
        return _cut(json.dumps(value, ensure_ascii=False), _LONGEST_ARGUMENT)
    if "\n" in value or len(value) > _LONGEST_ARGUMENT:
        return f"({_counted(value.count(chr(10)) + 1, 'line')}, {len(value):,} characters)"
    return value


def _result(name: str, texts: Sequence[str], *, is_error: bool) -> str:
    title = f"← {_on_one_line(name) or 'a tool'}{' failed' if is_error else ''}:"
    text = "\n".join(texts).strip("\n")
    if not text.strip():
        return f"{title} (nothing)"
    lines = text.split("\n")
    shown = _cut("\n".join(lines[:_MOST_RESULT_LINES]), _LONGEST_RESULT)
    more = len(lines) - _MOST_RESULT_LINES
    rest = f"\n{_INDENT}… {_counted(more, 'more line')}" if more > 0 else ""
    return _titled(title, shown) + rest


def _results(line: bytes) -> list[str]:
    content = _read(line).get("message", {}).get("content", ())
    blocks = cast("Sequence[Mapping[str, Any]]", content)
    return [
        text
        for block in blocks
        if block.get("type") == "tool_result"
        for text in _texts(block.get("content"))
    ]


def _texts(content: Any) -> Iterator[str]:
    """Yield the texts of a tool's result, which is a text or a list of parts."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in cast("Sequence[Any]", content):
            match part:
                case {"type": "text", "text": str(text)}:
                    yield text
                case {"type": str(kind)}:
                    yield f"({kind})"
                case _:
                    continue


def _reason(line: bytes) -> str:
    reason = _read(line).get("message")
    return reason if isinstance(reason, str) else ""


def _retry(retry: ApiRetried) -> str:
    status = "" if retry.status is None else f" ({retry.status})"
    return (
        f"The model's API failed: {_on_one_line(retry.reason)}{status}; attempt {retry.attempt} of"
        f" {retry.max_attempts}, again in {retry.delay_seconds:.1f} seconds."
    )


def _beginning(turn: TurnBegan) -> str:
    began = f"A turn began, with {_on_one_line(turn.model)}."
    if not turn.failed_servers:
        return began
    return f"{began} Not reached: {_on_one_line(', '.join(turn.failed_servers))}."


def _ending(turn: TurnEnded) -> str:
    figures = (
        f"{_counted(turn.turns, 'step')}, {turn.usage.total_tokens:,} tokens,"
        f" ${turn.cost_usd:,.4f} so far"
    )
    if not turn.is_error:
        return f"The turn ended: {figures}."
    said = "; ".join([*([turn.text] if turn.text else []), *turn.errors])
    reason = said or turn.terminal_reason or turn.subtype
    return _titled(f"The turn failed: {figures}.", _cut(reason, _LONGEST_WORDS))


def _sentence(beginning: str, reason: str) -> str:
    return f"{beginning}: {_on_one_line(reason, _LONGEST_REASON)}" if reason else f"{beginning}."


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _on_one_line(text: str, limit: int = 2 * _LONGEST_ARGUMENT) -> str:
    return " ".join(_shown(_cut(text, limit)).split())


def _shown(text: str) -> str:
    whole = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNSEEN.sub("", _ESCAPES.sub("", whole)).encode(errors="replace").decode()


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _read(line: bytes) -> Mapping[str, Any]:
    # It was understood once already.
    return cast("Mapping[str, Any]", json.loads(line))
