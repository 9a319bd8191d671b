import asyncio
import sys
from pathlib import Path

import pytest

from bot.plugin_services.executor import ExecLimits, JailedExecutor
from extensions.hooks import NOWHERE
from extensions.plugins.services import Executed, ExecutionError
from extensions.process.jail.bubblewrap import Jail, this_host
from extensions.process.jail.probe import find_bwraps
from tests.fakes.waiting import until


class Workshop:
    """A plugin's workspace, and what runs its programs."""

    def __init__(self, root: Path, limits: ExecLimits | None = None) -> None:
        self.folder = root / "workspace"
        self.plugin = root / "plugins" / "todo"
        (self.folder / "sub").mkdir(parents=True)
        self.plugin.mkdir(parents=True)
        (root / "secret").write_text("secret")
        self.executor = JailedExecutor(
            # Without the filter, whose own tests show that it works.
            jail=Jail(bwrap=find_bwraps()[0], host=this_host(), seccomp=None),
            jail_reason=None,
            plugins_folder=root / "data",
            workspace_of=lambda _plugin_id, _occasion: self.folder,
            plugin_folder_of=lambda _plugin_id: self.plugin,
            limits=limits or ExecLimits(seconds=20),
        )

    async def run(self, *command: str, cwd: str | None = None) -> Executed:
        return await self.executor.run(
            "todo", command, cwd=None if cwd is None else Path(cwd), occasion=NOWHERE
        )


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


async def test_a_program_says_what_it_prints_and_how_it_ends(workshop: Workshop) -> None:
    done = await workshop.run("sh", "-c", "echo out; echo err >&2; pwd > here; exit 3")

    assert done == Executed(stdout="out\n", stderr="err\n", exit_code=3)
    assert (workshop.folder / "here").read_text() == f"{workshop.folder}\n"


async def test_words_are_never_given_to_a_shell(workshop: Workshop) -> None:
    done = await workshop.run("echo", "$(id)", "`id`", "a; b", "*")

    assert done.stdout == "$(id) `id` a; b *\n"


async def test_a_program_sees_its_workspace_and_its_plugin_and_nothing_else(
    workshop: Workshop, tmp_path: Path
) -> None:
    (workshop.plugin / "tool.txt").write_text("tool\n")
    script = f"""
        cat {workshop.plugin}/tool.txt
        cat {tmp_path}/secret && echo SEEN
        echo x > {workshop.plugin}/tool.txt && echo WRITTEN
        ls /proc | grep -c '^[0-9]*$'
    """

    done = await workshop.run("sh", "-c", script)

    seen, processes = done.stdout.splitlines()
    assert seen == "tool"
    assert int(processes) < 10
    assert (workshop.plugin / "tool.txt").read_text() == "tool\n"


async def test_a_program_gets_an_environment_of_its_own(workshop: Workshop) -> None:
    done = await workshop.run("env")

    names = {line.split("=")[0] for line in done.stdout.splitlines()}
    assert names - {"PWD"} == {"HOME", "IS_SANDBOX", "LANG", "PATH", "TMPDIR"}


async def test_there_is_no_network(workshop: Workshop) -> None:
    done = await workshop.run("sh", "-c", "tail -n +3 /proc/net/dev | cut -d: -f1")

    assert done.stdout.split() == ["lo"]


async def test_there_is_nobody_behind_the_jails_doors(workshop: Workshop) -> None:
    script = "import socket; print(socket.create_connection(('127.0.0.1', 4001), 5).recv(1))"

    done = await workshop.run("python3", "-c", script)

    assert done.stdout == "b''\n" or "ConnectionResetError" in done.stderr


async def test_what_is_written_at_home_is_there_the_next_time(workshop: Workshop) -> None:
    await workshop.run("sh", "-c", "echo kept > ~/note; echo gone > /tmp/note")

    done = await workshop.run("sh", "-c", "cat ~/note /tmp/note")

    assert done.stdout == "kept\n"
    assert done.exit_code == 1


