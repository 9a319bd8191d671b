"""How plugins reach people: questions, messages, cards and titles, on Discord and on lines."""

import asyncio
import logging
import secrets
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from bot.access import Belonging, Place
from bot.conversation.background import Background, in_background
from bot.messenger import MessengerError
from bot.plugin_services.block_texts import with_texts
from bot.plugin_services.blocks import read_block, trouble_with
from bot.plugin_services.flood import DrawPace, FloodLimit
from bot.plugin_services.plugin_cards import PluginCards
from bot.plugin_services.spoken_asking import SpokenAsking
from bot.plugin_services.ui_parts import UiParts
from bot.plugin_services.ui_questions import (
    Addressed,
    Asking,
    answer_of,
    is_askable,
    question_of,
    redacted,
)
from bot.plugin_services.ui_view import notification
from bot.questions.question import Answer, Cancelled, Question, TooManyQuestions
from bot.wording import shortened
from extensions.hooks import Occasion
from extensions.plugins.services import (
    CANCELLED,
    AuditKind,
    Confirm,
    Input,
    Notify,
    Select,
    SetStatus,
    SetTitle,
    SetWidget,
    UiAnswer,
    UiRequest,
)

logger = logging.getLogger(__name__)

MESSAGES_A_MINUTE = 20
"""Of one plugin in one place: questions, and what it tells people."""
SECONDS_BETWEEN_DRAWINGS = 0.05
"""Of the status and the widgets of one plugin: what comes faster waits."""
MOST_OPEN_QUESTIONS = 5
"""Of one plugin, everywhere."""

_GRACE_SECONDS = 5.0
"""For Discord and the database, besides the time that people have."""
_AUDITED_CHARACTERS = 300
_LONGEST_TEXT = 5000
"""Twice what a message holds, and all that a form does: more need not be looked at."""

