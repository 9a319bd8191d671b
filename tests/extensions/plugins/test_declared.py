from extensions.plugins.declared import declared_part
from extensions.plugins.manifest import Capabilities
from extensions.plugins.registrations import (
    CommandRegistration,
    ProviderRegistration,
    Registrations,
    ToolRegistration,
)

OFFERED = Registrations(
    tools=(ToolRegistration(name="roll"), ToolRegistration(name="steal")),
    commands=(CommandRegistration(name="dice"),),
    subscriptions=frozenset({"turn_start", "my topic"}),
    providers=(ProviderRegistration(name="parrot"),),
    hooks=frozenset({"input", "tool_call"}),
)


def test_what_is_not_declared_is_left_out_and_named() -> None:
    warnings: list[str] = []
    declares = Capabilities(tools=frozenset({"roll"}), hooks=frozenset({"input"}))

    assert declared_part(OFFERED, declares, warnings.append) == Registrations(
        tools=(ToolRegistration(name="roll"),),
        subscriptions=frozenset({"turn_start", "my topic"}),
        hooks=frozenset({"input"}),
    )
    assert warnings == [
        "its commands are left out: its manifest does not declare any",
        "tool `steal` is left out: its manifest does not declare it",
        "provider `parrot` is left out: its manifest does not declare it",
        "hook `tool_call` is left out: its manifest does not declare it",
    ]


def test_where_the_manifest_leaves_it_open_all_of_it_counts() -> None:
    warnings: list[str] = []
    declares = Capabilities(tools=None, commands=True, hooks=None, providers=None)

    assert declared_part(OFFERED, declares, warnings.append) == OFFERED
    assert warnings == []


def test_a_plugin_that_does_not_say_which_hooks_it_has_has_those_that_it_declares() -> None:
    offered = Registrations(hooks=None)

    assert declared_part(offered, Capabilities(hooks=None), print).hooks is None
    declares = Capabilities(hooks=frozenset({"input"}))
    assert declared_part(offered, declares, print).hooks == frozenset({"input"})
