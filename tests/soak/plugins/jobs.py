"""Jobs that want more than they may have: the whole bot, with the real `claude`."""

import os
from typing import Any

from simulator.messages_api import Answer, ModelRequest, Say, Use, UseSeveral
from simulator.messages_api import ToolUse as Wanted
from tests.fakes.house import open_house
from tests.fakes.model_script import SPAWN, TwoVoices
from tests.soak.plugins.scene import Scene
from tests.soak.plugins.secret_names import HUSH, SECRET_LIKE


async def jobs_that_spawn(scene: Scene) -> None:
    """S3 and, for jobs, S18."""
    seen: dict[str, Any] = {}

    def job(request: ModelRequest) -> Answer:
        if request.step == 0:
            spawns = [Wanted(SPAWN, {"name": f"child-{n}", "task": "go on"}) for n in range(3)]
            look = Wanted("Bash", {"command": "env > env.txt", "description": "Look"})
            return UseSeveral((*spawns, look))
        seen["offered"] = [name for name in request.tools if "spawn" in name]
        seen["told"] = [each.text for each in request.tool_results if each.tool == SPAWN]
        return Say("That is all.")

    def speaker(request: ModelRequest) -> Answer:
        if request.step == 0 and "job mother" in request.last_user_text:
            return Use(SPAWN, {"name": "mother", "task": "Have children."})
        return Say("Done.")

    for name in SECRET_LIKE:
        os.environ[name] = f"{HUSH}-{name}"
    async with open_house(scene.folder, TwoVoices(job, speaker)) as house, house.bot() as bot:
        await house.notify()
        await house.ask("job mother: have children", "Done.")
        await house.sees("🔔 **mother**")
        jobs = bot.jobs()
    names = [each["name"] for each in jobs]
    scene.must("a job that asks for jobs gets none", be=names == ["mother"], seen=names)
    scene.must("it is not offered the tool", be=seen["offered"] == [], seen=seen)
    is_refused = len(seen["told"]) == 3 and all("spawn" in text for text in seen["told"])
    scene.must("each of its calls is refused", be=is_refused, seen=seen)
    files = list((scene.folder / "data").rglob("env.txt"))
    inside = files[0].read_text() if files else ""
    is_clean = "PATH=" in inside and HUSH not in inside
    told = f"{len(inside.splitlines())} variables, {inside.count(HUSH)} of them secret"
    scene.must("none of 40 secret-like variables reaches a job", be=is_clean, seen=told)
    scene.tell(f"3 calls of a job refused: “{seen['told'][0][:120]}”; a job sees {told}")
