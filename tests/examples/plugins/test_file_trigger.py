from pathlib import Path

from extensions.plugins.services import Delivery, Notify
from tests.fakes.example_plugins import ExampleHost
from tests.fakes.plugin_host import ELSEWHERE, HERE
from tests.fakes.waiting import until


def said(host: ExampleHost) -> list[tuple[object, object]]:
    """Return what was said to the speaker, and for whom."""
    return [(done[2], done[-1]) for done in host.sessions.done]


async def test_what_is_written_into_the_file_is_said_once(tmp_path: Path) -> None:
    file = tmp_path / "trigger.txt"
    async with ExampleHost(flags={"file": str(file)}).running("file_trigger") as host:
        await host.plugins.run_command("file_trigger", "watch", "", HERE)
        file.write_text("run the tests\n")
        await until(lambda: len(said(host)) == 1)
        left = file.read_text()
        file.write_text("and again")
        await until(lambda: len(said(host)) == 2)

    assert left == ""
    assert host.asked() == [Notify(message=f"What is written into {file} is said here.")]
    assert said(host) == [
        ("From trigger.txt: run the tests", HERE),
        ("From trigger.txt: and again", HERE),
    ]
    assert {done[3] for done in host.sessions.done} == {Delivery.FOLLOW_UP}


async def test_it_is_said_where_it_was_asked_for_last(tmp_path: Path) -> None:
    file = tmp_path / "trigger.txt"
    async with ExampleHost(flags={"file": str(file)}).running("file_trigger") as host:
        for place in (HERE, ELSEWHERE):
            await host.plugins.run_command("file_trigger", "watch", "", place)
        file.write_text("hello")
        await until(lambda: said(host) != [])

    assert said(host) == [("From trigger.txt: hello", ELSEWHERE)]