async def test_a_program_is_run_in_a_folder_of_the_workspace(workshop: Workshop) -> None:
    for cwd in ("sub", "./sub/../sub", str(workshop.folder / "sub")):
        done = await workshop.run("pwd", cwd=cwd)
        assert done == Executed(stdout=f"{workshop.folder}/sub\n", stderr="", exit_code=0)


@pytest.mark.parametrize(
    ("cwd", "reason"),
    [
        ("..", "cwd is outside the workspace"),
        ("sub/../../plugins", "cwd is outside the workspace"),
        ("/", "cwd is outside the workspace"),
        ("link", "cwd is outside the workspace"),
        ("nowhere", "cwd is no folder"),
    ],
)
async def test_a_folder_elsewhere_is_refused(workshop: Workshop, cwd: str, reason: str) -> None:
    (workshop.folder / "link").symlink_to(workshop.plugin)

    with pytest.raises(ExecutionError, match=reason):
        await workshop.run("pwd", cwd=cwd)


async def test_a_program_that_is_not_there_is_named(workshop: Workshop) -> None:
    done = await workshop.run("no-such-program")

    assert done.exit_code == 127
    assert "no-such-program" in done.stderr


async def test_a_program_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, ExecLimits(seconds=0.5))

    with pytest.raises(ExecutionError, match=r"longer than 0\.5 seconds and was stopped"):
        await workshop.run("sh", "-c", "sleep 100 & sleep 100")


@pytest.mark.parametrize("stream", ["", ">&2"])
async def test_a_program_that_prints_too_much_is_stopped(tmp_path: Path, stream: str) -> None:
    workshop = Workshop(tmp_path, ExecLimits(output_bytes=1000))

    with pytest.raises(ExecutionError, match="more than 1000 bytes and was stopped"):
        await workshop.run("sh", "-c", f"yes {stream}")


async def test_what_is_printed_to_the_last_byte_is_given_back(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, ExecLimits(output_bytes=1000))

    done = await workshop.run("printf", "%1000d", "1")

    assert len(done.stdout) == 1000


async def test_what_is_not_text_is_given_back_as_far_as_it_is(workshop: Workshop) -> None:
    done = await workshop.run("printf", r"a\377b")

    assert done.stdout == "a\ufffdb"


async def test_only_so_many_programs_run_at_once(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, ExecLimits(seconds=20, at_once=1))
    begun = workshop.folder / "begun"
    script = f"touch {begun}; while [ ! -e go ]; do sleep 0.02; done"

    async with asyncio.TaskGroup() as tasks:
        first = tasks.create_task(workshop.run("sh", "-c", script))
        await until(begun.exists)
        with pytest.raises(ExecutionError, match="1 programs run for this plugin already"):
            await workshop.run("true")
        (workshop.folder / "go").touch()

    assert first.result().exit_code == 0
    assert (await workshop.run("true")).exit_code == 0


async def test_a_program_ends_when_nobody_waits_for_it_any_more(workshop: Workshop) -> None:
    begun, done = workshop.folder / "begun", workshop.folder / "done"
    script = f"touch {begun}; sleep 0.5; touch {done}"

    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(workshop.run("sh", "-c", script))
        await until(begun.exists)
        task.cancel()

    assert not done.exists()
    assert (await workshop.run("true")).exit_code == 0


async def test_without_a_jail_nothing_is_run(tmp_path: Path) -> None:
    executor = JailedExecutor(
        jail=None,
        jail_reason="there is no bubblewrap program",
        plugins_folder=tmp_path,
        workspace_of=lambda _plugin_id, _occasion: tmp_path,
    )

    with pytest.raises(ExecutionError, match="in a jail alone, and there is none: there is no bub"):
        await executor.run("todo", [sys.executable, "--version"], cwd=None, occasion=NOWHERE)


async def test_a_workspace_that_is_gone_is_told(workshop: Workshop) -> None:
    (workshop.folder / "sub").rmdir()
    workshop.folder.rmdir()

    with pytest.raises(ExecutionError, match="cwd is no folder"):
        await workshop.run("true")
