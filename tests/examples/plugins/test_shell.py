from pathlib import Path

from tests.fakes.example_plugins import ExampleHost, by_hand


async def test_it_tells_how_the_machine_is() -> None:
    async with ExampleHost().running("shell") as host:
        human = await host.use("ext_shell_disk_free")
        exact = await host.use("ext_shell_disk_free", unit="bytes")
        load = await host.use("ext_shell_load")

    assert human.text.startswith("Filesystem")
    assert "1B-blocks" in exact.text
    assert len(human.text.splitlines()) > 1
    assert load.text.split()[0].replace(".", "").isdigit()
    assert not human.is_error


async def test_nothing_that_comes_in_is_ever_run(tmp_path: Path) -> None:
    mark = tmp_path / "run"
    words = (f"$(touch {mark})", f"`touch {mark}`", f"'; touch {mark}; '", f'"; touch {mark} #')
    async with by_hand("shell") as shell:
        for word in words:
            for arguments in ({"unit": word}, {word: 1}, {"unit": {"unit": word}}, word):
                params = {"name": "disk_free", "arguments": arguments}
                shell.send(id=word, method="tools/call", params=params)
                answer = await shell.read()
                assert answer["id"] == word
            assert (await shell.ask(f"tools/{word}"))["error"]["code"] == -32601
            assert (await shell.ask("tools/call", name=word))["error"]["code"] == -32602

    assert not mark.exists()


async def test_only_the_message_itself_says_what_is_wanted() -> None:
    params = b'{"method":"x", "arguments" :{ "name":"load", "a":[1,{"b":"}"}]} ,"name": "load"}'
    async with by_hand("shell") as shell:
        shell.write(
            b'{ "params" : ' + params + b', "method":\t"tools/call", "jsonrpc":"2.0","id":-1.5e3}'
        )
        taken = await shell.read()
        shell.write(b'{"id":1,"method":"tools/call","params":{"name":"load","arguments":{}}} x')
        trailing = await shell.read()

    assert taken["id"] == -1500
    assert "result" in taken
    assert trailing["error"]["code"] == -32700
