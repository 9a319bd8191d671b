"""What is asked of registries, and what is believed of it."""

import hashlib
import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from extensions.plugins.packages import npm_registry, pypi_index
from extensions.plugins.packages.digest import Digest
from extensions.plugins.packages.errors import BadPackageError, FetchError
from extensions.plugins.packages.progress import Progress, Stage
from extensions.plugins.packages.python_versions import allows, python_precedence
from extensions.plugins.packages.sources import NpmSource, PypiSource
from extensions.plugins.packages.web import Registry
from tests.fakes.file_server import Served
from tests.fakes.package_registries import Registries, serving_registries, sri

BODY = b"a package"
DIGEST = Digest(algorithm="sha256", value=hashlib.sha256(BODY).digest())


@pytest.fixture
def registries() -> Generator[Registries]:
    with serving_registries() as found:
        yield found


def _download(registries: Registries, url: str, folder: Path) -> list[Progress]:
    told: list[Progress] = []
    Registry(registries.url, silence_seconds=5).download(url, folder / "file", DIGEST, told.append)
    return told


def test_a_file_is_downloaded_and_compared(registries: Registries, tmp_path: Path) -> None:
    registries.files["/x"] = Served(body=BODY)

    told = _download(registries, f"{registries.url}/x", tmp_path)

    assert (tmp_path / "file").read_bytes() == BODY
    assert told == [Progress(Stage.DOWNLOADING, len(BODY), len(BODY))]


@pytest.mark.parametrize(
    ("served", "error", "why"),
    [
        (Served(body=b"another"), BadPackageError, "is not what its registry says"),
        (Served(body=BODY, sent_bytes=3), FetchError, "broke|cut off"),
        (Served(status=404), FetchError, "is not there"),
        (Served(status=500), FetchError, "answers with status 500"),
        (
            Served(body=BODY, headers={"Content-Length": str(1 << 40)}, tells_size=False),
            BadPackageError,
            "is too large: 200 MiB are the most",
        ),
    ],
    ids=["another", "cut off", "missing", "broken", "too large"],
)
def test_what_is_not_as_it_should_be_is_not_taken(
    registries: Registries, tmp_path: Path, served: Served, error: type[Exception], why: str
) -> None:
    registries.files["/x"] = served

    with pytest.raises(error, match=why):
        _download(registries, f"{registries.url}/x", tmp_path)


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://example.org/x",
        "http://169.254.169.254/latest",
        "http://127.0.0.1:1/x",
        "//example.org/x",
        "http://[",
    ],
)
def test_a_registry_cannot_lead_to_what_is_not_encrypted(
    registries: Registries, tmp_path: Path, url: str
) -> None:
    registries.files["/x"] = Served(status=302, headers={"Location": url})

    with pytest.raises(FetchError, match=r"not encrypted|no address"):
        _download(registries, url, tmp_path)
    if "://" in url and "[" not in url:
        (tmp_path / "again").mkdir()
        with pytest.raises(FetchError, match=r"not encrypted|answers with status 302"):
            _download(registries, f"{registries.url}/x", tmp_path / "again")


def test_where_nobody_answers_that_is_said(tmp_path: Path) -> None:
    registry = Registry("http://127.0.0.1:1", silence_seconds=1)

    with pytest.raises(FetchError, match=r"http://127.0.0.1:1/x cannot be reached: "):
        registry.document("/x")
    assert list(tmp_path.iterdir()) == []


def test_an_answer_that_is_no_json_is_not_understood(registries: Registries) -> None:
    registries.files["/x"] = Served(body=b"<html>")
    registry = Registry(registries.url)

    assert registry.document("/nothing") is None
    with pytest.raises(FetchError, match="does not answer with JSON"):
        registry.document("/x")


def _packument(**dist: Any) -> dict[str, Any]:
    whole = {"tarball": "https://x/y.tgz", "integrity": sri(BODY), **dist}
    versions = {"1.0.0": {"dist": whole}, "2.0.0-rc.1": {"dist": whole}}
    return {"dist-tags": {"latest": "1.0.0", "next": "2.0.0-rc.1"}, "versions": versions}


@pytest.mark.parametrize(
    ("asked", "found"), [(None, "1.0.0"), ("next", "2.0.0-rc.1"), ("2.0.0-rc.1", "2.0.0-rc.1")]
)
def test_a_version_or_a_tag_of_npm_is_found(asked: str | None, found: str) -> None:
    release = npm_registry.release_of(_packument(), NpmSource(package="dice", version=asked))

    assert (release.version, release.url) == (found, "https://x/y.tgz")
    assert release.digest == Digest(algorithm="sha512", value=hashlib.sha512(BODY).digest())


@pytest.mark.parametrize(
    ("document", "asked"),
    [
        (_packument(), "3.0.0"),
        (_packument(), "1"),
        (_packument(tarball=1), None),
        ({"dist-tags": {"latest": ["1.0.0"]}, "versions": {}}, None),
        ({}, None),
        ({"dist-tags": {"latest": "1.0.0/../x"}, "versions": {"1.0.0/../x": {}}}, None),
        ({"dist-tags": {"latest": "\x1b[2J"}, "versions": {"\x1b[2J": {}}}, None),
        ([], None),
        (None, None),
    ],
)
def test_what_npm_does_not_have_cannot_be_had(document: Any, asked: str | None) -> None:
    with pytest.raises(FetchError):
        npm_registry.release_of(document, NpmSource(package="dice", version=asked))


