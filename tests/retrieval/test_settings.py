"""Settings: where a value comes from, and that every mistake is named without showing a value."""

import sys
from datetime import date
from pathlib import Path

import pytest

from brain_retrieval.errors import InvalidSettingsError
from brain_retrieval.settings import ChunkingConfig, EmbeddingSettings, RetrievalSettings, Settings, load_settings


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    for name in [name for name in os.environ if name.upper().startswith("BRAIN_")]:
        monkeypatch.delenv(name)


def write(home: Path, text: str) -> Path:
    (home / "brain.toml").write_text(text, encoding="utf-8")
    return home


def test_defaults(tmp_path: Path) -> None:
    settings = load_settings(tmp_path)
    assert settings == load_settings() == Settings()
    assert (settings.embedding.provider, settings.embedding.model) == ("onnx", "minilm-int8")
    assert (settings.time_zone, settings.first_day, settings.partition_budget) == ("UTC", date(2024, 1, 1), 100_000)
    assert settings.models_dir.name == "models"


def test_environment_over_file_over_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "time_zone = 'Europe/Berlin'\n[embedding]\nmodel = 'from-file'\nbatch_size = 4\n[retrieval]\nk = 3")
    monkeypatch.setenv("BRAIN_EMBEDDING__MODEL", "from-environment")
    monkeypatch.setenv("BRAIN_LIMITS__MAX_PAGES", "7")
    settings = load_settings(tmp_path)
    assert settings.embedding == EmbeddingSettings(model="from-environment", batch_size=4)
    assert (settings.retrieval.k, settings.limits.max_pages, settings.zone.key) == (3, 7, "Europe/Berlin")


def test_a_plain_variable_is_read_without_the_library_for_nested_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_settings", None)  # importing it fails
    for name, value in (("OFFLINE", "1"), ("models_dir", "~/m"), ("PARTITION_BUDGET", "9"), ("TIME_ZONE", "UTC")):
        monkeypatch.setenv(f"BRAIN_{name}", value)
    found = load_settings(tmp_path)
    assert (found.offline, found.models_dir, found.partition_budget) == (True, Path.home() / "m", 9)
    assert Settings(partition_budget=8).partition_budget == 8  # what is given comes first
    monkeypatch.setenv("BRAIN_RETRIEVAL__K", "4")
    with pytest.raises(ImportError):
        load_settings(tmp_path)
    monkeypatch.undo()
    monkeypatch.setenv("BRAIN_RETRIEVAL", '{"k": 4}')
    assert load_settings(tmp_path).retrieval.k == 4


def test_chunking_of_one_source_changes_only_what_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "[chunking.note]\noverlap = 3")
    monkeypatch.setenv("BRAIN_CHUNKING__NOTE__MAX_SIZE", "30")
    settings = load_settings(tmp_path)
    preset = ChunkingConfig(strategy="semantic", max_size=512, overlap=50)
    assert settings.chunking_for("note", preset) == ChunkingConfig(strategy="semantic", max_size=30, overlap=3)
    assert settings.chunking_for("document", preset) is preset


def test_a_chunking_change_that_does_not_fit_the_preset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_CHUNKING__NOTE__MAX_SIZE", "30")
    with pytest.raises(InvalidSettingsError, match=r"chunking\.note: overlap \(50\) must be smaller"):
        load_settings(tmp_path).chunking_for("note", ChunkingConfig(overlap=50))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("BRAIN_EMBEDING__MODEL", "x", "BRAIN_EMBEDING__MODEL is not a setting; did you mean 'embedding'"),
        ("BRAIN_EMBEDDING__MODLE", "x", "embedding.modle: unknown key; did you mean 'model'"),
        ("BRAIN_CHUNKING__NOTE__SIZE", "9", "chunking.note.size: unknown key"),
        ("BRAIN_EMBEDDING", "{", "embedding"),
        ("BRAIN_EMBEDDING__PROVIDER", "secret-value", "embedding.provider"),
        ("BRAIN_EMBEDDING__API_KEY__X", "secret-value", "embedding.api_key"),
        ("BRAIN_FIRST_DAY", "secret-value", "first_day"),
        ("BRAIN_TIME_ZONE", "Mars", "time_zone: 'Mars' is not an IANA time zone"),
        ("BRAIN_RETRIEVAL__K", "0", "retrieval.k"),
    ],
)
def test_a_wrong_variable_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(InvalidSettingsError) as caught:
        load_settings(tmp_path)
    assert message in str(caught.value)
    assert "secret-value" not in str(caught.value)


@pytest.mark.parametrize("name", ["BRAIN_HOME", "BRAIN_USER", "BRAIN_TEST_ANYTHING", "BRAIN_BENCH_ROWS", "BRAINSTORM"])
def test_unrelated_environment_variables_are_ignored(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "x")
    assert load_settings() == Settings()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tme_zone = 'UTC'", "tme_zone: unknown key; did you mean 'time_zone'"),
        ("[embedding]\nmax = 1", "embedding.max: unknown key"),
        ("[[[", "cannot read"),
        ("embedding = 3", "embedding"),
        ("[retrieval.judge]\nprovider = 'x'", "retrieval.judge.provider: unknown key"),
        ("[llm]\nbase_url = 'localhost:8080/v1'", "llm.base_url: must begin with http:// or https://"),
        ("[speech]\nbase_url = ''", "speech.base_url: must begin with http:// or https://"),
        ("[llm]\nmodel = ' '\n[extraction]\nprovider = 'llm'", "neither llm.model nor llm.extraction.model"),
    ],
)
def test_a_wrong_file_is_explained(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InvalidSettingsError) as caught:
        load_settings(write(tmp_path, text))
    assert message in str(caught.value)
    assert "did you mean 'provider'" not in str(caught.value)  # the key itself


