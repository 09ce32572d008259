"""Format -> reader, and what a file name promises. Binary formats go through the sandbox, texts are read here."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from brain_pipelines.readers.contract import Reading
from brain_pipelines.readers.document.json_text import read_json, read_json_lines
from brain_pipelines.readers.document.markdown import read_markdown
from brain_pipelines.readers.document.plain_text import read_plain
from brain_pipelines.readers.encoding import read_decoded
from brain_pipelines.readers.extracted import Extracted
from brain_pipelines.readers.formats import FORMATS
from brain_pipelines.readers.image.image import DECODERS
from brain_pipelines.readers.sandbox import SANDBOX
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

Reader = Callable[[Path, Limits, Path], Extracted]  # the file, what it may cost, a scratch directory
IMAGE_FORMATS = tuple(DECODERS)
TEXTS = ("text", "markdown", "xml", "json", "jsonl", "csv", "tsv", "eml", "mbox", "ics", "vcf", "vtt", "srt", "svg")
SOUNDS = ("wav", "mp3", "flac", "ogg", "m4a", "aac", "aiff", "amr", "caf")
FILMS = ("mp4", "mov", "mkv", "webm", "avi", "asf", "mpeg", "flv")  # may hold sound alone

# What each suffix stands for. A name that promises something else than the bytes hold is worth a word.
PROMISED: Mapping[str, tuple[str, ...]] = {
    ".pdf": ("pdf",),
    ".docx": ("docx",),
    ".pptx": ("pptx",),
    ".xlsx": ("xlsx",),
    ".odt": ("odt",),
    ".epub": ("epub",),
    ".html": ("html",),
    ".htm": ("html",),
    ".mhtml": ("mhtml",),
    ".mht": ("mhtml",),
    ".txt": TEXTS,
    ".md": TEXTS,
    ".json": ("json", "jsonl"),
    ".jsonl": ("jsonl", "json"),
}


def _text_reader(read: Callable[[str], Extracted]) -> Reader:
    def read_file(path: Path, limits: Limits, _scratch: Path) -> Extracted:
        decoded = read_decoded(path, limits)
        found = read(decoded.text)
        return replace(found, repairs=[*decoded.repairs, *found.repairs])

    return read_file


def _isolated(name: str) -> Reader:
    return lambda path, limits, scratch: SANDBOX.read(name, path, limits, scratch)


plain = _text_reader(read_plain)
markdown = _text_reader(read_markdown)
json_document = _text_reader(read_json)
json_lines = _text_reader(read_json_lines)
image, svg = _isolated("image"), _isolated("svg")
html, docx = _isolated("html"), _isolated("docx")
pptx, spreadsheet, opendocument = _isolated("pptx"), _isolated("spreadsheet"), _isolated("opendocument")
rtf, epub, markup = _isolated("rtf"), _isolated("epub"), _isolated("markup")
separated, captions = _isolated("separated"), _isolated("captions")
mail, outlook, mailbox = _isolated("eml"), _isolated("msg"), _isolated("mbox")
calendar = _isolated("ics")
mhtml, warc = _isolated("mhtml"), _isolated("warc")


def pdf(path: Path, limits: Limits, scratch: Path) -> Extracted:
    """Read a PDF; rendering the pages of a scan comes on top of the time for parsing."""
    return SANDBOX.read("pdf", path, limits, scratch, seconds=2 * limits.parse_seconds)


def recording(path: Path, limits: Limits, scratch: Path) -> Extracted:
    """Read any recording's sound into the scratch directory; decoding hours takes longer than parsing a page."""
    return SANDBOX.read("audio", path, limits, scratch, seconds=limits.media_seconds)


def film(path: Path, limits: Limits, scratch: Path) -> Extracted:
    """Read a video's key frames and sound into the scratch directory."""
    return SANDBOX.read("video", path, limits, scratch, seconds=limits.media_seconds)


# Every format that may come as a part of something else: an attachment, a page of an archive, a payload.
ALL: dict[str, Reader] = {
    "text": plain,
    "markdown": markdown,
    "json": json_document,
    "jsonl": json_lines,
    "xml": markup,
    "csv": separated,
    "tsv": separated,
    "ics": calendar,
    "vcf": plain,
    "vtt": captions,
    "srt": captions,
    "svg": svg,
    **dict.fromkeys(IMAGE_FORMATS, image),
    "pdf": pdf,
    "html": html,
    "mhtml": mhtml,
    "warc": warc,
    "docx": docx,
    "pptx": pptx,
    **dict.fromkeys(("xlsx", "xls", "ods"), spreadsheet),
    **dict.fromkeys(("odt", "odp"), opendocument),
    "rtf": rtf,
    "epub": epub,
    "eml": mail,
    "msg": outlook,
    "mbox": mailbox,
    **dict.fromkeys(SOUNDS, recording),
    **dict.fromkeys(FILMS, film),
}


def read_by_format(
    path: Path, reading: Reading, *, detected: str, name: str, readers: Mapping[str, Reader], source: str
) -> Extracted:
    """Return the content of a file, read as what it is and not as what it is called.

    Args:
        path: the file.
        reading: what it may cost, and where pictures and sound are left to be recognised.
        detected: its format, told from its bytes.
        name: the name it came with, a weak hint where bytes leave it open.
        readers: the formats that the source reads.
        source: the source's name, for the reason.

    Raises:
        BadInputError: if the source does not read the format, or the reader refuses the file.
    """
    suffix = PurePosixPath(name).suffix.lower()
    promised = PROMISED.get(suffix, ())
    if detected == "empty":
        raise BadInputError("empty file (0 bytes)")
    if detected == "text" and promised[:1] == ("html",):
        detected = "html"  # a fragment without a root element
    label = FORMATS[detected].label
    if detected not in readers:
        but = f"named {suffix}, but it is {label}" if promised and detected not in promised else f"it is {label}"
        raise BadInputError(f"{but}, which the source '{source}' does not read{_advice(detected)}")
    if not promised or detected in promised:
        return readers[detected](path, reading.limits, reading.scratch)
    try:
        found = readers[detected](path, reading.limits, reading.scratch)
    except BadInputError as error:
        raise BadInputError(f"named {suffix}, but it is {label}; {error}") from None
    return replace(found, repairs=[f"named {suffix}, but it is {label}; read as that", *found.repairs])


def _advice(detected: str) -> str:
    if detected == "office-encrypted":
        return ": a password is needed"
    if detected in ("ole", "doc", "ppt"):
        return "; save it as .docx, .pptx or PDF"
    return "; drop it under 'document'" if detected in ("pdf", "docx", "html") else ""
