"""Reader of image files: plain PNGs for OCR, and measured attributes. Runs in the sandbox's child.

The declared size is checked before decoding. Of an animation the first frame is read, of a TIFF every page.
Descriptions are made in `describe_image.py`.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from brain_pipelines.readers.containers import branded, chunked
from brain_pipelines.readers.encoding import check_size
from brain_pipelines.readers.extracted import Block, Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.image.codes import read_codes
from brain_pipelines.readers.image.exif import exif_facts
from brain_pipelines.readers.image.image_facts import measure
from brain_pipelines.readers.sandbox import Isolated
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

HEAD_BYTES = 1 << 12
READ_SIDE = 4000  # pixels of the PNG's longer side; of the shorter one's half in a page much longer than wide
LONG = 3.0
MAX_LONG_SIDE = 40_000
MAX_COUNTED_FRAMES = 10_000


def read_file(path: Path, limits: Limits, scratch: Path | None) -> Extracted:
    """Return one block per page, with its PNG in `scratch`; `attributes` are measured on the first page.

    Raises:
        BadInputError: if it is damaged, truncated, or has more pixels or pages than the limits allow.
    """
    from PIL import Image, ImageFile

    check_size(path, limits.max_file_bytes)
    kind = kind_of(path)
    if kind is None:
        raise BadInputError("it is of no format that is read as a picture")
    if kind.name == "heic":
        import pillow_heif

        pillow_heif.register_heif_opener(thumbnails=False)
    Image.MAX_IMAGE_PIXELS = None  # checked below against our own limit
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    label = kind.label.removeprefix("an ").removeprefix("a ")
    with _refusing(lambda: Image.open(path, formats=_DECODERS[kind.name]), label) as image:
        return _refusing(lambda: _read(image, kind.name, limits, scratch), label)


def _refusing(action: Callable[[], Any], label: str) -> Any:
    """Call `action`, turning the errors of decoders into BadInputError; the sandbox handles MemoryError."""
    try:
        return action()
    except (BadInputError, MemoryError, RecursionError):
        raise
    except Exception as error:
        detail = f"{type(error).__name__}: {error}"[:120].replace(str(Path.cwd()), "")
        raise BadInputError(f"damaged or truncated {label} ({detail})") from None


def _read(image: Any, detected: str, limits: Limits, scratch: Path | None) -> Extracted:
    repairs: list[str] = []
    _check_pixels(image, limits)
    attributes = {"width": image.width, "height": image.height, "format": detected, "mode": image.mode}
    attributes |= exif_facts(image)
    blocks: list[Block] = []
    pages = _pages(image, limits) if detected == "tiff" else iter([image])
    for number, page in enumerate(pages, start=1):
        picture = upright(page)
        if number == 1:
            attributes |= {"width": picture.info["full"][0], "height": picture.info["full"][1]}
            attributes |= measure(picture, attributes)
        codes = read_codes(picture)
        for code in codes:
            attributes.setdefault("codes", []).append({**code, "page": number} if number > 1 else code)
        name = f"page-{number}.png"
        if scratch is not None:
            picture.save(scratch / name, "PNG", compress_level=1)
        blocks.append(Block("", "image", page=number, picture=name if scratch else None))
    frames = _count_frames(image) if detected in ("gif", "webp", "png", "avif") else 1
    if frames > 1:
        attributes["frames"] = frames
        repairs.append(f"an animation of {_many(frames)} frames: only the first was read")
    if detected == "tiff":
        attributes["pages"] = len(blocks)
    if len(blocks) == 1:
        blocks = [Block("", "image", picture=blocks[0].picture)]
    return Extracted(detected, blocks, repairs=repairs, attributes=attributes)


def _many(frames: int) -> str:
    return f"more than {MAX_COUNTED_FRAMES}" if frames > MAX_COUNTED_FRAMES else str(frames)


def _check_pixels(image: Any, limits: Limits) -> None:
    pixels = image.width * image.height
    if pixels > limits.max_pixels:
        size = f"{image.width} x {image.height} pixels"
        raise BadInputError(f"too many pixels: {size}, the limit is {limits.max_pixels / 1e6:g} million")
    if not pixels:
        raise BadInputError("a picture without pixels")


def _pages(image: Any, limits: Limits) -> Iterator[Any]:
    """Yield the pages of a TIFF; Pillow detects circular directories."""
    for number in range(limits.max_scanned_pages + 1):
        try:
            image.seek(number)
        except EOFError:
            return
        if number == limits.max_scanned_pages:
            raise BadInputError(f"too many pages: the limit is {limits.max_scanned_pages}")
        _check_pixels(image, limits)
        yield image


def _count_frames(image: Any) -> int:
    """Return how many frames an animation has, MAX_COUNTED_FRAMES + 1 if more than that."""
    if not getattr(image, "is_animated", False):
        return 1
    if image.format != "GIF":  # the other formats state it in their headers
        return min(int(image.n_frames), MAX_COUNTED_FRAMES + 1)
    for number in range(1, MAX_COUNTED_FRAMES + 1):
        try:
            image._seek(number, False)  # without rendering the frame
        except EOFError:
            return number
    return MAX_COUNTED_FRAMES + 1


def upright(image: Any) -> Any:
    """Return a picture as RGB, rotated by its EXIF, reduced to the size for OCR; `info["full"]` is its full size."""
    from PIL import Image, ImageOps

    width, height = image.size
    scale = _scale(width, height)
    if scale < 1 and image.format in ("JPEG", "MPO"):
        image.draft("RGB", (max(1, int(width * scale)), max(1, int(height * scale))))  # decodes at 1/2, 1/4 or 1/8
    picture = as_rgb(image)
    if scale < 1:
        picture = picture.resize((max(1, round(width * scale)), max(1, round(height * scale))), Image.Resampling.BOX)
    picture.info = {}
    orientation = image.getexif().get(0x0112, 1)
    if orientation in range(2, 9):
        picture.getexif()[0x0112] = orientation
        picture = ImageOps.exif_transpose(picture)
    picture.info = {"full": (height, width) if orientation in (5, 6, 7, 8) else (width, height)}
    return picture


def _scale(width: int, height: int) -> float:
    short, long = sorted((width, height))
    if long <= LONG * short:
        return min(1.0, READ_SIDE / long)
    return min(1.0, READ_SIDE / 2 / short, MAX_LONG_SIDE / long)


def as_rgb(image: Any) -> Any:
    """Return a picture as RGB: transparent ones on white, or on black if what is drawn is light."""
    import numpy as np
    from PIL import Image

    if image.mode.startswith(("I", "F")):  # 16 and 32 bits a pixel; Pillow would cut them off at 255
        values = np.asarray(image, dtype=np.float32)
        low, high = float(values.min()), float(values.max())
        values = (values - low) * (255 / (high - low)) if high > low else np.zeros_like(values)
        return Image.fromarray(values.astype(np.uint8)).convert("RGB")
    if not image.has_transparency_data:
        return image.convert("RGB")
    layered = image.convert("RGBA")
    drawn = np.asarray(layered.convert("L"), dtype=np.float32)
    weight = np.asarray(layered.getchannel("A"), dtype=np.float32)
    light = float((drawn * weight).sum()) > 200 * float(weight.sum()) > 0
    ground = Image.new("RGBA", layered.size, (0, 0, 0, 255) if light else (255, 255, 255, 255))
    return Image.alpha_composite(ground, layered).convert("RGB")


def kind_of(path: Path) -> Format | None:
    """Return the format of a picture from its first bytes; None if it is not supported."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    return next((one for one in FORMATS if one.begins(head) or (one.structure and one.structure(head))), None)


