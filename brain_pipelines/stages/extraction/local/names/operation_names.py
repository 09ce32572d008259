"""Type of a name, and lemma form of a relationship type, given without a sentence around them."""

from functools import lru_cache

from brain_pipelines.stages.extraction.local.names.gazetteers import given_names
from brain_pipelines.stages.extraction.local.names.mention import MODEL
from brain_pipelines.stages.extraction.local.names.turns import Turn
from brain_pipelines.stages.extraction.local.nlp import DEFAULT_MODEL, load_model, scope
from brain_pipelines.stages.extraction.local.parse_facts import TextToRead, read_texts
from brain_retrieval.knowledge.vocabulary import entity_class
from brain_retrieval.language.folding import fold


@lru_cache(maxsize=1024)
def type_of_name(name: str, wanted: str | None = None) -> str:
    """Return the entity type of a name that stands alone, of the class `wanted` if one is given.

    The name is parsed in a carrier sentence. Without a result, a name that begins with a given name is a person, a
    capitalised one an organisation, and any other a concept.
    """
    if wanted in ("Person", "Concept"):
        return wanted
    guessed = _guess(name)
    return guessed if wanted is None or entity_class(guessed) == wanted else "Organization"


def _guess(name: str) -> str:
    before = "I heard about "
    sentence = f"{before}{name} yesterday."
    (reading,) = read_texts([TextToRead(sentence, [Turn(0, len(sentence))])], DEFAULT_MODEL)
    whole = (len(before), len(before) + len(name))
    said = [m for m in reading.mentions if (m.start, m.end) == whole]
    # The parser labels unknown single words as persons, so that result alone is not used.
    if said and not (said[0].type == "Person" and said[0].confidence <= MODEL and " " not in name):
        return said[0].type
    if name.split(" ")[0] in given_names():
        return "Person"
    return "Organization" if name != name.lower() else "Concept"


@lru_cache(maxsize=1024)
def predicate_of(relationship_type: str) -> str:
    """Return a relationship type as a predicate with its verbs in lemma form ("work on").

    >>> predicate_of("works_on")  # doctest: +SKIP
    'work on'
    """
    said = fold(relationship_type.replace("_", " "))
    with scope(DEFAULT_MODEL):
        doc = load_model(DEFAULT_MODEL)(f"She {said} it.")
        return " ".join(t.lemma_ if t.tag_ in ("VB", "VBP", "VBZ") else t.text for t in doc[1:-2])
