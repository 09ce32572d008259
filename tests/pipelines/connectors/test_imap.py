"""IMAP connector against a real local server, and against hostile servers."""

import base64
import imaplib
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from brain_pipelines.connectors.connector import Connector, ConnectorError, PollRun
from brain_pipelines.connectors.imap_session import encode_mailbox
from brain_pipelines.connectors.registry import build_connectors
from brain_retrieval.errors import InvalidSettingsError
from brain_retrieval.home import Home
from brain_retrieval.settings import load_settings
from tests.pipelines.connectors.http.test_tls import certificate

USER, PASSWORD = "ann", "hunter2"
# The password is checked at every login, and the hash of half a million rounds takes a third of a second each time.
SERVER = """from pysasl.hashing import BuiltinHash
BuiltinHash.__init__.__kwdefaults__["rounds"] = 1
from pymap.main import main
main()"""


@contextmanager
def server(*options: str) -> Iterator[int]:
    """A server with an empty account, on a free port of this machine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = free.getsockname()[1]
    common = ["--host", "127.0.0.1", "--port", str(number), "--no-service", "managesieve", "--no-service", "admin"]
    backend = ["dict", "--demo-user", USER, "--demo-password", PASSWORD]
    command = [sys.executable, "-c", SERVER, *common, *options, *backend]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait_for(number)
            yield number
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """A server without encryption."""
    with server("--no-tls") as number:
        yield number


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    pytest.fail("the IMAP server did not start")


@pytest.fixture
def account(port: int) -> Iterator[imaplib.IMAP4]:
    """A logged-in session of the account owner, for writing into mailboxes."""
    with imaplib.IMAP4("127.0.0.1", port, timeout=60) as session:
        session.login(USER, PASSWORD)
        yield session


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("BRAIN_HOME", str(tmp_path))
    return Home(tmp_path)


def mail(number: int, body: str = "Hello.") -> bytes:
    return f"From: bob@example.com\r\nTo: ann@example.com\r\nSubject: No {number}\r\n\r\n{body}\r\n".encode()


def fill(account: imaplib.IMAP4, mailbox: str, numbers: range) -> None:
    account.create(encode_mailbox(mailbox))
    for number in numbers:
        assert account.append(encode_mailbox(mailbox), None, None, mail(number))[0] == "OK"


def connector(home: Home, port: int, mailbox: str, more: str = "", *, timeout: int = 60) -> Connector:
    (home.path / "brain.toml").write_text(
        f'[connectors.imap.office]\nuser = "alice"\nhost = "127.0.0.1"\nport = {port}\nusername = "{USER}"\n'
        f'password = "{PASSWORD}"\nsecurity = "plain"\nmailboxes = ["{mailbox}"]\ntimeout_seconds = {timeout}\n{more}'
    )
    (found,) = build_connectors(load_settings(home.path))
    return found


def run(found: Connector, home: Home, *, most: int = 1 << 20) -> PollRun:
    return found.run(home.space("alice"), seconds=120, max_bytes=most)


def subjects(home: Home) -> list[str]:
    paths = sorted((home.path / "inbox").rglob("*.eml"))
    return [line.split(": ")[1] for p in paths for line in p.read_text().splitlines() if line.startswith("Subject")]


def test_each_message_is_copied_once_and_server_is_unchanged(home: Home, port: int, account: imaplib.IMAP4) -> None:
    fill(account, "Project", range(3))
    found = connector(home, port, "Project")
    assert run(found, home).taken == 3
    assert subjects(home) == ["No 0", "No 1", "No 2"]
    assert run(found, home).taken == 0
    fill(account, "Project", range(3, 5))
    assert run(found, home).taken == 2
    account.select("Project", readonly=True)
    assert account.search(None, "UNSEEN")[1][0] is not None
    assert len(account.search(None, "UNSEEN")[1][0].split()) == 5
    files = [p.relative_to(home.path).as_posix() for p in sorted((home.path / "inbox").rglob("*.eml"))]
    assert all(name.startswith("inbox/alice/email/office/Project/") for name in files)
    assert min((home.path / "inbox").rglob("*.eml")).read_bytes() == mail(0)


def test_poll_is_limited_and_continues(home: Home, port: int, account: imaplib.IMAP4) -> None:
    fill(account, "Many", range(7))
    found = connector(home, port, "Many", "messages_a_look = 3")
    assert [(one.taken, one.more) for one in (run(found, home) for _ in range(3))] == [
        (3, True),
        (3, True),
        (1, False),
    ]
    assert subjects(home) == [f"No {n}" for n in range(7)]


def test_crash_before_saving_state_neither_loses_nor_duplicates(home: Home, port: int, account: imaplib.IMAP4) -> None:
    """The state was not written although two messages were already durable."""
    fill(account, "Crash", range(4))
    found = connector(home, port, "Crash", "messages_a_look = 2")
    run(found, home)
    state = home.space("alice").root / "connectors/imap-office.json"
    before = state.read_text()
    run(found, home)
    state.write_text(before)
    assert run(found, home).taken == 2
    assert subjects(home) == [f"No {n}" for n in range(4)]


def test_message_deleted_on_server_keeps_its_copy(home: Home, port: int, account: imaplib.IMAP4) -> None:
    fill(account, "Short", range(2))
    found = connector(home, port, "Short")
    run(found, home)
    account.select("Short")
    account.store("1", "+FLAGS", r"(\Deleted)")
    account.expunge()
    fill(account, "Short", range(2, 3))
    assert run(found, home).taken == 1
    assert subjects(home) == ["No 0", "No 1", "No 2"]


def test_new_uidvalidity_restarts_mailbox(home: Home, port: int, account: imaplib.IMAP4) -> None:
    fill(account, "Again", range(2))
    found = connector(home, port, "Again")
    run(found, home)
    account.delete("Again")
    fill(account, "Again", range(5, 6))
    assert run(found, home).taken == 1
    assert sorted(subjects(home)) == ["No 0", "No 1", "No 5"]


def test_too_large_message_is_skipped(home: Home, port: int, account: imaplib.IMAP4) -> None:
    account.create("Large")
    account.append("Large", None, None, mail(0, "x" * 5000))
    fill(account, "Large", range(1, 2))
    found = connector(home, port, "Large")
    look = run(found, home, most=1000)
    assert look.taken == 1
    assert "the limit is 1000" in look.failures[0]
    assert not run(found, home, most=1000).failures


def test_non_ascii_mailbox_names(home: Home, port: int, account: imaplib.IMAP4) -> None:
    assert encode_mailbox("Entwürfe & mehr") == '"Entw&APw-rfe &- mehr"'
    assert encode_mailbox("台北") == '"&U,BTFw-"'
    fill(account, "Entwürfe", range(1))
    assert run(connector(home, port, "Entwürfe"), home).taken == 1


def test_missing_mailbox_does_not_stop_others(home: Home, port: int, account: imaplib.IMAP4) -> None:
    fill(account, "There", range(1))
    look = run(connector(home, port, 'Nowhere", "There'), home)
    assert look.taken == 1
    assert look.failures == ["Nowhere: no such mailbox, or not allowed"]


def test_password_is_not_shown_after_failed_login(home: Home, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = connector(home, port, "INBOX")
    text = (home.path / "brain.toml").read_text().replace(f'password = "{PASSWORD}"', 'password_env = "MAIL_SECRET"')
    (home.path / "brain.toml").write_text(text)
    (found,) = build_connectors(load_settings(home.path))
    with pytest.raises(ConnectorError, match="no password"):
        run(found, home)
    monkeypatch.setenv("MAIL_SECRET", "wrong-secret")
    with pytest.raises(ConnectorError, match="refuses the login") as error:
        run(found, home)
    assert "secret" not in str(error.value)
    monkeypatch.setenv("MAIL_SECRET", PASSWORD)
    assert run(found, home).failures == []
    assert PASSWORD not in repr(found) + repr(load_settings(home.path))


def test_starttls_verifies_certificate(home: Home, tmp_path: Path) -> None:
    pem = certificate(tmp_path, "localhost")
    section = '[connectors.imap.office]\nuser = "alice"\nhost = "localhost"\n'
    section += f'username = "{USER}"\npassword = "{PASSWORD}"\n'
    with server("--cert", str(pem), "--key", str(pem)) as number:
        section += f'port = {number}\nsecurity = "starttls"\n'
        (home.path / "brain.toml").write_text(section)
        (found,) = build_connectors(load_settings(home.path))
        with pytest.raises(ConnectorError, match="cannot be reached"):
            run(found, home)
        (home.path / "brain.toml").write_text(section + f'ca_file = "{pem}"\n')
        (found,) = build_connectors(load_settings(home.path))
        assert not run(found, home).failures


@pytest.mark.parametrize(
    "line", ['security = "plain"\nhost = "mail.example.com"', 'mailboxes = ["a\\r\\nb"]\nhost = "h"']
)
def test_invalid_settings_are_refused(home: Home, line: str) -> None:
    (home.path / "brain.toml").write_text(f'[connectors.imap.office]\nuser = "alice"\nusername = "x"\n{line}\n')
    with pytest.raises(InvalidSettingsError):
        load_settings(home.path)


def hostile(answers: dict[str, bytes], *, endless: bytes = b"") -> int:
    """Serve one connection: answer each command by its name with bytes, the tag in place of `%`; return the port."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with server, suppress(OSError), server.accept()[0] as connection, connection.makefile("rb") as lines:
            connection.sendall(b"* OK ready\r\n")
            for line in lines:
                tag, name = line.split()[:2]
                name = line.split()[2] if name == b"UID" else name
                answer = answers.get(name.decode().upper(), b"% OK done\r\n")
                connection.sendall(answer.replace(b"%", tag))
                while endless and name == b"FETCH":
                    connection.sendall(endless)
                    time.sleep(0.1 if len(endless) < 10 else 0)

    threading.Thread(target=serve, daemon=True).start()
    return server.getsockname()[1]


