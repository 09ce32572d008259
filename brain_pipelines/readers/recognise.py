"""OCR and speech recognition for the pictures and the sound that a reader wrote to its scratch directory.

Untrusted bytes are parsed in the sandbox; the models here see only the plain PNG and WAV files that it wrote.
"""

from brain_pipelines.readers.contract import Reading
from brain_pipelines.readers.extracted import Extracted
from brain_pipelines.readers.image.image import FORMATS
from brain_retrieval.errors import BadInputError

_PICTURES = tuple(one.name for one in FORMATS)


def recognise(found: Extracted, reading: Reading) -> Extracted:
    """Return `found` with the text of its pictures and the transcript of its sound; unchanged if it has neither.

    Raises:
        BadInputError: if there is no text afterwards.
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
    if filmed:  # after the speech: frames without text are described only if there is no other text
        from brain_pipelines.readers.video.frame_text import read_frames

        found = read_frames(found, reading)
    return found
