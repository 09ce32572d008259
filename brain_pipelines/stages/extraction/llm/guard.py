"""Whether the words of a fact deny it or leave it open, looked up in the text itself: a model that overlooks "not"
must not turn a denial into a fact.

Only words are looked at, so this can set a fact to negated or possible, never back.
"""

import re

from brain_pipelines.stages.extraction.llm.quotes import Quotable

# By language, because "no", "pas" and "nie" mean other things elsewhere; other languages rely on the model.
_NEGATIONS = {
    "en": r"not|n't|never|no|none|nobody|nothing|neither|nor|cannot|cant|dont|doesnt|didnt|isnt|wasnt|wont",
    "de": r"nicht|kein(?:e[nmrs]?)?|nie|niemals|niemand|nichts|weder",
    "fr": r"pas|jamais|aucune?|personne|rien|ni",
    "es": r"no|nunca|jamás|ning[uú]n[oa]?|nadie|nada|tampoco|ni",
    "it": r"non|mai|nessun[oa]?|niente|nulla|né",
    "pt": r"não|nunca|jamais|nenhuma?|ninguém|nada|nem",
    "nl": r"niet|geen|nooit|niemand|niets|noch",
    "ru": r"не|нет|никогда|никто|ничего|ни",
}
_HEDGES = {
    "en": r"(?-i:may)(?= \w)|might|maybe|perhaps|possibly|probably|presumably|supposedly",
    "de": r"vielleicht|möglicherweise|wahrscheinlich|vermutlich|womöglich|eventuell",
    "fr": r"peut-être|probablement|sans doute",
    "es": r"quiz[aá]s?|tal vez|probablemente|a lo mejor",
    "it": r"forse|probabilmente|magari",
    "pt": r"talvez|provavelmente",
    "nl": r"misschien|waarschijnlijk|mogelijk",
    "ru": r"возможно|может быть|наверное|вероятно",
}
# What looks like a denial and is none.
_EMPHASIS = re.compile(
    r"(?i)\bnot (?:only|just|merely|to mention)\b|\bno (?:doubt|matter|later than|less than|wonder)\b"
    r"|\bwhether or not\b"
    r"|\bwhy not\b|\bnothing but\b|\bif not\b|\bno\. ?\d|\bnicht nur\b|\bno s[oó]lo\b|\bnon solo\b|\bnão só\b"
    r"|\bniet alleen\b|\bне только\b|\bsans (?:doute|pas)\b|\bpas seulement\b"
)
_SENTENCE = re.compile(r"[.!?…](?=\s)|[。！？]|\n")
# Where another clause begins whose denials are its own.
_CLAUSE = re.compile(
    r"(?i)[.!?…](?=\s)|[;:()—]|\b(?:but|whereas|although|though|because|aber|sondern|obwohl|weil|mais|pero|sino|però|mas|maar|но)\b"
    r"|,\s*(?=(?:who|which|whose|she|he|they|it|we|i|you|so|while)\b)|(?<=\w),\s*(?=und |et |y )"
)
_RELATIVE = re.compile(r"(?i),\s*(?:who|which|whose|der|die|das|qui|que|che|die)\b[^,]*,")
_AND = re.compile(r"(?i)\b(?:and|und|et|y|e|en|и)\b")


def is_denied(text: str, span: tuple[int, int], subject: str, obj: str, language: str | None) -> bool:
    """Tell whether an odd number of negations bears on a fact stated at `span` of `text`."""
    words = _NEGATIONS.get(_tongue(language))
    if words is None:
        return False
    clause = _EMPHASIS.sub(" ", clause_of(text, span, subject, obj))
    # The apostrophe of "doesn't" belongs to the word before it.
    return len(re.findall(rf"(?i)(?:\b|(?=n't))(?:{words})(?!\w)", clause.replace("’", "'"))) % 2 == 1


def is_hedged(text: str, span: tuple[int, int], subject: str, obj: str, language: str | None) -> bool:
    """Tell whether the clause of a fact holds a word of doubt."""
    words = _HEDGES.get(_tongue(language))
    return bool(words and re.search(rf"(?i)\b(?:{words})\b", clause_of(text, span, subject, obj)))


def is_asked(text: str, span: tuple[int, int]) -> bool:
    """Tell whether the sentence that holds `span` ends with a question mark."""
    _, end = sentence_of(text, span)
    return text[:end].rstrip("\"'”’) ").endswith(("?", "？"))


def sentence_of(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """Return the span of the sentence, or sentences, or line that hold a span."""
    start = max((m.end() for m in _SENTENCE.finditer(text, max(0, span[0] - 600), span[0])), default=None)
    start = max(0, span[0] - 600) if start is None else start
    after = _SENTENCE.search(text, max(span[0], span[1] - 1), min(len(text), span[1] + 600))
    end = min(len(text), span[1] + 600) if after is None else after.end()
    while start < span[0] and text[start].isspace():
        start += 1
    while end > span[1] and text[end - 1].isspace():
        end -= 1
    return start, end


def clause_of(text: str, span: tuple[int, int], subject: str, obj: str) -> str:
    """Return the words between the clause's beginning and the object: what can deny a fact stands there."""
    start, _ = sentence_of(text, span)
    words = Quotable(_RELATIVE.sub(", ", text[start : span[1]]))
    last = words.text
    place = max(words.every(obj), default=None)
    if place is not None:
        last = words.text[: place[1]]
    begins = [match.end() for match in _CLAUSE.finditer(last)]
    named = max(Quotable(last).every(subject), default=None)
    if named is not None:
        # "Bob does not, and Alice does": a clause with a subject of its own begins after "and".
        begins += [
            match.end() for match in _AND.finditer(last, 0, named[0]) if not last[match.end() : named[0]].strip()
        ]
    return last[max(begins, default=0) :]


def _tongue(language: str | None) -> str:
    return (language or "en").lower()[:2]
