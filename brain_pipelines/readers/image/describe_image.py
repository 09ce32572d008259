"""Text of an image file: description, recognised text, and contents of QR codes and barcodes.

Models run here, outside the sandbox, on the PNGs that its child wrote. Pictures inside other documents only get OCR:
see `ocr.py`.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from brain_pipelines.readers.contract import Reading
from brain_pipelines.readers.detect import detect_format
from brain_pipelines.readers.extracted import Anchor, Block, Extracted, join_blocks
from brain_pipelines.readers.image.image import FORMATS
from brain_pipelines.readers.image.ocr import picture_config, read_lines, with_lines
from brain_retrieval.errors import BadInputError
from brain_retrieval.models.vision.build import FACES, build_describer, build_face_finder, build_ocr, has_face_finder
from brain_retrieval.models.vision.protocol import Description, TextLine
from brain_retrieval.models.vision.vision_local import NAME as LOCAL
from brain_retrieval.settings import Settings

TITLE_CHARS = 80
MIN_TITLE_CONFIDENCE = 0.8


def describe(found: Extracted, reading: Reading) -> Extracted:
    """Return the content of an image file: its description, then the text of its pages, then its codes.

    Args:
        found: content returned by the image reader: one block per page, each with its PNG.
        reading: the settings, and the scratch directory with the PNGs.

    Raises:
        BrainError: if a model is missing or its endpoint fails; the item is tried again later.
    """
    reader = build_ocr(reading.settings)
    pages = [(block, read_lines(block.picture, reader, reading.scratch)) for block in found.blocks if block.picture]
    attributes = dict(found.attributes)
    codes = attributes.get("codes", [])
    pages = [(block, [line for line in lines if not _inside_code(line, block.page, codes)]) for block, lines in pages]
    first, lines = pages[0]
    picture = reading.scratch / str(first.picture)
    attributes |= _faces(picture, reading.settings)
    description = build_describer(reading.settings, reading.counted).describe(picture, lines=lines, facts=attributes)
    attributes["description"] = description.as_json()
    sure = [line.confidence for _, read in pages for line in read]
    if sure:
        attributes["text_confidence"] = round(sum(sure) / len(sure), 3)
    remarks = [description.remark] if description.remark else []
    waits = remarks if description.waits else []
    repairs = [*found.repairs, *([] if waits else remarks)]
    if reader is None:
        repairs.append("the text in it was not recognised: text recognition is switched off")
    blocks = [Block(_description_text(description), kind_of_description(description))]
    blocks += [with_lines(replace(block, picture=None), read) for block, read in pages]
    if description.visible_text and not any(read for _, read in pages):
        blocks.append(Block("\n".join(description.visible_text), "image"))
    blocks += [_code_block(code) for code in codes]
    title = found.title or _title(description, lines)
    kept = [block for block in blocks if block.text]
    waits = [*found.waits, *waits]
    return replace(found, blocks=kept, title=title, repairs=repairs, attributes=attributes, waits=waits)


def describe_image(path: Path, settings: Settings) -> tuple[str, Description]:
    """Return the text of an image file and its description, for a question that includes a picture.

    The file is decoded in the sandbox.

    Raises:
        BadInputError: if it is not a picture in a supported format.
        BrainError: as `describe`.
    """
    detected = detect_format(path)
    if detected not in FORMATS or detected.read is None:
        raise BadInputError(f"it is {detected.label}, which is not read as a picture")
    with TemporaryDirectory() as scratch:
        reading = Reading(settings, Path(scratch))
        found = describe(detected.read(path, settings.limits, reading.scratch), reading)
    text, _, _ = join_blocks(found.blocks)
    return text, Description.model_validate(found.attributes["description"])


def description_config(settings: Settings) -> list[Any]:
    """Return the settings that the text of an image depends on."""
    vision = settings.vision
    model = [vision.model, vision.base_url] if vision.provider == "openai" else []
    counted = has_face_finder(settings.models_dir)
    return [*picture_config(settings), vision.provider, *model, counted]


def _faces(picture: Path, settings: Settings) -> dict[str, Any]:
    """Return the estimated number of faces; None and the reason if face detection did not run."""
    finder = build_face_finder(settings.models_dir)
    if finder is None:
        return {"faces": None, "faces_remark": f"not looked for; run: brain models pull {FACES}"}
    faces = finder.find(picture)
    boxes = [{"box": list(face.box), "confidence": face.confidence} for face in faces]
    return {"faces": {"count": len(faces), "estimate": True, "found": boxes}}


def kind_of_description(description: Description) -> str:
    """Return the kind of the block with a description: sentences about measured properties are our own."""
    return "generated" if description.describer == LOCAL else "described"


def _description_text(description: Description) -> str:
    text = description.description.strip()
    if description.describer == LOCAL or not description.context:
        return text
    return f"{text}\n\n{description.context.strip()}"


def _inside_code(line: TextLine, page: int | None, codes: Sequence[dict[str, Any]]) -> bool:
    """Return whether a line lies inside a code, whose dots OCR mistakes for letters."""
    x, y = (line.box[0] + line.box[2]) / 2, (line.box[1] + line.box[3]) / 2
    boxes = [code["box"] for code in codes if code.get("page", 1) == (page or 1)]
    return any(left < x < right and top < y < bottom for left, top, right, bottom in boxes)


def _code_block(code: dict[str, Any]) -> Block:
    left, top, right, bottom = code["box"]
    lead = f"{code['format']}: "
    text = lead + code["text"]
    anchor = Anchor(len(lead), len(text), page=code.get("page"), box=(left, top, right, bottom))
    return Block(text, "barcode", page=code.get("page"), box=(left, top, right, bottom), anchors=(anchor,))


def _title(description: Description, lines: Sequence[TextLine]) -> str:
    """Return the first sentence of a model's description, else the largest line of text; "" for the file's name."""
    if description.describer != LOCAL:
        sentence = description.description.split(". ", 1)[0].strip().rstrip(".")
        return sentence if len(sentence) <= TITLE_CHARS else sentence[:TITLE_CHARS].rsplit(" ", 1)[0] + " …"
    fit = [line for line in lines if line.confidence >= MIN_TITLE_CONFIDENCE and _could_be_title(line.text)]
    if not fit:
        return ""
    height = max(line.box[3] - line.box[1] for line in fit)
    return next(line.text for line in fit if line.box[3] - line.box[1] >= 0.75 * height)


def _could_be_title(text: str) -> bool:
    return 4 <= len(text) <= TITLE_CHARS and sum(char.isalpha() for char in text) * 2 > len(text)
