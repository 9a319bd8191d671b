"""What plugins ask of their host, and how its answers are read. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from papercup_plugin.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from papercup_plugin.shapes import Delivery, Level, Role


T_co = TypeVar("T_co", covariant=True)

USUAL_SECONDS = 60.0
PEOPLE_SECONDS = 900.0
"""How long people may take, at most; hosts are less patient."""


class Order(Record, Generic[T_co]):
    """Something that the host is asked."""

    method: str
    params: dict[str, Any]
    read: Callable[[Any], T_co]
    """Makes of the host's answer what the author gets."""
    needs_context: bool = False
    timeout_seconds: float = USUAL_SECONDS


class ExecResult(Record):
    """How a program that the host ran has ended."""

    stdout: str
    stderr: str
    exit_code: int


def select(prompt: str, options: Sequence[str]) -> Order[str | None]:
    """Have people choose one of several."""
    return _ui(
        "select", lambda answer: answer.get("value"), prompt=prompt, options=_several(options)
    )


def confirm(prompt: str) -> Order[bool]:
    """Have people say yes or no."""
    return _ui("confirm", lambda answer: answer.get("confirmed") is True, prompt=prompt)


def input_text(prompt: str, default: str | None) -> Order[str | None]:
    """Have people write something."""
    given = {"prompt": prompt} if default is None else {"prompt": prompt, "default": default}
    return _ui("input", lambda answer: answer.get("text"), **given)


def notify(message: str, level: Level) -> Order[None]:
    """Tell people something."""
    return _ui("notify", _nothing, message=message, level=level)


def set_status(status: str) -> Order[None]:
    """Show a line of status; empty takes it away."""
    return _ui("set_status", _nothing, status=status)


def set_widget(block: Mapping[str, Any] | None) -> Order[None]:
    """Show a render block; `None` takes away what was shown."""
    return _ui("set_widget", _nothing, widget=dict(block or {}))


def set_title(title: str) -> Order[None]:
    """Change the title of the place."""
    return _ui("set_title", _nothing, title=title)


def kv_get(key: str, default: Any) -> Order[Any]:
    """Read what is kept."""

    def read(answer: Any) -> Any:
        value = answer.get("value")
        return default if value is None else value

    return Order("kv/get", {"key": key}, read)


def kv_set(key: str, value: Any) -> Order[None]:
    """Keep a value."""
    return Order("kv/set", {"key": key, "value": value}, _nothing)


def kv_delete(key: str) -> Order[None]:
    """Keep it no longer."""
    return Order("kv/delete", {"key": key}, _nothing)


def kv_list(prefix: str) -> Order[list[str]]:
    """Return the keys."""
    params = {"prefix": prefix} if prefix else {}
    return Order("kv/list", params, lambda answer: list(answer.get("keys") or []))


def send_message(text: str, role: Role) -> Order[None]:
    """Post a message."""
    return _session("session/send_message", _nothing, text=text, role=role)


def send_user_message(text: str, deliver_as: Delivery) -> Order[None]:
    """Say something in a person's stead."""
    return _session("session/send_user_message", _nothing, text=text, deliver_as=deliver_as)


def append_entry(entry: Mapping[str, Any]) -> Order[None]:
    """Keep an entry with the session."""
    return _session("session/append_entry", _nothing, entry=dict(entry))


def set_model(model: str, provider: str | None, thinking: str | None) -> Order[None]:
    """Have another model answer."""
    given = {"provider": provider, "thinking": thinking}
    named = {name: value for name, value in given.items() if value is not None}
    return _session("session/set_model", _nothing, model=model, **named)


def state() -> Order[dict[str, Any]]:
    """Return how the session stands."""
    return _session("session/state", lambda answer: dict(answer.get("state") or {}))


def run(command: str, args: Sequence[str], cwd: str | None) -> Order[ExecResult]:
    """Have a program run."""
    params: dict[str, Any] = {"command": command, "args": [str(each) for each in _several(args)]}
    if cwd is not None:
        params["cwd"] = cwd
    return Order("exec/run", params, _executed, needs_context=True, timeout_seconds=PEOPLE_SECONDS)


def set_active_tools(names: Sequence[str]) -> Order[list[str]]:
    """Offer of the plugin's tools these alone."""
    params = {"tools": _several(names)}
    return Order("tools/set_active", params, lambda answer: list(answer.get("active") or []))


def _ui(kind: str, read: Callable[[Any], T_co], **params: Any) -> Order[T_co]:
    return Order("ui/request", {"kind": kind, **params}, read, timeout_seconds=PEOPLE_SECONDS)


def _session(method: str, read: Callable[[Any], T_co], **params: Any) -> Order[T_co]:
    return Order(method, params, read, needs_context=True)


def _several(texts: Sequence[str]) -> list[str]:
    # A text is a sequence of texts, too.
    if isinstance(texts, str):
        raise TypeError(f"a list of texts is wanted, not {texts!r}")
    return [*texts]


def _nothing(_answer: Any) -> None:
    return None


def _executed(answer: Any) -> ExecResult:
    return ExecResult(
        stdout=str(answer.get("stdout", "")),
        stderr=str(answer.get("stderr", "")),
        exit_code=int(answer.get("exit_code", 0)),
    )
