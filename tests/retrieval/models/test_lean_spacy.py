"""spaCy is imported without its command line, and works; the command line is there for who asks for it."""

import subprocess
import sys
from pathlib import Path

from tests.paths import ROOT

CODE = """
import sys
from brain_retrieval.models.lean_spacy import import_spacy
spacy = import_spacy()
print("weasel" in sys.modules, [name for name in sys.modules if name.startswith("spacy.cli")])
print([token.text for token in spacy.blank("en")("Two words")], spacy is import_spacy())
print(spacy.info(silent=True)["spacy_version"] == spacy.__version__)  # the function that the import is for
import spacy.cli
print(spacy.cli.download.__module__, "weasel" in sys.modules)
"""


def test_the_command_line_of_spacy_is_loaded_when_it_is_used() -> None:
    command = [sys.executable, "-W", "ignore", "-c", CODE]
    result = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(ROOT))
    assert result.stdout.splitlines() == ["False []", "['Two', 'words'] True", "True", "spacy.cli.download True"]
