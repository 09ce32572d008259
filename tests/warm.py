"""What most processes of the tests load, loaded once before they are forked.

Nothing here may start a thread: a forked process has only the thread that forked it. So LanceDB and the embedding model
are not here.
"""

import importlib
from contextlib import suppress

from brain_retrieval.errors import ModelMissingError

MODULES = ("duckdb", "hypothesis.strategies", "spacy", "trafilatura")
TEXT = "Bob works at Acme in Berlin since 2 March. I moved to Lisbon because my sister Ana lives there."


def load() -> None:
    """Load libraries, the models of languages and of sentences, and the word lists that the extraction reads."""
    from brain_pipelines.stages.extractions_local import extract_documents
    from brain_pipelines.stages.text import language_of
    from tests.pipelines.stages.extraction.local.documents import document

    for name in MODULES:
        importlib.import_module(name)
    with suppress(ModelMissingError):  # tests that need it say so
        list(extract_documents([document(TEXT)]))
        language_of(TEXT)
