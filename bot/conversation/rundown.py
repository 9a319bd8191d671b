"""The rundown of a settled job: whoever wants it first has it posted under the notice, for all."""

import logging
from collections.abc import Awaitable, Callable

from bot.access import Action, Authorize, Refused
from bot.conversation.desk import DeskOffer
from bot.conversation.incoming import ButtonPress
from bot.conversation.job_rights import belonging_of
from bot.conversation.job_texts import NO_SUCH_JOB
from bot.messenger import File, MessageContent, MessageRef, Messenger, standing
from bot.notices.notice import (
    RUNDOWN_VERB,
    is_told_directly,
    job_id_of,
    notice_with_rundown,
    run_number_of,
    told,
    told_directly,
    whole_text,
)
from bot.questions.asker import Asker
from bot.questions.keeper import Handler
from bot.questions.question import Answer, Choice, Given, Question
from bot.text.layout import Layout
from extensions.errors import JobNotFoundError
from extensions.jobs.job import Job

logger = logging.getLogger(__name__)

RUNDOWN_PURPOSE = "rundown"

GONE_ON = "The job has gone on since then; its next notice tells of it."

_CHOICE = Choice(value="rundown", label="Rundown")

FindJob = Callable[[str], Awaitable[Job]]
"""Returns the job of that id; raises JobNotFoundError."""


class RundownDesk:
    """Takes care of the button under a notice. The question is stored when it is pressed."""

    def __init__(self, authorize: Authorize, asker: Asker, find_job: FindJob) -> None:
        self._authorize = authorize
        self._asker = asker
        self._find_job = find_job

    def offer(self) -> DeskOffer:
        """Return what it takes care of."""
        return DeskOffer(buttons={RUNDOWN_VERB: self.press})

    async def press(self, press: ButtonPress) -> MessageContent | None:
        """Have the rundown posted, if this person is the first who wants it."""
        subject = press.action.subject
        try:
            job = await self._find_job(job_id_of(subject))
        except JobNotFoundError:
            return MessageContent(text=NO_SUCH_JOB)
        verdict = self._authorize(
            [press.person], Action.SEE_JOB, press.place, about=belonging_of(job)
        )
        if isinstance(verdict, Refused):
            return MessageContent(text=verdict.reason)
        if press.message is None or not _is_still(job, subject):
            return MessageContent(text=GONE_ON)
        question = _question(job, press, press.message)
        given = Given(
            by=press.person, place=press.place, value=_CHOICE.value, message=press.message
        )
        text = await self._asker.take(question, given)
        return None if text is None else MessageContent(text=text)


def rundown_giver(
    messenger: Messenger, find_job: FindJob, lay_out: Callable[[str], Layout]
) -> Handler:
    """Return what posts rundowns: it handles the answers of that purpose.

    Args:
        messenger: What carries messages.
        find_job: Returns the job of an id.
        lay_out: Makes messages of a text, and a file where it is long.
    """

    async def give(question: Question, answer: Answer) -> MessageContent | None:
        """Post the rundown, and return how the notice looks then."""
        try:
            job = await find_job(job_id_of(question.subject))
        except JobNotFoundError:
            logger.warning("job %s: its rundown is wanted, but it is gone", question.subject)
            return MessageContent(text=f"{question.text}\n-# {NO_SUCH_JOB}")
        if not _is_still(job, question.subject):
            return MessageContent(text=f"{question.text}\n-# {GONE_ON}")
        reply_to = answer.message
        for number, content in enumerate(_messages(lay_out(whole_text(job)))):
            nonce = f"{question.id}-{number}"
            await _post(messenger, question, content, nonce=nonce, answer=answer, to=reply_to)
            reply_to = None
        content = notice_with_rundown(job, answer.by.name)
        return told_directly(content) if is_told_directly(question.subject) else content

    return give


def _question(job: Job, press: ButtonPress, message: MessageRef) -> Question:
    return Question(
        # A notice may stand in several places, and is a question of its own in each.
        id=f"rundown-{message.message_id}",
        purpose=RUNDOWN_PURPOSE,
        subject=press.action.subject,
        text=told(job),
        place=press.place,
        choices=(_CHOICE,),
        belonging=belonging_of(job),
        actions=(Action.SEE_JOB,),
    )


def _is_still(job: Job, subject: str) -> bool:
    """Say whether a job stands as its notice said."""
    return job.outcome is not None and job.run_number == run_number_of(subject)


def _messages(layout: Layout) -> list[MessageContent]:
    """Return the messages of a text; the file goes with the last of them."""
    files: tuple[File, ...] = () if layout.file is None else (layout.file,)
    *first, last = layout.messages
    return [*(MessageContent(text=text) for text in first), MessageContent(text=last, files=files)]


async def _post(
    messenger: Messenger,
    question: Question,
    content: MessageContent,
    *,
    nonce: str,
    answer: Answer,
    to: MessageRef | None,
) -> None:
    if answer.is_tried and await standing(messenger, question.place, nonce, like=content):
        return
    await messenger.post(question.place, content, nonce=nonce, reply_to=to)
