"""Records as plain JSON values."""

from datetime import datetime
from typing import Any


def plain(value: Any) -> Any:
    """Convert records, tuples and times to plain JSON values."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value
