"""What a reader left in its scratch directory becomes text: pictures by OCR, sound by speech recognition.

Parsing untrusted bytes is the sandbox's work; here are only plain PNG and WAV files that it wrote, and the models.
"""

from brain_pipelines.readers.contract import Reading
from brain_pipelines.readers.extracted import Extracted
from brain_pipelines.readers.image.image import FORMATS
from brain_retrieval.errors import BadInputError

_PICTURES = tuple(one.name for one in FORMATS)


def develop(found: Extracted, reading: Reading) -> Extracted:
    """Return `found` with the text of its pictures and the speech of its sound; unchanged if it has neither.

    Raises:
        BadInputError: if that leaves nothing at all to read.
        BrainError: if a model is missing or its endpoint fails; the item is tried again later.
    """
    if found.format in _PICTURES and any(block.picture for block in found.blocks):  # the file itself is a picture
        from brain_pipelines.readers.image.describe_image import describe

        return describe(found, reading)
    filmed = any(block.kind == "frame" and block.picture for block in found.blocks)
    if not filmed and any(block.picture for block in found.blocks):
        from brain_pipelines.readers.image.ocr import read_pictures

        count = sum(block.picture is not None for block in found.blocks)
        found = read_pictures(found, reading)
        if not found.sound and not any(block.text.strip() for block in found.blocks):
            raise BadInputError(f"no text: {count} picture{'s' * (count > 1)} of pages or figures, without words")
    if found.sound:
        from brain_pipelines.readers.audio.transcribe import add_speech

        found = add_speech(found, reading)
    if filmed:  # after the speech: how much a frame has to say depends on whether anything else does
        from brain_pipelines.readers.video.frame_text import read_frames

        found = read_frames(found, reading)
    return found