_Shown: TypeAlias = Notify | SetStatus | SetWidget | SetTitle
"""What people are only shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Target:
    """Whom a plugin reaches, and where."""

    place: Place
    belonging: Belonging
    occasion: Occasion


class PluginUi:
    """Implements `UserInterface`. Get it from `open_user_interface`."""

    def __init__(self, parts: UiParts, background: Background) -> None:
        self._parts = parts
        self._background = background
        self._spoken = SpokenAsking(parts.lines, parts.asker)
        self._flood = FloodLimit(MESSAGES_A_MINUTE, 60.0)
        self._pace = DrawPace(SECONDS_BETWEEN_DRAWINGS)
        self._open = Counter[str]()
        """How many questions of each plugin are open."""
        self.cards = PluginCards(parts.cards)
        """What plugins show for good."""

    async def ask(
        self,
        plugin_id: str,
        request: UiRequest,
        occasion: Occasion,
        *,
        within_seconds: float | None = None,
    ) -> UiAnswer:
        """Show people what a plugin asks; see `UserInterface.ask`."""
        seconds = self._parts.timeout_seconds
        if within_seconds is not None:
            seconds = min(seconds, within_seconds)
        expires_at = self._parts.clock() + seconds
        try:
            async with asyncio.timeout(seconds + _GRACE_SECONDS):
                return await self._ask(plugin_id, request, occasion, expires_at)
        except TimeoutError:
            logger.warning("plugin %s: nobody could be reached in time", plugin_id)
        except MessengerError as error:
            logger.warning("plugin %s: %s", plugin_id, error)
        except Exception:
            logger.exception("plugin %s: people could not be reached", plugin_id)
        return CANCELLED

    async def _ask(
        self, plugin_id: str, request: UiRequest, occasion: Occasion, expires_at: float
    ) -> UiAnswer:
        if isinstance(request, Confirm) and self._parts.confirms_itself:
            prompt = shortened(request.prompt, _AUDITED_CHARACTERS)
            self._parts.audit.note(AuditKind.AUTO_ANSWERED, plugin_id, f"yes to: {prompt}")
            return UiAnswer(confirmed=True)
        target = await self._target(plugin_id, occasion)
        if target is None:
            logger.info("plugin %s: there is nobody to reach", plugin_id)
            return CANCELLED
        await self._parts.places.reached(plugin_id, target.occasion)
        if isinstance(request, Select | Confirm | Input):
            return await self._question(plugin_id, request, target, expires_at)
        return await self._reach(plugin_id, request, target)

    async def _reach(self, plugin_id: str, request: _Shown, target: _Target) -> UiAnswer:
        redact = self._redacted
        match request:
            case Notify(message=message, severity=severity):
                told = Notify(message=redact(message), severity=severity)
                return await self._notify(plugin_id, told, target)
            case SetStatus() | SetWidget():
                return await self._draw(plugin_id, request, target.place)
            case SetTitle(title=title):
                is_taken = await self._parts.titles.want(redact(title), target.occasion)
                return UiAnswer() if is_taken else CANCELLED
            case _:
                assert_never(request)

    async def _draw(self, plugin_id: str, request: SetStatus | SetWidget, place: Place) -> UiAnswer:
        now = asyncio.get_running_loop().time()
        await asyncio.sleep(self._pace.wait(plugin_id, now=now))
        if isinstance(request, SetStatus):
            await self.cards.set_status(plugin_id, place, self._redacted(request.status))
            return UiAnswer()
        block = read_block(with_texts(request.widget, self._redacted))
        if (trouble := trouble_with(block)) is not None:
            return UiAnswer(wrong=f"widget: {trouble}")
        await self.cards.set_widget(plugin_id, place, block)
        return UiAnswer()

    # --- Questions. -----------------------------------------------------------------------------

    async def _question(
        self, plugin_id: str, request: Asking, target: _Target, expires_at: float
    ) -> UiAnswer:
        if not is_askable(request):
            logger.warning("plugin %s: nothing to choose from, or too much", plugin_id)
            return CANCELLED
        if not self._may_post(plugin_id, target.place) or not self._may_ask(plugin_id):
            return CANCELLED
        to = Addressed(place=target.place, belonging=target.belonging, expires_at=expires_at)
        shown = redacted(request, self._redacted)
        question = question_of(plugin_id, shown, to, question_id=_new_id())
        self._open[plugin_id] += 1
        try:
            return answer_of(request, await self._asked(plugin_id, shown, question))
        finally:
            self._open -= Counter([plugin_id])

    async def _asked(
        self, plugin_id: str, request: Asking, question: Question
    ) -> Answer | Cancelled | TooManyQuestions:
        """Ask in writing, and aloud where there is a line: what comes first counts."""
        asker = self._parts.asker
        try:
            async with asyncio.TaskGroup() as tasks:
                aloud = tasks.create_task(self._spoken.ask(plugin_id, request, question))
                end = await asker.ask(question)
                aloud.cancel()
        except BaseException:
            # Whoever asked does not wait any longer, so it cannot be waited for here.
            self._background.start(lambda: asker.withdraw(question.id))
            raise
        if isinstance(end, TooManyQuestions):
            logger.warning("plugin %s: %d questions are open there already", plugin_id, end.limit)
        return end

    def _may_ask(self, plugin_id: str) -> bool:
        if self._open[plugin_id] < MOST_OPEN_QUESTIONS:
            return True
        logger.warning("plugin %s: it asks too many questions at once", plugin_id)
        return False

    # --- Messages. ------------------------------------------------------------------------------

    async def _notify(self, plugin_id: str, request: Notify, target: _Target) -> UiAnswer:
        if not self._may_post(plugin_id, target.place):
            return CANCELLED
        self._background.start(lambda: self._spoken.tell(plugin_id, request, target.place))
        content = notification(plugin_id, request)
        await self._parts.messenger.post(target.place, content, nonce=_new_id())
        return UiAnswer()

    def _may_post(self, plugin_id: str, place: Place) -> bool:
        key, now = (plugin_id, place.channel_id), asyncio.get_running_loop().time()
        if self._flood.passes(key, now=now):
            return True
        if self._flood.is_news(key, now=now):
            logger.warning(
                "plugin %s: more than %d messages a minute; the others are dropped",
                plugin_id,
                MESSAGES_A_MINUTE,
            )
        return False

    def _redacted(self, text: str) -> str:
        """Return a text without secrets, and without what would not be shown anyhow."""
        return self._parts.redact(text[:_LONGEST_TEXT])

    # --- Whom, and where. -----------------------------------------------------------------------

    async def _target(self, plugin_id: str, occasion: Occasion) -> _Target | None:
        """Return whom to reach; `None` if nobody is known.

        Raises:
            MessengerError: If somebody cannot be written to directly.
        """
        known = occasion
        if occasion.channel_id is None and occasion.person_id is None:
            known = self._parts.places.of(plugin_id)
        person_id = known.person_id
        if person_id is None:
            person_id = min(self._parts.owner_ids(), default=None)
        if person_id is None:
            return None
        if known.channel_id is None:
            place = await self._parts.messenger.direct_messages(person_id)
        else:
            place = Place(guild_id=known.guild_id, channel_id=known.channel_id)
        return _Target(
            place=place,
            belonging=Belonging(person_id=person_id, guild_id=place.guild_id),
            occasion=Occasion(
                agent_id=known.agent_id,
                session_id=known.session_id,
                person_id=person_id,
                guild_id=place.guild_id,
                channel_id=place.channel_id,
            ),
        )


@asynccontextmanager
async def open_user_interface(parts: UiParts) -> AsyncGenerator[PluginUi, None]:
    """Let plugins reach people while the block lasts."""
    async with in_background("plugins") as background:
        yield PluginUi(parts, background)


def _new_id() -> str:
    return f"plugin-{secrets.token_hex(8)}"
