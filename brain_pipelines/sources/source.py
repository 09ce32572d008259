"""What a source type is. Variation between sources is a field here, never a subclass and never a name elsewhere."""

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

    `locate` peeks at a landed file, cheaply and bounded, never raising for bad content; `read` turns the RAW row of
    an item and the path of its blob into text, or raises BadInputError with the reason for its quarantine. Times
    without an offset are meant in the user's time zone. `text_config` returns what of the settings the text depends
    on beyond limits and time zone: a change re-reads this source and no other.

    The fields from `usual_for` on say which files are of this type when the sender does not: those of some formats;
    of them, those with a name like `named` take precedence over the type `instead_of`; JSON values whose "type" is
    one of `json_types`; and files that it `claims` by their format and their first 64 kB.
    """

    name: str
    description: str
    suffixes: tuple[str, ...]
    formats: tuple[str, ...]
    locate: Callable[[Delivery, tzinfo, Limits], list[Item]]
    read: Callable[[dict[str, Any], Path, Reading], ReadResult]
    chunking: ChunkingConfig
    chunking_by_format: Mapping[str, ChunkingConfig] = field(default_factory=dict)  # where a format wants another
    trust: str = "own"
    text_config: Callable[[Settings], Any] = lambda settings: []
    aliases: tuple[str, ...] = ()  # names that other systems use for it
    own_voice: bool = False  # "I" is the user, unless the text names another speaker
    extract_locally: bool = False  # its texts say themselves what they mean: no chat model is asked to extract them
    writes_notes: bool = False  # its texts hold notes on entities, and decisions which entities are one
    usual_for: tuple[str, ...] = ()
    named: re.Pattern[str] | None = None
    instead_of: str = ""
    json_types: tuple[str, ...] = ()
    claims: Callable[[Path, str, bytes], bool] | None = None
