from extensions.plugins.dialects.reading import MOST_TOOLS
from extensions.plugins.offering import merged, own_active_tools
from extensions.plugins.registrations import (
    CommandRegistration,
    ProviderRegistration,
    Registrations,
    ToolRegistration,
)


def tools(*names: str, description: str = "") -> Registrations:
    return Registrations(
        tools=tuple(ToolRegistration(name=name, description=description) for name in names)
    )


def names_of(registrations: Registrations) -> list[str]:
    return [tool.name for tool in registrations.tools]


def test_what_is_called_the_same_is_replaced_where_it_stands() -> None:
    offered = merged(tools("a", "b"), tools("c", "a", description="new"))

    assert names_of(offered) == ["a", "b", "c"]
    assert [tool.description for tool in offered.tools] == ["new", "", "new"]


def test_what_an_update_does_not_speak_of_stays() -> None:
    before = Registrations(
        commands=(CommandRegistration(name="roll"),),
        flags=("fast",),
        subscriptions=frozenset({"turn_end"}),
        providers=(ProviderRegistration(name="corp"),),
        hooks=frozenset({"tool_call"}),
    )

    after = merged(before, Registrations(flags=("slow",), subscriptions=frozenset({"turn_start"})))

    assert after.commands == before.commands
    assert after.flags == ("fast", "slow")
    assert after.subscriptions == {"turn_start", "turn_end"}
    assert after.providers == before.providers
    assert after.hooks == frozenset({"tool_call"})


def test_whoever_is_asked_at_every_point_still_is() -> None:
    everywhere, one = Registrations(), Registrations(hooks=frozenset({"input"}))

    assert merged(everywhere, one).hooks is None
    assert merged(one, Registrations(hooks=frozenset({"context"}))).hooks == frozenset(
        {"input", "context"}
    )


def test_updates_cannot_add_up_to_more_than_a_plugin_may_offer() -> None:
    offered = Registrations()
    for hundred in range(3):
        offered = merged(offered, tools(*(f"t{hundred}_{number}" for number in range(100))))

    assert len(offered.tools) == MOST_TOOLS
    assert names_of(offered)[0] == "t0_0"


def test_updates_cannot_add_up_to_more_words_than_a_plugin_may_use() -> None:
    half = "x" * 600_000

    offered = merged(tools("a", description=half), tools("b", description=half))

    assert names_of(offered) == ["a"]


def test_active_tools_are_the_plugins_own_alone() -> None:
    offered = tools("say", "shout", "ext_todo_say")

    assert own_active_tools("todo", offered, ["shout", "Bash", "say", "shout"]) == ("shout", "say")
    assert own_active_tools("todo", offered, ["todo.say", "dice.shout"]) == ("say",)
    assert own_active_tools("todo", offered, ["ext_todo_shout"]) == ("shout",)
    assert own_active_tools("todo", offered, ["ext_todo_say"]) == ("ext_todo_say",)
    assert own_active_tools("todo", offered, []) == ()
