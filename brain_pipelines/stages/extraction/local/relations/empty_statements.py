"""Filter for uninformative facts: empty nouns, light-verb phrases ("had a blast") and praise ("that's awesome").

Such statements are frequent in conversations. The word lists were collected from conversations; `triples.py` extracts
the facts.
"""

from brain_pipelines.stages.extraction.lexicons import LEXICONS

_WORDS = LEXICONS.read("empty_statements")

# Nouns without meaning of their own, such as "thing".
EMPTY = _WORDS.words("empty")
# Subjects with generic reference: everyone, anything, any time.
ANYBODY = _WORDS.words("anybody")
# Light-verb phrases: nouns that are uninformative as the object of these verbs.
_PHRASES = {verb: frozenset(nouns.split()) for verb, nouns in _WORDS.table("phrases").items()}
# Evaluative adjectives: an opinion, not a property.
_PRAISE = _WORDS.words("praise")
# Words that are not topics, however frequent.
HOLLOW = EMPTY | ANYBODY | _PRAISE | _WORDS.words("hollow")


def says_nothing(subject: str, predicate: str, obj: str, *, is_quality: bool) -> bool:
    """Return whether a fact is uninformative. `is_quality`: the object is an adjective, not a name or a noun."""
    subject, obj = subject.lower(), obj.lower()
    if subject in EMPTY or subject in ANYBODY or obj in EMPTY:
        return True
    if is_quality and predicate.partition(" ")[0] in ("be", "become", "remain") and obj in _PRAISE:
        return True
    return obj.rpartition(" ")[2] in _PHRASES.get(predicate, ())
