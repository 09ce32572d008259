"""Questions that are a picture or a recording: what is seen in it, or said in it, becomes a question in words.

The limits are those of ingestion. A picture is opened by the decoder of an expected format alone, and its size is
checked before it is decoded; the models get a plain PNG or WAV, never the file as received.
"""

import time
import wave
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.extras import require
from brain_retrieval.query.analysis.question import Intent
from brain_retrieval.settings import Limits, Settings

if TYPE_CHECKING:
    from av.container import InputContainer

DECODERS = ("PNG", "JPEG", "MPO", "GIF", "WEBP", "TIFF", "BMP", "HEIF", "AVIF")
CONTAINERS = "wav,mp3,flac,ogg,mov,matroska,aac,aiff,amr,caf"
MOST_SIDE = 4000  # pixels; a larger picture is scaled down
MOST_TEXT = 2000  # characters of recognised text that take part
RATE = 16_000


@dataclass(frozen=True)
class MediaQuestion:
    """A question made of a picture or a recording.

    Args:
        text: the whole question, which is embedded.
        words: the part for the lexical retriever, "" for all: not the size and format that describe a picture.
        intent: if it does not follow from the text.
        warnings: what could not be read.
    """

    text: str
    words: str = ""
    intent: Intent | None = None
    warnings: tuple[str, ...] = ()


def image_question(picture: Path | str | bytes, text: str, settings: Settings) -> MediaQuestion:
    """Return '<text>. Image shows: <description>', with the text that is recognised in the picture.

    Raises:
        MissingExtraError: the extra "media" is not installed.
        InvalidQueryError: no picture, damaged, or beyond the limits.
        ModelMissingError, ModelCallError: of text recognition or description.
    """
    for library in ("rapidocr", "pillow_heif"):
        require(library)
    from brain_retrieval.models.vision.build import build_describer, build_ocr
    from brain_retrieval.models.vision.vision_local import NAME, rows_of

    with TemporaryDirectory() as folder:
        png = Path(folder) / "picture.png"
        facts = _write_png(picture, png, settings.limits)
        reader = build_ocr(settings)
        lines = reader.read(png) if reader else []
        described = build_describer(settings).describe(png, lines=lines, facts=facts)
    rows = " ".join(row for row in rows_of(lines) if row not in described.description)[:MOST_TEXT]
    shown = " ".join(part for part in (described.description.strip(), rows) if part)
    asked = f"{text.strip()}{'' if text.strip().endswith(('.', '?', '!')) else '.'} " if text.strip() else ""
    is_local = described.describer == NAME
    read = " ".join(rows_of(lines))[:MOST_TEXT]
    words = " ".join(part for part in (text.strip(), read if is_local else shown) if part)
    warnings = () if words else ("no text is recognised in the picture; only its size and format are compared",)
    return MediaQuestion(f"{asked}Image shows: {shown}", words, "exploratory", warnings)


def audio_question(recording: Path | str, settings: Settings) -> MediaQuestion:
    """Return what is said in a recording.

    Raises:
        MissingExtraError: the extra "media" is not installed.
        InvalidQueryError: no recording, damaged, beyond the limits, or without speech.
        ModelMissingError, ModelCallError: of speech recognition.
    """
    require("av")
    from brain_retrieval.models.speech.build import build_transcriber

    path = _existing(recording, settings.limits.max_media_bytes, "recording")
    transcriber = build_transcriber(settings)
    if transcriber is None:
        raise InvalidQueryError("speech recognition is switched off (speech.provider)")
    with TemporaryDirectory() as folder:
        sound = Path(folder) / "sound.wav"
        _write_wav(path, sound, settings.limits)
        transcript = transcriber.transcribe(sound, language=settings.speech.language)
    said = " ".join(" ".join(utterance.text for utterance in transcript.utterances).split())
    if not said:
        raise InvalidQueryError("no speech is recognised in the recording")
    return MediaQuestion(said)


def _write_png(picture: Path | str | bytes, target: Path, limits: Limits) -> dict[str, Any]:
    """Write the picture upright as an RGB PNG; return its format and size."""
    import pillow_heif
    from PIL import Image, ImageOps

    pillow_heif.register_heif_opener(thumbnails=False)
    if isinstance(picture, bytes) and len(picture) > limits.max_file_bytes:
        raise _too_large("picture", len(picture), limits.max_file_bytes)
    opened = BytesIO(picture) if isinstance(picture, bytes) else _existing(picture, limits.max_file_bytes, "picture")
    with _refusing("picture"), Image.open(opened, formats=DECODERS) as image:
        if image.width * image.height > limits.max_pixels:
            size, most = f"{image.width} x {image.height} pixels", limits.max_pixels / 1e6
            raise InvalidQueryError(f"the picture has {size}, the limit is {most:g} million")
        facts = {"format": str(image.format).lower(), "width": image.width, "height": image.height}
        upright = ImageOps.exif_transpose(image).convert("RGB")
        upright.thumbnail((MOST_SIDE, MOST_SIDE))
        upright.save(target, "PNG", compress_level=1)
    return facts


def _write_wav(path: Path, target: Path, limits: Limits) -> None:
    """Write the first sound of a recording as 16 kHz mono 16-bit WAV."""
    import av

    options = {"format_whitelist": CONTAINERS, "protocol_whitelist": "file"}
    with _refusing("recording"), av.open(str(path), options=options) as container, wave.open(str(target), "wb") as wav:
        wav.setparams((1, 2, RATE, 0, "NONE", ""))
        if not container.streams.audio:
            raise InvalidQueryError("the recording has no sound")
        within, written = _clock(limits), 0
        for samples in _samples(container):
            within(written / 2 / RATE)
            wav.writeframesraw(samples)
            written += len(samples)


def _samples(container: "InputContainer") -> Iterator[bytes]:
    from av.audio.resampler import AudioResampler

    resampler = AudioResampler(format="s16", layout="mono", rate=RATE)
    for frame in container.decode(audio=0):
        yield from (part.to_ndarray().tobytes() for part in resampler.resample(frame))
    yield from (part.to_ndarray().tobytes() for part in resampler.resample(None))


def _clock(limits: Limits) -> Callable[[float], None]:
    """Return a check of the seconds of sound so far and of the time since now."""
    started = time.monotonic()

    def check(seconds: float) -> None:
        if seconds > limits.max_audio_seconds:
            raise InvalidQueryError(f"the recording is too long: the limit is {limits.max_audio_seconds:g} s")
        if time.monotonic() - started > limits.media_seconds:
            raise InvalidQueryError(f"the recording takes more than {limits.media_seconds:g} s to unpack")

    return check


@contextmanager
def _refusing(what: str) -> Iterator[None]:
    """Turn the errors of decoders into InvalidQueryError."""
    try:
        yield
    except (InvalidQueryError, MemoryError):
        raise
    except Exception as error:
        raise InvalidQueryError(
            f"the {what} cannot be read: it is damaged, or of no format that is known ({type(error).__name__})"
        ) from None


def _existing(path: Path | str, most: int, what: str) -> Path:
    found = Path(path).expanduser()
    if not found.is_file():
        raise InvalidQueryError(f"the {what} does not exist: {str(path)!r:.200}")
    if (size := found.stat().st_size) > most:
        raise _too_large(what, size, most)
    return found


def _too_large(what: str, size: int, most: int) -> InvalidQueryError:
    return InvalidQueryError(f"the {what} is too large: {size} bytes, the limit is {most}")
