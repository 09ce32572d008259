"""Words beside personal data, by language; see `brain_retrieval.language.lexicon`."""

from pathlib import Path

from brain_retrieval.language.lexicon import Lexicons

LEXICONS = Lexicons(Path(__file__).parent)
