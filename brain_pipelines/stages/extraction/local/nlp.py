"""The spaCy parser: loaded once in a process and run over blocks in batches. Extraction rules are elsewhere."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from threading import RLock
from typing import TYPE_CHECKING

from brain_pipelines.stages.extraction.local.blocks import Block
from brain_retrieval.errors import ModelMissingError
from brain_retrieval.models.lean_spacy import import_spacy
from brain_retrieval.models.weights.first_use import parser_directory
from brain_retrieval.settings import NlpSettings

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

DEFAULT_MODEL = NlpSettings().model
# Batches may cross documents: with spaCy's own matrix product (CPU, blis) a parse does not depend on the rest of its
# batch; a test compares the rows.
BATCH_SIZE = 32
_ONE_AT_A_TIME = RLock()
_LOADING = RLock()  # a server loads in one thread what requests need in others: a half-imported library has no names


def load_model(name: str = DEFAULT_MODEL) -> "Language":
    """Return the spaCy pipeline of a known model, a directory or an installed package; cached in the process.

    Raises:
        ModelMissingError: if there is no such model, directory or package.
    """
    with _LOADING:
        return _loaded(name)


@lru_cache(maxsize=2)
def _loaded(name: str) -> "Language":
    try:
        return import_spacy().load(parser_directory(name))
    except OSError as error:
        raise ModelMissingError(f"spaCy model {name!r} is not installed: pip install {name}") from error


def parse(blocks: Sequence[Block], model: str = DEFAULT_MODEL) -> "Iterator[tuple[Block, Doc]]":
    """Yield each block with its parse, in order. Use inside `scope`, which frees the memory of the parses."""
    docs = load_model(model).pipe((block.text for block in blocks), batch_size=BATCH_SIZE)
    return zip(blocks, docs, strict=True)


@contextmanager
def scope(model: str = DEFAULT_MODEL) -> Iterator[None]:
    """A context whose parses are invalid after it ends; without it the vocabulary grows with each text.

    Other threads wait for its end: it frees the strings of every parse of the process since it began. A server extracts
    for several users side by side.
    """
    with _ONE_AT_A_TIME, load_model(model).memory_zone():
        yield
