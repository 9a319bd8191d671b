"""Repositories are fetched by the real git, over https, and none of what they say is done."""

from collections.abc import Generator
from pathlib import Path

import pytest

from extensions.plugins.packages.errors import BadPackageError, FetchError
from extensions.plugins.packages.git_fetching import GitPlaces, fetch_repository
from extensions.plugins.packages.progress import Progress, Stage
from extensions.plugins.packages.sources import GitSource
from tests.fakes.git_server import GitServer, serving_git
from tests.fakes.package_archives import plugin_files


@pytest.fixture
def server(tmp_path: Path) -> Generator[GitServer]:
    with serving_git(tmp_path) as found:
        yield found


class _Client:
    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.work, self.folder = folder / "work", folder / "files"
        self.work.mkdir(parents=True)
        self.folder.mkdir()
        self.environment = environment
        self.told: list[Progress] = []

    def fetch(self, server: GitServer, name: str, ref: str | None = None) -> str:
        source = GitSource(host=server.host, path=name, ref=ref)
        places = GitPlaces(work=self.work, folder=self.folder)
        return fetch_repository(source, places, self.environment, self.told.append)

    @property
    def names(self) -> list[str]:
        files = (each for each in self.folder.rglob("*") if each.is_file())
        return sorted(str(each.relative_to(self.folder)) for each in files)


def test_a_branch_a_tag_and_a_commit_are_fetched(server: GitServer, tmp_path: Path) -> None:
    old = server.commit("dice", plugin_files(version="1.0.0"), tag="v1")
    new = server.commit("dice", plugin_files(version="2.0.0"))

    for number, (ref, commit) in enumerate([(None, new), ("main", new), ("v1", old), (old, old)]):
        client = _Client(tmp_path / str(number), server.environment)
        assert client.fetch(server, "dice", ref) == commit
        assert client.names == ["extension.toml", "main.py"]
        version = b"1.0.0" if commit == old else b"2.0.0"
        assert version in (client.folder / "extension.toml").read_bytes()
        assert client.told[0] == Progress(Stage.FETCHING)


@pytest.mark.parametrize(("name", "ref"), [("gone", None), ("dice", "gone")])
def test_what_is_not_there_cannot_be_had(
    server: GitServer, tmp_path: Path, name: str, ref: str | None
) -> None:
    server.commit("dice", plugin_files())

    with pytest.raises(FetchError, match=r"git failed \(128\): .*(gone|not found)"):
        _Client(tmp_path / "client", server.environment).fetch(server, name, ref)


def test_a_server_that_nobody_vouches_for_is_not_believed(
    server: GitServer, tmp_path: Path
) -> None:
    server.commit("dice", plugin_files())
    environment = {"PATH": server.environment["PATH"]}

    with pytest.raises(FetchError, match="certificate"):
        _Client(tmp_path / "client", environment).fetch(server, "dice")


def test_what_the_users_configuration_says_plays_no_part(server: GitServer, tmp_path: Path) -> None:
    server.commit("dice", {**plugin_files(), ".gitattributes": b"*.py filter=evil\n"})
    evil = f"touch {tmp_path}/ran"
    (tmp_path / ".gitconfig").write_text(
        f'[filter "evil"]\nsmudge = {evil}\nrequired = true\n[core]\nsshCommand = {evil}\n'
        f'[url "ext::{evil}"]\ninsteadOf = https://\n[tar "tar"]\ncommand = {evil}\n'
    )
    told = {
        "HOME": str(tmp_path),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "url.ext::sh -c id.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://",
        "GIT_DIR": "/nowhere",
        "GIT_EXEC_PATH": "/nowhere",
        "GIT_SSH_COMMAND": evil,
    }
    client = _Client(tmp_path / "client", {**server.environment, **told})
    client.fetch(server, "dice")

    assert client.names == [".gitattributes", "extension.toml", "main.py"]
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("files", "why"),
    [
        (
            {"sub/.gitattributes": b"*.bin filter=lfs\n"},
            "^sub/.gitattributes keeps files in Git LFS",
        ),
        (
            {".gitmodules": b"", ".gitattributes": b".git* export-ignore\n"},
            r"^\.gitmodules names submodules",
        ),
        ({"out": Path("/etc/passwd")}, "^out is a link, and archives may hold none"),
        ({"README": b"", "readme": b""}, "^readme differs from README"),
    ],
    ids=["lfs further in", "hidden submodules", "link", "case"],
)
def test_what_a_repository_must_not_hold_is_refused(
    server: GitServer, tmp_path: Path, files: dict[str, bytes | Path], why: str
) -> None:
    server.commit("dice", {**plugin_files(), **files})

    with pytest.raises(BadPackageError, match=why):
        _Client(tmp_path / "client", server.environment).fetch(server, "dice")


def test_files_come_as_they_were_committed(server: GitServer, tmp_path: Path) -> None:
    text = b"$Format:%H$ $Id$\nline\n"
    attributes = b"*.txt export-subst ident eol=crlf\nhidden export-ignore\n"
    server.commit("dice", {".gitattributes": attributes, "a.txt": text, "hidden": b"x"})
    client = _Client(tmp_path / "client", server.environment)

    client.fetch(server, "dice")

    assert client.names == [".gitattributes", "a.txt", "hidden"]
    assert (client.folder / "a.txt").read_bytes() == text


def test_a_signature_is_nothing_that_gpg_is_run_for(server: GitServer, tmp_path: Path) -> None:
    server.commit("dice", {".gitattributes": b"a export-subst\n", "a": b"$Format:%G?$\n"})
    server.sign("dice")
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "gpg").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    (programs / "gpg").chmod(0o755)
    path = f"{programs}:{server.environment['PATH']}"

    _Client(tmp_path / "client", {**server.environment, "PATH": path}).fetch(server, "dice")

    assert not (tmp_path / "ran").exists()


def test_without_git_that_is_said(server: GitServer, tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="git is needed, and not found on PATH"):
        _Client(tmp_path / "client", {"PATH": "/nowhere"}).fetch(server, "dice")
