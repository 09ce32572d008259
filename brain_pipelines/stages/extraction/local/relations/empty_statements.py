"""Words that make a clause say nothing that can be known: empty nouns, phrases that are a verb in disguise, praise.

"It made a difference", "we had a blast" and "that's awesome" are a large part of what people say to each other, and
none of it is about anything. How sentences are read is in `triples.py`; here are the lists, from reading conversations.
"""

from brain_pipelines.stages.extraction.lexicons import LEXICONS

_WORDS = LEXICONS.read("empty_statements")

# Nouns that say nothing without what they refer to.
EMPTY = _WORDS.words("empty")
# As a subject they are everybody and any time.
ANYBODY = _WORDS.words("anybody")
# With these verbs the noun carries no meaning of its own.
_PHRASES = {verb: frozenset(nouns.split()) for verb, nouns in _WORDS.table("phrases").items()}
# What somebody thinks of it, not how it is.
_PRAISE = _WORDS.words("praise")
# No topic either, however often it is said.
HOLLOW = EMPTY | ANYBODY | _PRAISE | _WORDS.words("hollow")


def says_nothing(subject: str, predicate: str, obj: str, *, is_quality: bool) -> bool:
    """Tell whether a fact is empty. `is_quality`: the object is an adjective, not a name or a noun."""
    subject, obj = subject.lower(), obj.lower()
    if subject in EMPTY or subject in ANYBODY or obj in EMPTY:
        return True
    if is_quality and predicate.partition(" ")[0] in ("be", "become", "remain") and obj in _PRAISE:
        return True
    return obj.rpartition(" ")[2] in _PHRASES.get(predicate, ())
