"""Settings of what is kept: deletions that wait for a confirmation, bytes of deleted sources, backups."""

from pydantic import Field

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
    """Backups of what cannot be computed again; each scheduled maintenance makes one."""

    kept: int = Field(default=14, ge=1)