EXAMINE = b"* 1 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n* OK [UIDNEXT 2] x\r\n% OK done\r\n"
CAPABILITY = b"* CAPABILITY IMAP4rev1\r\n% OK done\r\n"


@pytest.mark.parametrize(
    ("fetch", "endless"),
    [
        (b"* 1 FETCH (UID 1 BODY[] {99999999999}\r\n", b""),
        (b"", b"* 1 FETCH (UID 1 RFC822.SIZE 10)\r\n" * 1000),
        (b"", b"x" * 65536),
        (b"", b"x"),
        (b"", b""),
    ],
    ids=["a literal of 100 GB", "endless answers", "an endless line", "a byte now and then", "silence"],
)
def test_hostile_server_is_disconnected(home: Home, fetch: bytes, endless: bytes) -> None:
    port = hostile({"CAPABILITY": CAPABILITY, "EXAMINE": EXAMINE, "FETCH": fetch}, endless=endless)
    began = time.monotonic()
    with pytest.raises(ConnectorError, match=r"the connection broke|cannot be read"):
        look = connector(home, port, "INBOX", timeout=2).run(home.space("alice"), seconds=1, max_bytes=1 << 20)
        raise ConnectorError(look.summary())
    assert time.monotonic() - began < 60  # a second, on a machine with nothing else to do


