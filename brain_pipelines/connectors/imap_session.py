"""A session with an untrusted IMAP server: encrypted, with a time limit and bounded responses."""

import base64
import imaplib
import re
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from brain_pipelines.connectors.connector import ConnectorError
from brain_retrieval.settings.connectors import ImapSettings, secret_of

SLACK_BYTES = 1 << 16
TOKEN_SECONDS = 60.0
LINES_BYTES = 2 << 20  # limit for all response lines of one command, without message bodies


class _Bounded:
    """Mixin for imaplib clients that limits the bytes a server may send in response to one command."""

    most = 0
    _literals = _lines = 0

    def read(self, size: int) -> bytes:
        self._literals += size
        if self._literals > self.most + SLACK_BYTES:
            raise imaplib.IMAP4.abort("more than a message may be")
        return super().read(size)  # type: ignore[misc]

    def readline(self) -> bytes:
        line = super().readline()  # type: ignore[misc]
        self._lines += len(line)
        if self._lines > LINES_BYTES:
            raise imaplib.IMAP4.abort("an answer that does not end")
        return line

    def _command(self, name: str, *args: Any) -> Any:
        self._literals = self._lines = 0
        return super()._command(name, *args)  # type: ignore[misc]


class _Plain(_Bounded, imaplib.IMAP4):
    pass


class _Encrypted(_Bounded, imaplib.IMAP4_SSL):
    pass


@contextmanager
def connect(name: str, settings: ImapSettings, most: int, seconds: float) -> Iterator[imaplib.IMAP4]:
    """Log in, yield the session, and log out. `most` limits a message (bytes); after `seconds` the socket is closed.

    Raises:
        ConnectorError: no password or token, unreachable, or login refused. Never quotes the server: it may echo them.
    """
    secret = _token(name, settings) if settings.uses_token else settings.secret()
    if secret is None:
        raise ConnectorError(f"imap {name}: no password (connectors.imap.{name}.password or .password_env)")
    where = f"imap {name}: {settings.host}:{settings.port}"
    try:
        session = _open(settings)
    except (OSError, imaplib.IMAP4.error) as error:
        raise ConnectorError(f"{where} cannot be reached ({_error_name(error)})") from None
    session.most = most
    # A socket timeout restarts with every byte received; this timer limits the whole session.
    clock = threading.Timer(seconds, _close_socket, (session,))
    clock.daemon = True
    clock.start()
    try:
        try:
            _log_in(session, settings, secret)
        except UnicodeEncodeError:
            raise ConnectorError(f"{where}: only ASCII user names and passwords can be sent") from None
        except (OSError, imaplib.IMAP4.error) as error:
            raise ConnectorError(f"{where} refuses the login ({_error_name(error)})") from None
        yield session
    finally:
        clock.cancel()
        with suppress(OSError, imaplib.IMAP4.error):
            session.logout()


def _log_in(session: imaplib.IMAP4, settings: ImapSettings, secret: str) -> None:
    if not settings.uses_token:
        session.login(settings.username, secret)
        return
    answers = iter((f"user={settings.username}\x01auth=Bearer {secret}\x01\x01".encode(),))
    # A server that refuses the token says why in a second challenge, which is answered with nothing.
    session.authenticate("XOAUTH2", lambda _: next(answers, b""))


def _token(name: str, settings: ImapSettings) -> str:
    """Return the access token that a program prints, or that is in the environment; it is asked for at every look.

    Raises:
        ConnectorError: there is none. Never quotes the program: it may print the token.
    """
    if not settings.token_command:
        if token := secret_of(None, settings.token_env):
            return token
        raise ConnectorError(f"imap {name}: no token in {settings.token_env} (connectors.imap.{name}.token_env)")
    try:
        done = subprocess.run(settings.token_command, capture_output=True, timeout=TOKEN_SECONDS, check=True, text=True)
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError) as error:
        raise ConnectorError(f"imap {name}: token_command gives no token ({type(error).__name__})") from None
    lines = done.stdout.split()
    if len(lines) != 1:
        raise ConnectorError(f"imap {name}: token_command is to print the token and nothing else")
    return lines[0]


def _close_socket(session: imaplib.IMAP4) -> None:
    with suppress(OSError):
        session.socket().shutdown(socket.SHUT_RDWR)


def _error_name(error: Exception) -> str:
    return getattr(error, "strerror", None) or type(error).__name__


def _open(settings: ImapSettings) -> Any:
    if settings.security == "tls":
        return _Encrypted(
            settings.host, settings.port, ssl_context=_context(settings), timeout=settings.timeout_seconds
        )
    session = _Plain(settings.host, settings.port, timeout=settings.timeout_seconds)
    if settings.security == "starttls":
        session.starttls(_context(settings))
    return session


def _context(settings: ImapSettings) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if settings.ca_file is not None:
        context.load_verify_locations(settings.ca_file)
    return context


def encode_mailbox(name: str) -> str:
    """Return a mailbox name as a quoted string in modified UTF-7 (RFC 3501, section 5.1.3)."""
    parts = re.split(r"([^\x20-\x7e]+)", name)
    encoded = "".join(_shifted(part) if i % 2 else part.replace("&", "&-") for i, part in enumerate(parts))
    escaped = encoded.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _shifted(text: str) -> str:
    data = base64.b64encode(text.encode("utf-16-be")).decode().rstrip("=").replace("/", ",")
    return f"&{data}-"
