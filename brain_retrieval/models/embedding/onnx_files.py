"""The files of an ONNX embedder: from an entry of the manifest, or from a directory in sentence-transformers layout."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brain_retrieval.errors import InvalidSettingsError, ModelMissingError
from brain_retrieval.ids import stable_hash
from brain_retrieval.models.weights.first_use import obtain
from brain_retrieval.models.weights.manifest import find_entry
from brain_retrieval.models.weights.weights import sha256_of
from brain_retrieval.settings import EmbeddingSettings

MAX_TOKENS = 256


@dataclass(frozen=True)
class Prefixes:
    """What a model expects in front of a question and in front of a text that is searched."""

    question: str = ""
    text: str = ""

    def of(self, questions: bool) -> str:
        """Return the one of questions or of texts."""
        return self.question if questions else self.text

    def hashed(self) -> str:
        """Return four digits of the hash of the one that changes the vectors of texts; nothing without one."""
        return stable_hash(self.text)[:4] if self.text else ""


@dataclass(frozen=True)
class OnnxFiles:
    """The files of one encoder, its name, pooling, maximum length and prefixes."""

    name: str
    model: Path
    tokenizer: Path
    max_tokens: int
    cls_pooling: bool = False
    prefixes: Prefixes = Prefixes()


def find_onnx_files(settings: EmbeddingSettings, models_dir: Path) -> OnnxFiles:
    """Return the files that `settings.model` means: a directory if there is one of that name, else an entry.

    Raises:
        ModelMissingError: files are missing or do not match the manifest.
        InvalidSettingsError: no such entry, an entry of another kind, or a pooling that is not supported.
    """
    directory = Path(settings.model).expanduser()
    # A name without a separator is an entry, even if the working directory has a folder of that name.
    if len(directory.parts) > 1:
        return _from_directory(directory, settings)
    entry = find_entry(settings.model)
    if entry.kind != "embedder" or entry.tokenizer is None:
        raise InvalidSettingsError(f"{entry.name} is a {entry.kind}, not an embedder")
    return OnnxFiles(
        name=entry.name,
        model=obtain(entry, models_dir)["model.onnx"],
        tokenizer=obtain(find_entry(entry.tokenizer), models_dir)["tokenizer.json"],
        max_tokens=settings.max_tokens or entry.max_tokens or MAX_TOKENS,
    )


def _from_directory(directory: Path, settings: EmbeddingSettings) -> OnnxFiles:
    model, tokenizer = directory / "model.onnx", directory / "tokenizer.json"
    for path in (model, tokenizer):
        if not path.is_file():
            raise ModelMissingError(f"{path} is missing; a model directory holds model.onnx and tokenizer.json")
    pooling = _read_json(directory / "1_Pooling" / "config.json")
    modes = {key.removeprefix("pooling_mode_") for key, on in pooling.items() if on is True} & _POOLING_MODES
    if modes - {"mean_tokens", "cls_token"} or len(modes) > 1:
        raise InvalidSettingsError(f"{directory}: only mean or CLS pooling, not {', '.join(sorted(modes))}")
    limit = _read_json(directory / "sentence_bert_config.json").get("max_seq_length")
    prefixes = _prefixes_of(_read_json(directory / "config_sentence_transformers.json").get("prompts"))
    return OnnxFiles(
        # The name identifies the index, so it includes hashes of what decides the vectors.
        name=f"{directory.resolve().name}-{sha256_of(model)[:8]}{sha256_of(tokenizer)[:4]}{prefixes.hashed()}",
        model=model,
        tokenizer=tokenizer,
        max_tokens=settings.max_tokens or (limit if isinstance(limit, int) else MAX_TOKENS),
        cls_pooling=modes == {"cls_token"},
        prefixes=prefixes,
    )


def _prefixes_of(prompts: Any) -> Prefixes:
    """Return the prefixes of the "prompts" of a sentence-transformers model; its texts are "document" or "passage"."""
    named = {name: text for name, text in prompts.items() if isinstance(text, str)} if isinstance(prompts, dict) else {}
    return Prefixes(named.get("query", ""), named.get("document", named.get("passage", "")))


_POOLING_MODES = {"mean_tokens", "cls_token", "max_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken"}


def _read_json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        value = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise InvalidSettingsError(f"cannot read {path}: {error}") from None
    return value if isinstance(value, dict) else {}
