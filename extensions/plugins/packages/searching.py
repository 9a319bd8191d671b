"""Searches for plugins: among those that come with Papercup, on npm and on PyPI.

npm finds what has a keyword. PyPI cannot be searched: there it is looked for packages of certain
names, and taken what says by a keyword that it is a plugin.
"""

import re
import threading
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, cast
from urllib.parse import quote, urlencode

from extensions.plugins.packages.errors import FetchError, SourceError
from extensions.plugins.packages.fetching import Endpoints
from extensions.plugins.packages.progress import Progress, Stage, Tell
from extensions.plugins.packages.sources import is_version, read_source
from extensions.plugins.packages.web import Registry

KEYWORDS = ("papercup-plugin", "smooth-extension")
"""What packages are marked with that are plugins."""
OWN_PREFIX = "papercup-plugin-"
_MOST_HITS = 20
"""Of each registry, for each keyword."""
_SECONDS = 6.0
_MOST_CHARACTERS = 500
"""Of what is said of a plugin."""
_INDEX = Path(__file__).with_name("index.toml")
_EXAMPLES = Path("examples/plugins")
_REPOSITORY = Path(__file__).parents[3]
_PYPI_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?")
_BETWEEN_KEYWORDS = re.compile(r"[,\s]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A plugin that was found."""

    name: str
    description: str
    source: str
    """What `papercup plugin install` takes."""
    version: str | None = None
    """`None`: nobody said."""


_Question: TypeAlias = tuple[str, Callable[[], list[Hit]]]
"""Which registry is asked, and what asks it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What was found."""

    hits: tuple[Hit, ...]
    unreached: tuple[str, ...] = ()
    """Which registries were not searched, or not wholly, and why: a sentence each."""


def search(query: str, endpoints: Endpoints, tell: Tell) -> Findings:
    """Search for plugins; what cannot be reached keeps nothing else from being found.

    Args:
        query: What is looked for.
        endpoints: Where the registries are.
        tell: Told which of them have not answered yet. What it raises ends the search at once.
    """
    npm = Registry(endpoints.npm, silence_seconds=_SECONDS)
    pypi = Registry(endpoints.pypi, silence_seconds=_SECONDS)
    questions: list[_Question] = [
        *(("npm", lambda word=word: list(_on_npm(npm, query, word))) for word in KEYWORDS),
        *(("PyPI", lambda name=name: list(_on_pypi(pypi, name))) for name in _pypi_names(query)),
    ]
    hits, unreached = dict.fromkeys(own_plugins(query)), dict[str, str]()
    for where, answer in _answers(questions, tell):
        try:
            hits |= dict.fromkeys(answer.result())
        except FetchError as error:
            # Once for each: whoever is offline is not helped by each address of it.
            unreached.setdefault(where, f"{where}, as {error}")
    return Findings(hits=tuple(hits), unreached=tuple(unreached.values()))


def own_plugins(query: str) -> Iterator[Hit]:
    """Yield those that come with Papercup and have all words of `query` in what is said of them."""
    words = query.casefold().split()
    for name, entry in tomllib.loads(_INDEX.read_text(encoding="utf-8")).items():
        said = f"{name} {entry['description']}".casefold()
        if all(word in said for word in words):
            folder = _REPOSITORY / _EXAMPLES / name
            source = folder if folder.is_dir() else _EXAMPLES / name
            yield Hit(name=name, description=entry["description"], source=str(source))


def _answers(questions: Sequence[_Question], tell: Tell) -> list[tuple[str, "Future[list[Hit]]"]]:
    """Ask all at once, and return who was asked with what came of it, in that order."""
    answers = [(where, _asked(ask)) for where, ask in questions]
    total = len(answers)

    def tell_who_is_waited_for() -> None:
        waited_for = [where for where, answer in answers if not answer.done()]
        names = " and ".join(dict.fromkeys(waited_for))
        tell(Progress(Stage.SEARCHING, total - len(waited_for), total, names))

    tell_who_is_waited_for()
    for _ in as_completed([answer for _, answer in answers]):
        tell_who_is_waited_for()
    return answers


def _asked(ask: Callable[[], list[Hit]]) -> "Future[list[Hit]]":
    answer = Future[list[Hit]]()

    def run() -> None:
        try:
            answer.set_result(ask())
        except BaseException as error:  # noqa: BLE001 - whoever waits for the answer gets it
            answer.set_exception(error)

    # Not in a pool: whoever ends the program would wait for its threads.
    threading.Thread(target=run, daemon=True).start()
    return answer


def _on_npm(registry: Registry, query: str, keyword: str) -> Iterator[Hit]:
    asked = urlencode({"text": f"keywords:{keyword} {query}".strip(), "size": _MOST_HITS})
    document = _object(registry.document(f"/-/v1/search?{asked}"))
    found: object = document.get("objects")
    for each in cast("list[object]", found)[:_MOST_HITS] if isinstance(found, list) else ():
        package = _object(_object(each).get("package"))
        yield from _hit(f"npm:{package.get('name')}", package.get("description"), package)


def _on_pypi(registry: Registry, name: str) -> Iterator[Hit]:
    info = _object(_object(registry.document(f"/pypi/{quote(name)}/json")).get("info"))
    keywords = set(_BETWEEN_KEYWORDS.split(str(info.get("keywords") or "")))
    if name.startswith(OWN_PREFIX) or not keywords.isdisjoint(KEYWORDS):
        yield from _hit(f"pypi:{info.get('name')}", info.get("summary"), info)


def _hit(source: str, description: object, said: Mapping[str, Any]) -> Iterator[Hit]:
    if not isinstance(said.get("name"), str):
        return
    try:
        found = read_source(source)
    except SourceError:
        # It could not be installed.
        return
    version = said.get("version")
    yield Hit(
        name=found.name,
        description=_shown(description),
        source=source,
        version=version if isinstance(version, str) and is_version(version) else None,
    )


def _shown(description: object) -> str:
    """Return what somebody says of a package as one line that can be shown."""
    text = description if isinstance(description, str) else ""
    line = "".join(each if each.isprintable() else " " for each in text[:_MOST_CHARACTERS])
    return " ".join(line.split())


def _pypi_names(query: str) -> list[str]:
    if _PYPI_NAME.fullmatch(query) is None:
        return []
    own = query if query.startswith(OWN_PREFIX) else OWN_PREFIX + query
    return list(dict.fromkeys([query, own]))


def _object(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}
