"""Shows the conversation in a terminal, as people on Discord see it."""

import re
from collections.abc import Callable, Mapping, Sequence

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding

from simulator.discord.model import Account, Message, UploadedFile

_MENTION = re.compile(r"<@!?(\d+)>")
_RELATIVE_TIME = re.compile(r"<t:\d+:R>")
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_CODE = re.compile(r"`([^`\n]+)`")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_ASIDE = 0xE000
"""Where Unicode leaves room for private use."""
_SET_ASIDE = re.compile("[\ue000-\ue07f]")
_PERSON_STYLES = ("bright_cyan", "bright_magenta", "bright_green")


class Chat:
    """Prints what is said; each thing once, as it stands when it is shown."""

    def __init__(
        self, console: Console, bot: Account, on_scene: Callable[[str], None] | None = None
    ) -> None:
        """Show nothing yet.

        Args:
            console: Where it is shown.
            bot: Who of those who write is the bot.
            on_scene: Told the title of each scene when it begins.
        """
        self._console = console
        self._bot = bot
        self._on_scene = on_scene
        self._people: list[int] = []
        self._names = {bot.id: "Papercup"}
        self._shown: dict[int, str] = {}

    def scene(self, text: str) -> None:
        """Say what is going to happen."""
        self._console.print()
        self._console.rule(f"[dim]{escape(text)}", align="left", style="dim")
        if self._on_scene is not None:
            self._on_scene(text)

    def show(self, message: Message) -> None:
        """Show a message, unless it says what it said when it was shown before."""
        if self._shown.get(message.id) == message.text:
            return
        was_shown = message.id in self._shown
        self._shown[message.id] = message.text
        remarks = ["edited"] if was_shown else []
        remarks += ["only you can see this"] if message.is_ephemeral else []
        self._names.setdefault(message.author.id, message.author.name)
        self._line(message.author, _visible(message.text, self._names), remarks)
        self._below(message)

    def act(self, author: Account, text: str) -> None:
        """Show what somebody does other than write: a command, a button."""
        self._line(author, f"[bold]{escape(text)}[/bold]", [])

    def terminal(self, command: str, printed: str) -> None:
        """Show what somebody calls in a terminal, and what is printed there."""
        self._console.print(f"[bold]$ {escape(command)}[/bold]")
        self._console.print(Padding(f"[dim]{escape(printed)}[/dim]", (0, 0, 0, 2)))

    def speech(self, author: Account, text: str, *, remark: str = "") -> None:
        """Show what somebody says aloud, and below it what there is to say about that."""
        self._line(author, f"🔊 {escape(text)}", [])
        if remark:
            self._console.print(Padding(f"[dim]{escape(remark)}[/dim]", (0, 0, 0, 5)))

    def _line(self, author: Account, text: str, remarks: Sequence[str]) -> None:
        remark = f" [dim]({', '.join(remarks)})[/dim]" if remarks else ""
        self._console.print(f"[bold {self._style(author)}]{escape(author.name)}[/]{remark}")
        self._console.print(Padding(text, (0, 0, 0, 2)))

    def _below(self, message: Message) -> None:
        buttons = "  ".join(f"[reverse] {escape(button.label)} [/]" for button in message.buttons)
        if buttons:
            self._console.print(Padding(buttons, (0, 0, 0, 2)))
        for file in message.files:
            self._file(file)

    def _file(self, file: UploadedFile) -> None:
        self._console.print(
            Padding(
                f"📎 [underline]{escape(file.name)}[/] ({len(file.content)} bytes)", (0, 0, 0, 2)
            )
        )

    def _style(self, author: Account) -> str:
        if author == self._bot:
            return "bright_yellow"
        if author.id not in self._people:
            self._people.append(author.id)
        return _PERSON_STYLES[self._people.index(author.id) % len(_PERSON_STYLES)]


def _visible(text: str, names: Mapping[int, str]) -> str:
    """Return Discord's markdown as the terminal shows it."""
    text = _MENTION.sub(lambda found: f"@{names.get(int(found[1]), 'somebody')}", text)
    text = _RELATIVE_TIME.sub("just now", text)
    # What a backslash stands before is meant as it is: it is kept out of the way meanwhile.
    text = _ESCAPED.sub(lambda found: chr(_ASIDE + ord(found[1])), text)
    text = _CODE.sub(r"[cyan]\1[/cyan]", _BOLD.sub(r"[bold]\1[/bold]", escape(text)))
    text = _SET_ASIDE.sub(lambda found: escape(chr(ord(found[0]) - _ASIDE)), text)
    return "\n".join(map(_visible_line, text.splitlines()))


def _visible_line(line: str) -> str:
    if line.startswith("> "):
        return f"[dim]▏[/dim]{line[2:]}"
    return f"[dim]{line[3:]}[/dim]" if line.startswith("-# ") else line
