"""OCR and description of the key frames of a video. Runs outside the sandbox, on the PNGs that it wrote.

A vision model's description is added for every frame. Measured attributes (size, colours) become text only if there is
no other: no text on any frame, and no speech.
"""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain_pipelines.readers.contract import Reading
from brain_pipelines.readers.extracted import Block, Extracted
from brain_pipelines.readers.image.describe_image import kind_of_description
from brain_pipelines.readers.image.ocr import join_lines, read_lines, with_lines
from brain_pipelines.readers.video.timeline import interleave
from brain_pipelines.readers.video.video_facts import clock
from brain_retrieval.errors import BadInputError
from brain_retrieval.models.vision.build import build_ocr
from brain_retrieval.models.vision.protocol import TextLine

if TYPE_CHECKING:
    from brain_retrieval.models.vision.protocol import Description


def read_frames(found: Extracted, reading: Reading) -> Extracted:
    """Return `found` with the text of its key frames; frames with the same text as the previous one are left out.

    `attributes["frames"]` lists every key frame: seconds, measured attributes, and a description if there is one.

    Raises:
        BadInputError: if there is neither text on a frame nor other content.
        BrainError: if a model is missing or its endpoint fails.
    """
    reader = build_ocr(reading.settings)
    lines = {b.picture: read_lines(b.picture, reader, reading.scratch) for b in found.blocks if b.picture}
    nothing_else = not any(lines.values()) and not any(block.text.strip() for block in found.blocks)
    seen: dict[str, Description] = {}
    if nothing_else or reading.settings.vision.provider != "local":
        seen = _descriptions(found, lines, reading)
    blocks: list[Block] = []
    written = ""
    for block in found.blocks:
        if block.picture is None:
            blocks.append(block)
            continue
        text = " ".join(line.text for line in lines[block.picture])
        if text != written or block.picture in seen:
            blocks += _recognised(block, lines[block.picture], seen.get(block.picture))
        written = text
    if not blocks:
        raise BadInputError("nothing to read on its pictures, and no speech")
    frames = [
        {**facts, **_description_attributes(seen.get(name))} for name, facts in zip(lines, _facts(found), strict=True)
    ]
    waits = list(dict.fromkeys(one.remark for one in seen.values() if one.waits))
    attributes = {**found.attributes, "frames": frames}
    return replace(found, blocks=interleave(blocks), attributes=attributes, waits=[*found.waits, *waits])


def _facts(found: Extracted) -> list[dict[str, Any]]:
    return found.attributes.get("frames", [])


def _descriptions(found: Extracted, lines: dict[str, list[TextLine]], reading: Reading) -> "dict[str, Description]":
    from brain_retrieval.models.vision.build import build_describer

    describer = build_describer(reading.settings, reading.counted)
    return {
        name: describer.describe(reading.scratch / Path(name).name, lines=read, facts={"format": "png", **facts})
        for (name, read), facts in zip(lines.items(), _facts(found), strict=True)
    }


def _recognised(block: Block, lines: list[TextLine], seen: "Description | None") -> list[Block]:
    at = clock(block.start_seconds or 0.0)
    plain = replace(block, picture=None)
    if seen is not None:
        said = f"Picture at {at}: {seen.description.strip()}"
        described = replace(plain, kind=kind_of_description(seen), text=said)
        return [described, with_lines(plain, lines)] if lines else [described]
    lead = f"On screen at {at}: "
    text, anchors = join_lines(lines, offset=len(lead))
    return [replace(plain, text=lead + text, anchors=anchors)] if lines else []


def _description_attributes(seen: "Description | None") -> dict[str, Any]:
    return {"description": seen.as_json()} if seen is not None else {}
