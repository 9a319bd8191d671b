import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Literal

from bot.config import Config, EndpointsConfig, HearingConfig, SpeechConfig
from bot.doctor.finding import Finding, Grade, ok, warn
from bot.doctor.voice import check_voice, judge_missing
from simulator.edge_tts import running_edge_tts

NOWHERE = "http://127.0.0.1:9"
NOTHING = HearingConfig(model="/nowhere")
"""Nothing is loaded that way, which takes a second."""

SpeechEngine = Literal["auto", "edge", "hibari", "piper", "kokoro"]


def a_config(
    root: Path,
    *,
    hearing: HearingConfig = NOTHING,
    speech: SpeechEngine = "hibari",
    edge_tts: str = NOWHERE,
) -> Config:
    return Config(
        data_dir=root / "data",
        hearing=hearing,
        speech=SpeechConfig(engine=speech),
        endpoints=EndpointsConfig(edge_tts=edge_tts),
    )


async def finding(config: Config, check: str) -> Finding:
    (found,) = [each for each in await check_voice(config) if each.check == check]
    return found


async def test_where_all_is_well_each_engine_is_named_and_nothing_is_changed(
    tmp_path: Path,
) -> None:
    findings = await check_voice(a_config(tmp_path, hearing=HearingConfig()))

    assert [(each.check, each.grade) for each in findings] == [
        ("Voice", Grade.OK),
        ("Hearing", Grade.OK),
        ("Opus", Grade.OK),
        ("Speech", Grade.OK),
    ]
    assert findings[1].text == "moonshine-tiny-en (sherpa-onnx), Silero VAD, smart-turn v3.2"
    assert findings[2].text.startswith("libopus ")
    assert not await asyncio.to_thread((tmp_path / "data").exists)


async def test_a_model_that_is_missing_is_a_failure_that_says_how_to_get_it(
    tmp_path: Path,
) -> None:
    config = a_config(tmp_path, hearing=HearingConfig(model="whisper-base"))

    found = await finding(config, "Hearing")

    assert found.grade is Grade.FAIL
    assert "papercup voice install whisper-base" in found.text


async def test_a_service_that_lists_the_voice_can_be_used(tmp_path: Path) -> None:
    async with asyncio.timeout(20), running_edge_tts() as edge_tts:
        found = await finding(a_config(tmp_path, speech="auto", edge_tts=edge_tts.url), "Speech")

    assert found == ok("Speech", "edge-tts en-US-AvaNeural, else hibari heart, on this machine")


async def test_a_voice_that_the_service_does_not_have_is_a_failure(tmp_path: Path) -> None:
    async with asyncio.timeout(20), running_edge_tts() as edge_tts:
        config = a_config(tmp_path, edge_tts=edge_tts.url)
        config = replace(config, speech=SpeechConfig(engine="edge", voice="en-US-Nobody"))
        found = await finding(config, "Speech")

    assert found.grade is Grade.FAIL
    assert found.text == "edge-tts has no voice 'en-US-Nobody'"


async def test_a_service_that_cannot_be_reached_is_no_failure_as_another_voice_steps_in(
    tmp_path: Path,
) -> None:
    found = await finding(a_config(tmp_path, speech="auto"), "Speech")

    assert found.grade is Grade.WARN
    assert found.text.endswith("so hibari heart speaks, on this machine")


async def test_an_engine_that_is_not_installed_is_a_failure(tmp_path: Path) -> None:
    found = await finding(a_config(tmp_path, speech="piper"), "Speech")

    assert found.grade is Grade.FAIL


def test_without_its_packages_it_only_writes() -> None:
    assert judge_missing(["av", "numpy"]) == warn(
        "Voice",
        "not installed, so it only writes: av, numpy",
        'Run `uv sync --extra voice`, or `pip install "papercup[voice]"`.',
    )
