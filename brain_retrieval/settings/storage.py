"""Settings of what is kept: deletions that wait for a confirmation, bytes of deleted sources, backups."""

from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, model_validator

from brain_retrieval.settings.connectors import is_this_machine, secret_of
from brain_retrieval.settings.section import Section


class DeletionSettings(Section, frozen=True):
    """When files that are missing from an inbox count as deleted, and how long a deleted source can be restored.

    Missing files wait for `brain confirm-deletions` if they are at least `at_least` and more than `share` of the
    files of a user, counted over a day.
    """

    share: float = Field(default=0.2, ge=0, le=1)
    at_least: int = Field(default=5, ge=1)
    confirm_days: int = Field(default=7, ge=1)  # then what waits is deleted without a confirmation
    keep_days: int = Field(default=30, ge=0)  # bytes of deleted sources are kept that long


class BackupSettings(Section, frozen=True):
    """Backups: copies of the databases in the home, and of the whole user at a destination outside it.

    `destination` is `file:///path` or `s3://bucket/prefix`; without one only the databases are copied, by each
    scheduled maintenance. Credentials are those of `access_key_id` and `secret_access_key`, else of the environment
    variables with AWS's names; `credentials = "machine"` takes those that a cloud gives its machines.
    """

    kept: int = Field(default=14, ge=1)  # copies of the databases in the home
    destination: str | None = None
    endpoint: str | None = None  # of a server other than AWS: https://host[:port]
    region: str = Field(default="us-east-1", pattern=r"^[a-z0-9-]{1,40}$")
    credentials: Literal["environment", "machine"] = "environment"
    access_key_id: SecretStr | None = None
    secret_access_key: SecretStr | None = None
    session_token: SecretStr | None = None
    derived: bool = True  # with lake, index and snapshots; without them `brain rerun` computes them after a restore
    keep_daily: int = Field(default=14, ge=1)  # the newest of each of that many days
    keep_weekly: int = Field(default=8, ge=0)  # and of each of that many weeks
    warn_days: int = Field(default=3, ge=1)  # `brain status` warns when the newest is older
    nightly: str = Field(default="45 5 * * *", min_length=9, max_length=100)  # cron expression, in `time_zone`

    @model_validator(mode="after")
    def _check_places(self) -> "BackupSettings":
        if self.destination is not None:
            _check_destination(self.destination)
        if self.endpoint is not None:
            found = urlsplit(self.endpoint)
            if found.scheme not in ("http", "https") or not found.hostname or found.username or found.query:
                raise ValueError("endpoint is https://host or https://host:port")
            if found.scheme == "http" and not is_this_machine(found.hostname):
                raise ValueError("an endpoint by http:// would send the data in the clear")
        return self

    def keys(self) -> dict[str, str]:
        """Return the credentials that are set, by the names that AWS gives them; {} if there are none."""
        set_here = self.access_key_id is not None  # then a token of the environment belongs to other keys
        found = {name: secret_of(getattr(self, name), None if set_here else f"AWS_{name.upper()}") for name in KEYS}
        return {name: value for name, value in found.items() if value}


class WorkerSettings(Section, frozen=True):
    """Workers on other machines: where the newest files of users are, `s3://bucket/prefix` or `file:///path`.

    None: users are computed in the home. Endpoint and credentials are those of `[backup]`.
    """

    destination: str | None = None

    @model_validator(mode="after")
    def _check_place(self) -> "WorkerSettings":
        if self.destination is not None:
            _check_destination(self.destination)
        return self


KEYS = ("access_key_id", "secret_access_key", "session_token")


def _check_destination(destination: str) -> None:
    found = urlsplit(destination)
    if found.query or found.fragment or found.username or found.password:
        raise ValueError("a destination has no credentials, query or fragment")
    if found.scheme == "file" and not found.netloc and found.path.startswith("/") and len(found.path) > 1:
        return
    if found.scheme == "s3" and found.netloc and ".." not in found.path.split("/"):
        return
    raise ValueError("a destination is file:///path or s3://bucket/prefix")
