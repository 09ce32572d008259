"""The `Source` record. Differences between sources are its fields: no subclasses, no tests for names elsewhere."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from pathlib import Path
from typing import Any

from brain_pipelines.readers.contract import Delivery, Item, Reading, ReadResult
from brain_retrieval.settings import ChunkingConfig, Limits, Settings


@dataclass(frozen=True)
class Source:
    """A source type.

    `locate` returns the items of a landed file; it is cheap and bounded, and never raises for bad content. `read` turns
    the RAW row of an item and the path of its blob into text, or raises BadInputError with the reason for its
    quarantine. Times without an offset are in the user's time zone. `text_config` returns the settings that the text
    depends on beyond limits and time zone: if they change, only the items of this source are read again.

    The fields from `usual_for` on select the files of this type when the sender does not state one: those of some
    formats (a name that matches `named` takes precedence over the type `instead_of`), JSON values whose "type" is one
    of `json_types`, and files that `claims` accepts by their format and their first 64 kB.
    """

    name: str
    description: str
    suffixes: tuple[str, ...]
    formats: tuple[str, ...]
    locate: Callable[[Delivery, tzinfo, Limits], list[Item]]
    read: Callable[[dict[str, Any], Path, Reading], ReadResult]
    chunking: ChunkingConfig
    chunking_by_format: Mapping[str, ChunkingConfig] = field(default_factory=dict)  # exceptions by format
    context_type: str = "document"  # the situation its texts come from: conversation, meeting, event, dictation, web, …
    trust: str = "own"
    text_config: Callable[[Settings], Any] = lambda settings: []
    aliases: tuple[str, ...] = ()  # names for it in other systems
    pool: str = ""  # what reading its items occupies on the machine, "ocr" or "speech": runs that do are limited
    own_voice: bool = False  # "I" is the user, unless the text names another speaker
    extract_locally: bool = False  # structured texts: facts are extracted without a chat model
    writes_notes: bool = False  # its items are operations on entities: notes, relationships, merge decisions
    usual_for: tuple[str, ...] = ()
    named: re.Pattern[str] | None = None
    instead_of: str = ""
    json_types: tuple[str, ...] = ()
    claims: Callable[[Path, str, bytes], bool] | None = None
