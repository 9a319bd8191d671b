"""Where a scene is played: what people do on it, and what they see, is written down."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from simulator.discord import Person, TextChannel
from simulator.discord.calling import Given
from simulator.discord.commands import Choice
from simulator.discord.markdown_html import Names
from simulator.discord.model import Message, MessageKind
from simulator.discord.replies import InteractionReply
from simulator.discord.voice.channel import VoiceChannel
from tests.docs.scenes.entries import Entry, message_entry, transcript
from tests.docs.scenes.model import SceneModel, Taught, last_words
from tests.docs.scenes.picture import WIDTH_PIXELS, page_of
from tests.docs.scenes.steady import BOT_NAME, NOW, Steady, readable
from tests.fakes.house import House

SECONDS = 30.0


class Stage:
    """A place in a house where a scene is played."""

    def __init__(self, house: House, model: SceneModel, channel: str) -> None:
        """Make it.

        Args:
            house: The whole bot, and what stands around it.
            model: What the model says.
            channel: The name of the channel where it is played.
        """
        self.house = house
        self.channel = house.discord.text_channel(channel)
        """Where people do what they do unless another place is named; may be changed."""
        self.entries: list[Entry] = []
        self.called: set[str] = set()
        """The commands that people have called, by their whole names."""
        self._model = model
        self._steady = Steady()
        self._people: dict[int, str] = {house.discord.bot.id: BOT_NAME}
        self._channels: dict[int, str] = {}
        self._shown: dict[int, Message] = {}
        self._is_drawn = True
        self._channels[self.channel.id] = channel

    @property
    def names(self) -> Names:
        """What mentions stand for."""
        return Names(users=self._people, channels=self._channels, now_unix_seconds=NOW)

    def person(self, name: str) -> Person:
        """Return somebody who plays along."""
        person = self.house.discord.person(name)
        self._people[person.id] = name
        return person

    def voice_channel(self, name: str) -> VoiceChannel:
        """Return a voice channel that is played in, too."""
        channel = self.house.discord.voice_channel(name)
        self._channels[channel.id] = name
        return channel

    def happens(self, what: str) -> None:
        """Write down what neither a message nor a command tells."""
        self._note(self.channel, what)

    def teach(self, text: str, *answers: Taught) -> None:
        """Let a speaker answer what holds `text` so, step by step."""
        self._model.said[text] = answers

    def teach_job(self, task: str, *answers: Taught) -> None:
        """Let a job whose task holds `task` go so, step by step."""
        self._model.tasks[task] = answers

    def say(
        self,
        person: Person,
        text: str,
        *answers: Taught,
        mention_bot: bool = True,
        files: Mapping[str, bytes] | None = None,
        channel: TextChannel | None = None,
    ) -> Message:
        """Have somebody write a message, to which the model has those answers."""
        if answers:
            self.teach(text, *answers)
        where = channel or self.channel
        message = person.say(where, text, mention_bot=mention_bot, files=files)
        self._show(message, where)
        return message

    async def ask(
        self,
        person: Person,
        text: str,
        *answers: Taught,
        mention_bot: bool = True,
        files: Mapping[str, bytes] | None = None,
        channel: TextChannel | None = None,
    ) -> Message:
        """Have somebody write a message, and see it answered with the last of `answers`."""
        said = self.say(
            person, text, *answers, mention_bot=mention_bot, files=files, channel=channel
        )
        return await self.answered(person, said, last_words(answers[-1]), channel=channel)

    async def answered(
        self, person: Person, question: Message, wanted: str, *, channel: TextChannel | None = None
    ) -> Message:
        """See a message answered with something that holds `wanted`."""
        where = channel or self.channel
        message = await person.sees(
            where,
            lambda one: one.reply_to == question.id and wanted in one.text,
            timeout_seconds=SECONDS,
        )
        self._show(message, where)
        return message

    async def sees(
        self,
        person: Person,
        *wanted: str,
        channel: TextChannel | None = None,
        after: Message | None = None,
    ) -> Message:
        """See a message that holds all of `wanted`, new or edited."""
        where = channel or self.channel
        message = await person.sees(
            where,
            lambda one: all(text in one.text for text in wanted),
            after=after,
            timeout_seconds=SECONDS,
        )
        self._show(message, where)
        return message

    async def sees_pin(self, person: Person) -> None:
        """See that something was pinned."""
        await self._sees_system_message(person, MessageKind.PINNED)

    async def sees_mark(self, person: Person, message: Message, emoji: str) -> None:
        """See that the bot has put a reaction under a message."""
        bot = self.house.discord.bot
        where = self._where(message)
        marked = await person.sees(
            where,
            lambda one: one.id == message.id and bot.id in one.reactions.get(emoji, ()),
            timeout_seconds=SECONDS,
        )
        self._note(where, f"{BOT_NAME} puts {emoji} under “{self._said(marked)}”")
        self._redraw(marked)

    async def sees_no_mark(self, person: Person, message: Message, emoji: str) -> None:
        """See that the bot has taken a reaction back."""
        bot = self.house.discord.bot
        where = self._where(message)
        now = await person.sees(
            where,
            lambda one: one.id == message.id and bot.id not in one.reactions.get(emoji, ()),
            timeout_seconds=SECONDS,
        )
        self._note(where, f"{BOT_NAME} takes {emoji} back from “{self._said(now)}”")
        self._redraw(now)

    async def slash(
        self, person: Person, command: str, /, **options: str | TextChannel
    ) -> InteractionReply:
        """Have somebody call a command, and see what it says; `_` stands for `-`."""
        given = {name.replace("_", "-"): value for name, value in options.items()}
        typed = [f"{name}:{_typed(value)}" for name, value in given.items()]
        return await self._call(person, command, typed, given)

    async def picks(
        self, person: Person, command: str, option: str, choice: Choice
    ) -> InteractionReply:
        """Have somebody call a command with what they were offered, and see what it says."""
        typed = [f"{option}:{self._steady.text(choice.name)}"]
        return await self._call(person, command, typed, {option: choice.value})

    async def types(
        self, person: Person, command: str, option: str, typed: str
    ) -> tuple[Choice, ...]:
        """Have somebody type into an option, and see what is offered."""
        choices = await person.autocomplete(self.channel, command, option, typed)
        offered = [self._steady.text(choice.name) for choice in choices]
        head = f"{person.name} types /{command} {option}:{typed} and is offered"
        body = tuple(f"▸ {label}" for label in offered) or ("nothing",)
        self.entries.append(Entry(channel=self.channel, head=head, body=body))
        return choices

    async def use_on(self, person: Person, message: Message, command: str) -> InteractionReply:
        """Have somebody choose a command in the menu of a message, and see what it says."""
        where = self._where(message)
        self.called.add(command)
        author = self._people[message.author.id]
        self._note(
            where, f"{person.name} chooses Apps > {command} in the menu of {author}'s message"
        )
        reply = await person.use_on(message, command, timeout_seconds=SECONDS)
        self._show_reply(reply, where)
        return reply

    async def press(self, person: Person, message: Message, label: str) -> None:
        """Have somebody press a button, and see what it says."""
        where = self._where(message)
        self._note(where, f"{person.name} presses [{label}]")
        reply = await person.click(message, label=label, timeout_seconds=SECONDS)
        if reply is not None:
            self._show_reply(reply, where)

    async def sees_thread(self, person: Person, name: str) -> TextChannel:
        """See that a thread was opened here."""
        await self._sees_system_message(person, MessageKind.THREAD_CREATED)
        return await self.house.discord.thread_in(self.channel, name, timeout_seconds=SECONDS)

    @contextmanager
    def beside_the_picture(self) -> Generator[None]:
        """Write down what happens while the block lasts, but do not draw it."""
        self._is_drawn = False
        try:
            yield
        finally:
            self._is_drawn = True

    def transcript(self) -> str:
        """Return what was done and seen, as text that is the same on every play."""
        return transcript(self.entries)

    def page(self, *, width_pixels: int = WIDTH_PIXELS) -> str:
        """Return the same as an HTML page, as Discord shows it."""
        return page_of(
            self.entries,
            bot=replace(self.house.discord.bot, name=BOT_NAME),
            names=self.names,
            everything=self._shown,
            width_pixels=width_pixels,
        )

    async def _sees_system_message(self, person: Person, kind: MessageKind) -> None:
        message = await person.sees(
            self.channel, lambda one: one.kind is kind, timeout_seconds=SECONDS
        )
        self._show(message, self.channel)

    async def _call(
        self, person: Person, command: str, typed: Sequence[str], given: Mapping[str, Given]
    ) -> InteractionReply:
        self.called.add(command)
        self._note(self.channel, f"{person.name} calls {' '.join([f'/{command}', *typed])}")
        reply = await person.slash(self.channel, command, timeout_seconds=SECONDS, **given)
        self._show_reply(reply, self.channel)
        return reply

    def _show(self, message: Message, where: TextChannel) -> None:
        bot = self.house.discord.bot
        for mentioned in message.mentions:
            self._people.setdefault(mentioned.id, mentioned.name)
        for thread in self.house.discord.threads(self.channel):
            self._channels[thread.id] = thread.name
        steady = self._steady.message(message, bot=bot, is_edited=message.id in self._shown)
        entry = message_entry(steady, where, self.names, self._shown, is_in_picture=self._is_drawn)
        self.entries.append(entry)
        self._shown[message.id] = steady

    def _redraw(self, message: Message) -> None:
        """Let the picture show a message as it is by now; the transcript has told of it."""
        bot = self.house.discord.bot
        steady = self._steady.message(message, bot=bot, is_edited=False)
        at = max(
            number
            for number, entry in enumerate(self.entries)
            if entry.message is not None and entry.message.id == message.id
        )
        self.entries[at] = replace(self.entries[at], message=steady)

    def _show_reply(self, reply: InteractionReply, where: TextChannel) -> None:
        assert reply.message is not None, "it is no form"
        self._show(reply.message, where)

    def _note(self, where: TextChannel, head: str) -> None:
        self.entries.append(Entry(channel=where, head=head))

    def _said(self, message: Message) -> str:
        return readable(self._steady.text(message.text), self.names)

    def _where(self, message: Message) -> TextChannel:
        """Return the place where a message was seen."""
        return next(
            entry.channel
            for entry in reversed(self.entries)
            if entry.message is not None and entry.message.id == message.id
        )


def _typed(value: str | TextChannel) -> str:
    return value if isinstance(value, str) else f"#{value.name}"
