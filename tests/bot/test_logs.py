import base64
import io
import json
import logging
import re
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

import pytest

from bot.config import LogConfig
from bot.logs import logging_to_stderr
from bot.redaction import Redactor

TOKEN = "MTIz/NDU2+Nzg5=.Gabcde.hush"
HUMAN = LogConfig()
JSON = LogConfig(format="json", level="debug")

logger = logging.getLogger("papercup.test")


@contextmanager
def _logged(config: LogConfig, *secrets: str) -> Iterator[io.StringIO]:
    """Give what is logged within the block."""
    stream = io.StringIO()
    with logging_to_stderr(config, Redactor(secrets), stream=stream):
        yield stream


def _fail(token: str) -> None:
    raise ValueError(f"refused: {token}")


def test_a_line_for_people_has_time_level_name_and_message() -> None:
    with _logged(HUMAN) as log:
        logger.warning("job %s: ended", "1f2e3d4c")
        logger.debug("not at this level")

    line = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d WARNING papercup\.test: "
    assert re.fullmatch(line + "job 1f2e3d4c: ended\n", log.getvalue())


def test_a_json_line_is_one_object() -> None:
    with _logged(JSON) as log:
        logger.debug("job %s: ended", "1f2e3d4c")

    fields = json.loads(log.getvalue())
    assert fields.pop("time").endswith("+00:00")
    assert fields == {"level": "debug", "logger": "papercup.test", "message": "job 1f2e3d4c: ended"}


def test_an_exception_stands_below_the_line_or_in_the_object() -> None:
    for config in (HUMAN, JSON):
        with _logged(config) as log:
            try:
                _fail("x")
            except ValueError:
                logger.exception("failed")
        text = json.loads(log.getvalue())["exception"] if config is JSON else log.getvalue()
        assert "Traceback (most recent call last)" in text
        assert "ValueError: refused: x" in text


@pytest.mark.parametrize("config", [HUMAN, JSON])
def test_no_secret_is_in_a_message_an_argument_an_exception_or_a_stack(config: LogConfig) -> None:
    forms = [
        TOKEN,
        quote(TOKEN, safe=""),
        base64.b64encode(TOKEN.encode()).decode(),
        base64.b64encode(f"user:{TOKEN}".encode()).decode(),
    ]
    with _logged(config, TOKEN) as log:
        for form in forms:
            logger.error("plain " + form)  # noqa: G003 - as a careless library does
            logger.error("argument %s", form)
            logger.error("mapping %(token)s", {"token": form})
            logger.error("object %r", {"headers": [form]}, stack_info=True)
            logger.error("split %s%s", form[:5], form[5:])
            try:
                _fail(form)
            except ValueError:
                logger.exception("failed with %s", form)

    assert log.getvalue().count("[redacted]") >= 7 * len(forms)
    # The middle is what no neighbour has a part in.
    assert [form for form in forms if form[8:-8] in log.getvalue()] == []
    assert "hush" not in log.getvalue()


def test_no_secret_is_in_what_nobody_caught() -> None:
    with _logged(JSON, TOKEN) as log:
        thread = threading.Thread(target=_fail, args=(TOKEN,))
        thread.start()
        thread.join()
        try:
            _fail(TOKEN)
        except ValueError as error:
            sys.excepthook(type(error), error, error.__traceback__)

    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    assert [line["level"] for line in lines] == ["critical", "critical"]
    assert "hush" not in log.getvalue()


def test_a_warning_is_logged() -> None:
    with _logged(HUMAN) as log, warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("old", stacklevel=1)
    assert "py.warnings" in log.getvalue()


def test_those_who_would_log_addresses_and_what_servers_sent_are_quiet() -> None:
    client, http = logging.getLogger("mcp.client.sse"), logging.getLogger("httpx2")
    with _logged(HUMAN) as log:
        http.info("HTTP Request: GET https://example.org/?key=x")
        client.error("Error parsing server message")
        http.warning("a warning")
    assert "a warning" in log.getvalue()
    assert log.getvalue().count("\n") == 1
    assert client.isEnabledFor(logging.ERROR)


def test_a_message_cannot_forge_a_line_or_drive_the_terminal() -> None:
    with _logged(HUMAN) as log:
        logger.warning("name: %s", "a\nb\rc\x1b[2Jd\x9be")
    assert log.getvalue().count("\n") == 1
    assert r"a\nb\rc\x1b[2Jd\x9be" in log.getvalue()


def test_everything_is_as_before_afterwards() -> None:
    root = logging.getLogger()
    before = (root.handlers[:], root.level, sys.excepthook, threading.excepthook)
    with _logged(JSON):
        assert root.level == logging.DEBUG
    assert (root.handlers[:], root.level, sys.excepthook, threading.excepthook) == before
