"""Registries that answer oddly, or without end, are given up with a sentence."""

from pathlib import Path

import pytest

from extensions.plugins.packages.digest import Digest
from extensions.plugins.packages.errors import BadPackageError, FetchError
from extensions.plugins.packages.web import Registry
from tests.fakes.endless_server import serving_without_end
from tests.fakes.file_server import Served, serving

DIGEST = Digest(algorithm="sha256", value=bytes(32))


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\nX: ", b"x"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"["),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n[\r\n0\r\n", b"X: y\r\n"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"0"),
    ],
    ids=["heads", "one head", "body", "trailers", "size of a chunk"],
)
def test_who_is_never_silent_and_never_done_is_given_up(head: bytes, piece: bytes) -> None:
    with serving_without_end(head, piece) as url:
        registry = Registry(url, silence_seconds=0.15)

        with pytest.raises(FetchError, match=r"takes too long|more than is sensible"):
            registry.document("/x")


@pytest.mark.parametrize(
    "url",
    [
        "https://x.example/caf\u00e9",
        "https://x.example:99999/",
        "https://x.example:-1/",
        "https://x.example/a b",
        "https://x.example/\x1b[2J",
        "https://x.example/\nHost: y",
        "https://" + "a" * 70 + ".example/",
        "https:///x",
        "https://user:word@x.example/",
        "https://.example/",
        "",
    ],
)
def test_what_is_no_address_is_not_asked(tmp_path: Path, url: str) -> None:
    registry = Registry("https://x.example", silence_seconds=1)

    with pytest.raises(FetchError, match=r"no address|cannot be reached|connection to .* broke"):
        registry.download(url, tmp_path / "file", DIGEST, lambda _progress: None)


@pytest.mark.parametrize("told", ["9" * 5000, "-1", "1e9"])
def test_a_length_that_is_none_is_nothing_to_count_on(tmp_path: Path, told: str) -> None:
    answer = Served(body=b"x", headers={"Content-Length": told}, tells_size=False)
    with serving({"/x": answer}) as url:
        registry = Registry(url, silence_seconds=5)

        with pytest.raises(BadPackageError, match="not what its registry says"):
            registry.download(f"{url}/x", tmp_path / "file", DIGEST, lambda _progress: None)
