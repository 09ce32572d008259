"""Channels for short messages to the operator: the log, e-mail by SMTP, and a webhook.

The caller writes the message and decides how often one is sent. E-mail and webhooks leave the machine, so a message
must hold no text of users.
"""

import json
import logging
import smtplib
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate, make_msgid

from brain_pipelines.connectors.http.connection import Resolver, resolve
from brain_pipelines.connectors.http.fetch import Fetcher
from brain_pipelines.connectors.http.targets import FetchError
from brain_retrieval.errors import BrainError
from brain_retrieval.settings import EmailNotice, FetchSettings, NotifySettings, Settings, WebhookNotice

LOGGER = logging.getLogger("brain.notify")


class NotSentError(BrainError):
    """A message that a channel did not take; it is offered again."""


@dataclass(frozen=True)
class Notice:
    """A message: one line, and the details below it."""

    subject: str
    body: str

    @property
    def text(self) -> str:
        return f"{self.subject}\n\n{self.body}".rstrip() + "\n"


Send = Callable[[Notice], None]  # raises NotSentError


def build_channels(settings: Settings) -> dict[str, Send]:
    """Return the configured channels by name; none opens a connection before it is called."""
    notify = settings.notify
    channels: dict[str, Send] = {}
    if notify.log:
        channels["log"] = log
    if notify.email is not None:
        channels["email"] = lambda notice, email=notify.email: send_email(notice, email, notify)
    if notify.webhook is not None:
        channels["webhook"] = lambda notice, hook=notify.webhook: post(notice, hook, settings.fetch)
    return channels


def log(notice: Notice) -> None:
    """Write a message to the log."""
    LOGGER.error(notice.text.rstrip())


def send_email(notice: Notice, email: EmailNotice, notify: NotifySettings) -> None:
    """Send a message by SMTP.

    Raises:
        NotSentError: if the server does not take it; the reason holds no password.
    """
    message = EmailMessage()
    message["Subject"] = notice.subject
    message["From"] = email.sender
    message["To"] = ", ".join(notify.recipients)
    message["Date"] = formatdate()
    message["Message-ID"] = make_msgid(domain=email.sender.rpartition("@")[2])
    message["Auto-Submitted"] = "auto-generated"  # RFC 3834: no vacation notices in reply
    message.set_content(notice.body or notice.subject)
    context = ssl.create_default_context()
    wait = email.timeout_seconds
    try:
        if email.security == "tls":
            server = smtplib.SMTP_SSL(email.host, email.port, timeout=wait, context=context)
        else:
            server = smtplib.SMTP(email.host, email.port, timeout=wait)
        with server:
            if email.security == "starttls":
                server.starttls(context=context)
            if email.username:
                server.login(email.username, email.secret() or "")
            server.send_message(message)
    except (smtplib.SMTPException, OSError) as error:
        code = getattr(error, "smtp_code", "")
        raise NotSentError(f"e-mail not sent by {email.host}: {type(error).__name__} {code}".rstrip()) from None


def post(notice: Notice, hook: WebhookNotice, fetch: FetchSettings, *, resolver: Resolver = resolve) -> None:
    """Post a message as JSON `{"text": …}`.

    Raises:
        NotSentError: if the address is refused or answers with an error; the reason does not repeat the address.
    """
    address = hook.address()
    if not address:
        raise NotSentError(f"webhook not sent: {hook.url_env} is not set")
    token = hook.secret()
    headers = (("Authorization", f"Bearer {token}"),) if token else ()
    body = json.dumps({"text": notice.text}, ensure_ascii=False).encode()
    try:
        page = Fetcher(fetch, resolver=resolver).post(
            address, body, media_type="application/json; charset=utf-8", headers=headers
        )
    except FetchError as error:
        raise NotSentError(f"webhook not sent: {error.kind}") from None
    if not 200 <= page.status < 300:
        raise NotSentError(f"webhook not sent: answered {page.status}")
