"""What went wrong with one item, in words for the person who dropped it."""

import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from brain_retrieval.errors import BadInputError, BrainError


@dataclass(frozen=True)
class Issue:
    """An item, or a part of one, that was refused ("rejected") or taken with a correction ("repaired")."""

    source_id: str
    uri: str
    reason: str
    kind: Literal["rejected", "repaired"]
    detail: str = ""


def describe(error: BaseException) -> str:
    """Return an error as one bounded line for the user's own stores: type, message, place."""
    text = " ".join(str(error).split()).encode("utf-8", "backslashreplace").decode()  # half a character is no UTF-8
    return f"{type(error).__name__}: {text}"[:500] + _in_brackets(place_of(error))


def public(error: BaseException) -> str:
    """Return what of an error may enter the event log: our own messages, of others only the type and place."""
    text = f": {error}" if isinstance(error, BrainError) and not isinstance(error, BadInputError) else ""
    return f"{type(error).__name__}{text[:500]}{_in_brackets(place_of(error))}; `brain status` shows the reason"


def place_of(error: BaseException) -> str:
    """Return the file and line that raised an error, "" if it was never raised."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""


def _in_brackets(place: str) -> str:
    return f" ({place})" if place else ""
