"""Detection of person and place names with Presidio (extra `pii`) over the installed spaCy model.

Only its name recogniser is used: formatted values are recognised more reliably by `patterns`, which wins on overlap.
ORGANIZATION and DATE_TIME are excluded because they match numbers and abbreviations.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from brain_pipelines.landing.redaction.found import Found, without_overlaps
from brain_pipelines.landing.redaction.patterns import find_patterns
from brain_pipelines.landing.redaction.redactor import Redactor
from brain_retrieval.language.folding import fold
from brain_retrieval.models.weights.first_use import parser_directory

MODEL = "spacy-en-sm"
KINDS = {"PERSON": "PERSON", "LOCATION": "PLACE"}
MIN_SCORE = 0.4
WINDOW_CHARS = 50_000  # characters per call; spaCy refuses texts of a million characters


def find_names(text: str) -> list[Found]:
    """Return the patterns and names found in a text."""
    found: list[Found] = []
    for start in range(0, len(text), WINDOW_CHARS):
        window = text[start : start + WINDOW_CHARS]
        results: Sequence[Any] = _analyzer().analyze(
            text=window, language="en", entities=list(KINDS), score_threshold=MIN_SCORE
        )
        for one in sorted(results, key=lambda r: (r.start, -r.end)):
            value = window[one.start : one.end]
            if any(char.isalpha() for char in value):
                key = fold(value).removesuffix("'s").removesuffix("’s")
                found.append(Found(one.start + start, one.end + start, KINDS[one.entity_type], key))
    return without_overlaps([*find_patterns(text), *found])


@dataclass
class NameRedactor(Redactor):
    """A redactor that treats speakers, authors and participants as persons, whatever the model says."""

    find: Any = field(default=find_names)

    def name(self, name: str) -> str:
        """Return the placeholder of a person; roles and numbered speakers are returned unchanged."""
        if not name or name.casefold().split()[0] in ("user", "assistant", "system", "tool", "speaker"):
            return name
        found = find_patterns(name)
        if found and found[0].end - found[0].start == len(name):
            return self.text(name)
        return self._placeholder(Found(0, len(name), "PERSON", fold(name)))


@cache
def _analyzer() -> Any:
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry  # pyright: ignore[reportMissingImports]
    from presidio_analyzer.nlp_engine import NlpEngineProvider  # pyright: ignore[reportMissingImports]
    from presidio_analyzer.predefined_recognizers import SpacyRecognizer  # pyright: ignore[reportMissingImports]

    models = [{"lang_code": "en", "model_name": parser_directory(MODEL)}]
    engine = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": models}).create_engine()
    registry = RecognizerRegistry(recognizers=[SpacyRecognizer(supported_entities=list(KINDS))])
    return AnalyzerEngine(nlp_engine=engine, registry=registry, supported_languages=["en"])
