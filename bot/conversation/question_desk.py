"""What people press, choose and write under questions."""

from bot.conversation.desk import DeskOffer
from bot.conversation.incoming import ButtonPress
from bot.messenger import Form, MessageContent
from bot.questions.asker import Asker
from bot.questions.question import Given
from bot.questions.view import (
    ANSWER_VERB,
    CHOOSE_VERB,
    NOTHING_CHOSEN,
    TEXT_FIELD,
    UNKNOWN,
    WRITE_VERB,
    WRITTEN_VERB,
    chosen_in,
    pressed_choice,
)


class QuestionDesk:
    """Takes answers to questions."""

    def __init__(self, asker: Asker) -> None:
        self._asker = asker

    def offer(self) -> DeskOffer:
        """Return what it takes care of."""
        return DeskOffer(
            buttons={
                ANSWER_VERB: self.press,
                CHOOSE_VERB: self.choose,
                WRITE_VERB: self.no_form,
                WRITTEN_VERB: self.write,
            },
            forms={WRITE_VERB: self.form_for},
        )

    async def press(self, press: ButtonPress) -> MessageContent | None:
        """Take the choice that a button stands for."""
        choice = pressed_choice(press.action.subject)
        if choice is None:
            return MessageContent(text=UNKNOWN)
        question_id, number = choice
        given = Given(by=press.person, place=press.place, number=number, message=press.message)
        return _told(await self._asker.answered(question_id, given))

    async def choose(self, press: ButtonPress) -> MessageContent | None:
        """Take what was chosen from a menu."""
        if not press.chosen:
            return MessageContent(text=NOTHING_CHOSEN)
        value = press.chosen[0]
        given = Given(by=press.person, place=press.place, value=value, message=press.message)
        return _told(await self._asker.answered(chosen_in(press.action.subject), given))

    async def write(self, press: ButtonPress) -> MessageContent | None:
        """Take what was written into the form."""
        text = press.filled.get(TEXT_FIELD, "")
        given = Given(by=press.person, place=press.place, text=text, message=press.message)
        return _told(await self._asker.answered(press.action.subject, given))

    def form_for(self, press: ButtonPress) -> Form | None:
        """Return the form in which an answer is written; none to whoever may not answer."""
        return self._asker.form_for(press.action.subject, press.person, press.place)

    async def no_form(self, press: ButtonPress) -> MessageContent | None:
        """Say why there was no form."""
        question_id, person, place = press.action.subject, press.person, press.place
        return _told(await self._asker.why_no_form(question_id, person, place))


def _told(text: str | None) -> MessageContent | None:
    return None if text is None else MessageContent(text=text)
