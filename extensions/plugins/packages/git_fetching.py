"""Fetches repositories with git, of which nothing is checked out.

What stands in a repository can say much of what git does: with hooks, filters, submodules. So its
files are had as an archive, which is unpacked like any other, and git is told nothing else by
anybody: not by the system's configuration, nor by the user's, nor by the repository's attributes.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from extensions.plugins.packages.archives import unpack_tar
from extensions.plugins.packages.errors import BadPackageError
from extensions.plugins.packages.helpers import HelperRun, run_helper
from extensions.plugins.packages.progress import Progress, Stage, Tell
from extensions.plugins.packages.sources import GitSource

_FETCH_SECONDS = 300.0
_LOCAL_SECONDS = 60.0
_LFS = re.compile(r"^\s*[^#\s].*\bfilter=lfs\b", re.MULTILINE)
_PERCENT = re.compile(r"(\d{1,3})%")
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_MOST_ATTRIBUTE_BYTES = 1 << 20
_MEMORY_BYTES = 1024 * 1024 * 1024
"""A repository of some kilobytes may hold folders by the billion, all of which git looks at."""

_ATTRIBUTES = "* -export-ignore -export-subst -filter -ident -text -eol -working-tree-encoding\n"
"""The files as they were committed: all of them, and nothing put in. They count for more than a
repository's own, by which git would leave out what is looked at here, or run gpg."""

_SETTINGS = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.askPass": "true",
    "credential.helper": "",
    "protocol.allow": "never",
    "protocol.https.allow": "always",
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "30",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
}
_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_ALLOW_PROTOCOL": "https",
    "GIT_PROTOCOL_FROM_USER": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS": "true",
    "GIT_LFS_SKIP_SMUDGE": "1",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GitPlaces:
    """Where a repository is fetched to."""

    work: Path
    """An empty folder, for what is only needed meanwhile."""
    folder: Path
    """An empty folder, for the files."""


def fetch_repository(
    source: GitSource, places: GitPlaces, environment: Mapping[str, str], tell: Tell
) -> str:
    """Put the files of a repository into a folder, and return the commit that they are of.

    Raises:
        FetchError: If it cannot be had.
        BadPackageError: If there is anything in it that cannot be taken.
    """
    repository, archive = places.work / "repository", places.work / "archive.tar"

    def git(*arguments: str, seconds: float = _LOCAL_SECONDS) -> str:
        return run_helper(
            HelperRun(
                command=["git", *_settings(), *arguments],
                cwd=places.work,
                home=places.work,
                environment=environment,
                more=_ENVIRONMENT,
                timeout_seconds=seconds,
                memory_bytes=_MEMORY_BYTES,
                on_line=lambda line: _tell(line, tell),
            )
        )

    tell(Progress(Stage.FETCHING))
    git("init", "--quiet", "--bare", "--template=", str(repository))
    attributes = repository / "info" / "attributes"
    attributes.parent.mkdir(exist_ok=True)
    attributes.write_text(_ATTRIBUTES, encoding="ascii")
    at = f"--git-dir={repository}"
    fetch = ("fetch", "--depth=1", "--no-tags", "--no-recurse-submodules", "--progress")
    git(at, *fetch, "--", source.url, source.ref or "HEAD", seconds=_FETCH_SECONDS)
    commit = git(at, "rev-parse", "--verify", "--end-of-options", "FETCH_HEAD^{commit}").strip()
    if _COMMIT.fullmatch(commit) is None:
        raise BadPackageError(f"{source.url} has no commit there")
    git(at, "archive", "--format=tar", f"--output={archive}", commit)
    unpack_tar(archive, places.folder, tell=tell)
    _refuse_what_is_elsewhere(places.folder)
    return commit


def _settings() -> list[str]:
    return [each for name, value in _SETTINGS.items() for each in ("-c", f"{name}={value}")]


def _refuse_what_is_elsewhere(folder: Path) -> None:
    """Make sure that all of the files are there.

    Raises:
        BadPackageError: If some are kept in another place, which is not asked.
    """
    if (folder / ".gitmodules").exists():
        raise BadPackageError(".gitmodules names submodules, and they are not fetched")
    for attributes in sorted(folder.rglob(".gitattributes")):
        if not attributes.is_file():
            continue
        with attributes.open("rb") as file:
            text = file.read(_MOST_ATTRIBUTE_BYTES).decode(errors="replace")
        if _LFS.search(text):
            name = attributes.relative_to(folder)
            raise BadPackageError(f"{name} keeps files in Git LFS, and those are not fetched")


def _tell(line: str, tell: Tell) -> None:
    if line.startswith("Receiving") and (found := _PERCENT.search(line)) is not None:
        tell(Progress(Stage.FETCHING, int(found[1]), 100))
