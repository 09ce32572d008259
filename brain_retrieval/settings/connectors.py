"""Connector settings: where to look for new data, and the user and source type it is stored under.

Each has a name, `[connectors.imap.work]`, and is off until it is enabled in Dagster or run by hand. A password
is set here, in the variable `BRAIN_CONNECTORS__IMAP__WORK__PASSWORD`, or in any variable that `password_env` names.
"""

import os
import re
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr, StringConstraints, field_validator, model_validator

from brain_retrieval.settings.section import Section
from brain_retrieval.settings.sections import MEGABYTE

ConnectorName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")]
User = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,40}$")]
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class _Connector(Section, frozen=True):
    """Settings common to all connectors."""

    user: User
    interval_seconds: int = Field(default=300, ge=15, le=86_400)  # between two polls


class FolderSettings(_Connector, frozen=True):
    """A directory outside the home whose files are copied. Read-only."""

    source: str = Field(min_length=1)
    path: Path
    pattern: str = "*"  # with * and ?, matched against the path below `path`
    suffixes: tuple[str, ...] = ()  # such as ".pdf"; () is all
    recursive: bool = True
    settle_seconds: float = Field(default=10.0, ge=0)  # minimum age of a file's last change before it is copied
    mirror: bool = False  # remove files from the inbox when they are deleted in the directory


class ImapSettings(_Connector, frozen=True):
    """A mail account whose messages are copied. Read-only: nothing is marked as read, changed or deleted."""

    source: str = "email"
    host: str = Field(min_length=1, max_length=253)
    port: int = Field(default=993, ge=1, le=65_535)
    username: str = Field(min_length=1, max_length=200)
    password: SecretStr | None = None
    password_env: str | None = None
    token_env: str | None = None  # an OAuth access token instead of a password
    token_command: tuple[str, ...] = ()  # a program, with its arguments, that prints such a token
    security: Literal["tls", "starttls", "plain"] = "tls"
    allow_plain: bool = False  # send the password in the clear to a host other than this machine
    ca_file: Path | None = None  # PEM; a private certificate authority
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
        if self.security == "plain" and not self.allow_plain and not is_this_machine(self.host):
            raise ValueError('security = "plain" sends the password in the clear; set allow_plain = true to allow it')
        return self

    def secret(self) -> str | None:
        """Return the password, or None."""
        return secret_of(self.password, self.password_env)

    @property
    def uses_token(self) -> bool:
        """Whether the login is by an OAuth access token (SASL XOAUTH2)."""
        return bool(self.token_env or self.token_command)


class UrlSettings(_Connector, frozen=True):
    """A location that fsspec can read: s3://, gcs://, ftp://, zip://, file://, … `options` go to its file system.

    `secrets` are options too, masked in output; `secrets_env` maps options to environment variables.
    """

    source: str = Field(min_length=1)
    url: str = Field(min_length=1, max_length=2000)
    pattern: str = "*"
    suffixes: tuple[str, ...] = ()
    options: dict[str, str | int | float | bool] = Field(default_factory=dict)
    secrets: dict[str, SecretStr] = Field(default_factory=dict)
    secrets_env: dict[str, str] = Field(default_factory=dict)
    max_files: int = Field(default=100_000, ge=1)  # per listing


class SlackSettings(_Connector, frozen=True):
    """The location of Slack workspace exports: a directory, or a URL that fsspec can read."""

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
    """The configured connectors by kind and name. All are off until configured and enabled."""

    folder: dict[ConnectorName, FolderSettings] = Field(default_factory=dict)
    imap: dict[ConnectorName, ImapSettings] = Field(default_factory=dict)
    slack: dict[ConnectorName, SlackSettings] = Field(default_factory=dict)
    url: dict[ConnectorName, UrlSettings] = Field(default_factory=dict)


def secret_of(given: SecretStr | None, variable: str | None) -> str | None:
    """Return a secret from the settings, else from the environment variable named there."""
    if given is not None:
        return given.get_secret_value()
    return os.environ.get(variable) if variable else None


def is_this_machine(host: str) -> bool:
    """Return whether a host is a name or an address of the loopback interface."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
