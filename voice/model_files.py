"""Downloads models, and says which are there."""

import hashlib
import shutil
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from voice.engines.local_models import recipe_in, try_out_model
from voice.errors import EngineError
from voice.known_models import KnownModel
from voice.model_archive import unpack

_SILENCE_SECONDS = 60.0
"""After how long without a byte a download is given up."""
_CHUNK_BYTES = 1 << 18


class Stage(StrEnum):
    """What is done with a model."""

    DOWNLOADING = "Downloading"
    UNPACKING = "Unpacking"
    TRYING = "Trying out"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far that is."""

    stage: Stage
    done_bytes: int
    """Of the archive; 0 while it is tried out, as nobody knows how far that is."""


def is_there(model: KnownModel, models_folder: Path) -> bool:
    """Say whether a model can be used at once."""
    return model.path is None or (models_folder / model.name).is_dir()


def install_model(
    model: KnownModel, models_folder: Path, *, base_url: str, tell: Callable[[Progress], None]
) -> None:
    """Download a model, check and unpack it, and try it out; one that is there is replaced.

    Whatever goes wrong, an interruption included, nothing is left of it, and one that was there
    before stays as it was. Takes minutes.

    Args:
        model: Which; not one that came with a package.
        models_folder: Where its folder comes to stand.
        base_url: From where it is downloaded.
        tell: Told how far it is.

    Raises:
        EngineError: If it cannot be had, or is not what it should be.
    """
    assert model.path is not None
    with _staging(model, models_folder) as staging:
        archive = staging / "archive"
        _download(model, f"{base_url}{model.path}", archive, tell)
        folder = staging / model.name
        folder.mkdir()
        unpack(archive, folder, progress=lambda done: tell(Progress(Stage.UNPACKING, done)))
        tell(Progress(Stage.TRYING, 0))
        try_out_model(folder, recipe_in(folder, "auto", model))
        _put_in_place(folder, models_folder / model.name, staging)


@contextmanager
def _staging(model: KnownModel, models_folder: Path) -> Generator[Path]:
    """Have a folder beside those of the models, on the same disk, meanwhile."""
    try:
        models_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{model.name}-", dir=models_folder) as name:
            yield Path(name)
    except OSError as error:
        why = error.strerror or error
        raise EngineError(f"{models_folder} cannot be written to: {why}") from error


def _download(model: KnownModel, url: str, path: Path, tell: Callable[[Progress], None]) -> None:
    digest = hashlib.sha256()
    done = 0
    with _opened(url) as response, path.open("wb") as file:
        _check_size(model, url, response)
        while chunk := response.read(_CHUNK_BYTES):
            done += len(chunk)
            if done > model.archive_bytes:
                raise EngineError(f"{url} is larger than it should be")
            digest.update(chunk)
            file.write(chunk)
            tell(Progress(Stage.DOWNLOADING, done))
    if done < model.archive_bytes:
        raise EngineError(f"the download of {url} was cut off; try again")
    if digest.hexdigest() != model.sha256:
        raise EngineError(f"{url} is not the file that Papercup knows, so it was not unpacked")


@contextmanager
def _opened(url: str) -> Generator[HTTPResponse]:
    try:
        # The address is made of the table and of what the operator has set; proxies are kept to.
        request = urllib.request.Request(url, headers={"User-Agent": "papercup"})  # noqa: S310
        with urllib.request.urlopen(request, timeout=_SILENCE_SECONDS) as opened:  # noqa: S310
            response = cast("HTTPResponse", opened)
            if urlsplit(url).scheme == "https" != urlsplit(response.url).scheme:
                raise EngineError(f"{url} leads to an address that is not encrypted")
            yield response
    except urllib.error.HTTPError as error:
        error.close()
        raise EngineError(f"{url} answers with status {error.code}") from error
    except urllib.error.URLError as error:
        raise EngineError(f"{url} cannot be reached: {error.reason}") from error
    except (HTTPException, TimeoutError, ConnectionError) as error:
        why = str(error) or type(error).__name__
        raise EngineError(f"the download of {url} broke: {why}; try again") from error


def _check_size(model: KnownModel, url: str, response: HTTPResponse) -> None:
    told = response.headers.get("Content-Length")
    if told is not None and told != str(model.archive_bytes):
        raise EngineError(
            f"{url} has {told} bytes in place of {model.archive_bytes}: it is not the file that"
            " Papercup knows"
        )


def _put_in_place(folder: Path, target: Path, staging: Path) -> None:
    # A folder that has something in it cannot be replaced in one step.
    if target.exists():
        target.rename(staging / "old")
    try:
        folder.rename(target)
    except OSError:
        if (staging / "old").exists():
            shutil.move(staging / "old", target)
        raise
