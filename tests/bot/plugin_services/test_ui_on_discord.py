"""What plugins ask and show, as people see it on Discord."""

from pathlib import Path

from extensions.plugins.services import (
    Confirm,
    Input,
    Notify,
    Select,
    SetStatus,
    SetWidget,
    UiAnswer,
)
from tests.fakes.plugin_stage import open_plugin_stage


def todo(*items: str) -> SetWidget:
    return SetWidget(
        widget={
            "kind": "widget",
            "widget_id": "list",
            "body": {"kind": "markdown", "text": "\n".join(f"- {item}" for item in items)},
            "keybindings": [
                {"key": "d", "description": "Done"},
                {"key": "c", "description": "Clear"},
            ],
        }
    )


async def test_people_answer_with_buttons_menus_and_forms(tmp_path: Path) -> None:
    async with open_plugin_stage(tmp_path) as stage:
        anna, bob = stage.anna, stage.bob
        sure = stage.ask(Confirm(prompt="Delete `build`?"), by="gate")
        question = await stage.sees("**gate** asks")
        assert "Delete \\`build\\`?" in question.text
        reply = await bob.click(question, label="Yes")
        assert reply is not None
        assert "somebody else's" in reply.text
        assert await anna.click(question, label="No") is None
        assert await sure == UiAnswer(confirmed=False)
        await stage.sees("✅ No · @anna")

        which = stage.ask(Select(prompt="Which?", options=tuple(f"item {n}" for n in range(60))))
        menus = await stage.sees("Which?")
        second = menus.menus[1]
        assert await anna.choose(menus, "30", custom_id=second.custom_id) is None
        assert await which == UiAnswer(value="item 30")

        name = stage.ask(Input(prompt="What is it called?", default="milk"))
        asked = await stage.sees("called?")
        form = await anna.click(asked, label="Answer…")
        assert form is not None
        assert form.modal is not None
        assert await anna.submit(form, answer="oat milk") is None
        assert await name == UiAnswer(text="oat milk")


async def test_a_widget_is_edited_in_place_and_its_keys_are_buttons(tmp_path: Path) -> None:
    async with open_plugin_stage(tmp_path) as stage:
        await stage.tell(todo("milk"))
        card = await stage.sees("milk")
        await stage.tell(Notify(message="Something else happened."))
        await stage.tell(todo("milk", "bread"))
        await stage.tell(SetStatus(status="2 open"))
        edited = await stage.sees("bread")

        assert edited.id == card.id
        assert edited.text == "🧩 **todo** · 2 open\n>>> - milk\n- bread"
        assert await stage.bob.click(edited, label="Done") is None
        assert stage.pressed == [("todo", "list", "d", stage.bob.id)]
