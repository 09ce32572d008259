"""Settings of the connectors: where new material is looked for, and under which user and source type it lands.

Each has a name, `[connectors.imap.work]`, and is off until it is switched on in Dagster or run by hand. A password
is given here, in the variable `BRAIN_CONNECTORS__IMAP__WORK__PASSWORD`, or in any variable that `password_env` names.
"""

import os
import re
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr, StringConstraints, field_validator, model_validator

from brain_retrieval.settings.sections import MEGABYTE, Section

ConnectorName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")]
User = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,40}$")]
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class _Connector(Section, frozen=True):
    """What every connector has."""

    user: User
    interval_seconds: int = Field(default=300, ge=15, le=86_400)  # between two looks


class FolderSettings(_Connector, frozen=True):
    """A directory outside the home whose files are copied. Nothing is ever changed or deleted there."""

    source: str = Field(min_length=1)
    path: Path
    pattern: str = "*"  # with * and ?, matched against the path below `path`
    suffixes: tuple[str, ...] = ()  # such as ".pdf"; () is all
    recursive: bool = True
    settle_seconds: float = Field(default=10.0, ge=0)  # since the last change of a file
    mirror: bool = False  # remove from the inbox what is gone from the directory


class ImapSettings(_Connector, frozen=True):
    """A mail account. Its messages are copied; nothing is marked as read, changed or deleted there."""

    source: str = "email"
    host: str = Field(min_length=1, max_length=253)
    port: int = Field(default=993, ge=1, le=65_535)
    username: str = Field(min_length=1, max_length=200)
    password: SecretStr | None = None
    password_env: str | None = None
    security: Literal["tls", "starttls", "plain"] = "tls"
    allow_plain: bool = False  # send the password in the clear to a host other than this machine
    ca_file: Path | None = None  # PEM; the authority of a server of one's own
    mailboxes: tuple[str, ...] = ("INBOX",)
    messages_a_look: int = Field(default=200, ge=1, le=100_000)
    max_message_bytes: int = Field(default=64 * MEGABYTE, ge=1)
    timeout_seconds: float = Field(default=30.0, gt=0)

    @field_validator("host", "username", "mailboxes")
    @classmethod
    def _no_control_characters(cls, value: str | tuple[str, ...]) -> str | tuple[str, ...]:
        if any(_CONTROL.search(text) for text in ([value] if isinstance(value, str) else value)):
            raise ValueError("control characters are not allowed")
        return value

    @model_validator(mode="after")
    def _no_clear_password(self) -> "ImapSettings":
        if self.security == "plain" and not self.allow_plain and not _is_this_machine(self.host):
            raise ValueError('security = "plain" sends the password in the clear; say allow_plain = true to do so')
        return self

    def secret(self) -> str | None:
        """Return the password, None if none is given."""
        return secret_of(self.password, self.password_env)


class UrlSettings(_Connector, frozen=True):
    """A place that fsspec can read: s3://, gcs://, ftp://, zip://, file://, … `options` go to its file system.

    `secrets` are options too, kept out of sight; `secrets_env` names variables that hold some.
    """

    source: str = Field(min_length=1)
    url: str = Field(min_length=1, max_length=2000)
    pattern: str = "*"
    suffixes: tuple[str, ...] = ()
    options: dict[str, str | int | float | bool] = Field(default_factory=dict)
    secrets: dict[str, SecretStr] = Field(default_factory=dict)
    secrets_env: dict[str, str] = Field(default_factory=dict)
    max_files: int = Field(default=100_000, ge=1)  # listed


class SlackSettings(_Connector, frozen=True):
    """Where exports of a Slack workspace are put: a directory, or a place that fsspec can read."""

    source: str = "slack-thread"
    path: Path | None = None
    url: str | None = None
    settle_seconds: float = Field(default=10.0, ge=0)

    @model_validator(mode="after")
    def _one_place(self) -> "SlackSettings":
        if (self.path is None) == (self.url is None):
            raise ValueError("either path or url")
        return self


class ConnectorSettings(Section, frozen=True):
    """Which connectors look for new material, by kind and name. All are off until configured and switched on."""

    folder: dict[ConnectorName, FolderSettings] = Field(default_factory=dict)
    imap: dict[ConnectorName, ImapSettings] = Field(default_factory=dict)
    slack: dict[ConnectorName, SlackSettings] = Field(default_factory=dict)
    url: dict[ConnectorName, UrlSettings] = Field(default_factory=dict)


def secret_of(given: SecretStr | None, variable: str | None) -> str | None:
    """Return a secret from the settings, else from the variable named there."""
    if given is not None:
        return given.get_secret_value()
    return os.environ.get(variable) if variable else None


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
