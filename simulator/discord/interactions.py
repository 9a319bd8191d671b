"""Interactions: a person calls a command or presses a button, and the bot answers in time."""

from collections.abc import Callable, Sequence

from simulator.discord.board import Board
from simulator.discord.command_rules import STRING, check_choices
from simulator.discord.commands import focused_option
from simulator.discord.drafts import Draft, edited_flags, read_draft, read_edit
from simulator.discord.errors import ApiError
from simulator.discord.forms import check_modal
from simulator.discord.gateway import Gateway
from simulator.discord.interaction import (
    CallbackKind,
    Interaction,
    InteractionKind,
    interaction_event,
    interaction_metadata,
)
from simulator.discord.message_wire import message_json
from simulator.discord.model import (
    EPHEMERAL_FLAG,
    LOADING_FLAG,
    Account,
    Channel,
    Json,
    Message,
    MessageKind,
    UploadedFile,
    items_of,
)
from simulator.discord.settings import Settings
from simulator.discord.world import World


class Interactions:
    """All interactions whose tokens may still be good."""

    def __init__(self, world: World, board: Board, gateway: Gateway, settings: Settings) -> None:
        self._world = world
        self._board = board
        self._gateway = gateway
        self._settings = settings
        self._by_token: dict[str, Interaction] = {}

    def begin(
        self,
        kind: InteractionKind,
        data: Json,
        *,
        account: Account,
        channel: Channel,
        title: str = "",
        message: Message | None = None,
        opened_by: Interaction | None = None,
    ) -> Interaction:
        """Send the bot an interaction.

        Args:
            kind: What the person did.
            data: With what, as on the wire.
            account: Who it was.
            channel: Where.
            title: What they did, as people see it.
            message: Under which message, if it was under one.
            opened_by: For a form, what it was the answer to.
        """
        self._forget_expired()
        interaction = Interaction(
            id=self._world.ids.next(),
            token=f"interaction-{self._world.ids.next()}",
            kind=kind,
            account=account,
            channel=channel,
            message=message,
            began_at_seconds=self._world.clock.seconds(),
            data=data,
            title=title,
            opened_by=opened_by,
        )
        self._by_token[interaction.token] = interaction
        told = interaction_event(
            self._world, interaction, most_file_bytes=self._settings.attachment_bytes
        )
        self._gateway.dispatch("INTERACTION_CREATE", told)
        return interaction

    def acknowledge(
        self, interaction_id: str, token: str, body: Json, files: Sequence[UploadedFile]
    ) -> Json:
        """Take the bot's first answer, and return what it is told.

        Raises:
            ApiError: If it comes too late, twice, or is not well-formed.
        """
        interaction = self._by_token.get(token)
        if interaction is None or str(interaction.id) != interaction_id:
            raise ApiError(404, 10062, "Unknown interaction")
        if interaction.acknowledged is not None:
            raise ApiError(400, 40060, "Interaction has already been acknowledged.")
        if self._age(interaction) > self._settings.acknowledge_seconds:
            raise ApiError(404, 10062, "Unknown interaction")
        kind = _callback_kind(body, interaction)
        data: Json = body.get("data") or {}
        take = self._takers()[kind]
        message = take(interaction, data, files)
        interaction.callback_data = data
        interaction.answer_id = None if message is None else message.id
        interaction.acknowledged = kind
        return self._receipt(interaction, kind, message)

    def follow_up(self, token: str, body: Json, files: Sequence[UploadedFile]) -> Message:
        """Take a further message; the first one after a deferral takes the deferral's place.

        Raises:
            ApiError: If the token is not good, or the message is not well-formed.
        """
        interaction = self._good(token)
        answer = self._world.messages.get(interaction.answer_id or 0)
        if answer is not None and answer.is_thinking:
            return self._fill(answer, body, files)
        return self._put_up(interaction, self._draft(body, files))

    def answer(self, token: str, message_id: str) -> Message:
        """Return a message that the token gives access to; `@original` is the first answer.

        Raises:
            ApiError: If the token is not good, or there is no such message.
        """
        interaction = self._good(token)
        wanted = str(interaction.answer_id) if message_id == "@original" else message_id
        message = self._world.message(wanted)
        if message.author != self._world.bot:
            raise ApiError(404, 10008, "Unknown Message")
        return message

    def edit(
        self, token: str, message_id: str, body: Json, files: Sequence[UploadedFile]
    ) -> Message:
        """Let an answer hold something else.

        Raises:
            ApiError: As for `answer`, or if the edit is not well-formed.
        """
        return self._fill(self.answer(token, message_id), body, files)

    def _fill(self, message: Message, body: Json, files: Sequence[UploadedFile]) -> Message:
        now = self._world.clock.seconds()
        version = read_edit(
            message.versions[-1],
            body,
            files,
            at_seconds=now,
            most_file_bytes=self._settings.attachment_bytes,
        )
        return self._board.edit(
            message,
            version,
            flags=edited_flags(message.flags, body) & ~LOADING_FLAG,
            allowed_mentions=body.get("allowed_mentions"),
        )

    def _draft(self, body: Json, files: Sequence[UploadedFile]) -> Draft:
        return read_draft(
            body,
            files,
            most_file_bytes=self._settings.attachment_bytes,
            more_flags=EPHEMERAL_FLAG,
        )

    def _good(self, token: str) -> Interaction:
        interaction = self._by_token.get(token)
        if interaction is None or interaction.acknowledged is None:
            raise ApiError(404, 10015, "Unknown Webhook")
        if self._age(interaction) > self._settings.interaction_seconds:
            raise ApiError(401, 50027, "Invalid Webhook Token")
        return interaction

    def _age(self, interaction: Interaction) -> float:
        return self._world.clock.seconds() - interaction.began_at_seconds

    def _forget_expired(self) -> None:
        # Twice the time, so that a late bot is told that its token is no longer good.
        limit = 2 * self._settings.interaction_seconds
        for token, interaction in tuple(self._by_token.items()):
            if self._age(interaction) > limit:
                del self._by_token[token]

    def _takers(self) -> dict[CallbackKind, "_Taker"]:
        return {
            CallbackKind.MESSAGE: self._take_message,
            CallbackKind.DEFERRED_MESSAGE: self._take_deferral,
            CallbackKind.DEFERRED_UPDATE: lambda interaction, _data, _files: interaction.message,
            CallbackKind.UPDATE: self._take_update,
            CallbackKind.CHOICES: _take_choices,
            CallbackKind.MODAL: _take_form,
        }

    def _take_message(
        self, interaction: Interaction, data: Json, files: Sequence[UploadedFile]
    ) -> Message:
        return self._put_up(interaction, self._draft(data, files))

    def _take_deferral(
        self, interaction: Interaction, data: Json, files: Sequence[UploadedFile]
    ) -> Message:
        del files
        flags: int = (data.get("flags") or 0) & EPHEMERAL_FLAG
        return self._put_up(interaction, Draft(flags=flags | LOADING_FLAG))

    def _take_update(
        self, interaction: Interaction, data: Json, files: Sequence[UploadedFile]
    ) -> Message:
        if interaction.message is None:
            raise ApiError(400, 50035, "Invalid Form Body")
        return self._fill(self._world.message(str(interaction.message.id)), data, files)

    def _put_up(self, interaction: Interaction, draft: Draft) -> Message:
        is_ephemeral = bool(draft.flags & EPHEMERAL_FLAG)
        return self._board.put_up(
            self._world.bot,
            interaction.channel,
            draft,
            seen_only_by=interaction.account if is_ephemeral else None,
            interaction=interaction_metadata(self._world, interaction),
            command=interaction.title if interaction.kind is InteractionKind.COMMAND else None,
            kind=_message_kind(interaction),
        )

    def _receipt(
        self, interaction: Interaction, kind: CallbackKind, message: Message | None
    ) -> Json:
        told: Json = {"id": str(interaction.id), "type": int(interaction.kind)}
        receipt: Json = {"interaction": told}
        if message is None:
            return receipt
        told |= {
            "response_message_id": str(message.id),
            "response_message_loading": message.is_thinking,
            "response_message_ephemeral": message.is_ephemeral,
        }
        if kind in {CallbackKind.MESSAGE, CallbackKind.UPDATE}:
            shown = message_json(self._world, message)
            receipt["resource"] = {"type": int(kind), "message": shown}
        return receipt


