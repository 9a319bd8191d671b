"""discord.py is leaned on where it promises nothing: here stands on what.

If this fails after another version was installed, read what has changed, run the tests of this
folder, and then write the new value down.
"""

import hashlib
import inspect
from collections.abc import Callable
from typing import Any

import discord
import pytest
from discord.gateway import DiscordVoiceWebSocket
from discord.voice_state import SocketReader, VoiceConnectionState

STATE, SOCKET, CLIENT = VoiceConnectionState, DiscordVoiceWebSocket, discord.VoiceClient

LEANED_ON: dict[Callable[..., Any], str] = {
    STATE.__init__: "eaf651b7c215",
    STATE.connect: "2b79e0a14f95",
    STATE._wrap_connect: "950602059ffb",
    STATE._inner_connect: "62b061b1379b",
    STATE._connect: "fe4abbbdb02a",
    STATE._connect_websocket: "04641fd6df28",
    STATE._create_socket: "bcec8a1862dc",
    STATE._handshake_websocket: "68346047197b",
    STATE._poll_voice_ws: "cb47293e408f",
    STATE._potential_reconnect: "004de2a8ea91",
    STATE._voice_disconnect: "0662190f95e6",
    STATE._update_voice_channel: "6946ee8e499a",
    STATE._execute_transition: "3b0e7a344c62",
    STATE.disconnect: "5cb8a51b51c4",
    STATE.soft_disconnect: "e73245f3728d",
    STATE.voice_state_update: "5ae711a79689",
    STATE.voice_server_update: "dd04188e0a92",
    STATE.reinit_dave_session: "2ae19d6e94d6",
    STATE.send_packet: "49bf8100aa52",
    SOCKET.from_connection_state: "cf80d0595f25",
    SOCKET.poll_event: "c54ba2c080b3",
    SOCKET.received_message: "b780f45eb5f7",
    SOCKET.received_binary_message: "5b7784955f74",
    SOCKET.initial_connection: "597914684007",
    SOCKET.discover_ip: "15e552d6ea25",
    SOCKET.load_secret_key: "c5febd185135",
    SOCKET.speak: "9b53dcb2aa4c",
    CLIENT.__init__: "6d29df411aff",
    CLIENT.create_connection_state: "8ca2096ce7ec",
    CLIENT.disconnect: "99f983f937ce",
    SocketReader._do_run: "68f1c756dca7",
}


def digest(function: Callable[..., Any]) -> str:
    return hashlib.sha256(inspect.getsource(function).encode()).hexdigest()[:12]


@pytest.mark.parametrize("function", LEANED_ON, ids=lambda function: function.__qualname__)
def test_discord_py_is_as_it_was_when_this_was_written(function: Callable[..., Any]) -> None:
    assert digest(function) == LEANED_ON[function]
