import json
import ssl
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from simulator.edge_tts import EdgeTts, Fault, running_edge_tts
from simulator.tls import write_tls_files

PATH = "/consumer/speech/synthesize/readaloud/edge/v1"
QUERY = {
    "TrustedClientToken": "x",
    "ConnectionId": "0" * 32,
    "Sec-MS-GEC": f"{'0' * 16}-{'0' * 64}",
    "Sec-MS-GEC-Version": "2-143.0.3650.75",
}
HEADERS = {"Origin": "chrome-extension://x", "Cookie": f"muid={'0' * 32};"}
FORMAT = "audio-24khz-48kbitrate-mono-mp3"


def config(*, words: bool = False, output_format: str = FORMAT) -> str:
    options = {"sentenceBoundaryEnabled": str(not words).lower()}
    options["wordBoundaryEnabled"] = str(words).lower()
    audio = {"metadataoptions": options, "outputFormat": output_format}
    body = {"context": {"synthesis": {"audio": audio}}}
    return f"Content-Type:application/json\r\nPath:speech.config\r\n\r\n{json.dumps(body)}"


def ssml(text: str, *, voice: str = "en-US, AvaNeural") -> str:
    return (
        "X-RequestId:abc\r\nContent-Type:application/ssml+xml\r\nPath:ssml\r\n\r\n"
        "<speak version='1.0' xmlns='http://www.w3.org/2001/10/synthesis' xml:lang='en-US'>"
        f"<voice name='Microsoft Server Speech Text to Speech Voice ({voice})'>"
        f"<prosody pitch='+0Hz' rate='+0%' volume='+0%'>{text}</prosody></voice></speak>"
    )


@pytest.fixture
async def service() -> AsyncGenerator[EdgeTts, None]:
    async with running_edge_tts() as service:
        yield service


async def answer(
    url: str, *messages: str, tls: ssl.SSLContext | None = None
) -> tuple[list[str], bytes, list[Any]]:
    """Return the paths of all messages, the audio, and the boundaries."""
    paths, audio, boundaries = list[str](), b"", []
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{url}{PATH}", params=QUERY, headers=HEADERS, ssl=tls or True) as ws,
    ):
        for message in messages:
            await ws.send_str(message)
        async for received in ws:
            if received.type is aiohttp.WSMsgType.BINARY:
                size = int.from_bytes(received.data[:2], "big")
                assert b"Path:audio\r\n" in received.data[: size + 2]
                paths.append("audio")
                audio += received.data[size + 2 :]
                continue
            head, _, body = received.data.partition("\r\n\r\n")
            paths.append(head.rpartition("Path:")[2])
            boundaries += json.loads(body).get("Metadata", [])
            if paths[-1] == "turn.end":
                break
    return paths, audio, boundaries


async def test_an_answer_has_the_messages_of_the_service(service: EdgeTts) -> None:
    paths, audio, boundaries = await answer(service.url, config(words=True), ssml("One &amp; two."))
    assert paths[:3] == ["turn.start", "response", "audio.metadata"]
    assert paths[-2:] == ["audio", "turn.end"]
    assert len(audio) > 6000
    assert [b["Data"]["text"]["Text"] for b in boundaries] == ["One", "&amp;", "two"]
    assert {b["Type"] for b in boundaries} == {"WordBoundary"}


async def test_sentences_are_told_of_if_they_are_wanted(service: EdgeTts) -> None:
    _, _, boundaries = await answer(service.url, config(), ssml("One two. Three?"))
    assert [b["Data"]["text"]["Text"] for b in boundaries] == ["One two.", "Three?"]
    assert {b["Type"] for b in boundaries} == {"SentenceBoundary"}


async def test_it_serves_over_tls(tmp_path: Path) -> None:
    files = write_tls_files(tmp_path, hosts=["speech.platform.bing.com"])
    trust = ssl.create_default_context(cafile=str(files.ca_path))
    async with running_edge_tts(tls=files.server_context()) as service:
        paths, _, _ = await answer(service.url, config(), ssml("One."), tls=trust)
    assert service.url.startswith("https://")
    assert paths[-1] == "turn.end"


@pytest.mark.parametrize(
    "missing",
    ["TrustedClientToken", "ConnectionId", "Sec-MS-GEC", "Sec-MS-GEC-Version", "Origin", "Cookie"],
)
async def test_who_does_not_look_like_the_browser_is_not_let_in(
    service: EdgeTts, missing: str
) -> None:
    query = {name: value for name, value in QUERY.items() if name != missing}
    headers = {name: value for name, value in HEADERS.items() if name != missing}
    async with aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.WSServerHandshakeError) as raised:
            await session.ws_connect(f"{service.url}{PATH}", params=query, headers=headers)
    assert raised.value.status == 403
    assert service.refused == 1


@pytest.mark.parametrize(
    "messages",
    [
        [config(output_format="riff"), ssml("One.")],
        [config(), ssml("<unclosed>")],
        [config(), "Path:ssml\r\n\r\n<speak/>"],
        ["no headers"],
    ],
)
async def test_what_the_service_would_not_take_ends_the_connection(
    service: EdgeTts, messages: list[str]
) -> None:
    paths, audio, _ = await answer(service.url, *messages)
    assert (paths, audio) == ([], b"")


async def test_a_voice_that_is_not_listed_has_no_audio(service: EdgeTts) -> None:
    paths, _, _ = await answer(service.url, config(), ssml("One.", voice="xx-XX, NobodyNeural"))
    assert paths == ["turn.start", "response", "turn.end"]


async def test_faults_are_met_one_request_each(service: EdgeTts) -> None:
    service.fail_next(Fault.NO_AUDIO, Fault.CUT)
    sent = [config(), ssml("One two three four five six.")]
    assert (await answer(service.url, *sent))[0][-1] == "turn.end"
    cut = await answer(service.url, *sent)
    whole = await answer(service.url, *sent)
    assert "turn.end" not in cut[0]
    assert whole[0][-1] == "turn.end"
    assert len(whole[1]) / 3 < len(cut[1]) < len(whole[1])
    assert len(service.requests) == 3


async def test_audio_comes_as_fast_as_is_wanted() -> None:
    async with running_edge_tts(speed=20.0) as service:
        paths, _, _ = await answer(service.url, config(), ssml("One."))
    assert paths[-1] == "turn.end"
