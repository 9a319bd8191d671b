"""Plugins are found among those that come along, on npm and on PyPI, and offline as well."""

import tomllib
from collections.abc import Generator
from pathlib import Path

import pytest

from extensions.plugins.discovery import DiscoverySettings, candidate_at
from extensions.plugins.manifest_reading import HostFacts
from extensions.plugins.packages import searching
from extensions.plugins.packages.fetching import Endpoints
from extensions.plugins.packages.progress import Progress, Stage
from extensions.plugins.packages.searching import Hit, own_plugins, search
from tests.fakes.endless_server import serving_without_end
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


def _untold(_progress: Progress) -> None:
    """Be told how far it is."""


def test_it_is_told_which_registries_have_not_answered_yet(registries: Registries) -> None:
    told: list[Progress] = []

    search("frobnicate", registries.endpoints, told.append)

    # Those that answer at the same time are taken off at the same time.
    assert {each.stage for each in told} == {Stage.SEARCHING}
    assert (told[0].total, told[-1]) == (4, Progress(Stage.SEARCHING, 4, 4))
    assert [each.done for each in told] == sorted(each.done for each in told)


def test_only_registries_that_are_asked_are_named() -> None:
    told: list[Progress] = []

    def stop(progress: Progress) -> None:
        told.append(progress)
        raise KeyboardInterrupt

    with serving_without_end(b"", b"") as url:
        for query in ("two words", "frobnicate"):
            with pytest.raises(KeyboardInterrupt):
                search(query, Endpoints(npm=url, pypi=url), stop)

    assert told == [
        Progress(Stage.SEARCHING, 0, 2, "npm"),
        Progress(Stage.SEARCHING, 0, 4, "npm and PyPI"),
    ]


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

    found = search("frobnicate", registries.endpoints, _untold)

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


def test_what_others_say_of_a_package_is_one_short_line_that_can_be_shown(
    registries: Registries,
) -> None:
    said = "Frobs.\x1b[2J\ud800\u202e\n" + "x" * 10_000
    info = {"name": "frobnicate", "version": "1.0\x1b[2J", "summary": said}
    registries.files["/pypi/papercup-plugin-frobnicate/json"] = as_json({"info": info})

    (hit,) = search("frobnicate", registries.endpoints, _untold).hits

    assert hit.description.startswith("Frobs. [2J xxx")
    assert len(hit.description) <= 500
    assert hit.version is None


def test_a_package_that_does_not_say_that_it_is_a_plugin_is_not_shown(
    registries: Registries,
) -> None:
    info = {"name": "requests", "version": "2.0", "summary": "HTTP.", "keywords": "http"}
    registries.files["/pypi/requests/json"] = as_json({"info": info})

    assert search("requests", registries.endpoints, _untold).hits == ()


def test_offline_what_comes_along_is_found_and_the_rest_is_named() -> None:
    nowhere = "http://127.0.0.1:1"
    found = search("dice", Endpoints(npm=nowhere, pypi=nowhere), _untold)

    assert [each.name for each in found.hits] == ["dice"]
    assert [each.partition(", as ")[0] for each in found.unreached] == ["npm", "PyPI"]
    assert all("cannot be reached" in each for each in found.unreached)


def test_a_registry_that_fails_keeps_the_other_from_nothing(registries: Registries) -> None:
    info = {"name": "frobnicate", "keywords": "smooth-extension"}
    registries.files["/pypi/frobnicate/json"] = as_json({"info": info})
    for keyword in searching.KEYWORDS:
        path = f"/-/v1/search?text=keywords%3A{keyword}+frobnicate&size=20"
        registries.files[path] = Served(status=503)

    found = search("frobnicate", registries.endpoints, _untold)

    assert [each.source for each in found.hits] == ["pypi:frobnicate"]
    (why,) = found.unreached
    assert why.startswith("npm, as ")
    assert why.endswith(" answers with status 503")
