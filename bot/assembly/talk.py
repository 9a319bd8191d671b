"""Conversations, and where they are held: text chats and voice lines."""

import secrets as randomness
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

from bot.access import Place
from bot.assembly.ground import Ground
from bot.assembly.servers import Servers
from bot.assembly.voice import NO_VOICE, Voice
from bot.assembly.work import Work
from bot.conversation.attachments import AttachmentRoom
from bot.conversation.conversation import Charge
from bot.conversation.conversation_parts import ClaudeSessionBegan, ConversationParts
from bot.conversation.conversations import Conversations, open_conversations
from bot.conversation.line_parts import LineParts
from bot.conversation.line_surface import LineSurface, VoicedPlaces
from bot.conversation.lines import Lines, open_lines
from bot.conversation.rundown import RUNDOWN_PURPOSE, rundown_giver
from bot.conversation.session import Session
from bot.conversation.session_cards import SessionCards, keeping_session_cards
from bot.conversation.session_events import SessionEvents
from bot.conversation.session_rights import may_take
from bot.conversation.text_chat import TextChat
from bot.conversation.turn_hooks import PluginPoints
from bot.desks import usual_knobs
from bot.plugin_services.turn_notes import NotedSpeaker, TurnNotes
from bot.plugin_services.ui_questions import PURPOSE as PLUGIN_PURPOSE
from bot.questions.asker import Asker, open_questions
from bot.speaker.pool import SpeakerPool
from bot.speakers import speaker_pool, speakers_from
from bot.spending.costs import CostBook


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """All that is being talked."""

    conversations: Conversations
    session_cards: SessionCards
    session_events: SessionEvents
    turn_notes: TurnNotes
    """What plugins have the speakers told with their next turns."""
    lines: Lines
    voice: Voice
    asker: Asker
    pool: SpeakerPool


@asynccontextmanager
async def talking(
    ground: Ground, servers: Servers, work: Work, voice: Voice = NO_VOICE
) -> AsyncGenerator[Talk, None]:
    """Hold conversations while the block lasts; they are held again by a later bot."""
    pool = speaker_pool(
        ground.config,
        ground.folder,
        ground.claude.path,
        ground.callers,
        ground.machine,
        mcp=servers.mcp,
        gateway=servers.gateway,
        asks_plugins=lambda: ground.hooks.reach_into_claude,
    )
    session_events, turn_notes = SessionEvents(ground.plugins), TurnNotes()
    voiced = VoicedPlaces()
    async with AsyncExitStack() as stack:
        session_cards = await stack.enter_async_context(
            keeping_session_cards(
                work.cards,
                is_bound=ground.stores.bound.is_bound_itself,
                usual=usual_knobs(ground.config),
            )
        )
        conversations = await stack.enter_async_context(
            open_conversations(
                ground.stores.sessions,
                _conversation_parts(
                    ground, work, pool, _Changes(session_cards, session_events), voiced, turn_notes
                ),
            )
        )
        lines = await stack.enter_async_context(
            open_lines(_line_parts(ground, work, conversations, voiced, voice))
        )
        stack.enter_context(work.spoken.through(lines))
        asker = await stack.enter_async_context(
            open_questions(
                ground.link.messenger,
                ground.stores.questions,
                authorize=ground.access.authorize,
                on_answer={
                    RUNDOWN_PURPOSE: rundown_giver(
                        ground.link.messenger, work.find_job, ground.lay_out
                    )
                },
                clock=time.time,
                fleeting={PLUGIN_PURPOSE},
            )
        )
        yield Talk(
            conversations=conversations,
            session_cards=session_cards,
            session_events=session_events,
            turn_notes=turn_notes,
            lines=lines,
            voice=voice,
            asker=asker,
            pool=pool,
        )


@dataclass(frozen=True, slots=True)
class _Changes:
    """Tells whoever wants to know what becomes of sessions."""

    cards: SessionCards
    events: SessionEvents

    def session_changed(self, session: Session) -> None:
        self.cards.session_changed(session)
        self.events.session_changed(session)


def _conversation_parts(
    ground: Ground,
    work: Work,
    pool: SpeakerPool,
    changes: _Changes,
    voiced: VoicedPlaces,
    turn_notes: TurnNotes,
) -> ConversationParts:
    link, make_speaker = ground.link, speakers_from(pool)

    def speaker(session: Session, began: ClaudeSessionBegan) -> NotedSpeaker:
        return NotedSpeaker(make_speaker(session, began), turn_notes, session.id)

    def surface(place: Place) -> LineSurface:
        chat = TextChat(link.messenger, place, ground.lay_out, work.cards, time.time)
        return voiced.surface(place, chat)

    return ConversationParts(
        turns=ground.stores.messages,
        make_speaker=speaker,
        make_surface=surface,
        clock=time.time,
        new_id=_new_id,
        changed=changes.session_changed,
        attachments=AttachmentRoom(link.attachments, ground.folder.sessions),
        charge=_charging(ground.stores.costs),
        may_take=partial(may_take, authorize=ground.access.authorize),
        as_held=voiced.as_held,
        plugins=PluginPoints(hooks=ground.plugins, observers=ground.plugins),
    )


def _line_parts(
    ground: Ground, work: Work, conversations: Conversations, voiced: VoicedPlaces, voice: Voice
) -> LineParts:
    link, stores = ground.link, ground.stores
    return LineParts(
        door=link.voice_door,
        open_pipeline=voice.open_pipeline,
        missing=voice.missing,
        conversations=conversations,
        voiced=voiced,
        messages=stores.messages,
        store=stores.lines,
        transcripts=stores.transcripts,
        cards=work.cards,
        messenger=link.messenger,
        authorize=ground.access.authorize,
        config=ground.config.voice,
        clock=time.time,
        new_id=_new_id,
        ready=link.ready,
    )


def _new_id() -> str:
    return randomness.token_hex(4)


def _charging(costs: CostBook) -> Charge:
    async def charge(session_id: str, cost_usd: float) -> None:
        await costs.charge_speaker(session_id, cost_usd, at=time.time())

    return charge
