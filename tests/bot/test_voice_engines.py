"""The engines of all lines, as the configuration names them."""

from pathlib import Path

import pytest

from bot.config import Config, EndpointsConfig, HearingConfig, SpeechConfig
from bot.conversation.line_pipeline import LineOptions
from bot.voice_engines import voice_engines
from simulator.edge_tts import Fault, running_edge_tts
from tests.fakes.line_listener import ToldListener
from tests.fakes.voice_link import FakeLink
from tests.fakes.waiting import until
from voice.errors import SpeechError
from voice.events import LineState

OPTIONS = LineOptions(names=("Papercup",))


async def test_a_line_whose_model_is_missing_says_so_and_still_speaks(tmp_path: Path) -> None:
    config = Config(
        data_dir=tmp_path,
        hearing=HearingConfig(model="sense-voice", language="ja"),
        speech=SpeechConfig(engine="hibari"),
    )
    link, told = FakeLink(people=[1], listeners=[1], packet_seconds=0), ToldListener()
    async with (
        voice_engines(config) as engines,
        engines.open_pipeline(link, told, OPTIONS) as pipeline,
    ):
        await until(lambda: told.states == [(LineState.DEAF, None)])
        report = pipeline.report()
        heard = await pipeline.say("I cannot hear you.")

    (trouble,) = report.troubles
    assert "papercup voice install sense-voice" in trouble
    assert report.engines == {"voice": "hibari heart"}
    assert heard.is_whole


async def test_the_voices_are_listed_once_for_all_who_ask_soon(tmp_path: Path) -> None:
    async with running_edge_tts() as service:
        endpoints = EndpointsConfig(edge_tts=service.url)
        async with voice_engines(Config(data_dir=tmp_path, endpoints=endpoints)) as engines:
            service.fault = Fault.FORBIDDEN
            with pytest.raises(SpeechError):
                await engines.voices()
            service.fault = None
            listed = await engines.voices()
            service.fault = Fault.FORBIDDEN
            assert await engines.voices() == listed
            assert "en-US-AvaNeural" in {voice.name for voice in listed}
