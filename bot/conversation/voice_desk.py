"""The commands about the voice line of a server, and the button to talk."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from bot.access import Action, Authorize, Refused
from bot.commands.spec import Completes
from bot.conversation.desk import CommandHandler, DeskOffer
from bot.conversation.incoming import ButtonPress, CommandCall, Completion, Suggestion
from bot.conversation.line_doctor import (
    IS_MUTED,
    NOT_THERE,
    TEST_PROMPT,
    HearingTest,
    doctor_text,
)
from bot.conversation.line_status import PUSH_VERB
from bot.conversation.lines import Lines
from bot.conversation.voice_line import VoiceLine
from bot.conversation.voice_words import VoiceChoice, voice_list
from bot.messenger import MessageContent
from bot.quoting import code, plain
from voice.errors import EngineError, SpeechError
from voice.events import LineMode

logger = logging.getLogger(__name__)

NO_LINE = (
    "There is no voice line open in this server. Join a voice channel, and call `/pickup` there."
)
LINE_IS_OVER = "That line has ended."
TALK_NOW = "Talk now."
SAYING = "I am saying it."
NOT_LISTENING = (
    "I have stopped listening, until `/voice mute state:off`. What you write I still read."
)
LISTENING = "I am listening again."
CANNOT_LIST = "I cannot look up the voices at present"

_MODES = {
    LineMode.OPEN: (
        "Alone with me, just talk. Among others, say my name; right after my answer to you, or a"
        " question of mine, you need not."
    ),
    LineMode.NAME: (
        "Say my name, and I answer; right after my answer to you, or a question of mine, you need"
        " not."
    ),
    LineMode.PUSH: "I answer whoever has pressed *Talk* under my status message.",
}
_LONGEST_REASON = 300
_LONGEST_NAME = 100
_PROMPT_SECONDS = 15.0
_LIST_SECONDS = 10.0

ListVoices = Callable[[], Awaitable[Sequence[VoiceChoice]]]
"""Returns the voices that may be chosen.

Raises EngineError, SpeechError, OSError or TimeoutError if nobody could look.
"""

_Handler = Callable[[CommandCall, VoiceLine], Awaitable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceDesk:
    """Carries out `/voice` and `/say`; whoever calls them may, as far as the table says."""

    authorize: Authorize
    lines: Lines
    list_voices: ListVoices
    hearing_seconds: float = 12.0
    """How long `/voice doctor` waits for somebody to say something."""

    def offer(self) -> DeskOffer:
        """Return what this desk takes care of."""
        handlers = {
            "voice mode": self._mode,
            "voice mute": self._mute,
            "voice use": self._use,
            "voice doctor": self._doctor,
            "say": self._say,
        }
        commands = {name: self._on_line(do) for name, do in handlers.items()}
        return DeskOffer(
            commands={**commands, "voice list": self._list},
            buttons={PUSH_VERB: self._talk},
            completers={Completes.VOICE: self._complete},
        )

    def _on_line(self, handler: _Handler) -> CommandHandler:
        async def handle(call: CommandCall) -> MessageContent:
            line = self.lines.line_at(call.place)
            if line is None or not line.is_working:
                return MessageContent(text=self.lines.missing or NO_LINE)
            return MessageContent(text=await handler(call, line))

        return handle

    async def _mode(self, call: CommandCall, line: VoiceLine) -> str:
        mode = LineMode(str(call.options["mode"]))
        await line.set_mode(mode)
        return _MODES[mode]

    async def _mute(self, call: CommandCall, line: VoiceLine) -> str:
        is_muted = call.options["state"] == "on"
        await line.set_muted(is_muted=is_muted)
        return NOT_LISTENING if is_muted else LISTENING

    async def _use(self, call: CommandCall, line: VoiceLine) -> str:
        name = str(call.options["name"]).strip()
        try:
            await line.set_voice(name)
        except EngineError as error:
            return f"I cannot speak with {code(name, _LONGEST_NAME)}: {_reason(error)}"
        if not line.is_working:
            return LINE_IS_OVER
        speaks = line.pipeline.report().engines.get("voice", "")
        if name.casefold() in speaks.casefold():
            return f"I speak with {code(name, _LONGEST_NAME)} from my next answer on."
        return (
            f"I speak with {code(name, _LONGEST_NAME)} as soon as it can be reached; until then"
            f" with {code(speaks, _LONGEST_NAME)}."
        )

    async def _say(self, call: CommandCall, line: VoiceLine) -> str:
        line.speech.dictate(str(call.options["text"]))
        return SAYING

    async def _doctor(self, call: CommandCall, line: VoiceLine) -> str:
        test = await self._tested(call, line)
        return doctor_text(line.pipeline.report(), test) if line.is_working else LINE_IS_OVER

    async def _tested(self, call: CommandCall, line: VoiceLine) -> HearingTest | str:
        if call.person.id not in line.link.people:
            return NOT_THERE
        if line.kept.is_muted:
            return IS_MUTED
        heard = None
        try:
            async with asyncio.timeout(_PROMPT_SECONDS):
                await line.speech.say_now(TEST_PROMPT)
        except TimeoutError:
            logger.warning("line %s: the test could not be asked for in time", line.kept.id)
        if not line.is_working:
            return LINE_IS_OVER
        try:
            async with asyncio.timeout(self.hearing_seconds):
                heard = await line.pipeline.heard_from(call.person.id)
        except TimeoutError:
            logger.info("line %s: nothing was heard in the test", line.kept.id)
        return HearingTest(heard=heard, seconds=self.hearing_seconds)

    async def _list(self, call: CommandCall) -> MessageContent:
        if self.lines.missing is not None:
            return MessageContent(text=self.lines.missing)
        line = self.lines.line_at(call.place)
        present = None
        if line is not None and line.is_working:
            present = line.pipeline.report().engines.get("voice")
        try:
            voices = await self._voices()
        except EngineError as error:
            return MessageContent(text=f"{_reason(error)}.")
        except (SpeechError, OSError, TimeoutError) as error:
            return MessageContent(text=f"{CANNOT_LIST}: {_reason(error)}")
        language = str(call.options.get("language") or "")
        return MessageContent(text=voice_list(voices, language, present))

    async def _complete(self, completion: Completion) -> Sequence[Suggestion]:
        if self.lines.missing is not None:
            return ()
        try:
            voices = await self._voices()
        except (EngineError, SpeechError, OSError, TimeoutError) as error:
            logger.info("the voices could not be looked up: %s", error)
            return ()
        typed = completion.typed.strip().lower()
        return [
            Suggestion(label=f"{voice.name} · {voice.language}", value=voice.name)
            for voice in voices
            if typed in f"{voice.name} {voice.language}".lower()
        ]

    async def _voices(self) -> Sequence[VoiceChoice]:
        async with asyncio.timeout(_LIST_SECONDS):
            return await self.list_voices()

    async def _talk(self, press: ButtonPress) -> MessageContent | None:
        line = self.lines.line_at(press.place)
        if line is None or not line.is_working or line.kept.id != press.action.subject:
            return MessageContent(text=LINE_IS_OVER)
        verdict = self.authorize([press.person], Action.TALK, press.place)
        if isinstance(verdict, Refused):
            return MessageContent(text=verdict.reason)
        line.pipeline.push(press.person.id)
        return MessageContent(text=TALK_NOW)


def _reason(error: Exception) -> str:
    return plain(str(error) or "nobody answered in time", _LONGEST_REASON)
