"""Plugins are found among those that come along, on npm and on PyPI, and offline as well."""

import tomllib
from collections.abc import Generator
from pathlib import Path

import pytest

from extensions.plugins.discovery import DiscoverySettings, candidate_at
from extensions.plugins.manifest_reading import HostFacts
from extensions.plugins.packages import searching
from extensions.plugins.packages.fetching import Endpoints
from extensions.plugins.packages.searching import Hit, own_plugins, search
from tests.fakes.file_server import Served
from tests.fakes.package_registries import Registries, as_json, serving_registries

EXAMPLES = Path(__file__).parents[4] / "examples" / "plugins"


@pytest.fixture
def registries() -> Generator[Registries]:
    with serving_registries() as found:
        yield found


def test_the_index_says_of_the_examples_what_they_say_of_themselves() -> None:
    index = tomllib.loads(Path(searching.__file__).with_name("index.toml").read_text())
    settings = DiscoverySettings(roots=(), host=HostFacts(version="0.1.0"))
    said = {}
    for folder in sorted(each for each in EXAMPLES.iterdir() if each.is_dir()):
        candidate, _ = candidate_at(folder, settings)
        if candidate is not None:
            said[folder.name] = candidate.manifest.description

    assert {name: entry["description"] for name, entry in index.items()} == said


def test_words_are_found_in_names_and_in_what_is_said() -> None:
    assert [each.name for each in own_plugins("ROLLS dice")] == ["dice"]
    assert [each.source for each in own_plugins("dice")] == [str(EXAMPLES / "dice")]
    assert len([*own_plugins("")]) > 5
    assert [*own_plugins("no such thing")] == []


def test_npm_and_pypi_are_asked(registries: Registries) -> None:
    package = {"name": "@me/frobnicate", "version": "1.0.0", "description": "Frobs \n nicely."}
    odd = [{"package": {"name": "../x"}}, {"package": {}}, None]
    for keyword in searching.KEYWORDS:
        path = f"/-/v1/search?text=keywords%3A{keyword}+frobnicate&size=20"
        registries.files[path] = as_json({"objects": [{"package": package}, *odd]})
    info = {
        "name": "Frobnicate",
        "version": "2.0",
        "summary": "Frobs.",
        "keywords": "x,papercup-plugin",
    }
    registries.files["/pypi/frobnicate/json"] = as_json({"info": info})
    own = {"name": "papercup-plugin-frobnicate", "version": 3, "summary": None}
    registries.files["/pypi/papercup-plugin-frobnicate/json"] = as_json({"info": own})

    found = search("frobnicate", registries.endpoints)

    assert found.unreached == ()
    assert set(found.hits) == {
        Hit(
            name="frobnicate",
            description="Frobs nicely.",
            source="npm:@me/frobnicate",
            version="1.0.0",
        ),
        Hit(name="Frobnicate", description="Frobs.", source="pypi:Frobnicate", version="2.0"),
        Hit(
            name="papercup-plugin-frobnicate",
            description="",
            source="pypi:papercup-plugin-frobnicate",
        ),
    }


def test_a_package_that_does_not_say_that_it_is_a_plugin_is_not_shown(
    registries: Registries,
) -> None:
    info = {"name": "requests", "version": "2.0", "summary": "HTTP.", "keywords": "http"}
    registries.files["/pypi/requests/json"] = as_json({"info": info})

    assert search("requests", registries.endpoints).hits == ()


def test_offline_what_comes_along_is_found_and_the_rest_is_named() -> None:
    nowhere = "http://127.0.0.1:1"
    found = search("dice", Endpoints(npm=nowhere, pypi=nowhere))

    assert [each.name for each in found.hits] == ["dice"]
    assert len(found.unreached) == 4
    assert all("cannot be reached" in each for each in found.unreached)


def test_a_registry_that_fails_keeps_the_other_from_nothing(registries: Registries) -> None:
    info = {"name": "frobnicate", "keywords": "smooth-extension"}
    registries.files["/pypi/frobnicate/json"] = as_json({"info": info})
    for keyword in searching.KEYWORDS:
        path = f"/-/v1/search?text=keywords%3A{keyword}+frobnicate&size=20"
        registries.files[path] = Served(status=503)

    found = search("frobnicate", registries.endpoints)

    assert [each.source for each in found.hits] == ["pypi:frobnicate"]
    assert [each.rpartition(" ")[2] for each in found.unreached] == ["503", "503"]
