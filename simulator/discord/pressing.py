"""People who press buttons, choose from menus and fill in forms."""

from collections.abc import Mapping

from simulator.discord.acting import Actor
from simulator.discord.errors import BadChoiceError, NoSuchButtonError
from simulator.discord.forms import FieldValue, Modal, submission
from simulator.discord.interaction import InteractionKind
from simulator.discord.journal import ButtonPressed, FormSent, MenuChosen
from simulator.discord.model import Json, Message
from simulator.discord.replies import InteractionReply, outcome
from simulator.discord.sight import WAIT_SECONDS
from simulator.discord.widgets import Button, Menu

_BUTTON, _STRING_SELECT = 2, 3


class Presser(Actor):
    """Somebody who uses what hangs under a message."""

    async def click(
        self,
        message: Message,
        *,
        label: str | None = None,
        custom_id: str | None = None,
        timeout_seconds: float = WAIT_SECONDS,
    ) -> InteractionReply | None:
        """Press a button, and return the final answer; `None` if it was only acknowledged.

        If the answer is a form, it is in `modal`, and `submit` sends it off.

        Args:
            message: Under which it is, in any version; the newest counts.
            label: What stands on it.
            custom_id: Or its id, where the label does not tell.
            timeout_seconds: How long to wait for the answer after it was acknowledged.

        Raises:
            NoSuchButtonError: If there is none that this person can press.
            ApplicationDidNotRespondError: If the bot did not acknowledge it in time.
            NoAnswerError: If the bot deferred its answer, and never gave it.
        """
        now = self._newest(message)
        button = self._button(now, label, custom_id)
        self._core.journal.record(
            ButtonPressed(
                at_seconds=self._core.clock.seconds(),
                account=self.account,
                message=now,
                label=button.label,
            )
        )
        data: Json = {
            "custom_id": button.custom_id,
            "component_type": _BUTTON,
            "id": button.component_id,
        }
        return await self._use(
            now, data, f"button {button.label!r}", timeout_seconds=timeout_seconds
        )

    async def choose(
        self,
        message: Message,
        *values: str,
        custom_id: str | None = None,
        timeout_seconds: float = WAIT_SECONDS,
    ) -> InteractionReply | None:
        """Choose from a menu, and return the final answer; `None` if it was only acknowledged.

        Args:
            message: Under which it is, in any version; the newest counts.
            *values: The values of what is chosen.
            custom_id: Which menu, if there are several.
            timeout_seconds: How long to wait for the answer after it was acknowledged.

        Raises:
            BadChoiceError: If there is no such menu, or a person cannot choose that.
            ApplicationDidNotRespondError: If the bot did not acknowledge it in time.
            NoAnswerError: If the bot deferred its answer, and never gave it.
        """
        now = self._newest(message)
        menu = self._menu(now, custom_id)
        if problem := menu.problem_with(values):
            raise BadChoiceError(menu.custom_id, problem)
        self._core.journal.record(
            MenuChosen(
                at_seconds=self._core.clock.seconds(),
                account=self.account,
                message=now,
                values=values,
            )
        )
        data: Json = {
            "custom_id": menu.custom_id,
            "component_type": _STRING_SELECT,
            "id": menu.component_id,
            "values": list(values),
        }
        return await self._use(
            now, data, f"menu {menu.custom_id!r}", timeout_seconds=timeout_seconds
        )

    async def submit(
        self,
        form: InteractionReply | Modal,
        filled: Mapping[str, FieldValue] | None = None,
        /,
        *,
        timeout_seconds: float = WAIT_SECONDS,
        **values: FieldValue,
    ) -> InteractionReply | None:
        """Fill in the form that a command or a button answered with, and send it off.

        Args:
            form: The form, or the answer that it was.
            filled: What is filled in, by custom id.
            timeout_seconds: How long to wait for the answer after it was acknowledged.
            **values: The same, where the custom ids can be written so.

        Raises:
            BadFieldError: If Discord would not let a person send it like that.
            ApplicationDidNotRespondError: If the bot did not acknowledge it in time.
            NoAnswerError: If the bot deferred its answer, and never gave it.
        """
        modal = form if isinstance(form, Modal) else form.modal
        assert modal is not None, "the answer was no form"
        data = submission(modal, {**(filled or {}), **values})
        self._core.journal.record(
            FormSent(at_seconds=self._core.clock.seconds(), account=self.account, title=modal.title)
        )
        interaction = self._core.interactions.begin(
            InteractionKind.MODAL,
            data,
            account=self.account,
            channel=modal.opened_by.channel,
            message=modal.opened_by.message,
            opened_by=modal.opened_by,
        )
        what = f"form {modal.title!r}"
        return await outcome(self._core, interaction, what, timeout_seconds=timeout_seconds)

    async def _use(
        self, message: Message, data: Json, what: str, *, timeout_seconds: float
    ) -> InteractionReply | None:
        interaction = self._core.interactions.begin(
            InteractionKind.COMPONENT,
            data,
            account=self.account,
            channel=message.channel,
            message=message,
        )
        return await outcome(self._core, interaction, what, timeout_seconds=timeout_seconds)

    def _button(self, message: Message, label: str | None, custom_id: str | None) -> Button:
        wanted = label if label is not None else custom_id or ""
        pressable = [one for one in message.buttons if one.custom_id and not one.is_disabled]
        for button in pressable if self._sees(message) else []:
            if label in {None, button.label} and custom_id in {None, button.custom_id}:
                return button
        raise NoSuchButtonError(wanted, [button.label for button in pressable])

    def _menu(self, message: Message, custom_id: str | None) -> Menu:
        usable = [one for one in message.menus if not one.is_disabled]
        for menu in usable if self._sees(message) else []:
            if custom_id in {None, menu.custom_id}:
                return menu
        there = ", ".join(repr(menu.custom_id) for menu in usable) or "none"
        raise BadChoiceError(custom_id or "", f"it cannot be used; there are {there}")