@pytest.mark.parametrize("integrity", [None, "", "sha1-abc=", "sha512-abc=", "sha512-!", 7])
def test_what_npm_does_not_vouch_for_is_not_taken(integrity: object) -> None:
    with pytest.raises(BadPackageError, match="a sha512 is missing"):
        npm_registry.release_of(_packument(integrity=integrity), NpmSource(package="dice"))


def _simple(*names: str, **more: Any) -> dict[str, Any]:
    sha256 = {"sha256": "0" * 64}
    return {"files": [{"filename": n, "url": f"../{n}", "hashes": sha256, **more} for n in names]}


@pytest.mark.parametrize(
    ("names", "asked", "found"),
    [
        (["dice-1.0-py3-none-any.whl", "dice-1.0.tar.gz"], None, "dice-1.0-py3-none-any.whl"),
        (["dice-1.0-py3-none-any.whl", "dice-1.1.tar.gz"], None, "dice-1.1.tar.gz"),
        (["dice-1.9.tar.gz", "dice-1.10.tar.gz", "dice-2.0rc1.tar.gz"], None, "dice-1.10.tar.gz"),
        (["dice-1.9.tar.gz", "dice-2.0rc1.tar.gz"], "2.0rc1", "dice-2.0rc1.tar.gz"),
        (["dice-1.0-1-py2.py3-none-any.whl"], None, "dice-1.0-1-py2.py3-none-any.whl"),
        (["DICE-1.0.tar.gz"], None, "DICE-1.0.tar.gz"),
    ],
)
def test_the_file_of_a_python_package_is_chosen(
    names: list[str], asked: str | None, found: str
) -> None:
    source = PypiSource(package="Dice", version=asked)
    file = pypi_index.file_of(_simple(*names), source, url="https://i/simple/dice/")

    assert file.url == f"https://i/simple/{found}"
    assert file.is_wheel == found.endswith(".whl")


@pytest.mark.parametrize(
    "document",
    [
        _simple("dice-1.0-cp311-cp311-linux_x86_64.whl"),
        _simple("dice-1.0-py2-none-any.whl"),
        _simple("other-1.0.tar.gz", "dice-1.0.zip", "dice.tar.gz", "-1.0.tar.gz"),
        _simple("dice-1.0\nodd @ x.whl-py3-none-any.whl", "dice-1.0 ;x-py3-none-any.whl"),
        _simple("dice-1.0/../x-py3-none-any.whl", "dice-1.0\x1b[2J.tar.gz"),
        _simple("dice-1.0.tar.gz", yanked="broken"),
        _simple("dice-1.0.tar.gz", hashes={"md5": "0"}),
        _simple("dice-1.0.tar.gz", hashes={"sha256": "short"}),
        _simple("dice-1.0.tar.gz", hashes=None),
        {"files": [7, None, {}]},
        {"files": 7},
        None,
    ],
)
def test_what_the_index_does_not_have_for_any_machine_cannot_be_had(document: Any) -> None:
    with pytest.raises(FetchError, match="no wheel of dice for any machine"):
        pypi_index.file_of(document, PypiSource(package="dice"), url="https://i/")


def test_versions_of_python_packages_are_ordered_as_they_are_released() -> None:
    ordered = [
        *("2.0.dev1", "2.0a1.dev1", "2.0a1", "2.0b2", "2.0rc1", "2.0rc1.post1", "3rc1"),
        *("0.9", "1", "1.0.post1", "1.0-2", "1.2", "1.10", "2.0+local", "1!0.1"),
    ]
    found = [python_precedence(each) for each in ordered]

    assert None not in found
    assert sorted(found, key=lambda each: each or ()) == found
    assert python_precedence("1.0.0") == python_precedence("1")
    assert [python_precedence(each) for each in ("", "x", "1.x", "1" * 200)] == [None] * 4


@pytest.mark.parametrize(
    ("version", "fine", "not_fine"),
    [
        (
            "1.2.3",
            "|>=1|>=1.2.3|<=1.2.3|==1.2.3|==1.2.*|==1.*|~=1.2|~=1.2.0|===1.2.3|!=1.3|!=1.3.*|,>=1,",
            ">1.2.3|<1.2.3|>=2|>=2.0rc1|==1.2|==1.3.*|~=1.3|~=1.2.4|~=1|===1.2.3.0|!=1.2.3|!=1.2.*",
        ),
        (
            "1.2.3",
            ">1,<2,!=1.2.4|>=1.0rc1|>=v1.2|== 1.2.3.0|>1.2.3rc1",
            ">=1,<1.2|=1.2.3|1.2.3|>=x|^1.2|@ https://x.example|==*|>=1.2.*|<2.0rc1,>=2.0.dev1",
        ),
        ("0.1", "~=0.1.0|==0.1.0.*|<0.2", "~=0.1.1|==0.1.1.*|>0.1.0"),
        ("0.2.0rc1", ">=0.1|<=0.2|==0.2.*", ">=0.2.0|>0.2.0rc1"),
        ("nonsense", "", ">=0|==nonsense"),
    ],
)
def test_a_range_allows_what_it_names(version: str, fine: str, not_fine: str) -> None:
    assert [each for each in fine.split("|") if not allows(each, version)] == []
    assert [each for each in not_fine.split("|") if allows(each, version)] == []


def test_what_registries_are_asked_has_no_holes() -> None:
    assert npm_registry.package_path("@me/dice") == "/@me%2Fdice"
    assert pypi_index.package_path("My_Dice.x") == "/simple/my-dice-x/"
    assert json.dumps(_simple())
