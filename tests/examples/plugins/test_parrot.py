from pathlib import Path
from typing import Any

import pytest

from extensions.errors import PluginCallError
from extensions.plugins.completions import Completion, CompletionRequest
from extensions.plugins.credentials import CredentialFiles, Credentials
from extensions.plugins.providers import Providers
from extensions.plugins.services import Input, UiAnswer
from tests.fakes.clock import FakeClock
from tests.fakes.example_plugins import ExampleHost

BLOCKS = [{"type": "text", "text": "hello"}, {"type": "image"}, {"type": "text", "text": "you"}]


def asked(*contents: Any) -> CompletionRequest:
    messages = [{"role": "user", "content": content} for content in contents]
    return CompletionRequest(model="parrot-1", messages=messages)


def providers(host: ExampleHost, folder: Path) -> Providers:
    return Providers(host.plugins.running, CredentialFiles(folder), FakeClock(1000.0))


async def test_it_says_back_what_was_said_last(tmp_path: Path) -> None:
    async with ExampleHost().running("parrot") as host:
        parrot = providers(host, tmp_path)
        answers = [
            await parrot.complete("parrot", each)
            for each in (asked("hi", "who is there?"), asked(BLOCKS), asked(), asked(7))
        ]
        offered = parrot.offered()[0]

    assert [each.text for each in answers] == [
        "Squawk! who is there?",
        "Squawk! hello you",
        "Squawk! …",
        "Squawk! …",
    ]
    assert offered.name == "parrot/parrot"
    assert offered.registration.oauth


async def test_its_answer_comes_in_pieces_for_whoever_wants_them(tmp_path: Path) -> None:
    pieces: list[Any] = []
    async with ExampleHost().running("parrot") as host:
        answer = await providers(host, tmp_path).complete(
            "parrot", asked("hi"), on_delta=pieces.append
        )

    assert [each["content"] for each in pieces] == ["Squa", "wk! ", "hi"]
    assert answer == Completion(text="Squawk! hi", model="parrot-1")


async def test_people_log_in_with_a_key(tmp_path: Path) -> None:
    async with ExampleHost().running("parrot") as host:
        host.ui.answer = UiAnswer(text="cracker")
        await providers(host, tmp_path).log_in("parrot")
        host.ui.answer = UiAnswer(cancelled=True)
        with pytest.raises(PluginCallError, match="nobody gave a key"):
            await providers(host, tmp_path).log_in("parrot")

    kept = CredentialFiles(tmp_path).load("parrot", "parrot")
    assert kept == Credentials(api_key="cracker", refresh_token="cracker")
    assert host.asked() == [Input(prompt="Which key does the parrot go by?")] * 2
