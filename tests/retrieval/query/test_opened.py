"""What is known is read without the libraries behind `search`, which are loaded when something is searched."""

import subprocess
import sys
from pathlib import Path

from brain_retrieval import Brain
from brain_retrieval.home import Home
from tests.paths import ROOT

CODE = """
import sys
from brain_retrieval import Brain
with Brain.open(sys.argv[1], user="alice") as brain:
    print(brain.knowledge().memories(), brain.sql("SELECT count(*) AS n FROM sources").to_pylist())
print(sorted({"brain_retrieval.query.searcher", "lancedb", "onnxruntime", "tokenizers"} & set(sys.modules)))
"""


def test_what_is_known_is_read_without_the_search(tmp_path: Path) -> None:
    Home(tmp_path).space("alice").root.mkdir(parents=True)
    command = [sys.executable, "-W", "ignore", "-c", CODE, str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(ROOT))
    assert result.stdout.splitlines() == ["[] [{'n': 0}]", "[]"]


def test_a_closed_home_is_opened_again_by_the_next_question(tmp_path: Path) -> None:
    Home(tmp_path).space("alice").root.mkdir(parents=True)
    brain = Brain.open(tmp_path, user="alice")
    brain.close()
    for _ in range(2):
        assert list(brain.search("a plan", log=False)) == []
        brain.close()
