"""Token counters: the embedder's tokenizer, or an estimate by characters. Chunking is done elsewhere."""

from collections.abc import Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Protocol

from brain_retrieval.errors import ModelMissingError
from brain_retrieval.home import default_home
from brain_retrieval.models.weights.first_use import obtain
from brain_retrieval.models.weights.manifest import find_entry
from brain_retrieval.models.weights.weights import sha256_of
from brain_retrieval.settings import EmbeddingSettings, load_settings

DEFAULT_TOKENIZER = "minilm-tokenizer"
APPROXIMATE = "approximate"
# One encoding of a 20 MB text would hold some 5 million tokens with names and offsets, about a gigabyte.
BLOCK_CHARS = 200_000


class TokenCounter(Protocol):
    """Counts the tokens of a text and returns their spans.

    `approximate` is True when the counts are an estimate. `name` must be part of a configuration hash,
    because another tokenizer gives other chunks.
    """

    name: str
    approximate: bool

    def count(self, text: str) -> int:
        """Return the number of tokens, without special tokens; 0 for an empty text."""
        ...

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return the half-open character span of each token in `text`, in order."""
        ...


class FileTokenizer:
    """A `tokenizer.json` in the format of Hugging Face `tokenizers`."""

    approximate = False

    def __init__(self, path: Path, *, name: str) -> None:
        self.name, self._path = name, path

    @cached_property
    def _tokenizer(self) -> Any:  # read when it counts: comparing versions asks for the name alone
        return read_tokenizer(self._path)

    def count(self, text: str) -> int:
        return sum(len(self._encode(block).ids) for _, block in _blocks(text))

    def spans(self, text: str) -> list[tuple[int, int]]:
        return [
            (offset + start, offset + end)
            for offset, block in _blocks(text)
            for start, end in self._encode(block).offsets
        ]

    def _encode(self, text: str) -> Any:
        return self._tokenizer.encode(text, add_special_tokens=False)


class ApproximateCounter:
    """Estimate of four characters per token, for remote models without a local tokenizer."""

    name = "approximate-4"
    approximate = True

    def count(self, text: str) -> int:
        return -(-len(text) // 4)

    def spans(self, text: str) -> list[tuple[int, int]]:
        return [(start, min(start + 4, len(text))) for start in range(0, len(text), 4)]


def read_tokenizer(path: Path, *, max_tokens: int | None = None) -> Any:
    """Return a `tokenizers.Tokenizer` without padding, cut at `max_tokens` (special tokens included) or not at all.

    Tokenizer files often configure padding to 128 and truncation, which would falsify counts.

    Raises:
        ModelMissingError: if the file is absent or is not a tokenizer.
    """
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the binding raises bare Exception
        raise ModelMissingError(f"cannot read the tokenizer {path}: {error}") from None
    tokenizer.no_padding()
    tokenizer.no_truncation()
    if max_tokens is not None:
        tokenizer.enable_truncation(max_tokens)
    return tokenizer


def build_tokenizer(settings: EmbeddingSettings, *, models_dir: Path | None = None) -> TokenCounter:
    """Return the counter for these settings, cached. `models_dir` None: the one of the process's settings.

    `settings.tokenizer` decides; if unset, a local model uses its own and a remote one the default tokenizer, so
    that changing to a remote model does not change the chunks.

    Raises:
        ModelMissingError: if its file is not on this machine.
    """
    choice = settings.tokenizer or _own_tokenizer(settings)
    if choice == APPROXIMATE:
        return ApproximateCounter()
    return _file_tokenizer(choice, models_dir or load_settings(default_home()).models_dir)


def _own_tokenizer(settings: EmbeddingSettings) -> str:
    if settings.provider != "onnx":
        return DEFAULT_TOKENIZER
    if Path(settings.model).expanduser().is_dir():
        return settings.model
    return find_entry(settings.model).tokenizer or DEFAULT_TOKENIZER


@lru_cache(maxsize=4)
def _file_tokenizer(choice: str, models_dir: Path) -> TokenCounter:
    directory = Path(choice).expanduser()
    if directory.is_dir():
        path = directory / "tokenizer.json"
        if not path.is_file():
            raise ModelMissingError(f"{path} is missing")
        # Directories may have the same name, so the counter's name includes a hash of the file.
        return FileTokenizer(path, name=f"{directory.resolve().name}-{sha256_of(path)[:8]}")
    return FileTokenizer(obtain(find_entry(choice), models_dir)["tokenizer.json"], name=choice)


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    # Split before white space, across which none of the supported tokenizers joins characters.
    start = 0
    while len(text) - start > BLOCK_CHARS:
        end = start + BLOCK_CHARS
        cut = max(text.rfind(mark, start + 1, end) for mark in (" ", "\n"))
        end = cut if cut > start else end
        yield start, text[start:end]
        start = end
    yield start, text[start:]
