"""Plugins over the control socket."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.control.plugin_client import (
    ask_provider,
    forget_plugin,
    read_log,
    read_plugins,
    read_projects,
    read_standing,
    reload_plugin,
    trust_plugin,
    trust_project,
    untrust_plugin,
    untrust_project,
)
from bot.control.plugin_reports import AnswerLine, LogWish
from bot.control.plugin_routes import PluginRouteParts, plugin_routes
from bot.control.server import serving_control
from bot.errors import ControlError, ControlRefusedError
from bot.plugin_services.leftovers import Leftovers
from bot.plugin_services.provider_asking import OnPiece, ProviderQuestion
from bot.plugin_services.trust_desk import TrustOrder
from extensions.errors import PluginCallError
from extensions.plugins.audit import AuditReader, writing_audit
from extensions.plugins.services import AuditKind
from tests.bot.control.test_control import REPORT
from tests.fakes.trust_house import TrustHouse
from tests.fakes.trusted_plugins import make_plugin

LOADED = [{"id": "dice", "state": "ready", "tools": ["ext_dice_roll"]}]
Answering = Callable[[ProviderQuestion, OnPiece], Coroutine[Any, Any, str]]


async def rolls(question: ProviderQuestion, on_piece: OnPiece) -> str:
    """Answer in two pieces."""
    on_piece(f"{question.prompt} ")
    await asyncio.sleep(0)
    on_piece("six")
    return f"{question.prompt} six"


@dataclass
class Office:
    socket: Path
    house: TrustHouse

    async def answer(self, method: str, target: str, body: str = "") -> tuple[int, Any]:
        connector = aiohttp.UnixConnector(path=str(self.socket))
        async with (
            aiohttp.ClientSession(connector=connector) as session,
            session.request(method, f"http://localhost{target}", data=body) as response,
        ):
            return response.status, await response.json()


@asynccontextmanager
async def open_office(folder: Path, ask: Answering = rolls) -> AsyncGenerator[Office, None]:
    house, path = TrustHouse(folder), folder / "control.sock"
    parts = PluginRouteParts(
        desk=house.desk,
        log=AuditReader(house.database),
        report=lambda: LOADED,
        ask=ask,
        forget=Leftovers(house.database, house.data).forget,
    )
    async with (
        asyncio.timeout(20),
        serving_control(path, lambda: REPORT, routes=plugin_routes(parts)),
    ):
        yield Office(path, house)


async def test_the_loaded_plugins_are_listed(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        assert await asyncio.to_thread(read_plugins, office.socket) == LOADED
        assert await office.answer("GET", "/api/ext") == (200, LOADED)


async def test_a_plugin_is_looked_at_trusted_reloaded_and_trusted_no_more(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        make_plugin(office.house.plugins)
        standing = await asyncio.to_thread(read_standing, office.socket, "dice")
        assert standing is not None
        assert standing == await office.house.desk.standing("dice")
        assert standing.hash is not None
        order = TrustOrder(
            name="dice", hash=standing.hash, denied_env=frozenset({"DICE_SEED"}), denies_exec=True
        )
        trusted = await asyncio.to_thread(trust_plugin, office.socket, order)
        reloaded = await asyncio.to_thread(reload_plugin, office.socket, "dice")
        ran = list(office.house.runner.running)
        once = await asyncio.to_thread(untrust_plugin, office.socket, "dice")
        twice = await asyncio.to_thread(untrust_plugin, office.socket, "dice")

    assert trusted is not None
    assert trusted == reloaded
    assert (trusted.down, trusted.standing.is_trusted) == (None, True)
    assert (trusted.standing.granted_env, trusted.standing.granted_exec) == ((), False)
    assert (ran, once, twice) == (["dice"], True, False)


async def test_a_reload_needs_nothing_but_the_name(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        make_plugin(office.house.plugins)
        status, settled = await office.answer("POST", "/api/ext/reload", '{"name": "dice"}')

    assert status == 200
    assert settled["down"].startswith("nobody has trusted it yet")
    assert settled["standing"]["id"] == "dice"


async def test_all_that_are_found_can_be_looked_at(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        make_plugin(office.house.plugins)
        make_plugin(office.house.plugins, "coin")
        status, standings = await office.answer("GET", "/api/ext/trust")

    assert (status, [one["id"] for one in standings]) == (200, ["coin", "dice"])


@pytest.mark.parametrize(
    ("method", "target", "body", "status", "reason"),
    [
        ("GET", "/api/ext/trust?name=gone", "", 404, "plugin gone: it is not found"),
        ("POST", "/api/ext/reload", '{"name": "gone"}', 404, "plugin gone: it is not found"),
        ("POST", "/api/ext/reload", "{", 400, "the request is not understood"),
        ("POST", "/api/ext/reload", "[]", 400, "the request is not understood"),
        ("POST", "/api/ext/trust", '{"name": "dice"}', 400, "the request is not understood"),
        (
            *("POST", "/api/ext/trust", '{"name": "dice", "hash": "sha256:0"}', 409),
            "plugin dice: its files have changed since it was looked at",
        ),
        ("GET", "/api/ext/log?limit=0", "", 400, "limit must be a whole number from 1 to 1000"),
        ("GET", "/api/ext/log?after=x", "", 400, "after must be a whole number"),
        (
            *("POST", "/api/ext/projects", '{"folder": "shop", "trusted": true}', 400),
            "folder must be an absolute path",
        ),
    ],
)
async def test_what_cannot_be_done_is_refused_with_the_reason(
    tmp_path: Path, method: str, target: str, body: str, status: int, reason: str
) -> None:
    async with open_office(tmp_path) as office:
        make_plugin(office.house.plugins)
        answered, said = await office.answer(method, target, body)

    assert answered == status
    assert said["error"].startswith(reason)


async def test_the_log_is_read_from_its_end_or_from_a_line_on(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        async with writing_audit(
            office.house.database, clock=lambda: 1.0, redact=lambda text: text
        ) as audit:
            for number in range(5):
                audit.note(AuditKind.EXEC, "dice" if number % 2 else "gate", f"line {number}")

        async def texts(wish: LogWish) -> list[str]:
            lines = await asyncio.to_thread(read_log, office.socket, wish)
            return [line.text for line in lines or []]

        assert await texts(LogWish(limit=2)) == ["line 3", "line 4"]
        assert await texts(LogWish(limit=9, name="dice")) == ["line 1", "line 3"]
        assert await texts(LogWish(limit=9, after=2)) == ["line 2", "line 3", "line 4"]


async def test_projects_are_trusted_and_listed(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        project, socket = office.house.project, office.socket
        make_plugin(office.house.project_plugins)
        settled = await asyncio.to_thread(trust_project, socket, project)
        listed = await asyncio.to_thread(read_projects, socket)
        once = await asyncio.to_thread(untrust_project, socket, project)
        twice = await asyncio.to_thread(untrust_project, socket, project)

    assert settled is not None
    assert [one.standing.id for one in settled] == ["dice"]
    assert listed == {project: 100.0}
    assert (once, twice) == (True, False)


@dataclass
class Heard:
    pieces: list[str] = field(default_factory=list)

    async def ask(self, socket: Path) -> AnswerLine | None:
        question = ProviderQuestion(provider="dice/local", prompt="I roll a")
        return await asyncio.to_thread(ask_provider, socket, question, self.pieces.append)


async def test_an_answer_of_a_provider_comes_piece_by_piece(tmp_path: Path) -> None:
    heard = Heard()
    async with open_office(tmp_path) as office:
        end = await heard.ask(office.socket)

    assert "".join(heard.pieces) == "I roll a six"
    assert end == AnswerLine(answer="I roll a six")


async def test_a_piece_is_heard_before_the_answer_is_whole(tmp_path: Path) -> None:
    first_heard = asyncio.Event()
    loop = asyncio.get_running_loop()

    async def waits(_: ProviderQuestion, on_piece: OnPiece) -> str:
        on_piece("first")
        await first_heard.wait()
        return "first and last"

    def hear(_: str) -> None:
        loop.call_soon_threadsafe(first_heard.set)

    question = ProviderQuestion(provider="local", prompt="?")
    async with open_office(tmp_path, waits) as office:
        end = await asyncio.to_thread(ask_provider, office.socket, question, hear)

    assert end == AnswerLine(answer="first and last")


async def test_a_provider_that_fails_says_why(tmp_path: Path) -> None:
    async def fails(_: ProviderQuestion, on_piece: OnPiece) -> str:
        on_piece("so far")
        raise PluginCallError("dice", "it took too long")

    heard = Heard()
    async with open_office(tmp_path, fails) as office:
        end = await heard.ask(office.socket)

    assert heard.pieces == ["so far"]
    assert end == AnswerLine(error="plugin dice: it took too long")


async def test_pieces_beyond_what_may_wait_are_left_out_and_it_is_said(tmp_path: Path) -> None:
    async def floods(_: ProviderQuestion, on_piece: OnPiece) -> str:
        for _number in range(40):
            on_piece("x" * 100_000)
        return "all of it"

    heard = Heard()
    async with open_office(tmp_path, floods) as office:
        end = await heard.ask(office.socket)

    assert len("".join(heard.pieces)) == 1_000_000
    assert end == AnswerLine(answer="all of it", is_whole=False)


async def test_who_asked_and_went_away_holds_nothing_up(tmp_path: Path) -> None:
    asked, ended = asyncio.Event(), asyncio.Event()

    async def hangs(_: ProviderQuestion, on_piece: OnPiece) -> str:
        on_piece("one")
        asked.set()
        try:
            while True:
                await asyncio.sleep(0)
                on_piece("more")
        finally:
            ended.set()

    async with open_office(tmp_path, hangs) as office:
        _, writer = await asyncio.open_unix_connection(str(office.socket))
        body = b'{"provider": "local", "prompt": "?"}'
        head = f"POST /api/ext/ask HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await asked.wait()
        writer.close()
        await ended.wait()


async def test_without_a_bot_there_is_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "control.sock"

    assert read_plugins(path) is None
    assert read_standing(path, "dice") is None
    assert untrust_plugin(path, "dice") is None
    assert await Heard().ask(path) is None


async def test_a_bot_without_plugins_says_so_in_the_end(tmp_path: Path) -> None:
    path = tmp_path / "control.sock"
    async with serving_control(path, lambda: REPORT):
        with pytest.raises(ControlError, match="404"):
            await asyncio.to_thread(read_standing, path, "dice")
        with pytest.raises(ControlError, match="404"):
            await Heard().ask(path)


async def test_a_refusal_is_passed_on_in_the_bots_words(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        with pytest.raises(ControlRefusedError, match="plugin gone: it is not found"):
            await asyncio.to_thread(reload_plugin, office.socket, "gone")


async def test_what_a_plugin_has_kept_is_thrown_away_unless_it_is_loaded(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        (office.house.data / "todo" / "state").mkdir(parents=True)
        had = [await asyncio.to_thread(forget_plugin, office.socket, "todo") for _ in range(2)]
        with pytest.raises(ControlRefusedError, match="it is loaded, and would keep more"):
            await asyncio.to_thread(forget_plugin, office.socket, "dice")

    assert had == [True, False]
    assert forget_plugin(office.socket, "todo") is None
