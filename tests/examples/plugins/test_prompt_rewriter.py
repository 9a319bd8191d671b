from extensions.hooks import Changed, HookPoint, Pass, Ruling
from tests.fakes.example_plugins import ExampleHost
from tests.fakes.plugin_host import HERE

TURN = {"prompt": "hi", "system_prompt": "", "agent_id": "speaker", "session_id": "chat"}


async def ruled(host: ExampleHost, session: str = "chat") -> Ruling:
    turn = {**TURN, "session_id": session}
    return await host.plugins.fire(HookPoint.BEFORE_AGENT_START, turn, HERE)


async def test_the_speaker_is_told_before_each_turn_of_a_session_where_it_is_switched_on() -> None:
    host = ExampleHost()
    host.sessions.standing = {"session_id": "chat"}
    async with host.running("prompt_rewriter"):
        before = await ruled(host)
        told = await host.plugins.run_command("prompt_rewriter", "pirate", "on", HERE)
        during, elsewhere = await ruled(host), await ruled(host, "other")
        await host.plugins.run_command("prompt_rewriter", "pirate", "off", HERE)
        after = await ruled(host)

    assert told == "Arr! From now on."
    assert (before, elsewhere, after) == (Pass(), Pass(), Pass())
    note = "Answer as a pirate would, but keep all facts as they are."
    assert during == Changed({**TURN, "system_prompt": note}, by=("prompt_rewriter",))


async def test_its_command_is_completed_and_explains_itself() -> None:
    async with ExampleHost().running("prompt_rewriter") as host:
        found = await host.plugins.complete_command("prompt_rewriter", "pirate", "", HERE)
        told = await host.plugins.run_command("prompt_rewriter", "pirate", "maybe", HERE)

    assert [each.value for each in found] == ["on", "off"]
    assert told == "It is /pirate on, or /pirate off."