def test_the_key_is_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_EMBEDDING__API_KEY", "sk-secret")
    settings = load_settings(tmp_path)
    assert settings.embedding.api_key is not None
    assert settings.embedding.api_key.get_secret_value() == "sk-secret"
    assert "sk-secret" not in f"{settings!r} {settings.model_dump_json()}"


@pytest.mark.parametrize(
    "values", [{"overlap": 512}, {"min_size": 513}, {"max_size": 0}, {"unit": "words"}, {"strategy": "x"}, {"size": 3}]
)
def test_chunking_sizes_that_make_no_sense(values: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        ChunkingConfig(**values)


def test_sections_are_values() -> None:
    assert hash(EmbeddingSettings(api_key="k")) == hash(EmbeddingSettings(api_key="k"))
    with pytest.raises(ValueError, match="frozen"):
        ChunkingConfig().max_size = 3
    with pytest.raises(ValueError, match="must not both be 0"):
        RetrievalSettings(vector_weight=0, lexical_weight=0)


def test_unrelated_environment_variable_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_SURGERY_SCHEDULE", "monday")
    assert load_settings(tmp_path) == load_settings(None)


TASKS = """
[llm]
model = "m1"
input_price = 1
output_price = 2
reasoning_effort = "low"
[llm.summaries]
reasoning_effort = "high"
[llm.enrichment]
model = "m2"
output_price = 9
"""


def test_a_task_takes_what_it_does_not_set_from_the_model_of_all(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("BRAIN_LLM__EXTRACTION__INPUT_PRICE", "7")
    llm = load_settings(write(tmp_path, TASKS)).llm
    found = {task: llm.for_task(task) for task in ("extraction", "summaries", "enrichment")}
    shown = {k: (v.model, v.input_price, v.output_price, v.reasoning_effort) for k, v in found.items()}
    assert shown == {
        "extraction": ("m1", 7, 2, "low"),
        "summaries": ("m1", 1, 2, "high"),
        "enrichment": ("m2", None, 9, "low"),  # the price of another model would be wrong
    }
    assert found["extraction"] == found["extraction"].for_task("summaries")


@pytest.mark.parametrize("section", ["vision", "speech", "embedding"])
def test_a_remote_model_has_to_be_named(tmp_path: Path, section: str) -> None:
    (tmp_path / "brain.toml").write_text(f"[{section}]\nprovider = 'openai'")
    with pytest.raises(
        InvalidSettingsError, match=f"{section}.provider is 'openai', but {section}.model does not name"
    ):
        load_settings(tmp_path)
    (tmp_path / "brain.toml").write_text(f"[{section}]\nprovider = 'openai'\nmodel = 'm1'")
    assert load_settings(tmp_path)


def test_a_budget_in_money_needs_the_prices_of_what_it_limits(tmp_path: Path) -> None:
    text = "[speech]\nprovider = 'openai'\nmodel = 's1'\n[extraction]\nprovider = 'llm'\n[llm]\nmodel = 'm1'\n"
    (tmp_path / "brain.toml").write_text(f"{text}[costs]\nmonthly_budget = 5")
    with pytest.raises(InvalidSettingsError, match=r"cannot limit extraction, .*speech.*llm.input_price.*minute_price"):
        load_settings(tmp_path)
    (tmp_path / "brain.toml").write_text(f"{text}[costs]\nmonthly_budget = 5\nmonthly_tokens = 1000")
    assert load_settings(tmp_path)
    priced = text.replace("model = 's1'", "model = 's1'\nminute_price = 0.006") + "input_price = 0\n"
    (tmp_path / "brain.toml").write_text(f"{priced}[costs]\nmonthly_budget = 5")
    with pytest.raises(InvalidSettingsError, match=r"cannot limit extraction, .*output_price"):
        load_settings(tmp_path)  # what is answered would be spent without being counted
    priced += "output_price = 0\n"
    (tmp_path / "brain.toml").write_text(f"{priced}[costs]\nmonthly_budget = 5")
    assert load_settings(tmp_path)


def test_a_budget_in_money_needs_the_price_of_written_answers(tmp_path: Path) -> None:
    text = "[costs]\nmonthly_budget = 5\n[llm]\nmodel = 'm1'\n"
    with pytest.raises(InvalidSettingsError, match=r"cannot limit answers of `brain ask`.*llm.input_price"):
        load_settings(write(tmp_path, text))
    assert load_settings(write(tmp_path, f"{text}input_price = 0.1\noutput_price = 0.4\n"))


@pytest.mark.parametrize(
    ("section", "key", "task"),
    [
        ("[extraction]\nprovider = 'llm'", "extraction.provider", "extraction"),
        ("[enrichment]\nprovider = 'llm'", "enrichment.provider", "enrichment"),
        ("[memory]\nsummaries = 'llm'", "memory.summaries", "summaries"),
    ],
)
def test_a_tier_without_a_model_is_an_error(tmp_path: Path, section: str, key: str, task: str) -> None:
    with pytest.raises(InvalidSettingsError, match=f"{key} is 'llm', but neither llm.model nor llm.{task}.model"):
        load_settings(write(tmp_path, section))
    load_settings(write(tmp_path, f"{section}\n[llm.{task}]\nmodel = 'm1'"))
