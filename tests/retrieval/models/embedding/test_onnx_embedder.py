"""The local embedder: the vectors of the official weights, the same bits in any batch, and any text at all."""

import json
import random
import threading
from pathlib import Path

import numpy as np
import pytest

from brain_retrieval.errors import DimensionMismatchError, InvalidSettingsError, ModelMissingError
from brain_retrieval.models.embedding.build import build_embedder, release_embedders
from brain_retrieval.models.embedding.protocol import CodingEmbedder, Embedder
from brain_retrieval.settings import EmbeddingSettings
from tests.retrieval.models.embedding.reference_bert import REFERENCE

WORDS = "the meeting about migrating our database moved to Tuesday because Alice is travelling to Zürich".split()


@pytest.fixture(scope="module")
def embedder(models_dir: Path) -> Embedder:
    return build_embedder(EmbeddingSettings(), models_dir=models_dir)


def sample_texts(count: int = 24) -> list[str]:
    chooser = random.Random(7)
    lengths = [chooser.choice((0, 1, 2, 3, 8, 8, 8, 20, 60, 300)) for _ in range(count)]
    return [" ".join(chooser.choices(WORDS, k=length)) for length in lengths]


def test_identity_and_shape(embedder: Embedder) -> None:
    assert (embedder.name, embedder.dim, embedder.max_tokens) == ("minilm-int8", 384, 256)
    vectors = embedder.embed(["one", "two", "three"])
    assert vectors.shape == (3, 384)
    assert vectors.dtype == np.float32
    assert embedder.embed([]).shape == (0, 384)


def test_agrees_with_the_official_fp32_weights(embedder: Embedder) -> None:
    reference = json.loads(REFERENCE.read_text("utf-8"))["vectors"]
    cosines = (embedder.embed(list(reference)) * np.array(list(reference.values()))).sum(axis=1)
    assert cosines.min() > 0.999


def test_neighbours_make_sense(embedder: Embedder) -> None:
    dog, puppy, report, figures = embedder.embed(list(json.loads(REFERENCE.read_text("utf-8"))["vectors"])[:4])
    assert dog @ puppy > 0.4 > dog @ report
    assert report @ figures > 0.3 > puppy @ figures


@pytest.mark.parametrize("settings", [{"batch_size": 1}, {"batch_size": 3}, {"batch_size": 64}, {"threads": 2}])
def test_bits_do_not_depend_on_the_batch(embedder: Embedder, models_dir: Path, settings: dict[str, int]) -> None:
    texts = sample_texts()
    other = build_embedder(EmbeddingSettings(**settings), models_dir=models_dir)
    assert np.array_equal(embedder.embed(texts), other.embed(texts))


def test_bits_do_not_depend_on_the_neighbours(embedder: Embedder) -> None:
    texts = sample_texts()
    order = random.Random(1).sample(range(len(texts)), len(texts))
    together = embedder.embed(texts)
    assert np.array_equal(together[order], embedder.embed([texts[row] for row in order]))
    alone = np.vstack([embedder.embed([text]) for text in texts[:12]])
    assert np.array_equal(together[:12], alone)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t",
        "🙂🚀👩‍👩‍👧",
        "x" * 100_000,
        "word " * 50_000,
        "\x00\ufffd",
        "日本語の文章",
        "مرحبا",
        "\u202e\u0301\u0301",
    ],
    ids=["empty", "blank", "emoji", "one-long-word", "long", "control", "japanese", "arabic", "marks"],
)
def test_any_text_gives_a_finite_unit_vector(embedder: Embedder, text: str) -> None:
    (vector,) = embedder.embed([text])
    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_a_text_is_cut_at_256_tokens(embedder: Embedder) -> None:
    # "word" is one token; [CLS] and [SEP] take two of the 256.
    at_limit, beyond, below = embedder.embed(
        ["word " * 254, "word " * 254 + "elephant " * 50, "word " * 253 + "elephant"]
    )
    assert np.array_equal(at_limit, beyond)
    assert not np.array_equal(at_limit, below)


def test_progress_adds_up(embedder: Embedder) -> None:
    done: list[int] = []
    embedder.embed(sample_texts(30), progress=done.append)
    assert sum(done) == 30
    assert len(done) > 1


def test_threads_may_share_one_embedder(embedder: Embedder) -> None:
    texts = sample_texts(12)
    expected = embedder.embed(texts)
    results: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: results.append(embedder.embed(texts))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all(np.array_equal(expected, result) for result in results)


def test_one_object_a_process_until_released(models_dir: Path) -> None:
    settings = EmbeddingSettings(max_tokens=16)
    first = build_embedder(settings, models_dir=models_dir)
    assert build_embedder(EmbeddingSettings(max_tokens=16), models_dir=models_dir) is first
    release_embedders()
    second = build_embedder(settings, models_dir=models_dir)
    assert second is not first
    assert np.array_equal(first.embed(["still works"]), second.embed(["still works"]))


