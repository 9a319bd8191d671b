import os
import pickle
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.config_mcp import McpServerConfig
from bot.config_reading import Surroundings
from bot.errors import MissingSecretsError, SecretsFileError
from bot.redaction import REDACTED
from bot.secrets import FoundSecrets, Secret, Secrets, read_secrets, redactor_of

BOTH = 'DISCORD_TOKEN = "d-file"\nANTHROPIC_API_KEY = "a-file"\n'


def _write(folder: Path, text: str, mode: int = 0o600) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "secrets.toml"
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return path


def _read(folder: Path, config_file: Path | None = None, **environment: str) -> FoundSecrets:
    home = {"HOME": str(folder / "home")}
    where = Surroundings(working_folder=folder, environment=home | environment)
    return read_secrets(config_file, where)


def test_the_secrets_are_read_from_the_file_beside_the_configuration(tmp_path: Path) -> None:
    file = _write(tmp_path / "conf", BOTH)
    _write(tmp_path, 'DISCORD_TOKEN = "elsewhere"')

    found = _read(tmp_path, tmp_path / "conf/config.toml")

    assert found.complete() == Secrets(
        discord_token=Secret("d-file"), anthropic_api_key=Secret("a-file")
    )
    assert {each.source for each in found.by_name.values()} == {str(file)}


@pytest.mark.parametrize("folder", [".", "home/.config/papercup"])
def test_without_a_configuration_they_may_be_in_the_working_folder_or_xdgs(
    tmp_path: Path, folder: str
) -> None:
    _write(tmp_path / folder, BOTH)
    assert _read(tmp_path).missing == ()


def test_the_environment_goes_before_the_file(tmp_path: Path) -> None:
    _write(tmp_path, BOTH)

    found = _read(tmp_path, DISCORD_TOKEN=" d-environment\n", ANTHROPIC_API_KEY="")

    assert found.complete().discord_token == Secret("d-environment")
    assert found.complete().anthropic_api_key == Secret("a-file")
    assert found.by_name["DISCORD_TOKEN"].source == "environment"


def test_those_that_are_missing_are_named_with_where_to_put_them(tmp_path: Path) -> None:
    found = _read(tmp_path, DISCORD_TOKEN="d")

    with pytest.raises(MissingSecretsError) as caught:
        found.complete()

    assert caught.value.names == ("ANTHROPIC_API_KEY",)
    assert f"in {tmp_path / 'secrets.toml'} (chmod 600)" in str(caught.value)


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o601, 0o666, 0o620])
def test_a_file_that_others_may_open_is_refused_with_the_mend(tmp_path: Path, mode: int) -> None:
    file = _write(tmp_path, BOTH, mode)
    with pytest.raises(SecretsFileError, match=f"chmod 600 {file}"):
        _read(tmp_path, DISCORD_TOKEN="d", ANTHROPIC_API_KEY="a")


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o700])
def test_a_file_that_only_its_owner_may_open_is_read(tmp_path: Path, mode: int) -> None:
    _write(tmp_path, BOTH, mode)
    assert _read(tmp_path).missing == ()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_refused(tmp_path: Path) -> None:
    file = _write(tmp_path, BOTH)
    os.chown(file, 12345, -1)
    with pytest.raises(SecretsFileError, match=r"belongs to another user\. Run `chown"):
        _read(tmp_path)


def test_a_folder_in_the_files_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secrets.toml").mkdir()
    with pytest.raises(SecretsFileError):
        _read(tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('discord_token = "hush"', "`discord_token` is not a secret that is known"),
        ('discord_token = "hush"', "Did you mean DISCORD_TOKEN?"),
        ('colour = "hush"', "It may hold DISCORD_TOKEN and ANTHROPIC_API_KEY"),
        ("DISCORD_TOKEN = 3", "`DISCORD_TOKEN` must be text"),
        ('DISCORD_TOKEN = " "', "`DISCORD_TOKEN` must be text"),
        ("DISCORD_TOKEN = hush", "it is not valid TOML"),
    ],
)
def test_what_should_not_be_in_the_file_is_refused_and_no_value_is_repeated(
    tmp_path: Path, text: str, said: str
) -> None:
    _write(tmp_path, text)
    with pytest.raises(SecretsFileError) as caught:
        _read(tmp_path)
    assert said in str(caught.value)
    assert "hush" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@dataclass
class _Holder:
    secret: Secret


def test_a_secret_is_not_shown_by_anything_but_reveal() -> None:
    secret = Secret("hush")
    shown = f"{secret} {secret!r} {_Holder(secret)} {[secret]} {vars(_Holder(secret))}"

    assert "hush" not in shown
    assert secret.reveal() == "hush"


def test_a_secret_cannot_be_pickled() -> None:
    with pytest.raises(TypeError):
        pickle.dumps(Secret("hush"))


def test_secrets_are_equal_when_their_texts_are() -> None:
    assert Secret("a") == Secret("a")
    assert Secret("a") != Secret("b")
    assert Secret("a") != "a"
    assert len({Secret("a"), Secret("a")}) == 1


def test_what_mcp_servers_are_given_is_taken_out_of_text_too() -> None:
    secrets = Secrets(discord_token=Secret("discord-0123456"), anthropic_api_key=Secret("key-0123"))
    server = McpServerConfig(url="https://mcp.example/", headers={"Authorization": "${TRACKER}"})
    redactor = redactor_of(secrets, [server], {"TRACKER": "hush-hush", "HOME": "/home/olga"})

    said = redactor.redact("discord-0123456 key-0123 hush-hush /home/olga")
    assert said == f"{REDACTED} {REDACTED} {REDACTED} /home/olga"
