"""A change of the code behind a stage raises its version, or says why the rows stay the same."""

import ast
from pathlib import Path

import pytest

from tests.stage_versions import changed, closure, current, data_files, locked, normalised

HINT = "raise code_version and run `python -m tests.stage_versions --lock`; if the rows stay the same, `--same REASON`"


def test_the_code_of_every_stage_is_the_locked_one() -> None:
    now, before = current(), locked()
    assert changed(now, before) == [], HINT
    assert {name: one.version for name, one in now.items()} == {name: one.version for name, one in before.items()}, HINT


def test_what_a_stage_reaches_only_through_other_modules_counts() -> None:
    reached = closure({"brain_pipelines.stages.extractions"})
    assert any(name.startswith("brain_pipelines.stages.extraction.local.time.") for name in reached)
    assert not any(name.startswith("brain_retrieval.stores.") for name in reached)


def test_word_lists_count_for_the_stages_that_read_them() -> None:
    def lists(stage: str) -> set[str]:
        return {path.name for path in data_files(closure({f"brain_pipelines.stages.{stage}"}))}

    assert "prose.toml" in lists("extractions")
    assert "prose.toml" not in lists("raw")


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ('"""Says this."""\nA = 1\n', '"""Says that."""\n# why\nA = 1\n', True),
        ("from a import f\nf(1)\n", "from b import f\nf(1)\n", True),
        ("def f(a: int) -> int:\n    return a\n", "def f(a):\n    return a\n", True),
        ("A = 1\n", "A = 2\n", False),
        ("def f(a):\n    return a\n", "def f(a):\n    return a + 1\n", False),
    ],
)
def test_only_what_can_change_a_row_counts(tmp_path: Path, before: str, after: str, same: bool) -> None:
    texts = []
    for text in (before, after):
        path = tmp_path / "module.py"
        path.write_text(text)
        ast.parse(text)
        texts.append(normalised(path))
    assert (texts[0] == texts[1]) is same
