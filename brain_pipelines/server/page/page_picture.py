"""A page of a PDF, or a picture, as a PNG for the browser: made in the reader's child process, never passed through.

What arrives at the browser was drawn here from decoded pixels, so no byte of the original reaches it.
"""

from pathlib import Path
from typing import Any

from brain_pipelines.readers.encoding import check_size
from brain_pipelines.readers.extracted import Block, Extracted
from brain_pipelines.readers.image.image import kind_of, upright
from brain_pipelines.readers.registry import FORMATS
from brain_pipelines.readers.sandbox import Isolated, Sandbox
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

SHOWN, ASKED = "shown.png", "page"  # files of the scratch folder: the picture, and the number of the page
MOST_SIDE = 1600  # pixels of the longer side
PICTURES = frozenset(f"image/{kind}" for kind in "jpeg png gif webp bmp tiff heic avif".split())
_sandbox = Sandbox()  # not that of ingestion, so that a page is shown while a large file is read


def can_show(kind: str) -> bool:
    """Return whether a format has pages or pixels to show."""
    return kind == "pdf" or _is_picture(kind)


def _is_picture(kind: str) -> bool:
    return kind in FORMATS and FORMATS[kind].mime in PICTURES


def picture_of(path: Path, kind: str, page: int, limits: Limits, scratch: Path) -> bytes:
    """Return a PNG of a page, from 1, of a PDF or a TIFF, or of a picture.

    Raises:
        BadInputError: if it is damaged, beyond the limits, or has no such page.
        MissingExtraError: if the library for it is not installed.
    """
    (scratch / ASKED).write_text(str(page))
    _sandbox.read(READ_PDF if kind == "pdf" else READ_PICTURE, path, limits, scratch)
    return (scratch / SHOWN).read_bytes()


def read_pdf(path: Path, limits: Limits, scratch: Path | None) -> Extracted:
    """Draw the page of a PDF that `scratch` names, and leave it there."""
    import pypdfium2

    check_size(path, limits.max_pdf_bytes)
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError:
        raise BadInputError("this PDF cannot be opened") from None
    try:
        page: Any = document[_asked(scratch, len(document)) - 1]
        scale = min(2.0, MOST_SIDE / max(1.0, *page.get_size()))
        return _left(page.render(scale=scale).to_pil().convert("RGB"), scratch, "pdf")
    finally:
        document.close()


def read_picture(path: Path, limits: Limits, scratch: Path | None) -> Extracted:
    """Decode a picture, or the page of a TIFF that `scratch` names, and leave it there, upright and reduced."""
    from PIL import Image

    check_size(path, limits.max_file_bytes)
    kind = kind_of(path)
    if kind is None or not _is_picture(kind.name):
        raise BadInputError("it is of no format that is shown as a picture")
    if kind.name == "heic":
        import pillow_heif

        pillow_heif.register_heif_opener(thumbnails=False)
    Image.MAX_IMAGE_PIXELS = None  # checked below against our own limit
    with Image.open(path) as image:
        number = _asked(scratch, getattr(image, "n_frames", 1) if kind.name == "tiff" else 1)
        image.seek(number - 1)
        if image.width * image.height > limits.max_pixels:
            raise BadInputError("too many pixels to show")
        return _left(upright(image), scratch, kind.name)


def _asked(scratch: Path | None, pages: int) -> int:
    number = int((scratch / ASKED).read_text()) if scratch is not None else 1
    if not 1 <= number <= pages:
        raise BadInputError("there is no such page")
    return number


def _left(picture: Any, scratch: Path | None, kind: str) -> Extracted:
    if scratch is not None:
        picture.thumbnail((MOST_SIDE, MOST_SIDE))
        picture.save(scratch / SHOWN, "PNG", compress_level=3)
    return Extracted(kind, [Block("", "image")])


READ_PDF = Isolated(read_pdf, ("pypdfium2", "PIL.Image", "PIL.PngImagePlugin"))
READ_PICTURE = Isolated(read_picture, ("PIL.Image", "PIL.PngImagePlugin"))
