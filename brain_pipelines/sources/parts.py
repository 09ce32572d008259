"""Reading of a part of another file, such as an attachment or a page of an archive, by the part's own format."""

from pathlib import Path
from typing import Any

from brain_pipelines.readers.contract import Reading, ReadResult
from brain_pipelines.readers.image.describe_image import description_config
from brain_pipelines.readers.registry import readers_of
from brain_pipelines.sources import voice_memo
from brain_pipelines.sources.result import read_whole
from brain_retrieval.settings import Settings


def parts_config(settings: Settings) -> Any:
    """Return the settings that the text of a part of any format may depend on."""
    return [description_config(settings), voice_memo.text_config(settings)]


def read_part(raw_row: dict[str, Any], path: Path, reading: Reading, source: str) -> ReadResult:
    """Return the text of a part as the source of its format would read it.

    Raises:
        BadInputError: if no reader supports its format, or the reader refuses it.
    """
    return read_whole(raw_row, path, reading, readers=readers_of(), source=source)
