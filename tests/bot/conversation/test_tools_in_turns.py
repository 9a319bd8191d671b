"""What the tools that a speaker calls give it in people's turns."""

from pathlib import Path

from bot.conversation.turn import Turn
from bot.messenger import MessageRef
from bot.speaker.speaker import Answered
from tests.bot.test_access import PEOPLE, POLICY, SERVER
from tests.fakes.office import HERE
from tests.fakes.scene import SOMEBODY, Scene, a_scene
from tests.fakes.waiting import until


async def is_started(scene: Scene) -> bool:
    return not (await scene.tool("spawn_extension", task="t")).is_error


async def is_found(scene: Scene, wanted: str) -> bool:
    answer = await scene.tool("check_extension", id=wanted)
    assert answer.is_error or scene.job.name in answer.text
    return not answer.is_error


async def test_a_turn_of_several_people_reaches_as_far_as_the_least_of_them(
    tmp_path: Path,
) -> None:
    operator, user = PEOPLE["operator"], PEOPLE["user"]
    async with a_scene(tmp_path, POLICY, operator, SOMEBODY, SERVER) as scene:
        conversation, speaker = scene.conversation, scene.office.speaker()
        asked_in = MessageRef(channel_id=HERE.channel_id, message_id=2)
        alone = await scene.tool("check_extension", id=scene.job.id)
        conversation.take(Turn(people=(operator, user), text="hi", asked_in=asked_in))
        speaker.events.put_nowait(Answered())
        await until(lambda: len(speaker.asked) == 2)
        together = await scene.tool("check_extension", id=scene.job.id)

    assert (alone.is_error, together.is_error) == (False, True)


async def test_however_often_a_model_asks_one_person_starts_so_many_jobs_a_minute(
    tmp_path: Path,
) -> None:
    async with a_scene(tmp_path, POLICY, PEOPLE["user"], SOMEBODY, SERVER) as scene:
        started = [await is_started(scene) for _ in range(100)]
        scene.office.house.clock.advance(61.0)
        later = await is_started(scene)

    assert started == [True] * 5 + [False] * 95
    assert later


# What means something to a shell, a file system, SQL or a regular expression.
STRANGE_IDS = [
    "missing",
    "../../etc",
    "../fibonacci",
    "fibonacci/",
    "*",
    "f?bonacci",
    "fib%",
    "fibonacc_",
    ".*",
    "' OR '1'='1",
    '"; DROP TABLE jobs; --',
    "fibonacci\x00",
    "$(id)",
    "\u202efibonacci",
    "x" * 5000,
]


async def test_a_strange_id_is_no_job(tmp_path: Path) -> None:
    async with a_scene(tmp_path, POLICY, PEOPLE["owner"], SOMEBODY, SERVER) as scene:
        found = [await is_found(scene, wanted) for wanted in STRANGE_IDS]
        still_there = await is_found(scene, scene.job.id)

    assert found == [False] * len(STRANGE_IDS)
    assert still_there


async def test_a_job_of_somebody_else_and_no_job_at_all_are_refused_alike(tmp_path: Path) -> None:
    async with a_scene(tmp_path, POLICY, PEOPLE["user"], SOMEBODY, SERVER) as scene:
        texts = [
            (await scene.tool("check_extension", id=wanted)).text
            for wanted in (scene.job.id, "00000000")
        ]

    assert texts[0].replace(scene.job.id, "ID") == texts[1].replace("00000000", "ID")
