"""A voice line of a whole bot: the real discord.py, DAVE, Opus, engines and claude."""

import asyncio
import json
from pathlib import Path

from simulator.demo.wording import sounds_like
from simulator.discord.voice.speech import resampled
from simulator.edge_tts import running_edge_tts
from simulator.messages_api import ModelRequest, Say
from tests.contract.openapi import discord_description
from tests.fakes.house import open_house
from tests.fakes.model_script import TwoVoices
from tests.fakes.real_models import moonshine
from voice.samples import HEARING_RATE, SPEECH_RATE

ANSWER = "There was one pair to begin with."


def has_no_job(_: ModelRequest) -> Say:
    return Say("There is no job.")


async def test_what_is_asked_aloud_is_answered_aloud(tmp_path: Path) -> None:
    told: list[str] = []

    def speaker(request: ModelRequest) -> Say:
        told.append(request.last_user_text)
        return Say(ANSWER)

    async with (
        asyncio.timeout(55),
        open_house(tmp_path, TwoVoices(has_no_job, speaker)) as house,
        running_edge_tts() as edge,
        house.bot(endpoints__edge_tts=json.dumps(edge.url)) as bot,
    ):
        lounge = house.discord.voice_channel("Lounge")
        olga = house.olga.join_voice(lounge)
        picked_up = await house.olga.slash(lounge, "pickup")
        greeting = await olga.hears(house.discord.bot)
        said = await olga.speak("How many rabbits were there?")
        tone = await olga.hears_start(house.discord.bot, after_seconds=said.ended_at_seconds)
        answer = await olga.hears(
            house.discord.bot, after_seconds=tone.at_seconds, pause_seconds=1.0
        )
        status = await house.olga.sees(lounge, ANSWER)
        hung_up = await house.olga.slash(lounge, "hangup")
        await lounge.empty_of_bot()
        stopped = await bot.stop()
        audio = resampled(answer.samples, rate=SPEECH_RATE, to_rate=HEARING_RATE)
        heard = await asyncio.to_thread(moonshine().transcribe, audio)

        assert "on the line in" in picked_up.text
        assert greeting.ended_at_seconds > greeting.started_at_seconds + 1
        assert len(told) == 1
        assert sounds_like("olga (aloud): How many rabbits were there?", told[0])
        assert sounds_like(ANSWER, heard)
        assert "**olga**: How many rabbits were there?" in status.text
        assert "end of speech → transcript" in status.text
        assert "Hung up" in hung_up.text
        assert edge.requests[-1].text == ANSWER
        assert olga.recording.unreadable == {}
        assert house.discord.journal.unknown_routes == []
        assert discord_description().violations(house.discord.journal) == []
    assert stopped == 0
