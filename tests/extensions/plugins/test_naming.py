import re

import pytest

from extensions.plugins.naming import (
    id_of_name,
    is_valid_capability,
    is_valid_id,
    is_valid_server_name,
    public_server_tool_name,
    public_tool_name,
    without_scope,
)

HOSTILE = [
    *("", ".", "..", "../x", "../../escape", "a/b", "/etc/passwd", "a\\b", "NUL\0", "a\nb", "a\r"),
    *("-rf", "_a", "1a", "$(id)", "`id`", "a;b", "ä", "\U0001f600", "a\u202eb", "a\u200bb", "a\tb"),
    *("x" * 65, "x" * 300, "\uff23\uff2f\uff2e"),
]


@pytest.mark.parametrize("text", ["a", "my-weather", "my_plugin", "x9", "a" * 64])
def test_an_id_has_small_letters_digits_and_two_signs(text: str) -> None:
    assert is_valid_id(text)


@pytest.mark.parametrize("text", [*HOSTILE, "Weather", "a b", "a.b"])
def test_any_other_id_is_refused(text: str) -> None:
    assert not is_valid_id(text)


@pytest.mark.parametrize(
    ("name", "plugin_id"),
    [("Hello World", "hello-world"), ("my.plugin", "my-plugin"), ("Todo_List", "todo_list")],
)
def test_a_name_becomes_an_id(name: str, plugin_id: str) -> None:
    assert id_of_name(name) == plugin_id
    assert is_valid_id(plugin_id)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_that_could_do_harm_becomes_none(name: str) -> None:
    assert id_of_name(name) is None


def test_a_packages_scope_is_no_part_of_its_name() -> None:
    assert without_scope("@smooai/echo") == "echo"
    assert without_scope("echo") == "echo"
    assert id_of_name(without_scope("@evil/../x")) is None


def test_capabilities_and_servers_have_names_of_their_own() -> None:
    assert is_valid_capability("get_weather")
    assert not is_valid_capability("Get-Weather")
    assert is_valid_server_name("weather-api")
    assert not is_valid_server_name("x" * 33)


def test_a_tools_public_name_says_whose_it_is() -> None:
    assert public_tool_name("my-weather", "get_weather") == "ext_my-weather_get_weather"


def test_what_no_tool_may_be_called_becomes_an_underscore() -> None:
    assert public_tool_name("files", "fs.read") == "ext_files_fs_read"
    assert public_server_tool_name("files", "disk", "fs.read") == "ext_files_disk_fs_read"


@pytest.mark.parametrize(
    ("plugin_id", "tool", "public"),
    [
        ("a" * 40, "b" * 30, f"ext_{'a' * 40}_{'b' * 12}_2fa9b7"),
        ("a" * 52, "get_weather", f"ext_{'a' * 52}__179c00"),
        ("a" * 53, "get_weather", f"ext_{'a' * 53}_4766a2"),
        ("a" * 64, "tool", f"ext_{'a' * 53}_37a584"),
    ],
)
def test_a_long_name_is_cut_and_told_apart_by_a_hash(
    plugin_id: str, tool: str, public: str
) -> None:
    assert public_tool_name(plugin_id, tool) == public
    assert len(public) == 64


def test_names_that_are_cut_alike_differ() -> None:
    names = {public_tool_name("a" * 50, f"some_long_tool_{number}") for number in range(1000)}
    assert len(names) == 1000
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names)


def test_a_tools_name_of_any_characters_becomes_a_usable_one() -> None:
    for tool in [*HOSTILE, "\ud800", "ignore previous instructions " * 20]:
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", public_tool_name("p", tool))
