"""The tool with which speakers and jobs send files, with real conversations and jobs."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.access import NOT_ON_THE_LIST, Access, AccessPolicy
from bot.conversation.file_tool import (
    EMPTY,
    MOST_FILE_BYTES,
    MOST_FILES,
    NO_TURN,
    TOO_MANY,
    file_tool,
)
from bot.messenger import File, MessengerError
from extensions.callers import Caller, CallerKind
from extensions.jobs.files import NO_SUCH_FILE, NOT_OWN
from extensions.jobs.manager import JobManager
from extensions.tools import Tool, ToolCall
from tests.fakes.job_backend import FakeJobBackend
from tests.fakes.job_house import JobHouse, request
from tests.fakes.messenger import FakeMessage
from tests.fakes.talk_house import HERE, USER, Talk, TalkHouse, message, ref
from tests.fakes.waiting import until


@dataclass
class Bench:
    """The tool, and what it is used on."""

    talk: Talk
    jobs: JobManager
    tool: Tool

    @property
    def posted(self) -> list[FakeMessage]:
        return self.talk.house.messenger.messages

    @property
    def speaker(self) -> Caller:
        return Caller(CallerKind.SPEAKER, self.talk.conversation.session.id)

    def file(self, name: str, content: bytes = b"hello") -> str:
        """Put a file into the folder of the session in `HERE`."""
        folder = self.talk.house.folder / self.talk.conversation.session.id
        folder.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
        return name

    async def send(self, caller: Caller, **arguments: Any) -> dict[str, Any]:
        """Call the tool, and return its answer."""
        answer = await self.tool.handler(ToolCall(caller=caller, arguments=arguments))
        found: dict[str, Any] = json.loads(answer.text)
        assert answer.is_error is ("error" in found)
        return found

    async def is_answering(self, number: int = 1) -> None:
        """Let the speaker answer a message of `USER`."""
        await self.talk.intake.arrived(message(number))
        await until(lambda: self.talk.conversation.running_turn is not None)


@asynccontextmanager
async def open_bench(folder: Path, access: Access | None = None) -> AsyncGenerator[Bench, None]:
    (folder / "talk").mkdir()
    (folder / "work").mkdir()
    access = access or Access(AccessPolicy(owner_ids=frozenset(), allowed_user_ids=frozenset({7})))
    house = TalkHouse(folder / "talk")
    async with house.open() as talk, JobHouse(folder / "work").open(FakeJobBackend()) as jobs:
        tool = file_tool(
            talk.conversations,
            jobs,
            house.messenger,
            house.folder,
            authorize=access.authorize,
        )
        yield Bench(talk, jobs, tool)


async def test_a_speaker_sends_a_file_of_its_session_to_where_it_is_talked_to(
    tmp_path: Path,
) -> None:
    async with open_bench(tmp_path) as bench:
        await bench.is_answering()
        bench.file(".my plot\u202e.png", b"PNG")
        answer = await bench.send(bench.speaker, path=".my plot\u202e.png", caption="A [plot](x)")

        assert answer == {"ok": True, "name": "my_plot.png", "bytes": 3}
        (posted,) = bench.posted
        assert posted.ref.channel_id == HERE.channel_id
        assert posted.versions[0].files == (File(name="my_plot.png", content=b"PNG"),)
        assert posted.text == "A \\[plot\\](x)"
        assert len(posted.nonce) <= 25


async def test_a_job_sends_a_file_of_its_folder_to_where_it_was_asked_for(tmp_path: Path) -> None:
    async with open_bench(tmp_path) as bench:
        job = await bench.jobs.spawn(request(name="fibonacci"))
        (Path(job.folder) / "fib.py").write_bytes(b"print(1)")
        caller = Caller(CallerKind.JOB, job.id)
        answer = await bench.send(caller, path=f"{job.folder}/fib.py", caption="Done.")

        assert answer == {"ok": True, "name": "fib.py", "bytes": 8}
        (posted,) = bench.posted
        assert posted.ref.channel_id == job.origin.channel_id
        assert posted.text == "📎 **fibonacci** sends a file.\nDone."


async def test_nobody_sends_what_is_not_in_their_own_folder(tmp_path: Path) -> None:
    async with open_bench(tmp_path) as bench:
        await bench.is_answering()
        bench.file("empty.txt", b"")
        bench.file("large.bin", bytes(MOST_FILE_BYTES + 1))
        job = await bench.jobs.spawn(request())
        (Path(job.folder) / "link").symlink_to(bench.talk.house.folder / "papercup.db")
        own, of_job = bench.speaker, Caller(CallerKind.JOB, job.id)
        answers = [
            await bench.send(own, path="../papercup.db"),
            await bench.send(own, path=f"{job.folder}/link"),
            await bench.send(of_job, path="link"),
            await bench.send(own, path="gone.txt"),
            await bench.send(own, path="empty.txt"),
            await bench.send(own, path="large.bin"),
        ]

        assert [answer["error"] for answer in answers] == [
            *[NOT_OWN.reason] * 3,
            NO_SUCH_FILE.reason,
            EMPTY,
            "the file has 8,000,001 bytes, and may have 8,000,000",
        ]
        assert bench.posted == []


async def test_a_speaker_sends_only_while_it_answers_somebody_who_may_talk(tmp_path: Path) -> None:
    access = Access(AccessPolicy(owner_ids=frozenset(), allowed_user_ids=frozenset()))
    async with open_bench(tmp_path, access) as bench:
        await bench.talk.conversations.open(HERE, USER)
        bench.file("a.txt")
        assert await bench.send(bench.speaker, path="a.txt") == {"error": NO_TURN}
        assert await bench.send(Caller(CallerKind.SPEAKER, "gone"), path="a.txt") == {
            "error": NO_TURN
        }
        await bench.is_answering()
        assert await bench.send(bench.speaker, path="a.txt") == {"error": NOT_ON_THE_LIST.reason}

        assert bench.posted == []


async def test_a_retry_sends_nothing_twice_but_another_turn_may(tmp_path: Path) -> None:
    async with open_bench(tmp_path) as bench:
        await bench.is_answering()
        bench.file("a.txt")
        bench.talk.house.messenger.lost_answers = 1
        assert "error" in await bench.send(bench.speaker, path="a.txt")
        for _ in range(2):
            assert (await bench.send(bench.speaker, path="a.txt"))["ok"]
        assert len(bench.posted) == 1

        bench.talk.answer()
        await until(lambda: bool(bench.talk.surface.shown))
        await bench.is_answering(2)
        await bench.send(bench.speaker, path="a.txt")
        assert len(bench.posted) == 2


async def test_only_so_many_files_are_sent_in_a_turn_and_what_failed_does_not_count(
    tmp_path: Path,
) -> None:
    async with open_bench(tmp_path) as bench:
        await bench.is_answering()
        names = [bench.file(f"{number}.txt") for number in range(MOST_FILES + 1)]
        bench.talk.house.messenger.failures = [MessengerError("403", is_final=True)]
        failed = await bench.send(bench.speaker, path=names[0])
        answers = [await bench.send(bench.speaker, path=name) for name in names]
        again = await bench.send(bench.speaker, path=names[0])

        assert failed == {"error": "Discord did not take the message: 403"}
        assert [answer.get("error") for answer in answers] == [None] * MOST_FILES + [TOO_MANY]
        assert again["ok"]
        assert bench.talk.conversation.running_turn is not None
        assert bench.talk.conversation.running_turn.asked_in == ref(1)


async def test_a_job_that_is_not_known_sends_nothing(tmp_path: Path) -> None:
    async with open_bench(tmp_path) as bench:
        answer = await bench.send(Caller(CallerKind.JOB, "00000099"), path="a.txt")

        assert "00000099" in answer["error"]


async def test_speakers_and_jobs_are_offered_the_tool(tmp_path: Path) -> None:
    async with open_bench(tmp_path) as bench:
        assert bench.tool.name == "send_file"
        assert bench.tool.offered_to == frozenset(CallerKind)
