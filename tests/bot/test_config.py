import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.config import Config, EndpointsConfig
from bot.config_keys import default_of, known_keys, nearest
from bot.config_plugins import PluginsConfig
from bot.config_reading import Surroundings, read_config, values_of

EXAMPLE = Path(__file__).parents[2] / "config.example.toml"


def _values_in(text: str) -> dict[str, object]:
    return dict(_values_of(tomllib.loads(text), ""))


def _values_of(table: dict[str, Any], prefix: str) -> Iterator[tuple[str, object]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _values_of(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _with_optional_lines() -> str:
    # What follows are the tables of MCP servers, which may be called anything.
    lines = EXAMPLE.read_text(encoding="utf-8").partition("# [mcp.")[0].splitlines()
    keys = {path.rpartition(".")[2] for path in known_keys()}
    return "\n".join(
        line.removeprefix("# ") if line.removeprefix("# ").partition(" = ")[0] in keys else line
        for line in lines
    )


def test_the_example_holds_every_key_and_no_other() -> None:
    assert set(_values_in(_with_optional_lines())) == set(known_keys())


def test_the_values_in_the_example_are_the_defaults(tmp_path: Path) -> None:
    where = Surroundings(working_folder=tmp_path, environment={"HOME": str(tmp_path)})
    (tmp_path / "config.toml").write_bytes(EXAMPLE.read_bytes())

    plugins = PluginsConfig(search_paths=(tmp_path / "plugins",))
    assert read_config(None, where).config == Config(data_dir=tmp_path / "data", plugins=plugins)


def test_the_example_comments_out_exactly_the_keys_without_a_fixed_default() -> None:
    written = set(_values_in(EXAMPLE.read_text(encoding="utf-8")))
    unset = {path for path in known_keys() if path == "data_dir" or default_of(path) is None}

    assert set(known_keys()) - written == unset


def test_the_examples_of_unset_keys_are_allowed(tmp_path: Path) -> None:
    where = Surroundings(working_folder=tmp_path, environment={"HOME": str(tmp_path)})
    (tmp_path / "config.toml").write_text(_with_optional_lines(), encoding="utf-8")

    values = values_of(read_config(None, where).config)

    assert None not in values.values()


def test_every_default_is_itself_allowed() -> None:
    plain = values_of(Config(data_dir=Path("/data")))
    defaults = {path: default_of(path) for path in known_keys() if path != "data_dir"}

    assert {path: known_keys()[path].read_value(plain[path]) for path in defaults} == defaults


def test_the_data_folder_has_no_default_of_its_own() -> None:
    with pytest.raises(KeyError):
        default_of("data_dir")


@pytest.mark.parametrize(
    ("wanted", "meant"),
    [
        ("jobs.limmit", "jobs.limit"),
        ("job.limit", "jobs.limit"),
        ("limit", "jobs.limit"),
        ("dicsord.owner_ids", "discord.owner_ids"),
        ("discord.owners", "discord.owner_ids"),
        ("job.model", "jobs.model"),
        ("speakers.model", "speaker.model"),
        ("colour", None),
    ],
)
def test_the_nearest_key_is_the_one_that_was_meant(wanted: str, meant: str | None) -> None:
    assert nearest(wanted, known_keys()) == meant


@pytest.mark.parametrize(
    ("text", "address"),
    [("127.0.0.1:8443", ("127.0.0.1", 8443)), ("[::1]:443", ("::1", 443)), ("box:1", ("box", 1))],
)
def test_discords_address_is_a_host_and_a_port(text: str, address: tuple[str, int]) -> None:
    assert known_keys()["endpoints.discord"].read_value(text) == text
    assert replace(EndpointsConfig(), discord=text).discord_address == address


@pytest.mark.parametrize(
    "text",
    ["", "box", "box:", "box:0", "box:65536", "box:x", ":443", "a@b:1", "https://box:1", "b:1/"],
)
def test_what_is_no_host_and_port_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="a host and a port"):
        known_keys()["endpoints.discord"].read_value(text)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://api.anthropic.com/", "https://api.anthropic.com"),
        ("http://127.0.0.1:4000", "http://127.0.0.1:4000"),
        ("http://[::1]:4000/base", "http://[::1]:4000/base"),
    ],
)
def test_the_messages_api_is_an_address_without_a_slash_at_its_end(text: str, url: str) -> None:
    assert known_keys()["endpoints.messages_api"].read_value(text) == url


@pytest.mark.parametrize(
    "text",
    [
        "api.anthropic.com",
        "http://api.anthropic.com",
        "ftp://127.0.0.1",
        "https://",
        "https://me:key@proxy",
        "https://box/?a=b",
        "https://box:99999",
    ],
)
def test_an_address_to_which_the_key_must_not_go_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="https://"):
        known_keys()["endpoints.messages_api"].read_value(text)


@pytest.mark.parametrize(
    ("key", "right", "wrong"),
    [
        ("voice.names", ["Nova", "Paper cup", "O'Neill"], ["N"]),
        ("voice.names", ["Zoë"], ["Nova\n"]),
        ("voice.mode", "push", "shout"),
        ("voice.transcript_days", 0, -1),
        ("voice.alone_minutes", 0.5, 0),
        ("hearing.engine", "faster-whisper", "vosk"),
        ("hearing.model", "/srv/models/sherpa-onnx-zipformer-ru", "two words"),
        ("hearing.language", "auto", ""),
        ("hearing.threads", 1, 0),
        ("speech.engine", "hibari", "festival"),
        ("speech.rate", "-20%", "20"),
        ("speech.volume", "+5%", "loud"),
        ("endpoints.edge_tts", "http://127.0.0.1:9000", "http://box:9000"),
        ("endpoints.models", "https://mirror.example/github", "ftp://mirror.example"),
        ("endpoints.npm", "https://mirror.example/npm", "npm.example"),
        ("endpoints.pypi", "http://127.0.0.1:3141/root/pypi", "http://box:3141"),
    ],
)
def test_what_voice_is_told_is_checked(key: str, right: object, wrong: object) -> None:
    spec = known_keys()[key]

    spec.read_value(right)
    with pytest.raises(ValueError, match=r"."):
        spec.read_value(wrong)
