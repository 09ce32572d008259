"""Settings of operation: who is notified of failed runs and how, and how long records of runs are kept."""

import re
from typing import Annotated, Literal

from pydantic import Field, SecretStr, StringConstraints, field_validator, model_validator

from brain_retrieval.settings.connectors import is_this_machine, secret_of
from brain_retrieval.settings.section import Section

# The length is limited apart from the pattern: counting to 253 in it made every start of a command 10 ms longer.
Address = Annotated[str, StringConstraints(pattern=r"^[^\s@,;<>]+@[^\s@,;<>]+$", max_length=318)]
Owner = Annotated[str, StringConstraints(pattern=r"^(team:[a-z0-9_-]{1,60}|[^\s@,;<>]+@[^\s@,;<>]+)$", max_length=318)]
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class EmailNotice(Section, frozen=True):
    """Messages by SMTP. Without `to` they go to the addresses among `notify.owners`."""

    host: str = Field(min_length=1, max_length=253)
    port: int = Field(default=587, ge=1, le=65_535)
    security: Literal["tls", "starttls", "plain"] = "starttls"
    username: str | None = None
    password: SecretStr | None = None
    password_env: str | None = None
    sender: Address
    to: tuple[Address, ...] = ()
    timeout_seconds: float = Field(default=20.0, gt=0)

    @field_validator("host", "username")
    @classmethod
    def _no_control_characters(cls, value: str | None) -> str | None:
        if value is not None and _CONTROL.search(value):
            raise ValueError("control characters are not allowed")
        return value

    @model_validator(mode="after")
    def _no_clear_password(self) -> "EmailNotice":
        if self.security == "plain" and self.username and not is_this_machine(self.host):
            raise ValueError('security = "plain" would send the password in the clear')
        return self

    def secret(self) -> str | None:
        """Return the password, or None."""
        return secret_of(self.password, self.password_env)


class WebhookNotice(Section, frozen=True):
    """Messages by HTTP POST of a JSON object whose `text` is the message, as chat services take it.

    The address may be a secret itself: `url_env` names a variable that holds it. A receiver inside the own network has
    to be listed in `fetch.allow_networks`, its port in `fetch.ports`.
    """

    url: SecretStr | None = None
    url_env: str | None = None
    token: SecretStr | None = None  # sent as "Authorization: Bearer …"
    token_env: str | None = None

    @model_validator(mode="after")
    def _one_address(self) -> "WebhookNotice":
        if (self.url is None) == (self.url_env is None):
            raise ValueError("either url or url_env")
        return self

    def address(self) -> str | None:
        """Return the URL, or None if its variable is not set."""
        return secret_of(self.url, self.url_env)

    def secret(self) -> str | None:
        """Return the token, or None."""
        return secret_of(self.token, self.token_env)


class NotifySettings(Section, frozen=True):
    """Messages about failed runs. `owners` are also shown at every asset in Dagster."""

    log: bool = True
    email: EmailNotice | None = None
    webhook: WebhookNotice | None = None
    every_minutes: float = Field(default=15.0, ge=0)  # at most one message a channel in this time
    owners: tuple[Owner, ...] = ()  # e-mail addresses, or "team:name"
    ui_url: str = "http://127.0.0.1:3000"  # of Dagster, for the links in messages

    @model_validator(mode="after")
    def _has_recipient(self) -> "NotifySettings":
        if self.email is not None and not self.recipients:
            raise ValueError("notify.email needs `to`, or an address among notify.owners")
        return self

    @property
    def recipients(self) -> tuple[str, ...]:
        """Where e-mail goes."""
        own = self.email.to if self.email else ()
        return own or tuple(owner for owner in self.owners if not owner.startswith("team:"))


class RecordSettings(Section, frozen=True):
    """How long Dagster keeps records of runs. What is stored of a day is in the ledger, whatever is removed here."""

    keep_days: int = Field(default=7, ge=1)  # of runs that succeeded or were cancelled
    keep_failed_days: int = Field(default=60, ge=1)
    runs_a_night: int = Field(default=5000, ge=1)  # removed at most by one purge
