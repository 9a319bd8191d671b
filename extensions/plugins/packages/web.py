"""Asks registries, and downloads from them."""

import hashlib
import hmac
import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.client import HTTPException, HTTPMessage, HTTPResponse
from pathlib import Path
from typing import IO, Any, cast
from urllib.parse import urlsplit

from extensions.plugins.packages.connections import Connections
from extensions.plugins.packages.digest import Digest
from extensions.plugins.packages.entries import MOST_BYTES, size_limit_words
from extensions.plugins.packages.errors import BadPackageError, FetchError
from extensions.plugins.packages.progress import Progress, Stage, Tell

_SILENCE_SECONDS = 30.0
"""After how long without a byte it is given up."""
_WHOLE_SECONDS = 600.0
"""After how long a download is given up, however slowly it goes on."""
_DOCUMENT_SILENCES = 2
"""How many times as long a whole document may take."""
_CHUNK_BYTES = 1 << 17
_MOST_DOCUMENT_BYTES = 32 * 1024 * 1024
_PLAIN = re.compile(r"[!-~]+")
"""What an address is made of."""
_COUNT = re.compile(r"[0-9]{1,18}")


class Registry:
    """One registry, and what it says is where."""

    def __init__(
        self,
        base: str,
        *,
        silence_seconds: float = _SILENCE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Make it.

        Args:
            base: Its address, without a slash at the end.
            silence_seconds: After how long without a byte it is given up.
            clock: Returns the time in seconds, from any beginning.
        """
        self.base = base
        self._silence_seconds = silence_seconds
        self._clock = clock

    def document(self, path: str, *, accept: str = "application/json") -> Any | None:
        """Return the JSON that stands at a path; `None` if there is nothing.

        Raises:
            FetchError: If it cannot be had.
        """
        url = f"{self.base}{path}"
        seconds = _DOCUMENT_SILENCES * self._silence_seconds
        with self._answer(url, accept, seconds) as response:
            if response is None:
                return None
            body = self._whole(response, url)
        try:
            return json.loads(body)
        except (ValueError, RecursionError) as error:
            raise FetchError(f"{url} does not answer with JSON") from error

    def download(self, url: str, path: Path, digest: Digest, tell: Tell) -> None:
        """Download a file, which has to hash to `digest`.

        Raises:
            FetchError: If it cannot be had.
            BadPackageError: If it is too large, or another one.
        """
        found = hashlib.new(digest.algorithm)
        done, ends_at = 0, self._clock() + _WHOLE_SECONDS
        with self._answer(url, "*/*", _WHOLE_SECONDS) as response, path.open("xb") as file:
            if response is None:
                raise FetchError(f"{url} is not there")
            total = _told_bytes(response)
            while chunk := _more(response, url):
                done += len(chunk)
                if done > MOST_BYTES or (total or 0) > MOST_BYTES:
                    raise BadPackageError(f"{url} is too large: {size_limit_words(MOST_BYTES)}")
                if self._clock() > ends_at:
                    raise FetchError(f"{url} takes too long")
                found.update(chunk)
                file.write(chunk)
                tell(Progress(Stage.DOWNLOADING, done, total))
        if total is not None and done < total:
            raise FetchError(f"the download of {url} was cut off")
        if not hmac.compare_digest(found.digest(), digest.value):
            raise BadPackageError(f"{url} is not what its registry says: another {found.name}")

    def _whole(self, response: HTTPResponse, url: str) -> bytes:
        body, ends_at = bytearray(), self._clock() + _DOCUMENT_SILENCES * self._silence_seconds
        while chunk := _more(response, url):
            body += chunk
            if len(body) > _MOST_DOCUMENT_BYTES or self._clock() > ends_at:
                raise FetchError(f"{url} answers with more than is sensible")
        return bytes(body)

    @contextmanager
    def _answer(self, url: str, accept: str, seconds: float) -> Generator[HTTPResponse | None]:
        if (why := self._refusal(url)) is not None:
            raise FetchError(why)
        connections = Connections()
        with connections.lasting(seconds):
            try:
                response = self._opened(url, accept, connections)
                if response is None:
                    yield None
                    return
                with response:
                    yield response
            except FetchError as error:
                if not connections.is_over:
                    raise
                raise FetchError(f"{url} takes too long") from error
            if connections.is_over:
                # What was cut looks as if it had come to its end.
                raise FetchError(f"{url} takes too long")

    def _opened(self, url: str, accept: str, connections: Connections) -> HTTPResponse | None:
        headers = {"Accept": accept, "User-Agent": "papercup"}
        request = urllib.request.Request(url, headers=headers)  # noqa: S310 - looked at above
        opener = _opener(connections, _Redirects(self._refusal))
        try:
            return cast("HTTPResponse", opener.open(request, timeout=self._silence_seconds))
        except urllib.error.HTTPError as error:
            error.close()
            if error.code in {404, 410}:
                return None
            raise FetchError(f"{url} answers with status {error.code}") from error
        except urllib.error.URLError as error:
            raise FetchError(f"{url} cannot be reached: {error.reason}") from error
        except (HTTPException, OSError) as error:
            raise _broken(url, error) from error
        except ValueError as error:
            # A name that no machine can have is only found out about when it is looked up.
            raise FetchError(f"{url} cannot be reached: {error}") from error

    def _refusal(self, url: str) -> str | None:
        """Return why an address is not asked, which anybody may have written; `None`: it is."""
        try:
            parts, own = urlsplit(url), urlsplit(self.base)
            # Of some ports and names it is found out only when they are asked for.
            is_address = _PLAIN.fullmatch(url) is not None and parts.port != 0
        except ValueError:
            return f"{url!a} is no address"
        if not is_address:
            return f"{url!a} is no address"
        if parts.scheme == "https" or (parts.scheme, parts.netloc) == (own.scheme, own.netloc):
            return None
        return f"{self.base} leads to {url!a}, which is not encrypted"


class _Redirects(urllib.request.HTTPRedirectHandler):
    def __init__(self, refusal: Callable[[str], str | None]) -> None:
        self._refusal = refusal

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        """Follow none to where nothing is asked."""
        if (why := self._refusal(newurl)) is not None:
            raise FetchError(why)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener(
    connections: Connections, redirects: urllib.request.BaseHandler
) -> urllib.request.OpenerDirector:
    # Not the usual one: that also opens files and ftp. Proxies are kept to.
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        redirects,
        *connections.handlers(),
    ):
        opener.add_handler(handler)
    return opener


def _more(response: HTTPResponse, url: str) -> bytes:
    try:
        return response.read1(_CHUNK_BYTES)
    except (HTTPException, OSError) as error:
        raise _broken(url, error) from error


def _broken(url: str, error: Exception) -> FetchError:
    return FetchError(f"the connection to {url} broke: {str(error) or type(error).__name__}")


def _told_bytes(response: HTTPResponse) -> int | None:
    # What is longer than this no number is made of.
    told = response.headers.get("Content-Length", "")
    return int(told) if _COUNT.fullmatch(told) is not None else None
