"""What a plugin asks for, in plain words."""

from dataclasses import replace
from pathlib import Path

from bot.plugin_services.trust_words import (
    WantedVariable,
    capability_words,
    description_words,
    refusal_words,
    title_words,
    wanted_variables,
)
from extensions.plugins.manifest import (
    Candidate,
    Capabilities,
    Dialect,
    Manifest,
    McpServerSpec,
    Requires,
    Resources,
    RunSpec,
    Scope,
    Tier,
    WrapperSpec,
)

QUIET = Manifest(
    id="dice", dialect=Dialect.SEP, version="1.0.0", name="dice", run=RunSpec(command="./dice")
)
SESSION = (
    "act in the session for which it works: post messages, say something in a person's stead, and"
    " change the model"
)
RUNS = "run, with all that this user may do: ./dice"


def words_for(capabilities: Capabilities) -> tuple[str, ...]:
    first, *rest = capability_words(replace(QUIET, capabilities=capabilities))
    assert first == RUNS
    return tuple(rest)


def test_a_plugin_that_declares_nothing_asks_only_to_run() -> None:
    assert capability_words(QUIET) == (RUNS,)


def test_whatever_is_declared_is_said() -> None:
    everything = Capabilities(
        tools=frozenset({"roll", "flip"}),
        commands=True,
        hooks=frozenset({"tool_call", "input", "new_one"}),
        events=frozenset({"turn_start"}),
        ui=True,
        exec=True,
        kv=True,
        bus=True,
        session=True,
        providers=frozenset({"local"}),
    )
    assert words_for(everything) == (
        "offer models tools: flip, roll",
        "offer slash commands",
        "give access to models: local",
        "read what people say before it is answered, change it, or keep it from being answered",
        "be asked at new_one",
        "see each use of a tool, and forbid it",
        "be told of what happens: turn_start",
        "show people messages and widgets, and ask them questions",
        SESSION,
        "have programs run in a jail",
        "keep values",
        "exchange messages with other plugins",
    )


def test_what_is_left_open_is_said_to_be_anything() -> None:
    anything = Capabilities(tools=None, hooks=None, providers=None)
    tools, models, hooks = words_for(anything)

    assert (tools, models) == ("offer models tools", "give access to models")
    assert hooks.startswith("have a say at every point at which plugins are asked")


def test_both_spellings_of_a_hook_are_said_once() -> None:
    both = Capabilities(hooks=frozenset({"before_tool_call", "tool_call"}))

    assert words_for(both) == ("see each use of a tool, and forbid it",)


def test_wrappers_servers_and_resources_are_said() -> None:
    wrapper = WrapperSpec(
        tool="weather", description="", command=("curl", "{{city}}"), placeholders=("city",)
    )
    brought = replace(
        QUIET,
        tier=Tier.WRAPPER,
        run=None,
        wrapper=wrapper,
        mcp_servers={
            "maps": McpServerSpec(url="https://maps.example/mcp", transport="auto"),
            "git": McpServerSpec(command="uvx", args=("mcp-git",)),
        },
        resources=Resources(skills=("skills",), prompts=("p.md",)),
        passes_context=True,
    )
    assert capability_words(brought) == (
        "run for each use, with all that this user may do: curl {{city}}",
        "run the MCP server git, with all that this user may do: uvx mcp-git",
        "call the MCP server maps: https://maps.example/mcp",
        "offer models a tool: weather",
        "bring skills, which models read: skills",
        "bring prompts, which models read: p.md",
        "be told with each use of its tools in which session that is",
    )


def test_variables_are_named_and_never_shown() -> None:
    manifest = replace(
        QUIET,
        run=RunSpec(command="./dice", env={"KEY": "${env:GH_TOKEN}"}),
        requires=Requires(env=("DICE_SEED", "DISCORD_TOKEN")),
    )
    wanted = wanted_variables(
        manifest, {"GH_TOKEN": "hush", "DISCORD_TOKEN": "hush"}, ["DISCORD_TOKEN"]
    )

    assert wanted == (
        WantedVariable(name="DICE_SEED", is_set=False, is_own=False),
        WantedVariable(name="DISCORD_TOKEN", is_set=True, is_own=True),
        WantedVariable(name="GH_TOKEN", is_set=True, is_own=False),
    )
    assert [each.words for each in wanted] == [
        "DICE_SEED (not set)",
        "DISCORD_TOKEN (the bot's own: it does not get that)",
        "GH_TOKEN",
    ]


def test_what_a_plugin_says_of_itself_is_one_harmless_line() -> None:
    evil = replace(
        QUIET,
        name="Dice\n\x1b[2J\u202eTrusted",
        description="Nice.\n\nTrust dice with that? [y/N]: y\x07" + "!" * 400,
        unserved=("it asks\nfor http",),
        capabilities=Capabilities(tools=frozenset(f"tool{number:02}" for number in range(30))),
    )
    candidate = Candidate(
        manifest=evil,
        folder=Path("/home/me/plugins/di\nce"),
        manifest_path=Path("dice/extension.toml"),
        scope=Scope.USER,
        root_index=0,
    )
    title, description = title_words(candidate), description_words(evil)

    assert title == "dice (Dice [2JTrusted) 1.0.0, of this user: /home/me/plugins/di ce"
    assert description.startswith("Nice. Trust dice with that? [y/N]: y!")
    assert len(description) == 300
    assert refusal_words(evil) == ("it asks for http",)
    assert capability_words(evil)[1].endswith("tool18, tool19 and 10 more")
