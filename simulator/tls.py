"""A certificate authority of its own, so that an unmodified client trusts a stand-in."""

import datetime as dt
import ipaddress
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_VALID_DAYS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class TlsFiles:
    """What a server shows, and what a client must trust."""

    ca_path: Path
    """The authority's certificate in PEM, for the client."""
    server_path: Path
    """The server's certificate and key in PEM; only its owner may read it."""

    def server_context(self) -> ssl.SSLContext:
        """Return what a server listens with."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.server_path)
        return context


def write_tls_files(folder: Path, *, hosts: Sequence[str]) -> TlsFiles:
    """Make an authority and a server certificate for `hosts` and 127.0.0.1 in `folder`."""
    ca_key, server_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    ca = _ca_certificate(ca_key)
    certificate = _server_certificate(server_key, ca, ca_key, hosts)
    files = TlsFiles(ca_path=folder / "ca.pem", server_path=folder / "server.pem")
    files.ca_path.write_bytes(ca.public_bytes(serialization.Encoding.PEM))
    key = server_key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    files.server_path.touch(mode=0o600)
    files.server_path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM) + key)
    return files


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _builder(subject: x509.Name, issuer: x509.Name) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=_VALID_DAYS))
    )


def _ca_certificate(key: ec.EllipticCurvePrivateKey) -> x509.Certificate:
    name = _name("Papercup simulator CA")
    usage = x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=True,
        crl_sign=True,
        encipher_only=False,
        decipher_only=False,
    )
    return (
        _builder(name, name)
        .public_key(key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )


def _server_certificate(
    key: ec.EllipticCurvePrivateKey,
    ca: x509.Certificate,
    ca_key: ec.EllipticCurvePrivateKey,
    hosts: Sequence[str],
) -> x509.Certificate:
    names: list[x509.GeneralName] = [x509.DNSName(host) for host in hosts]
    names.append(x509.IPAddress(ipaddress.ip_address("127.0.0.1")))
    return (
        _builder(_name("Papercup simulator"), ca.subject)
        .public_key(key.public_key())
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key()),
            critical=False,
        )
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(ca_key, hashes.SHA256())
    )
