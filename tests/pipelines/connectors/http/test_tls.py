"""TLS certificates are verified for the host name in the URL, although the connection goes to a checked address."""

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from brain_pipelines.connectors.http.fetch import Fetcher
from brain_pipelines.connectors.http.targets import FetchError
from brain_retrieval.settings import FetchSettings
from tests.pipelines.connectors.http.servers import reply, serve


def certificate(folder: Path, name: str, *, days: int = 30) -> Path:
    """Write a self-signed certificate and its key for a host name, and return the path of the PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    began = datetime.now(UTC) - timedelta(days=60)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(began)
        .not_valid_after(began + timedelta(days=60 + days))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
    )
    path = folder / f"{name}{days}.pem"
    pem = serialization.Encoding.PEM
    path.write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + builder.sign(key, hashes.SHA256()).public_bytes(pem)
    )
    return path


CASES = {  # certificate name, days left, trusted or not, requested host
    "right": ("site.example", 30, True, "site.example", True),
    "not trusted": ("site.example", 30, False, "site.example", False),
    "of another name": ("other.example", 30, True, "site.example", False),
    "expired": ("site.example", -1, True, "site.example", False),
    "of another address": ("site.example", 30, True, "127.0.0.1", False),
}


@pytest.mark.parametrize("case", CASES)
def test_certificate_verification(tmp_path: Path, case: str) -> None:
    name, days, trusted, host, good = CASES[case]
    pem = certificate(tmp_path, name, days=days)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    with serve({"/": lambda _: reply("secret")}, wrap=lambda s: context.wrap_socket(s, server_side=True)) as site:
        settings = FetchSettings(
            allow_networks=("127.0.0.0/8",), ports=(site.port,), total_seconds=60, ca_file=pem if trusted else None
        )
        client = Fetcher(settings, resolver=lambda *_: ["127.0.0.1"])
        url = f"https://{host}:{site.port}/"
        if good:
            assert client.fetch(url).body == b"secret"
        else:
            with pytest.raises(FetchError) as caught:
                client.fetch(url)
            assert caught.value.kind == "protocol" and not caught.value.transient
            assert site.requests == []
