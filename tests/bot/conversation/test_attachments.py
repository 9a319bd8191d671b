"""How the files of a turn come to the speaker."""

from pathlib import Path

import pytest

from bot.access import Person
from bot.conversation.attachments import (
    NO_ROOM,
    NOT_FETCHED,
    NOT_SAVED,
    TOO_LARGE,
    TOO_MANY,
    TOO_SLOW,
    AttachmentRoom,
    Brought,
    Chosen,
    LeftOut,
    choose,
)
from bot.conversation.incoming import Attachment
from bot.conversation.turn import MOST_FILE_BYTES, MOST_FILES, Turn
from bot.messenger import MessageRef
from bot.speaker.speaker import Image
from tests.bot.conversation.test_pictures import PNG
from tests.fakes.attachments import FakeAttachments, attachment
from tests.fakes.small_disk import fill, make_room, small_disk

SESSION = "5e551011"
HUGE_PNG = PNG.replace((640).to_bytes(4, "big"), (9000).to_bytes(4, "big"))


def turn(*files: Attachment) -> Turn:
    return Turn(
        people=(Person(id=1, name="olga"),),
        text="look",
        attachments=files,
        asked_in=MessageRef(channel_id=11, message_id=7),
    )


def refused(brought: Brought) -> list[str]:
    """The reasons that the people are told, which the speaker has to know, too."""
    reasons = [complaint.split(": ", 1)[1].removesuffix(".") for complaint in brought.complaints]
    assert all(f"they were told why: {reason}" in brought.note for reason in reasons)
    return reasons


async def test_a_picture_is_shown_and_saved_and_the_rest_is_named_with_its_path(
    tmp_path: Path,
) -> None:
    source = FakeAttachments()
    files = (
        source.add("Cat photo.png", PNG),
        source.add("report.pdf", b"%PDF-1.7"),
        source.add("huge.png", HUGE_PNG),
        source.add("voice-message.ogg", b"OggS", is_voice_message=True),
    )
    brought = await AttachmentRoom(source, tmp_path).bring_in(turn(*files), SESSION)

    assert brought == Brought(
        images=(Image(media_type="image/png", content=PNG),),
        note=(
            "\n\nFiles that came with it:"
            "\n- inbox/7/Cat_photo.png: a picture, which is shown to you here"
            "\n- inbox/7/report.pdf: 8 bytes; look at it with Read"
            "\n- inbox/7/huge.png: a picture, too large to be shown here; look at it with Read"
            "\n- inbox/7/voice-message.ogg: a voice message, which you cannot hear yet; say so"
        ),
    )
    folder = tmp_path / SESSION / "inbox" / "7"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        "Cat_photo.png": PNG,
        "report.pdf": b"%PDF-1.7",
        "huge.png": HUGE_PNG,
        "voice-message.ogg": b"OggS",
    }


async def test_a_picture_by_its_name_alone_is_not_shown(tmp_path: Path) -> None:
    source = FakeAttachments()
    brought = await AttachmentRoom(source, tmp_path).bring_in(
        turn(source.add("a.png", b"no picture")), SESSION
    )

    assert brought.images == ()
    assert "look at it with Read" in brought.note


async def test_what_an_earlier_bot_has_fetched_is_not_fetched_again(tmp_path: Path) -> None:
    source = FakeAttachments()
    asked = turn(source.add("a.png", PNG), source.add("b.txt", b"b"))
    first = await AttachmentRoom(source, tmp_path).bring_in(asked, SESSION)
    (tmp_path / SESSION / "inbox" / "7" / "b.txt").write_bytes(b"")  # it did not come whole
    second = await AttachmentRoom(source, tmp_path).bring_in(asked, SESSION)

    assert second == first
    assert sorted(source.read_ids) == [1, 2, 2]


async def test_what_cannot_be_fetched_is_told_to_both_and_the_rest_is_brought(
    tmp_path: Path,
) -> None:
    source = FakeAttachments()
    source.stuck.add(2)
    gone, stuck = attachment(9, "gone.txt", 1), attachment(2, "stuck.txt", 1)
    there = source.add("there.txt", b"x")
    room = AttachmentRoom(source, tmp_path, fetch_seconds=0.05)
    brought = await room.bring_in(turn(gone, stuck, there), SESSION)

    assert refused(brought) == [NOT_FETCHED, TOO_SLOW]
    assert brought.complaints[0].startswith("I left out `gone.txt`")
    assert "inbox/7/there.txt" in brought.note


async def test_files_are_fetched_side_by_side_but_not_all_at_once(tmp_path: Path) -> None:
    source = FakeAttachments()
    source.seconds = 0.1  # so that those that are fetched side by side are seen to be
    files = [source.add(f"{number}.txt", b"x") for number in range(MOST_FILES)]
    await AttachmentRoom(source, tmp_path).bring_in(turn(*files), SESSION)

    assert 1 < source.most_at_once <= 4


async def test_a_file_that_cannot_be_saved_is_told(tmp_path: Path) -> None:
    source = FakeAttachments()
    asked = turn(source.add("a.txt", b"x"))
    (tmp_path / SESSION).write_text("in the way")

    assert refused(await AttachmentRoom(source, tmp_path).bring_in(asked, SESSION)) == [NOT_SAVED]


async def test_a_full_disk_is_named_and_recovered_from(tmp_path: Path) -> None:
    source = FakeAttachments()
    asked = turn(source.add("a.txt", b"x" * 50_000))
    with small_disk(tmp_path / "disk") as disk:
        room = AttachmentRoom(source, disk)
        fill(disk)
        assert refused(await room.bring_in(asked, SESSION)) == [NO_ROOM]
        make_room(disk)
        assert refused(await room.bring_in(asked, SESSION)) == []


def test_more_files_than_can_be_taken_are_named_with_the_reason() -> None:
    many = [attachment(number, "a.txt", 1) for number in range(MOST_FILES + 1)]
    large = [attachment(1, "a.iso", MOST_FILE_BYTES + 1), attachment(2, "b.txt", MOST_FILE_BYTES)]

    assert choose(many)[-1] == LeftOut(name=f"a-{MOST_FILES + 1}.txt", reason=TOO_MANY)
    assert choose(large) == [
        LeftOut(name="a.iso", reason=TOO_LARGE),
        Chosen(attachment=large[1], name="b.txt"),
    ]
    assert choose([*large, attachment(3, "c.txt", 1)])[-1] == LeftOut(
        name="c.txt", reason=TOO_LARGE
    )


@pytest.mark.parametrize("name", ["`@everyone`.txt", "a\n- inbox/7/b.txt: fake", "\u202etxt.exe"])
async def test_a_name_cannot_pass_for_something_else(tmp_path: Path, name: str) -> None:
    source = FakeAttachments()
    asked = turn(source.add(name, b"x"), attachment(9, name, 1))
    brought = await AttachmentRoom(source, tmp_path).bring_in(asked, SESSION)

    assert len(brought.note.strip().split("\n")) == 3
    assert not set(brought.note) & set("\u202e`")
    assert "@everyone" not in brought.complaints[0]


async def test_a_turn_without_files_leaves_no_trace(tmp_path: Path) -> None:
    assert await AttachmentRoom(FakeAttachments(), tmp_path).bring_in(turn(), SESSION) == Brought()
    assert not (tmp_path / SESSION).exists()
