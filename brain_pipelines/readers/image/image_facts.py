"""Measured attributes of a picture: colours, brightness, sharpness, perceptual hash. Runs in the sandbox's child."""

from typing import Any

COLOURS = {
    "black": (20, 20, 20),
    "dark grey": (75, 75, 75),
    "grey": (140, 140, 140),
    "light grey": (205, 205, 205),
    "white": (248, 248, 248),
    "red": (200, 30, 30),
    "dark red": (110, 20, 25),
    "orange": (240, 140, 30),
    "brown": (125, 80, 45),
    "beige": (220, 200, 165),
    "yellow": (240, 215, 50),
    "green": (50, 150, 60),
    "dark green": (30, 90, 60),
    "light green": (150, 215, 140),
    "turquoise": (50, 180, 180),
    "light blue": (140, 190, 235),
    "blue": (45, 95, 200),
    "dark blue": (25, 40, 95),
    "purple": (125, 60, 160),
    "pink": (235, 150, 185),
}
MIN_SHARE = 0.08
SAMPLE = 256  # pixels of the longer side for colours
SHARP_SIDE = 1000  # for sharpness, so that it does not depend on the size
SCREENS = {
    (1280, 720), (1280, 800), (1366, 768), (1440, 900), (1512, 982), (1536, 864), (1600, 900), (1680, 1050),
    (1920, 1080), (1920, 1200), (2048, 1536), (2160, 1620), (2266, 1488), (2360, 1640), (2388, 1668), (2560, 1440),
    (2560, 1600), (2732, 2048), (2880, 1800), (3024, 1964), (3456, 2234), (3840, 2160), (1334, 750), (1792, 828),
    (2340, 1080), (2400, 1080), (2436, 1125), (2532, 1170), (2556, 1179), (2622, 1206), (2688, 1242), (2778, 1284),
    (2796, 1290), (2868, 1320), (3088, 1440), (3120, 1440), (3200, 1440),
}  # fmt: skip


def measure(picture: Any, known: dict[str, Any]) -> dict[str, Any]:
    """Return colours, brightness, sharpness, perceptual hash and a guess at the kind of an RGB picture.

    brightness: mean luminance, 0..1. sharpness: variance of the Laplacian at 1000 pixels (Pech-Pacheco et al. 2000);
    below 100 looks blurred. perceptual_hash: 64-bit difference hash as hex; few differing bits mean similar pictures.
    """
    import cv2
    import numpy as np
    from PIL import Image

    small = picture.copy()
    small.thumbnail((SAMPLE, SAMPLE), Image.Resampling.BOX)
    grey = picture.convert("L")
    cells = np.asarray(grey.resize((9, 8), Image.Resampling.BOX), dtype=np.int16)
    bits = (cells[:, 1:] > cells[:, :-1]).flatten()
    brightness = float(np.asarray(small.convert("L")).mean()) / 255
    grey.thumbnail((SHARP_SIDE, SHARP_SIDE), Image.Resampling.BOX)
    sharpness = float(cv2.Laplacian(np.asarray(grey), cv2.CV_64F).var())
    return {
        "colours": _colours(small),
        "brightness": round(brightness, 3),
        "sharpness": round(sharpness, 1),
        "perceptual_hash": f"{int(''.join('1' if bit else '0' for bit in bits), 2):016x}",
        "kind_guess": _guess(picture, known),
    }


def _colours(small: Any) -> list[dict[str, Any]]:
    """Return up to three colours with their share of the picture, the largest first; shades of a name are merged."""
    import numpy as np

    reduced = small.quantize(12, kmeans=0)
    palette = np.asarray(reduced.getpalette()[: 12 * 3], dtype=np.int64).reshape(-1, 3)
    counts = np.bincount(np.asarray(reduced).flatten(), minlength=len(palette))
    shares: dict[str, float] = {}
    largest: dict[str, tuple[int, str]] = {}
    for colour, count in zip(palette, counts, strict=False):
        name = _name(colour)
        shares[name] = shares.get(name, 0) + count / counts.sum()
        value = "#" + "".join(f"{int(part):02x}" for part in colour)
        largest[name] = max(largest.get(name, (0, value)), (int(count), value))
    names = sorted((n for n in shares if shares[n] >= MIN_SHARE), key=lambda n: (-shares[n], n))[:3]
    return [{"name": name, "hex": largest[name][1], "share": round(shares[name], 2)} for name in names]


def _name(colour: Any) -> str:
    """Return the nearest name by the low-cost approximation to perceived difference of Riemersma ("redmean")."""

    def distance(other: tuple[int, int, int]) -> float:
        red, green, blue = (int(a) - b for a, b in zip(colour, other, strict=True))
        mean = (int(colour[0]) + other[0]) / 2
        return (2 + mean / 256) * red**2 + 4 * green**2 + (2 + (255 - mean) / 256) * blue**2

    return min(COLOURS, key=lambda name: distance(COLOURS[name]))


def _guess(picture: Any, known: dict[str, Any]) -> dict[str, Any]:
    """Return `kind` ("photo", "screenshot" or None) and the `reasons` for it in words."""
    import numpy as np

    sample = np.asarray(picture.crop((0, 0, min(picture.width, 2000), min(picture.height, 2000))))
    flat = float((sample[:, 1:] == sample[:, :-1]).all(axis=2).mean()) if sample.shape[1] > 1 else 1.0
    camera = known.get("model") or known.get("make")
    photo = [(3, "a camera is named in it")] if camera else []
    photo += [(2, f"{flat:.0%} of neighbouring pixels are equal, as in photos")] if flat < 0.3 else []
    drawn = 1 if known["format"] in ("jpeg", "tiff") else 2  # the paper of a scan is as uniform as a window
    screen = [(drawn, f"{flat:.0%} of neighbouring pixels are equal, as in drawn surfaces")] if flat > 0.6 else []
    if tuple(sorted((known["width"], known["height"]), reverse=True)) in SCREENS:
        screen.append((1, "its size is that of a screen"))
    if known["format"] == "png" and not camera:
        screen.append((1, "it is a PNG without camera data"))
    lead = sum(weight for weight, _ in screen) - sum(weight for weight, _ in photo)
    if abs(lead) < 2:
        return {"kind": None, "reasons": []}
    return {
        "kind": "screenshot" if lead > 0 else "photo",
        "reasons": [text for _, text in (screen if lead > 0 else photo)],
    }
