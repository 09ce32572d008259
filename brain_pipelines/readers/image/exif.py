"""EXIF metadata of a picture (EXIF 2.32): time, position, camera. Runs in the sandbox's child."""

import math
import re
from contextlib import suppress
from typing import Any

EXIF_IFD, GPS_IFD = 0x8769, 0x8825
_STAMP = re.compile(r"(\d{4}):(\d\d):(\d\d)[ T](\d\d):(\d\d):(\d\d)")
_OFFSET = re.compile(r"[+-]\d\d:\d\d|Z")


def exif_facts(image: Any) -> dict[str, Any]:
    """Return captured_at, make, model, lens, software, orientation and gps, those that the picture has."""
    exif = image.getexif()
    details, position = _ifd(exif, EXIF_IFD), _ifd(exif, GPS_IFD)
    facts = {
        "captured_at": _captured_at(details),
        "make": _text(exif.get(0x010F)),
        "model": _text(exif.get(0x0110)),
        "lens": _text(details.get(0xA434)),
        "software": _text(exif.get(0x0131)),
        "caption": _text(exif.get(0x010E)),
        "orientation": turned if (turned := exif.get(0x0112)) in range(2, 9) else None,
        "gps": _gps(position),
    }
    return {key: value for key, value in facts.items() if value}


def _ifd(exif: Any, number: int) -> dict[int, Any]:
    try:
        return dict(exif.get_ifd(number))
    except (MemoryError, RecursionError):
        raise
    except Exception:  # a broken directory counts as missing
        return {}


def _captured_at(details: dict[int, Any]) -> str | None:
    """Return the capture time in ISO 8601: with an offset if the camera stored it, else in local time."""
    for stamp, offset in ((0x9003, 0x9011), (0x9004, 0x9012)):
        if match := _STAMP.match(_text(details.get(stamp))):
            year, month, day, hour, minute, second = match.groups()
            zone = _OFFSET.fullmatch(_text(details.get(offset)))
            if year != "0000":
                return f"{year}-{month}-{day}T{hour}:{minute}:{second}{zone[0] if zone else ''}"
    return None


def _gps(position: dict[int, Any]) -> dict[str, float] | None:
    """Return latitude and longitude in degrees, WGS 84, and altitude in metres above the sea."""
    latitude = _degrees(position.get(2), position.get(1), "S")
    longitude = _degrees(position.get(4), position.get(3), "W")
    if latitude is None or longitude is None or abs(latitude) > 90 or abs(longitude) > 180:
        return None
    if latitude == longitude == 0:  # written by devices without a GPS fix
        return None
    found = {"lat": round(latitude, 6), "lon": round(longitude, 6)}
    with suppress(TypeError, ValueError, ZeroDivisionError):
        altitude = float(position[6]) if 6 in position else math.nan
        if math.isfinite(altitude):
            below = position.get(5) in (1, b"\x01")
            found["altitude"] = round(-altitude if below else altitude, 1)
    return found


def _degrees(parts: Any, side: Any, negative: str) -> float | None:
    try:
        degrees, minutes, seconds = (float(part) for part in parts)
    except (TypeError, ValueError, ZeroDivisionError):
        return None
    value = degrees + minutes / 60 + seconds / 3600
    if not math.isfinite(value):
        return None
    return -value if _text(side).upper() == negative else value


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    return " ".join(value.replace("\0", " ").split())[:200] if isinstance(value, str) else ""
