"""What is tested is read from manifests."""

import json
from pathlib import Path

import pytest

from papercup_plugin.conformance import ManifestError, Subject, read_subject
from papercup_plugin.conformance.methods import Dialect

EXTENSION = """
name = "dice"
version = "1.0"
[run]
command = "./dice"
args = ["-x"]
env = { A = "is ${env:KNOWN} and ${env:UNKNOWN}" }
[requires]
env = ["WANTED"]
[capabilities]
events = ["turn_end"]
tools = ["roll"]
kv = true
hooks = []
"""


def test_an_extension_toml_is_read(tmp_path: Path) -> None:
    (tmp_path / "extension.toml").write_text(EXTENSION)

    subject = read_subject(tmp_path)

    assert subject == Subject(
        folder=tmp_path,
        dialect=Dialect.SEP,
        name="dice",
        version="1.0",
        command="./dice",
        args=("-x",),
        env={"A": "is ${env:KNOWN} and ${env:UNKNOWN}"},
        wanted_env=("WANTED",),
        declares=frozenset({"tools", "kv", "providers"}),
        tools=frozenset({"roll"}),
        hooks=frozenset(),
        events=frozenset({"turn_end"}),
    )
    assert subject.argv() == (f"{tmp_path}/dice", "-x")


def test_its_program_gets_little_of_the_environment(tmp_path: Path) -> None:
    (tmp_path / "extension.toml").write_text(EXTENSION)
    own = {"PATH": "/bin", "KNOWN": "known", "WANTED": "w", "DISCORD_TOKEN": "t"}

    found = read_subject(tmp_path).environment(own, tmp_path)

    assert found == {
        "PATH": "/bin",
        "WANTED": "w",
        "A": "is known and ",
        "AGENT_VERSION": "1.0.0",
        "AGENT_EXTENSION_ID": "dice",
        "NEXO_EXTENSION_STATE_ROOT": str(tmp_path),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def test_a_package_json_is_read(tmp_path: Path) -> None:
    package = {"name": "@a/b", "version": "2", "smooth": {"run": {"command": "node"}}}
    (tmp_path / "package.json").write_text(json.dumps(package))

    subject = read_subject(tmp_path / "package.json")

    assert (subject.name, subject.version, subject.command) == ("b", "2", "node")
    assert (subject.tools, subject.hooks) == (frozenset(), None)


def test_a_plugin_toml_is_read(tmp_path: Path) -> None:
    text = '[plugin]\nid = "a"\nversion = "1"\n[capabilities]\ntools = ["t"]\n'
    (tmp_path / "plugin.toml").write_text(f'{text}[transport]\ncommand = "sh"\n')

    subject = read_subject(tmp_path)

    assert subject.dialect is Dialect.STDIO
    assert (subject.tools, subject.declares) == (frozenset({"t"}), frozenset({"tools"}))


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("extension.toml", "name = ", "Invalid value"),
        ("extension.toml", 'name = "a"', "names no program"),
        ("plugin.toml", 'name = "a"\ncommand = "ls"', "it wraps a command"),
        ("package.json", "[]", "names no program"),
        ("package.json", "{", "Expecting"),
    ],
)
def test_what_names_no_program_cannot_be_tested(
    tmp_path: Path, name: str, text: str, why: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ManifestError, match=why):
        read_subject(tmp_path)


def test_an_empty_folder_is_no_plugin(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match="no manifest of a plugin"):
        read_subject(tmp_path)
