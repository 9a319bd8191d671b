from extensions.hooks import Changed, HookPoint, Pass
from extensions.tools import ToolAnswer
from tests.fakes.example_plugins import ExampleHost, by_hand
from tests.fakes.plugin_host import HERE

SAID = {"text": "o/ all", "source": "text", "agent_id": "speaker", "session_id": "chat"}


async def test_it_greets_by_name() -> None:
    async with ExampleHost().running("hello") as host:
        told = [
            await host.use("ext_hello_greet", name=name) for name in ("Ada\u2028", " ", "\ud83d")
        ]
        refused = await host.use("ext_hello_greet", name=7)

    assert told == [
        ToolAnswer("Hello, Ada!"),
        ToolAnswer("Hello, stranger!"),
        ToolAnswer("Hello, \ufffd!"),
    ]
    assert refused.is_error


async def test_a_wave_is_put_into_words_and_all_else_is_left_alone() -> None:
    async with ExampleHost().running("hello") as host:
        waved = await host.plugins.fire(HookPoint.INPUT, SAID, HERE)
        said = await host.plugins.fire(HookPoint.INPUT, {**SAID, "text": "hi all"}, HERE)

    assert waved == Changed({**SAID, "text": "(I wave at you) all"}, by=("hello",))
    assert said == Pass()


async def test_it_says_why_it_cannot_greet() -> None:
    async with by_hand("hello") as hello:
        answer = await hello.ask("tools/call", name="greet", arguments={"name": 7})

    wrong = "there is only the tool greet, which needs a name"
    assert answer["error"] == {"code": -32602, "message": wrong}
