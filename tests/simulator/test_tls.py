import ssl
import stat
from pathlib import Path

import pytest

from simulator.tls import TlsFiles, write_tls_files


def shake_hands(files: TlsFiles, client: ssl.SSLContext, host: str) -> None:
    """Let a client and a server agree, in memory."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    server = files.server_context().wrap_bio(to_server, to_client, server_side=True)
    peer = client.wrap_bio(to_client, to_server, server_hostname=host)
    for side in (peer, server, peer, server):
        try:
            side.do_handshake()
        except ssl.SSLWantReadError:
            continue


@pytest.mark.parametrize("host", ["discord.com", "a.discord.media", "127.0.0.1"])
def test_who_trusts_the_authority_trusts_the_server(tmp_path: Path, host: str) -> None:
    files = write_tls_files(tmp_path, hosts=["discord.com", "*.discord.media"])
    shake_hands(files, ssl.create_default_context(cafile=files.ca_path), host)


def test_another_host_and_another_authority_are_not_trusted(tmp_path: Path) -> None:
    files = write_tls_files(tmp_path, hosts=["discord.com"])
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(files, ssl.create_default_context(cafile=files.ca_path), "example.org")
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(files, ssl.create_default_context(), "discord.com")


def test_only_its_owner_may_read_the_key(tmp_path: Path) -> None:
    files = write_tls_files(tmp_path, hosts=["discord.com"])
    assert stat.S_IMODE(files.server_path.stat().st_mode) == 0o600