def _is_bitmap(head: bytes) -> bool:
    return head[:2] == b"BM" and head[6:10] == b"\0\0\0\0"


def _is_icon(head: bytes) -> bool:
    return head[:4] == b"\0\0\x01\0" and 0 < int.from_bytes(head[4:6], "little") < 256 and len(head) > 22


_picture = partial(Format, family="image", read=Isolated(read_file, ("PIL.Image", "cv2", "zxingcpp", "pillow_heif")))
_HEIF = (b"heic", b"heix", b"heim", b"hevc", b"mif1", b"msf1")
FORMATS: tuple[Format, ...] = (
    _picture("png", "image/png", "a PNG image", suffixes=(".png",), magic=(b"\x89PNG\r\n\x1a\n",)),
    _picture("jpeg", "image/jpeg", "a JPEG image", suffixes=(".jpg", ".jpeg"), magic=(b"\xff\xd8\xff",)),
    _picture("gif", "image/gif", "a GIF image", suffixes=(".gif",), magic=(b"GIF87a", b"GIF89a")),
    _picture("webp", "image/webp", "a WebP image", suffixes=(".webp",), structure=chunked(b"WEBP")),
    _picture("tiff", "image/tiff", "a TIFF image", suffixes=(".tif", ".tiff"), magic=(b"II*\0", b"MM\0*")),
    _picture("bmp", "image/bmp", "a BMP image", suffixes=(".bmp",), structure=_is_bitmap),
    _picture("heic", "image/heic", "a HEIC image", suffixes=(".heic", ".heif"), structure=branded(*_HEIF)),
    _picture("avif", "image/avif", "an AVIF image", suffixes=(".avif",), structure=branded(b"avif", b"avis")),
    _picture("ico", "image/x-icon", "an icon", suffixes=(".ico",), structure=_is_icon),
    _picture("jp2", "image/jp2", "a JPEG 2000 image", suffixes=(".jp2",), magic=(b"\0\0\0\x0cjP  \r\n",)),
)
# Decoders of Pillow by format: a file is opened with no other decoder than that of its detected format.
_DECODERS: dict[str, tuple[str, ...]] = {
    "png": ("PNG",),
    "jpeg": ("JPEG", "MPO"),
    "gif": ("GIF",),
    "webp": ("WEBP",),
    "tiff": ("TIFF",),
    "bmp": ("BMP",),
    "heic": ("HEIF", "AVIF"),
    "avif": ("AVIF",),
    "ico": ("ICO",),
    "jp2": ("JPEG2000",),
}
