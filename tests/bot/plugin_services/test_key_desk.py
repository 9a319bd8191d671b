from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from bot.access import Person
from bot.conversation.incoming import ButtonPress
from bot.messenger import ButtonAction
from bot.plugin_services.blocks import KeyBinding, Markdown, Widget
from bot.plugin_services.key_desk import NOT_A_KEY, NOT_RUNNING, KeyDesk
from bot.plugin_services.plugin_cards import PluginCards
from bot.plugin_services.ui_view import KEY_VERB
from extensions.hooks import Occasion
from tests.fakes.cards import FakeCards
from tests.fakes.line_house import GUILD, HERE, STRANGER, USER, LineHouse, open_line_house
from tests.fakes.session_house import POLICY

Pressed = tuple[str, str | None, str, Occasion]


def widget(*keys: str) -> Widget:
    bindings = tuple(KeyBinding(widget_id="list", key=key) for key in keys)
    return Widget(widget_id="list", body=Markdown(text="body"), keys=bindings)


@dataclass
class Scene:
    """A desk, and plugins that note which keys were pressed."""

    house: LineHouse
    shown: FakeCards = field(default_factory=FakeCards)
    pressed: list[Pressed] = field(default_factory=list[Pressed])
    running: set[str] = field(default_factory=lambda: {"todo"})

    def __post_init__(self) -> None:
        self.cards = PluginCards(self.shown)
        self.desk = KeyDesk(
            POLICY.authorize,
            self.house.conversations,
            self.cards,
            self,
            lambda plugin_id: plugin_id in self.running,
        )

    def key_pressed(self, plugin_id: str, widget_id: str | None, key: str, at: Occasion) -> None:
        self.pressed.append((plugin_id, widget_id, key, at))

    def action(self, key: str) -> ButtonAction:
        """Return what the button of a key of the newest card carries."""
        buttons = self.shown.shown[-1].content.buttons
        return next(button.action for button in buttons if button.label == key)

    async def press(self, action: ButtonAction, *, by: Person = USER) -> str | None:
        press = ButtonPress(action=action, message=None, person=by, place=HERE)
        content = await self.desk.offer().buttons[KEY_VERB](press)
        return None if content is None else content.text


@asynccontextmanager
async def a_scene() -> AsyncGenerator[Scene, None]:
    async with open_line_house() as house:
        scene = Scene(house)
        await scene.cards.set_widget("todo", HERE, widget("a", "k" * 90))
        yield scene


async def test_the_plugin_is_told_which_key_was_pressed_by_whom_and_where() -> None:
    async with a_scene() as scene:
        at = Occasion(person_id=USER.id, guild_id=GUILD, channel_id=HERE.channel_id)
        assert await scene.press(scene.action("a")) is None
        conversation, _ = await scene.house.conversations.open(HERE, USER)
        assert await scene.press(scene.action("k" * 79 + "…")) is None

        in_session = Occasion(
            session_id=conversation.session.id,
            person_id=USER.id,
            guild_id=GUILD,
            channel_id=HERE.channel_id,
        )
        assert scene.pressed == [("todo", "list", "a", at), ("todo", "list", "k" * 90, in_session)]


async def test_a_stranger_presses_no_key() -> None:
    async with a_scene() as scene:
        assert "list" in (await scene.press(scene.action("a"), by=STRANGER) or "")
        assert scene.pressed == []


async def test_a_key_that_the_widget_has_no_more_does_nothing() -> None:
    async with a_scene() as scene:
        action = scene.action("a")
        await scene.cards.set_widget("todo", HERE, widget("b"))
        assert await scene.press(action) == NOT_A_KEY.text
        assert await scene.press(ButtonAction(verb=KEY_VERB, subject="todo")) is not None
        assert scene.pressed == []


async def test_a_key_of_a_plugin_that_does_not_run_says_so() -> None:
    async with a_scene() as scene:
        scene.running.clear()
        assert await scene.press(scene.action("a")) == NOT_RUNNING.text
        assert scene.pressed == []


async def test_a_key_that_stands_there_from_before_a_restart_is_still_one() -> None:
    async with a_scene() as scene:
        short, long = scene.action("a"), scene.action("k" * 79 + "…")
        again = Scene(scene.house)
        assert await again.press(short) is None
        assert [pressed[:3] for pressed in again.pressed] == [("todo", "list", "a")]
        # What is too long for a button was known to the earlier bot alone.
        assert await again.press(long) == NOT_A_KEY.text
