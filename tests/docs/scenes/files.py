"""Files in an office's channel: a photo and a list come in, a table and a long text go out."""

import struct
import zlib

from simulator.messages_api import Answer, ModelRequest, Say, Use
from tests.docs.scenes.stage import Stage

SEND = "mcp__papercup__send_file"
GUESTS = b"Ada, vegetarian\nGrace, no nuts\nAlan, hungry\n"
CSV = "name,note\nAda,vegetarian\nGrace,no nuts\nAlan,hungry\n"
TABLE = """\
| Guest | Starter | Main course |
|---|---|---|
| Ada | soup | risotto |
| Grace | salad | trout |
| Alan | both | lasagne |"""
RULES = (
    "Whoever takes the last biscuit puts the next packet on the list.",
    "The kettle is never left without water.",
    "What stands in the fridge for more than a week belongs to whoever is hungry.",
    "The sink is no place to soak a pan until Monday.",
    "Fish is warmed up at home.",
)


async def play(stage: Stage) -> None:
    """Send files, get one back, and see a table and a long answer."""
    lea = stage.person("lea")
    with stage.beside_the_picture():
        await stage.slash(lea, "pickup", name="party", permission_mode="acceptEdits")
    question = stage.say(
        lea,
        "What is on the photo, and who is on the list?",
        _told_of_files,
        files={"sunset.png": sunset(), "guests.txt": GUESTS},
    )
    await stage.answered(lea, question, "Ada, Grace, Alan.")
    wish = stage.say(
        lea,
        "Make me a CSV of the list.",
        Use("Write", {"file_path": "guests.csv", "content": CSV}),
        Use(SEND, {"path": "guests.csv", "caption": "The guests, one a line"}),
        Say("There it is."),
    )
    await stage.sees(lea, "The guests, one a line")
    with stage.beside_the_picture():
        await stage.answered(lea, wish, "There it is.")
    menu = stage.say(lea, "And the menu, as a table?", Say(TABLE))
    await stage.answered(lea, menu, "Alan   both     lasagne\n```")
    rules = stage.say(lea, "Now write down the rules of all our kitchens.", Say(_rules()))
    await stage.answered(lea, rules, "The whole answer is in the file")


def sunset() -> bytes:
    """Return a small picture, as PNG."""
    width, height = 240, 120
    rows = b"".join(
        b"\0" + (bytes((255 - y, 140 - y, 60 + y)) if y < 80 else b"\x20\x30\x60") * width
        for y in range(height)
    )
    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
            _chunk(b"IDAT", zlib.compress(rows)),
            _chunk(b"IEND", b""),
        ]
    )


def _chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)


def _told_of_files(request: ModelRequest) -> Answer:
    """Answer from what has come: the photo is seen at once, the list is read."""
    if request.step == 0:
        (path,) = [word for word in request.last_user_text.split() if "guests.txt" in word]
        return Use("Read", {"file_path": path.strip("-:")})
    (photo,) = request.last_images
    seen = "sunset over the sea" if photo.content == sunset() else "nothing that I know"
    names = [name for name in ("Ada", "Grace", "Alan") if name in (request.last_tool_result or "")]
    return Say(f"The photo shows a {seen}. The list has {', '.join(names)}.")


def _rules() -> str:
    house = " ".join(RULES * 2)
    return "\n\n".join(f"**Floor {number}.** {house}" for number in range(1, 16))