def _take_choices(interaction: Interaction, data: Json, files: Sequence[UploadedFile]) -> None:
    del files
    focused = focused_option(interaction.data)
    check_choices("data.choices", items_of(data, "choices"), focused.get("type") or STRING)


def _take_form(interaction: Interaction, data: Json, files: Sequence[UploadedFile]) -> None:
    del interaction, files
    check_modal(data)


def _message_kind(interaction: Interaction) -> MessageKind:
    if interaction.kind is not InteractionKind.COMMAND:
        return MessageKind.DEFAULT
    is_menu = "target_id" in interaction.data
    return MessageKind.MENU_COMMAND if is_menu else MessageKind.COMMAND


_Taker = Callable[[Interaction, Json, Sequence[UploadedFile]], Message | None]
_ANSWERS: dict[InteractionKind, frozenset[CallbackKind]] = {
    InteractionKind.COMMAND: frozenset(
        {CallbackKind.MESSAGE, CallbackKind.DEFERRED_MESSAGE, CallbackKind.MODAL}
    ),
    InteractionKind.COMPONENT: frozenset(CallbackKind) - {CallbackKind.CHOICES},
    InteractionKind.AUTOCOMPLETE: frozenset({CallbackKind.CHOICES}),
    InteractionKind.MODAL: frozenset(CallbackKind) - {CallbackKind.CHOICES, CallbackKind.MODAL},
}


def _callback_kind(body: Json, interaction: Interaction) -> CallbackKind:
    number = body.get("type")
    allowed = _ANSWERS[interaction.kind]
    if number not in allowed:
        raise ApiError(400, 50035, "Invalid Form Body")
    return CallbackKind(number)
