"""`Section`, the base of every section of the settings."""

from pydantic import BaseModel


class Section(BaseModel, extra="forbid", frozen=True):
    """Base of every section: immutable, no unknown keys."""