def test_missing_weights_say_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError, match="run: brain models pull minilm-int8"):
        build_embedder(EmbeddingSettings(), models_dir=tmp_path)


def test_missing_tokenizer_says_what_to_run(tmp_path: Path, models_dir: Path) -> None:
    (tmp_path / "minilm-int8").mkdir()
    (tmp_path / "minilm-int8" / "model.onnx").symlink_to(models_dir / "minilm-int8" / "model.onnx")
    with pytest.raises(ModelMissingError, match="run: brain models pull minilm-tokenizer"):
        build_embedder(EmbeddingSettings(), models_dir=tmp_path)


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"model": "no-such-model"}, InvalidSettingsError),
        ({"model": "minilm-tokenizer"}, InvalidSettingsError),
        ({"model": "/no/such/directory"}, ModelMissingError),
        ({"dimensions": 768}, DimensionMismatchError),
    ],
)
def test_settings_that_cannot_be_met(models_dir: Path, settings: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error):
        build_embedder(EmbeddingSettings(**settings), models_dir=models_dir)


@pytest.fixture
def directory(tmp_path: Path, models_dir: Path) -> Path:
    """A directory of the usual layout with the default model's files."""
    folder = tmp_path / "my-model"
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "model.onnx").symlink_to(models_dir / "minilm-int8" / "model.onnx")
    (folder / "tokenizer.json").symlink_to(models_dir / "minilm-tokenizer" / "tokenizer.json")
    return folder


def test_any_directory_will_do(embedder: Embedder, directory: Path, tmp_path: Path) -> None:
    (directory / "sentence_bert_config.json").write_text('{"max_seq_length": 128}')
    own = build_embedder(EmbeddingSettings(model=str(directory)), models_dir=tmp_path)
    assert own.name == "my-model-8199be6fbe50"
    assert (own.dim, own.max_tokens) == (384, 128)
    assert np.array_equal(own.embed(["hello"]), embedder.embed(["hello"]))


def test_a_directory_may_ask_for_cls_pooling(embedder: Embedder, directory: Path, tmp_path: Path) -> None:
    (directory / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    own = build_embedder(EmbeddingSettings(model=str(directory)), models_dir=tmp_path)
    assert not np.allclose(own.embed(["hello"]), embedder.embed(["hello"]), atol=0.01)


def test_a_directory_may_want_questions_and_texts_marked(embedder: Embedder, directory: Path, tmp_path: Path) -> None:
    unmarked = build_embedder(EmbeddingSettings(model=str(directory)), models_dir=tmp_path)
    release_embedders()
    prompts = {"prompts": {"query": "query: ", "document": "passage: ", "clustering": None}}
    (directory / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    own = build_embedder(EmbeddingSettings(model=str(directory)), models_dir=tmp_path)
    assert own.name != unmarked.name  # other vectors, so another index
    assert np.array_equal(own.embed(["Rent of Ana"]), embedder.embed(["passage: Rent of Ana"]))
    assert np.array_equal(own.embed(["rent?"], questions=True), embedder.embed(["query: rent?"]))
    assert isinstance(own, CodingEmbedder)
    vectors, (coded,) = own.embed_coded(["rent of Ana?"], questions=True)
    assert np.array_equal(vectors, embedder.embed(["query: rent of Ana?"]))
    assert coded.words == ("rent", "ana")  # the prefix is no word of the text


def test_prompts_of_another_form_are_none(directory: Path, embedder: Embedder, tmp_path: Path) -> None:
    (directory / "config_sentence_transformers.json").write_text(
        '{"prompts": ["query: "], "similarity_fn_name": "cosine"}'
    )
    own = build_embedder(EmbeddingSettings(model=str(directory)), models_dir=tmp_path)
    assert np.array_equal(own.embed(["rent?"], questions=True), embedder.embed(["rent?"]))


@pytest.mark.parametrize(
    ("file", "content", "error"),
    [
        ("1_Pooling/config.json", '{"pooling_mode_max_tokens": true}', InvalidSettingsError),
        ("1_Pooling/config.json", "{", InvalidSettingsError),
        ("model.onnx", "not a model", ModelMissingError),
        ("tokenizer.json", "{}", ModelMissingError),
        ("tokenizer.json", None, ModelMissingError),
    ],
)
def test_bad_directory_is_rejected(directory: Path, file: str, content: str | None, error: type[Exception]) -> None:
    (directory / file).unlink(missing_ok=True)
    if content is not None:
        (directory / file).write_text(content)
    with pytest.raises(error):
        build_embedder(EmbeddingSettings(model=str(directory)), models_dir=directory)
