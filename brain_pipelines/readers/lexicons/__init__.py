"""Word lists of the readers as data, a folder for each language, in the format of brain_retrieval.language."""

from pathlib import Path

from brain_retrieval.language.lexicon import Lexicons

LEXICONS = Lexicons(Path(__file__).parent)
