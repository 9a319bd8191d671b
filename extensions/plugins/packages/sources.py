"""Where plugins come from: what people write, and what is meant. Pure.

Nothing but an absolute folder goes without a scheme: else whoever gives a package on npm or PyPI
the name of somebody's plugin would have it installed in its place.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from extensions.plugins.packages.errors import SourceError
from extensions.plugins.packages.source_hints import how_it_is_written

SCHEMES = ("npm", "git", "pypi", "path")

_NPM = re.compile(r"((?:@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*)(?:@(.*))?", re.DOTALL)
_PYPI = re.compile(r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:@(.*))?", re.DOTALL)
_GIT = re.compile(
    r"([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[0-9]{1,5})?)"
    r"((?:/[A-Za-z0-9_~][A-Za-z0-9._~-]*)+)"
    r"(?:@(.*))?",
    re.DOTALL,
)
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+_!-]{0,127}")
_REF = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,255}")
_MOST_CHARACTERS = 1024
_SUCH_AS = " such as npm:@scope/NAME, git:HOST/USER/REPO, pypi:NAME"


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderSource:
    """A folder of this machine."""

    path: Path
    """Absolute."""

    def __str__(self) -> str:
        return f"path:{self.path}"

    @property
    def name(self) -> str:
        """What the plugin is probably called."""
        return self.path.name


@dataclass(frozen=True, slots=True, kw_only=True)
class NpmSource:
    """A package of npm's registry."""

    package: str
    """With its `@scope/`."""
    version: str | None = None
    """One version, or a tag; `None`: the tag `latest`."""

    def __str__(self) -> str:
        return f"npm:{self.package}" + _behind(self.version)

    @property
    def name(self) -> str:
        """What the plugin is probably called."""
        return self.package.rpartition("/")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class PypiSource:
    """A package of the Python Package Index."""

    package: str
    version: str | None = None
    """`None`: the newest release."""

    def __str__(self) -> str:
        return f"pypi:{self.package}" + _behind(self.version)

    @property
    def name(self) -> str:
        """What the plugin is probably called."""
        return self.package


@dataclass(frozen=True, slots=True, kw_only=True)
class GitSource:
    """A repository, reached by https."""

    host: str
    """With its port, if it has one."""
    path: str
    """Without a slash before it."""
    ref: str | None = None
    """A branch, a tag or a commit; `None`: what is usual there."""

    def __str__(self) -> str:
        return f"git:{self.host}/{self.path}" + _behind(self.ref)

    @property
    def url(self) -> str:
        """Its address."""
        return f"https://{self.host}/{self.path}"

    @property
    def name(self) -> str:
        """What the plugin is probably called."""
        return self.path.rpartition("/")[2].removesuffix(".git")


Source: TypeAlias = FolderSource | NpmSource | PypiSource | GitSource


def read_source(text: str) -> Source:
    """Return what a text with a scheme means.

    Raises:
        SourceError: If it means nothing.
    """
    try:
        return _source(text)
    except SourceError as error:
        hint = how_it_is_written(text) if len(text) <= _MOST_CHARACTERS else None
        if hint is None:
            raise
        raise SourceError(f"{error.reason.removesuffix(_SUCH_AS)}: {hint}") from error


def is_version(text: str) -> bool:
    """Say whether a registry may call a version so: a word that stands for nothing else."""
    return _VERSION.fullmatch(text) is not None


def _source(text: str) -> Source:
    scheme, colon, rest = text.partition(":")
    if not colon or scheme not in SCHEMES or len(text) > _MOST_CHARACTERS:
        raise SourceError(f"{_shown(text)} is neither a folder nor a source{_SUCH_AS}")
    match scheme:
        case "npm":
            package, version = _parts(_NPM, rest, text)
            return NpmSource(package=package, version=_checked(_VERSION, version, text))
        case "pypi":
            package, version = _parts(_PYPI, rest, text)
            return PypiSource(package=package, version=_checked(_VERSION, version, text))
        case "git":
            return _git(rest, text)
        case _:
            return _folder(rest, text)


def _git(rest: str, text: str) -> GitSource:
    host, path, ref = _parts(_GIT, rest, text)
    if ref is not None and (".." in ref or "//" in ref or ref.endswith(("/", ".", ".lock"))):
        raise SourceError(f"{_shown(text)} names no branch, tag or commit behind its @")
    return GitSource(host=host, path=path.removeprefix("/"), ref=_checked(_REF, ref, text))


def _folder(rest: str, text: str) -> FolderSource:
    path = Path(rest)
    if not path.is_absolute() or not rest.isprintable():
        raise SourceError(f"{_shown(text)} names no absolute folder")
    return FolderSource(path=path)


def _parts(pattern: re.Pattern[str], rest: str, text: str) -> tuple[Any, ...]:
    found = pattern.fullmatch(rest)
    if found is None:
        raise SourceError(f"{_shown(text)} names nothing that could be there")
    return found.groups()


def _checked(pattern: re.Pattern[str], value: str | None, text: str) -> str | None:
    if value is not None and pattern.fullmatch(value) is None:
        raise SourceError(f"{_shown(text)} names no version behind its @")
    return value


def _behind(version: str | None) -> str:
    return "" if version is None else f"@{version}"


def _shown(text: str) -> str:
    return ascii(text if len(text) <= _MOST_CHARACTERS else text[:_MOST_CHARACTERS] + "…")
