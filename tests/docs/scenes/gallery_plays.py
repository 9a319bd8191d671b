"""What people do with each example plugin, and what of it the picture shows."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from simulator.messages_api import ModelRequest, Say, Use
from tests.docs.scenes.gallery_scene import GalleryScene
from tests.docs.scenes.model import Made

Play = Callable[[GalleryScene], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """A picture of the gallery, and how it comes about."""

    play: Play
    plugins: tuple[str, ...] = ()
    """The examples that it shows; none: the one that it is called as."""


def tool(plugin: str, name: str, /, **arguments: object) -> Use:
    """Return the use of a plugin's tool by the model."""
    return Use(f"mcp__papercup__ext_{plugin}_{name}", arguments)


def bash(command: str) -> Use:
    """Return the use of a shell by the model."""
    return Use("Bash", {"command": command, "description": "Clean up"})


def telling(words: str) -> Made:
    """Return an answer of these words, and of what the tool that was used last gave back."""

    def answer(request: ModelRequest) -> Say:
        return Say(f"{words}\n{request.last_tool_result}")

    return answer


async def hello(scene: GalleryScene) -> None:
    """A hook tells of a wave, and a tool greets."""
    scene.stage.teach("greet Ada", tool("hello", "greet", name="Ada"), telling("I waved back."))
    await scene.says("o/ Would you greet Ada?", "Hello, Ada!")


async def dice(scene: GalleryScene) -> None:
    """A command and a tool roll."""
    await scene.calls("roll", args="2d6")
    scene.stage.teach("my wizard", tool("dice", "roll", throw="3d6"), telling("The dice say:"))
    await scene.says("Roll three dice for my wizard.", "🎲")


async def todo(scene: GalleryScene) -> None:
    """A list that people and the model share."""
    with scene.stage.beside_the_picture():
        await scene.calls("todo", args="milk")
        shown = await scene.sees("🧩 **todo**", "☐", "milk")
        await scene.stage.press(scene.olga, shown, "✓ milk")
    scene.stage.teach("bread", tool("todo", "add", item="bread"), Say("Bread is on the list."))
    await scene.says("Put bread on the list, please.", "Bread is")
    await scene.sees("🧩 **todo**", "☑", "bread")


async def permission_gate(scene: GalleryScene) -> None:
    """A person is asked before something is removed: once it is answered, once it is open."""
    await scene.permits("bypassPermissions")
    scene.stage.teach("build", bash("rm -rf build"), Say("It is gone."))
    said = scene.writes("Remove build.")
    await scene.answers("rm -rf build", "Yes")
    await scene.answered(said, "It is gone.")
    scene.stage.teach("cache", bash("rm -rf cache"))
    scene.writes("And cache, too.")
    await scene.is_asked("rm -rf cache")


async def echo(scene: GalleryScene) -> None:
    """A command and a tool, in JavaScript."""
    use = tool("echo", "say", phrase="Hip, hip, hooray!", times=3, pause_ms=10)
    scene.stage.teach("cheer", use, telling("It says:"))
    await scene.says("Have it cheer three times.", "hooray")
    await scene.calls("echo", args="Is anybody there?")


async def shell(scene: GalleryScene) -> None:
    """A tool, in sh and awk."""
    scene.stage.teach("busy", tool("shell", "load"), telling("Its load is:"))
    await scene.says("How busy is the machine?", "Its load")


async def protected_paths(scene: GalleryScene) -> None:
    """A file is not written, and people are told."""
    await scene.permits("acceptEdits")
    scene.stage.teach(
        "token",
        Use("Write", {"file_path": ".env", "content": "TOKEN=…\n"}),
        Say("I may not write into `.env`. Would you do that yourself?"),
    )
    said = scene.writes("Put the new token into .env, please.")
    await scene.sees("was kept from changing")
    await scene.answered(said, "I may not write")


async def git_guard(scene: GalleryScene) -> None:
    """A person is asked before work is lost, and says no."""
    await scene.permits("bypassPermissions")
    scene.stage.teach("changes", bash("git reset --hard"), Say("Then I leave them as they are."))
    said = scene.writes("Throw my changes away.")
    await scene.answers("git reset --hard", "No")
    await scene.answered(said, "Then I leave")


async def prompt_rewriter(scene: GalleryScene) -> None:
    """The speaker is told to talk like a pirate."""

    def answer(request: ModelRequest) -> Say:
        is_pirate = "as a pirate would" in str(request.body)
        return Say("Arr, at ten past four, matey!" if is_pirate else "At ten past four.")

    await scene.calls("pirate", args="on")
    scene.stage.teach("tide", answer)
    await scene.says("When is high tide?", "Arr")


