from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.file_server import Served, serving
from tests.fakes.model_archive import PATH, an_archive, model_of
from tests.fakes.real_models import two_cities
from tests.fakes.small_model import NAME, TEXT
from voice.engines.local_models import open_local_model
from voice.engines.protocols import EngineError
from voice.known_models import KNOWN_MODELS
from voice.model_files import Progress, Stage, install_model, is_there

ARCHIVE = an_archive()
MODEL = model_of(ARCHIVE)


def installed(
    served: Served, folder: Path, tell: Callable[[Progress], None] = lambda _: None
) -> None:
    with serving({PATH: served}) as url:
        install_model(MODEL, folder, base_url=url, tell=tell)


def test_a_model_is_downloaded_unpacked_and_can_be_used(tmp_path: Path) -> None:
    models = tmp_path / "deep" / "models"
    told: list[Progress] = []
    assert not is_there(MODEL, models)

    installed(Served(body=ARCHIVE), models, told.append)

    assert is_there(MODEL, models)
    assert [path.name for path in models.iterdir()] == [NAME]
    assert told[0] == Progress(Stage.DOWNLOADING, len(ARCHIVE))
    assert list(dict.fromkeys(each.stage for each in told)) == list(Stage)
    engine = open_local_model(
        NAME, language="en", models_folder=models, cache_folder=tmp_path / "cache"
    )
    assert engine.transcribe(two_cities()[16_000:48_000]) == TEXT


def test_a_model_that_is_there_is_replaced(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    (tmp_path / NAME / "old").touch()

    installed(Served(body=ARCHIVE), tmp_path)

    assert sorted(path.name for path in (tmp_path / NAME).iterdir()) == ["model.onnx", "tokens.txt"]
    assert len(list(tmp_path.iterdir())) == 1


def test_an_address_may_lead_to_another_one(tmp_path: Path) -> None:
    files = {
        PATH: Served(status=302, headers={"Location": "/elsewhere"}),
        "/elsewhere": Served(body=ARCHIVE),
    }
    with serving(files) as url:
        install_model(MODEL, tmp_path, base_url=url, tell=lambda _: None)

    assert is_there(MODEL, tmp_path)


OTHER = bytes([ARCHIVE[0] ^ 1]) + ARCHIVE[1:]


@pytest.mark.parametrize(
    ("served", "trouble"),
    [
        (Served(status=404), "answers with status 404"),
        (Served(status=503, body=b"later"), "answers with status 503"),
        (Served(body=ARCHIVE + b"x"), "it is not the file that Papercup knows"),
        (Served(body=ARCHIVE + b"x", tells_size=False), "larger than it should be"),
        (Served(body=ARCHIVE, sent_bytes=100), "was cut off; try again"),
        (Served(body=ARCHIVE, sent_bytes=100, tells_size=False), "was cut off; try again"),
        (Served(body=OTHER), "not the file that Papercup knows, so it was not unpacked"),
    ],
)
def test_whatever_goes_wrong_leaves_what_was_there_and_nothing_else(
    served: Served, trouble: str, tmp_path: Path
) -> None:
    (tmp_path / NAME).mkdir()
    (tmp_path / NAME / "old").touch()

    with pytest.raises(EngineError, match=trouble):
        installed(served, tmp_path)

    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")] == [
        NAME,
        f"{NAME}/old",
    ]


def test_a_server_that_cannot_be_reached_is_an_error(tmp_path: Path) -> None:
    with serving({}) as url:
        pass
    with pytest.raises(EngineError, match="cannot be reached"):
        install_model(MODEL, tmp_path, base_url=url, tell=lambda _: None)


def test_a_model_that_does_not_load_is_not_put_in_place(tmp_path: Path) -> None:
    archive = an_archive({"model.onnx": b"nonsense", "tokens.txt": b"a 0\n"})
    with (
        serving({PATH: Served(body=archive)}) as url,
        pytest.raises(EngineError, match="the model cannot be loaded"),
    ):
        install_model(model_of(archive), tmp_path, base_url=url, tell=lambda _: None)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("stage", list(Stage))
def test_an_interruption_leaves_nothing(stage: Stage, tmp_path: Path) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.stage is stage:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        installed(Served(body=ARCHIVE), tmp_path, interrupt)

    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_to_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(EngineError, match="cannot be written to"):
        installed(Served(body=ARCHIVE), tmp_path / "file")


def test_what_came_with_a_package_is_always_there(tmp_path: Path) -> None:
    assert [model.name for model in KNOWN_MODELS if is_there(model, tmp_path)] == [
        "moonshine-tiny-en"
    ]
