"""Records what the real `claude` writes: `uv run python -m tests.extensions.claude.record`.

Each file in `recorded` holds the lines of one process, with what differs from run to run (folders,
ports, ids, times) replaced. To be run again when another version of `claude` is to be understood.
"""

import asyncio
import json
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from extensions.claude.binary import bundled_claude
from extensions.claude.lines import LineSplitter
from extensions.claude.stream import initialize, interrupt, user_message
from extensions.process.child import running_child
from simulator.messages_api import (
    Answer,
    Hang,
    HttpError,
    ModelRequest,
    Say,
    Script,
    Think,
    Tokens,
    ToolUse,
    Use,
    UseSeveral,
    running_messages_api,
)
from tests.extensions.claude.real_claude import MESSAGE, Place

FOLDER = Path(__file__).parent / "recorded"
RESETS_AT = 1_900_000_000
LIMIT_HEADERS = {
    "anthropic-ratelimit-unified-status": "rejected",
    "anthropic-ratelimit-unified-reset": str(RESETS_AT),
    "anthropic-ratelimit-unified-representative-claim": "five_hour",
}
LOGIN = {"ANTHROPIC_API_KEY": None, "CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-none"}


@dataclass(frozen=True, kw_only=True)
class Scene:
    """One process to be recorded."""

    script: Script
    command: Callable[[Place], list[str]] = Place.speaker
    env: Mapping[str, str | None] = field(default_factory=dict[str, str | None])
    """What differs from the usual environment; `None` leaves a variable out."""
    is_interrupted: bool = False
    keys: frozenset[str] | None = None
    max_retries: int = 0
    text: str = "Hello"


def always(answer: Answer) -> Script:
    return lambda _: answer


def looks_around(request: ModelRequest) -> Answer:
    if request.step == 0:
        uses = (ToolUse("Read", {"file_path": "notes.txt"}), ToolUse("Glob", {"pattern": "*"}))
        return UseSeveral(uses, "I look.", tokens=Tokens(cache_read_tokens=5, cache_write_tokens=7))
    return Think("Two lines.", Say("Buy milk."))


def oversteps(request: ModelRequest) -> Answer:
    if request.step == 0:
        return Use("Read", {"file_path": "/etc/passwd"})
    return Say("I may not read that.")


SCENES = {
    "tools": Scene(script=looks_around),
    "refused_action": Scene(script=oversteps, command=lambda place: place.job(["Read"])),
    "bad_key": Scene(script=always(Say("")), keys=frozenset({"another"})),
    "not_logged_in": Scene(script=always(Say("")), env={"ANTHROPIC_API_KEY": None}),
    "overloaded": Scene(script=always(HttpError(529, "overloaded_error")), max_retries=1),
    "rate_limit": Scene(script=always(HttpError(429, "rate_limit_error", "Slow down"))),
    "usage_limit": Scene(
        script=always(HttpError(429, "rate_limit_error", headers=LIMIT_HEADERS)), env=LOGIN
    ),
    "no_credit": Scene(
        script=always(HttpError(400, "invalid_request_error", "Your credit balance is too low"))
    ),
    "server_error": Scene(script=always(HttpError(500, "api_error", "Internal server error"))),
    "no_such_model": Scene(script=always(HttpError(404, "not_found_error", "model: none"))),
    "refused_connection": Scene(
        script=always(Say("")), env={"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}
    ),
    "too_long": Scene(
        script=always(
            HttpError(
                400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum"
            )
        )
    ),
    "max_turns": Scene(
        script=always(Use("Read", {"file_path": "notes.txt"})),
        command=lambda place: place.job(["Read"], max_turns=2),
    ),
    "interrupted": Scene(script=always(Hang(60, "Once upon a time")), is_interrupted=True),
    "unknown_session": Scene(
        script=always(Say("")), command=lambda place: place.speaker(is_resumed=True)
    ),
}


async def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, scene in SCENES.items():
        with tempfile.TemporaryDirectory() as folder:
            claude = bundled_claude()
            assert claude is not None
            place = Place(claude, Path(folder))
            (place.work / "notes.txt").write_text("Buy milk.\n", encoding="utf-8")
            lines = await record(scene, place)
        text = "".join(f"{line}\n" for line in scrubbed(lines, folder))
        (FOLDER / f"{name}.jsonl").write_text(text, encoding="utf-8")


async def record(scene: Scene, place: Place) -> list[str]:
    async with running_messages_api(scene.script, keys=scene.keys) as api:
        usual: dict[str, str | None] = {
            **place.environment(api.url, max_retries=scene.max_retries),
            **scene.env,
        }
        env = {name: value for name, value in usual.items() if value is not None}
        return await lines_of(scene, place, env)


async def lines_of(scene: Scene, place: Place, env: Mapping[str, str]) -> list[str]:
    lines: list[str] = []
    waits_to_interrupt = scene.is_interrupted
    splitter = LineSplitter(1 << 20)
    async with (
        asyncio.timeout(60),
        running_child(scene.command(place), cwd=place.work, env=env) as child,
    ):
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(initialize("r1") + user_message(scene.text, uuid=MESSAGE))
        while data := await child.stdout.read(65536):
            lines += [line.decode() for line in splitter.feed(data) if isinstance(line, bytes)]
            if waits_to_interrupt and any('"text_delta"' in line for line in lines):
                child.stdin.write(interrupt("r2"))
                waits_to_interrupt = False
            if any('"type":"result"' in line for line in lines):
                child.stdin.close()
    return lines


def scrubbed(lines: Sequence[str], folder: str) -> list[str]:
    """Return the lines without what tells of the machine, and with ids that are counted."""
    text = "\n".join(json.dumps(shortened(json.loads(line))) for line in lines)
    text = re.sub(r'"pid": \d+', '"pid": 12', text)
    text = text.replace(folder, "/papercup").replace(folder.replace("/", "-"), "-papercup")
    text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:1", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "2026-01-01T00:00:00.000Z", text)
    text = re.sub(r'("[a-z_]*(?:duration|time|ttft|delay)[a-z_]*": )[\d.]+', r"\g<1>12", text)
    return with_counted_ids(text).splitlines()


def with_counted_ids(text: str) -> str:
    numbers = count(1)
    known: dict[str, str] = {MESSAGE: MESSAGE}

    def counted(found: re.Match[str]) -> str:
        prefix = found[1] or ""
        number = f"{next(numbers):024x}" if found[0] not in known else ""
        uuid = f"00000000-0000-4000-8000-{number[-12:]}"
        return known.setdefault(found[0], prefix + number if prefix else uuid)

    uuid = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    return re.sub(rf"(toolu_|msg_|req_)[0-9a-f]{{24}}|{uuid}", counted, text)


def shortened(message: dict[str, Any]) -> dict[str, Any]:
    """Return a line without the long lists of what this version brings, which nothing reads."""
    if message["type"] == "control_response":
        response = message["response"]
        told = response.get("response", {})
        kept = {
            key: value for key, value in told.items() if value == [] or not isinstance(value, list)
        }
        return {**message, "response": {**response, "response": kept}}
    lists = ("slash_commands", "terminal_slash_commands", "agents", "skills", "plugins")
    return {key: [] if key in lists else value for key, value in message.items()}


if __name__ == "__main__":
    asyncio.run(main())
