"""What holds for each of the example plugins."""

import pytest

from extensions.plugins.lifecycle import Ready
from tests.fakes.example_plugins import FOLDER, NAMES, ExampleHost, by_hand, found

LONGEST_README = 20

WITHOUT = {"hello", "shell"}
"""Those that speak the other dialect."""

each = pytest.mark.parametrize("name", NAMES)


def test_all_of_them_are_found_and_nothing_is_amiss() -> None:
    report = found()

    assert [(one.id, one.manifest.unserved) for one in report.candidates] == [
        (name, ()) for name in NAMES
    ]
    assert report.diagnostics == ()


def test_all_of_them_stand_on_the_page_about_them() -> None:
    page = (FOLDER / "README.md").read_text()

    assert [name for name in NAMES if f"[{name}]({name}/README.md)" not in page] == []


@each
def test_each_has_a_manifest_one_file_and_a_short_description(name: str) -> None:
    files = {path.name for path in (FOLDER / name).iterdir() if path.name != "__pycache__"}
    readme = (FOLDER / name / "README.md").read_text()

    assert len(files) == 3
    assert files & {"plugin.toml", "extension.toml"}
    assert readme.startswith(f"# {name}\n")
    assert len(readme.splitlines()) <= LONGEST_README


async def test_all_of_them_run_side_by_side_and_nothing_of_theirs_is_left_out(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with ExampleHost().running(*NAMES) as host:
        states = {one.id: type(one.state) for one in host.plugins.plugins}

    assert states == dict.fromkeys(NAMES, Ready)
    assert [record.message for record in caplog.records if record.levelname != "INFO"] == []


@each
async def test_each_withstands_what_it_does_not_understand(name: str) -> None:
    async with by_hand(name) as plugin:
        await plugin.ask("initialize", protocol_version=1)
        codes = []
        for line in (b"no JSON", b"", b"[" * 100_000, b'{"id": 1', b"\xff\xfe"):
            plugin.write(line)
            answer = await plugin.read()
            codes.append((answer["id"], answer["error"]["code"]))
        for line in (b"[]", b"7", b"null", b'{"id":5}', b'{"method":"x"}', b'{"result":1}'):
            plugin.write(line)
        plugin.write(b'{"id":"a\\"b","method":"no\\u0000such"}')
        unknown = await plugin.read()

    assert codes == [(None, -32700)] * 5
    assert (unknown["id"], unknown["error"]["code"]) == ('a"b', -32601)


@each
async def test_each_refuses_a_tool_that_it_does_not_have(name: str) -> None:
    async with by_hand(name) as plugin:
        for method in ("tools/call", "tool/execute"):
            for params in ({}, {"name": "none", "tool": "none", "arguments": {}}, [1], None, 7):
                plugin.send(id=1, method=method, params=params)
                answer = await plugin.read()
                assert answer["error"]["code"] in {-32601, -32602}, (method, params)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WITHOUT])
async def test_whoever_is_asked_without_having_wanted_to_be_has_nothing_to_say(name: str) -> None:
    async with by_hand(name) as plugin:
        answer = await plugin.ask("hook", hook="input", input={"text": "rm -rf /"})

    assert answer["result"] == {"action": "continue"}


@each
async def test_each_ends_when_it_is_told_to_or_the_host_is_gone(name: str) -> None:
    async with by_hand(name) as told:
        told.send(id="end", method="shutdown", params={})
        codes = [await told.process.wait()]
    async with by_hand(name) as forsaken:
        assert forsaken.process.stdin is not None
        forsaken.process.stdin.close()
        codes.append(await forsaken.process.wait())

    assert codes == [0, 0]