async def plan_mode(scene: GalleryScene) -> None:
    """Nothing is changed while it is on."""
    await scene.permits("acceptEdits")
    await scene.calls("plan", args="on")
    await scene.sees("Plan mode", "on: nothing is changed")
    scene.stage.teach(
        "notes",
        Use("Write", {"file_path": "notes.md", "content": "# Notes\n"}),
        Say("Plan mode is on. I would write `notes.md`, with a heading for each day."),
    )
    await scene.says("Begin a file with notes.", "I would write")


async def poll(scene: GalleryScene) -> None:
    """One has chosen, and another one is asked."""
    lunch = "Lunch? soup | salad | both"
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(scene.calls("poll", args=lunch))
        await scene.presses("Lunch?", "soup")
    # The answer to a command stands where it was called: above what was asked meanwhile.
    await scene.is_settled("Lunch?", "soup")
    async with asyncio.TaskGroup() as tasks:
        calling = tasks.create_task(scene.stage.slash(scene.kai, "poll", args=lunch))
        await scene.is_asked(f"<@{scene.kai.id}>", "Lunch?")
        calling.cancel()


async def questionnaire(scene: GalleryScene) -> None:
    """The model asks several questions in a row."""
    questions = [
        {"prompt": "When shall it be?", "label": "day", "options": ["Friday", "Saturday"]},
        {"prompt": "How many guests?", "label": "guests", "options": ["ten", "twenty"]},
    ]
    use = tool("questionnaire", "questionnaire", questions=questions)
    scene.stage.teach("party", use, telling("So that is settled:"))
    said = scene.writes("Help me with the party.")
    for prompt, label in (("When shall", "Friday"), ("How many", "twenty")):
        await scene.answers(prompt, label)
    await scene.answered(said, "So that is settled")


async def timed_confirm(scene: GalleryScene) -> None:
    """A question goes away by itself."""
    await scene.calls("timed", args="1")
    await scene.sees("Are you sure?", "not asked any more")


async def status_line(scene: GalleryScene) -> None:
    """A line that is edited tells of each turn."""
    scene.stage.teach("Good morning", Say("Good morning! What shall we do today?"))
    await scene.says("Good morning!", "What shall")
    await scene.sees("✓ Turn 1")


async def dynamic_tools(scene: GalleryScene) -> None:
    """A tool is offered while it runs."""
    await scene.calls("add-echo-tool", args="parrot")
    await scene.sees("Models have the tool parrot now.")
    use = tool("dynamic_tools", "parrot", message="Pretty bird")
    scene.stage.teach("new tool", use, telling("It says:"))
    await scene.says("Try the new tool.", "Pretty bird")


async def file_trigger(scene: GalleryScene) -> None:
    """What is written into a file is said to the speaker."""
    await scene.calls("watch")
    await scene.sees("is said here")
    scene.stage.teach(
        "tests of main", Say("The tests of main fail since four o'clock. Shall a job look into it?")
    )
    scene.trigger.write_text("The tests of main fail since four o'clock.\n", encoding="utf-8")
    await scene.sees("Shall a job look into it?")


async def parrot(scene: GalleryScene) -> None:
    """A model of a plugin's is asked in a terminal."""
    await scene.types("plugin", "ask", "parrot", "Who is a pretty bird?")


async def bus(scene: GalleryScene) -> None:
    """One plugin tells what another one shouts."""
    with scene.stage.beside_the_picture():
        await scene.calls("listen")
        await scene.sees("is shown here")
    await scene.calls("shout", args="Dinner is ready!")
    await scene.sees("📣 Dinner is ready!")


PLAYS: Mapping[str, Exhibit] = {
    "hello": Exhibit(play=hello),
    "dice": Exhibit(play=dice),
    "todo": Exhibit(play=todo),
    "permission_gate": Exhibit(play=permission_gate),
    "protected_paths": Exhibit(play=protected_paths),
    "git_guard": Exhibit(play=git_guard),
    "plan_mode": Exhibit(play=plan_mode),
    "prompt_rewriter": Exhibit(play=prompt_rewriter),
    "poll": Exhibit(play=poll),
    "questionnaire": Exhibit(play=questionnaire),
    "timed_confirm": Exhibit(play=timed_confirm),
    "status_line": Exhibit(play=status_line),
    "dynamic_tools": Exhibit(play=dynamic_tools),
    "file_trigger": Exhibit(play=file_trigger),
    "bus": Exhibit(play=bus, plugins=("bus_sender", "bus_listener")),
    "parrot": Exhibit(play=parrot),
    "echo": Exhibit(play=echo),
    "shell": Exhibit(play=shell),
}
"""By the name of the picture."""
