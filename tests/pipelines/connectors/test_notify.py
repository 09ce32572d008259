"""Channels to the operator: SMTP and HTTP servers on loopback receive what is sent."""

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from brain_pipelines.connectors.notify import Notice, NotSentError, build_channels
from brain_retrieval.errors import InvalidSettingsError
from brain_retrieval.settings import Settings
from tests.pipelines.connectors.http.servers import reply, serve

NOTICE = Notice("Brain: 2 runs failed", "2 × note, note__text: OSError")


class _Mailbox(socketserver.StreamRequestHandler):
    """The part of RFC 5321 that a client needs to hand over a message."""

    def handle(self) -> None:
        self.wfile.write(b"220 ready\r\n")
        while line := self.rfile.readline().decode().strip():
            verb = line[:4].upper()
            if verb == "DATA":
                self.wfile.write(b"354 go on\r\n")
                lines = iter(lambda: self.rfile.readline(), b".\r\n")
                self.server.mails.append(b"".join(lines).decode())  # type: ignore[attr-defined]
            refused = verb == "MAIL" and self.server.refuses  # type: ignore[attr-defined]
            self.wfile.write(b"550 no\r\n" if refused else b"221 bye\r\n" if verb == "QUIT" else b"250 ok\r\n")
            if verb == "QUIT":
                return


@contextmanager
def mailbox(*, refuses: bool = False) -> Iterator[socketserver.ThreadingTCPServer]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Mailbox) as server:
        server.mails, server.refuses, server.daemon_threads = [], refuses, True  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.shutdown()


def email(port: int, **values: object) -> Settings:
    section = {"host": "127.0.0.1", "port": port, "security": "plain", "sender": "brain@example.org", **values}
    return Settings.model_validate(
        {"notify": {"log": False, "owners": ["ops@example.org", "team:data"], "email": section}}
    )


def test_an_email_goes_to_the_owners() -> None:
    with mailbox() as server:
        build_channels(email(server.server_address[1]))["email"](NOTICE)
    (mail,) = server.mails  # type: ignore[attr-defined]
    assert (
        "To: ops@example.org\r\n" in mail
        and "Subject: Brain: 2 runs failed" in mail
        and "note__text" in mail.replace("=\r\n", "")
    )


def test_a_server_that_refuses_is_an_error_without_secrets() -> None:
    with mailbox(refuses=True) as server, pytest.raises(NotSentError, match="SMTPSenderRefused 550"):
        build_channels(email(server.server_address[1]))["email"](NOTICE)


@pytest.mark.parametrize(
    "values",
    [
        {"sender": "a@b\nBcc: c@d"},
        {"host": "mail.example.org", "username": "u"},
        {"host": "a\r\nb"},
        {"to": ["nobody"]},
    ],
)
def test_unsafe_settings_of_email_are_refused(values: dict[str, object]) -> None:
    with pytest.raises((ValueError, InvalidSettingsError)):
        email(25, **values)


def hook(port: int, url: str, networks: tuple[str, ...] = ("127.0.0.0/8",)) -> Settings:
    fetch = {"allow_networks": networks, "ports": (port,)}
    section = {"url": url, "token": "s3cret"}
    return Settings.model_validate({"fetch": fetch, "notify": {"log": False, "webhook": section}})


def test_a_webhook_receives_the_text_as_json() -> None:
    with serve({"/in": lambda _: reply("ok")}) as site:
        build_channels(hook(site.port, site.url("/in")))["webhook"](NOTICE)
    (request,) = site.requests
    assert request.method == "POST" and request.headers["authorization"] == "Bearer s3cret"
    assert json.loads(request.body) == {"text": NOTICE.text}


def test_a_webhook_in_the_own_network_is_refused_unless_allowed_and_redirects_are_errors() -> None:
    with serve({"/in": lambda _: reply("", 302, {"Location": "http://169.254.169.254/"})}) as site:
        with pytest.raises(NotSentError, match="refused"):
            build_channels(hook(site.port, site.url("/in"), ()))["webhook"](NOTICE)
        with pytest.raises(NotSentError, match="answered 302"):
            build_channels(hook(site.port, site.url("/in")))["webhook"](NOTICE)
    assert site.paths() == ["/in"]
