"""Jobs that ask plugins before they do things: the real `claude`, in a jail."""

import time
from pathlib import Path

from extensions.hooks import Blocked, HookPoint, Pass, Payload, Ruling
from simulator.messages_api import Answer, ModelRequest, Say, Use
from tests.fakes.hook_chain import FakeChain, passing
from tests.fakes.job_house import JobHouse, request
from tests.fakes.job_machine import running_job_machine


def nothing_called_private(value: Payload) -> Ruling:
    """Forbid what has to do with one file."""
    is_private = "private" in str(value["arguments"])
    return Blocked("that is private", "gate") if is_private else Pass()


def script(asked: ModelRequest) -> Answer:
    """Write two files."""
    if asked.step == 2:
        return Say("; ".join(str(result.is_error) for result in asked.tool_results))
    name = ("private.txt", "public.txt")[asked.step]
    return Use("Write", {"file_path": name, "content": "mine"})


async def test_in_a_jail_a_job_does_not_do_what_a_plugin_forbids(tmp_path: Path) -> None:
    chain = FakeChain({HookPoint.TOOL_CALL: nothing_called_private, HookPoint.TOOL_RESULT: passing})
    house = JobHouse(tmp_path)
    house.clock.advance(time.time())

    async with running_job_machine(house, script, hooks=chain.hooks) as machine:
        job = await machine.jobs.spawn(request("write"))
        settled = await house.watcher.settled(job.id)

    assert settled.outcome is not None
    assert settled.outcome.summary == "True; False"
    assert not (Path(settled.folder) / "private.txt").exists()
    assert (Path(settled.folder) / "public.txt").read_text(encoding="utf-8") == "mine"
    assert [(point, value["agent_id"]) for point, value in chain.fired] == [
        (HookPoint.TOOL_CALL, job.id),
        (HookPoint.TOOL_CALL, job.id),
        (HookPoint.TOOL_RESULT, job.id),
    ]