def serving_tokens(token: bytes) -> tuple[int, list[bytes]]:
    """Serve one login by XOAUTH2; return the port, and the list of the lines of the client."""
    server = socket.create_server(("127.0.0.1", 0))
    said: list[bytes] = []

    def serve() -> None:
        with server, suppress(OSError), server.accept()[0] as connection, connection.makefile("rb") as lines:
            connection.sendall(b"* OK ready\r\n")
            for line in lines:
                said.append(line.strip())
                tag, name = line.split()[:2]
                if name != b"AUTHENTICATE":
                    answer = {b"CAPABILITY": CAPABILITY, b"EXAMINE": EXAMINE.replace(b"UIDNEXT 2", b"UIDNEXT 1")}
                    connection.sendall(answer.get(name, b"% OK done\r\n").replace(b"%", tag))
                    continue
                connection.sendall(b"+ \r\n")
                said.append(base64.b64decode(lines.readline()))
                if token in said[-1]:
                    connection.sendall(tag + b" OK done\r\n")
                else:  # the reason, which the client answers with nothing
                    connection.sendall(b"+ eyJzdGF0dXMiOiI0MDEifQ==\r\n")
                    said.append(lines.readline().strip())
                    connection.sendall(tag + b" NO refused\r\n")

    threading.Thread(target=serve, daemon=True).start()
    return server.getsockname()[1], said


def test_login_by_a_token_that_a_program_prints(home: Home) -> None:
    port, said = serving_tokens(b"secret-token")
    command = f"token_command = ['{sys.executable}', '-c', 'print(\"secret-token\")']"
    assert run(connector(home, port, "INBOX", command), home).taken == 0
    assert b"user=ann\x01auth=Bearer secret-token\x01\x01" in said
    assert not any(line.split()[1:2] == [b"LOGIN"] for line in said)


def test_a_token_is_not_shown_when_it_is_refused_or_missing(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAIL_TOKEN", "old-token")
    port, said = serving_tokens(b"new-token")
    with pytest.raises(ConnectorError, match="refuses the login") as refused:
        run(connector(home, port, "INBOX", 'token_env = "MAIL_TOKEN"'), home)
    assert "old-token" not in str(refused.value)
    assert said[-2] == b"" or said[-1] == b""
    for more in ('token_env = "NO_SUCH_TOKEN"', 'token_command = ["/no/such/program"]'):
        with pytest.raises(ConnectorError, match="no token"):
            run(connector(home, port, "INBOX", more), home)
