"""Values of JSON that may be of any type: what is not as expected counts as missing."""

from typing import Any


def listed(value: Any, *keys: str) -> list[dict[str, Any]]:
    """Return the objects in the list under some keys of a value; of anything else nothing."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def text_of(value: Any, *keys: str) -> str:
    """Return the string under some keys of a value, "" if there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value.strip() if isinstance(value, str) else ""


def names_in(value: Any, key: str, inner: str = "") -> list[str]:
    """Return the strings in a list under a key, or those under `inner` of the objects in it."""
    entries = value.get(key) if isinstance(value, dict) else None
    found = (text_of(one, inner) if inner else one for one in entries) if isinstance(entries, list) else ()
    return [" ".join(one.split()) for one in found if isinstance(one, str) and one.strip()]
