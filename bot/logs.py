"""Logging to stderr: lines for people or JSON, and never a secret in them."""

import json
import logging
import sys
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, TextIO

from bot.config import LogConfig
from bot.redaction import Redactor

logger = logging.getLogger(__name__)

_QUIET = {"httpx2": logging.WARNING, "mcp.client": logging.CRITICAL}
"""The loggers that say whole addresses, and what servers sent; what matters of it we say."""
_CONTROL_CHARACTERS = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))} | {
    ord("\n"): "\\n",
    ord("\r"): "\\r",
    ord("\t"): "\\t",
}
"""A message that holds these could forge a line of the log, or drive the terminal."""


class RedactingFilter(logging.Filter):
    """Takes secrets out of a record's message, arguments and exception."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor
        self._exceptions = logging.Formatter()

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record, and let it pass."""
        # The arguments go into the message first: a secret may be cut in two between them.
        record.msg = self._redactor.redact(record.getMessage())
        record.args = None
        if record.exc_info and not record.exc_text:
            record.exc_text = self._exceptions.formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = self._redactor.redact(record.exc_text)
        if record.stack_info:
            record.stack_info = self._redactor.redact(record.stack_info)
        return True


class HumanFormatter(logging.Formatter):
    """One line for each record, and its exception below."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text."""
        at = datetime.fromtimestamp(record.created).astimezone().isoformat(" ", "milliseconds")
        message = record.getMessage().translate(_CONTROL_CHARACTERS)
        line = f"{at} {record.levelname:<7} {record.name}: {message}"
        return "\n".join([line, *_details(record).values()])


class JsonFormatter(logging.Formatter):
    """One JSON object on one line for each record."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as JSON."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        fields = {
            "time": at,
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        return json.dumps(fields | _details(record), ensure_ascii=False)


@contextmanager
def logging_to_stderr(
    config: LogConfig, redactor: Redactor, *, stream: TextIO | None = None
) -> Generator[None, None, None]:
    """Log as `config` says, and whatever nobody caught too; as before, afterwards.

    Args:
        config: Level and format.
        redactor: What takes the secrets out.
        stream: Where to; stderr if none is given.
    """
    handler = logging.StreamHandler(stream)
    handler.addFilter(RedactingFilter(redactor))
    handler.setFormatter(JsonFormatter() if config.format == "json" else HumanFormatter())
    root = logging.getLogger()
    before = (root.handlers[:], root.level, sys.excepthook, threading.excepthook)
    levels = {name: logging.getLogger(name).level for name in _QUIET}
    root.handlers[:] = [handler]
    root.setLevel(config.level.upper())
    _set_levels(_QUIET)
    sys.excepthook, threading.excepthook = _log_uncaught, _log_uncaught_in_thread
    logging.captureWarnings(True)  # noqa: FBT003 - the standard library's own signature
    try:
        yield
    finally:
        logging.captureWarnings(False)  # noqa: FBT003 - the standard library's own signature
        root.handlers[:], sys.excepthook, threading.excepthook = before[0], before[2], before[3]
        root.setLevel(before[1])
        _set_levels(levels)


def _set_levels(levels: Mapping[str, int]) -> None:
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


def _details(record: logging.LogRecord) -> dict[str, str]:
    """Return what stands below the message; the filter has taken the secrets out of it."""
    details: dict[str, str] = {}
    if record.exc_text:
        details["exception"] = record.exc_text
    if record.stack_info:
        details["stack"] = record.stack_info
    return details


def _log_uncaught(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    logger.critical("nobody caught an exception", exc_info=(kind, error, traceback))


def _log_uncaught_in_thread(uncaught: Any) -> None:
    name = "?" if uncaught.thread is None else uncaught.thread.name
    error = uncaught.exc_value or uncaught.exc_type()
    logger.critical("nobody caught an exception in thread %s", name, exc_info=error)
