"""Asks a running bot about plugins, over the unix socket in its data folder.

Each of these raises `ControlError` if a bot runs but does not answer as it should, and
`ControlRefusedError` if it refuses; and each says so if no bot runs.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from bot.control.client import ask_bot, hear_bot
from bot.control.plugin_reports import (
    ALL_SETTLED,
    ANSWER_LINE,
    ASK_PATH,
    DONE,
    FORGET_PATH,
    LINES,
    NAMED,
    PLUGINS_PATH,
    PROJECT_ORDER,
    PROJECTS,
    PROJECTS_PATH,
    QUESTION,
    RELOAD_PATH,
    REPORTS,
    SETTLED,
    STANDING,
    TRUST_ORDER,
    TRUST_PATH,
    UNTRUST_PATH,
    AnswerLine,
    LogWish,
    NamedPlugin,
    ProjectOrder,
    standing_target,
)
from bot.errors import ControlError
from bot.plugin_services.provider_asking import ProviderQuestion
from bot.plugin_services.standing import Standing
from bot.plugin_services.trust_desk import Settled, TrustOrder
from extensions.plugins.audit import AuditLine

_LOOK_SECONDS = 60.0
"""A large folder takes a while to be looked through."""
_START_SECONDS = 120.0
_SILENT_SECONDS = 330.0
"""A provider has five minutes, and may give no piece of its answer before its end."""


def read_plugins(path: Path) -> list[dict[str, Any]] | None:
    """Return how the plugins do that are loaded; `None` if no bot runs."""
    return ask_bot(path, "GET", PLUGINS_PATH, REPORTS.of_json)


def read_standing(path: Path, name: str) -> Standing | None:
    """Return how a plugin stands; `None` if no bot runs."""
    target = standing_target(name)
    return ask_bot(path, "GET", target, STANDING.of_json, timeout_seconds=_LOOK_SECONDS)


def trust_plugin(path: Path, order: TrustOrder) -> Settled | None:
    """Have a plugin trusted and started; `None` if no bot runs."""
    body = TRUST_ORDER.as_json(order)
    return ask_bot(
        path, "POST", TRUST_PATH, SETTLED.of_json, body=body, timeout_seconds=_START_SECONDS
    )


def untrust_plugin(path: Path, name: str) -> bool | None:
    """Have a plugin trusted no more; say whether it was; `None` if no bot runs."""
    body = NAMED.as_json(NamedPlugin(name=name))
    done = ask_bot(
        path, "POST", UNTRUST_PATH, DONE.of_json, body=body, timeout_seconds=_LOOK_SECONDS
    )
    return None if done is None else done.changed


def forget_plugin(path: Path, name: str) -> bool | None:
    """Have all thrown away that a plugin has kept; say whether it had; `None` if no bot runs."""
    body = NAMED.as_json(NamedPlugin(name=name))
    done = ask_bot(
        path, "POST", FORGET_PATH, DONE.of_json, body=body, timeout_seconds=_LOOK_SECONDS
    )
    return None if done is None else done.changed


def reload_plugin(path: Path, name: str) -> Settled | None:
    """Have a plugin started anew; `None` if no bot runs."""
    body = NAMED.as_json(NamedPlugin(name=name))
    return ask_bot(
        path, "POST", RELOAD_PATH, SETTLED.of_json, body=body, timeout_seconds=_START_SECONDS
    )


def read_log(path: Path, wish: LogWish) -> list[AuditLine] | None:
    """Return lines of the log; `None` if no bot runs."""
    return ask_bot(path, "GET", wish.target, LINES.of_json)


def read_projects(path: Path) -> dict[Path, float] | None:
    """Return the projects that are trusted, and since when; `None` if no bot runs."""
    return ask_bot(path, "GET", PROJECTS_PATH, PROJECTS.of_json)


def trust_project(path: Path, folder: Path) -> list[Settled] | None:
    """Let the plugins of a project be loaded; return how they stand; `None` if no bot runs."""
    body = PROJECT_ORDER.as_json(ProjectOrder(folder=folder, trusted=True))
    return ask_bot(
        path, "POST", PROJECTS_PATH, ALL_SETTLED.of_json, body=body, timeout_seconds=_START_SECONDS
    )


def untrust_project(path: Path, folder: Path) -> bool | None:
    """Let them not be loaded any more; say whether they might be; `None` if no bot runs."""
    body = PROJECT_ORDER.as_json(ProjectOrder(folder=folder, trusted=False))
    done = ask_bot(
        path, "POST", PROJECTS_PATH, DONE.of_json, body=body, timeout_seconds=_LOOK_SECONDS
    )
    return None if done is None else done.changed


def ask_provider(
    path: Path, question: ProviderQuestion, on_delta: Callable[[str], None]
) -> AnswerLine | None:
    """Have the provider of a plugin asked; return the end of its answer; `None` if no bot runs.

    Args:
        path: The bot's socket.
        question: What is asked.
        on_delta: Called with each piece of the answer.
    """
    ends: list[AnswerLine] = []

    def hear(text: bytes) -> None:
        try:
            line = ANSWER_LINE.of_json(text)
        except ValueError as error:
            raise ControlError(path, f"its answer is not understood ({error})") from error
        if line.delta is None:
            ends.append(line)
        else:
            on_delta(line.delta)

    body = QUESTION.as_json(question)
    if not hear_bot(path, ASK_PATH, hear, body=body, timeout_seconds=_SILENT_SECONDS):
        return None
    if not ends:
        raise ControlError(path, "its answer broke off")
    return ends[-1]
