"""Features of a sentence by its grammar, where it is parsed: who does what to which thing. Names end in "_"."""

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.main_clause import NOUNS, OBJECTS, SUBJECTS, MainClause
from brain_pipelines.stages.extraction.memories.sentence import Sentence, Word

_WORDS = LEXICONS.read("memorable")
_I, _WE, _YOU = (_WORDS.words(key) for key in ("i", "we", "you"))
_POINTERS, _GENERIC, _VAGUE = (_WORDS.words(key) for key in ("pointers", "generic", "vague"))
_PRAISE, _FEELINGS, _LIKES = (_WORDS.words(key) for key in ("praise", "feelings", "likes"))
_EVENTS = _WORDS.words("events")
_MINE = ("my", "our")
_FUTURE = ("will", "'ll", "’ll", "gonna")
_PLACES = ("at", "in", "to", "from")
_CLAUSES = ("advcl", "relcl", "ccomp")
LONG_WORD = 8  # letters; long nouns are rarer ones


def grammar_features(sentence: Sentence) -> dict[str, float]:
    """Return the features by name, none without a parse."""
    if not sentence.words:
        return {}
    clause = MainClause(sentence)
    found = {**_of_subject(clause), **_of_verb(clause), **_of_nouns(clause), **_of_speaker(clause)}
    return {f"{name}_": float(value) for name, value in found.items()}


def _of_subject(clause: MainClause) -> dict[str, float]:
    subject = clause.subject
    if subject is None:
        return {"no_subject": 1}
    word = subject.text.lower()
    return {
        "subject_pointer": word in _POINTERS,
        "subject_generic": word in _GENERIC,
        "subject_vague": word in _VAGUE,
        "subject_name": clause.in_name(subject),
        "subject_mine": any(owner in _MINE for owner in clause.owners(subject)),
        "subject_noun": subject.pos == "NOUN" and word not in _GENERIC,
        "subject_the": any(w.dep == "det" and w.text.lower() == "the" for w in _of_head(clause, subject)),
    }


def _of_verb(clause: MainClause) -> dict[str, float]:
    verbs = [word for word in clause.verbs if word.pos in ("VERB", "AUX")]
    main = clause.verbs[0] if clause.verbs else None
    words = {word.text.lower() for word in clause.verbs}
    qualities = clause.children("acomp")
    return {
        "no_verb": not verbs,
        "commanded": main is not None and main.tag == "VB" and clause.subject is None and not clause.helpers,
        "passive": bool(clause.children("nsubjpass")),
        "progressive": any(verb.tag == "VBG" for verb in verbs) and bool(clause.helpers),
        "event_verb": bool(words & _EVENTS),
        "feeling_verb": bool(words & _FEELINGS),
        "quality": bool(qualities),
        "praising": any(word.text.lower() in _PRAISE | _FEELINGS for word in qualities),
        "further_clause": any(word.dep in _CLAUSES for word in clause.words),
        "named_present": clause.in_name(clause.subject) and any(v.tag in ("VBZ", "VBG") for v in clause.verbs),
    }


def _of_nouns(clause: MainClause) -> dict[str, float]:
    nouns, specific = _nouns(clause)
    pointed = [w for w in clause.words if w.dep in (*OBJECTS, "pobj") and w.text.lower() in _POINTERS]
    return {
        "object": any(word.pos in (*NOUNS, "NUM") for word in clause.objects),
        "object_specific": any(word in specific for word in clause.objects),
        "object_pointer": bool(pointed),
        "object_you": any(word.text.lower() in _YOU for word in clause.objects),
        "specific": min(4, len(specific)),
        "specific_share": len(specific) / len(clause.words),
        "no_specific": not specific,
        "vague_only": bool(nouns) and not specific,
        "named_specific": bool(specific) and clause.in_name(clause.subject),
        "rare": min(3, sum(len(word.text) >= LONG_WORD for word in specific)),
        "compound": any(word.dep == "compound" for word in clause.words),
        "place": any(word.dep == "prep" and word.text.lower() in _PLACES for word in clause.words),
        "number": any(word.pos == "NUM" for word in clause.words),
    }


def _of_speaker(clause: MainClause) -> dict[str, float]:
    subject = clause.subject.text.lower() if clause.subject else ""
    specific = _nouns(clause)[1]
    inner = [w for w in clause.words if w.dep in SUBJECTS and w not in clause.subjects]
    mine = subject in _I or subject in _WE
    return {
        "mine_past": mine and clause.is_past,
        "mine_specific": mine and bool(specific),
        "mine_like": mine and bool(specific) and any(verb.text.lower() in _LIKES for verb in clause.verbs),
        "mine_future": mine and bool(specific) and any(w.text.lower() in _FUTURE for w in clause.helpers),
        "mine_is": mine and any(word.dep == "attr" and word in specific for word in clause.words),
        "mine_inside": any(word.text.lower() in _I for word in inner),
        "my": any(word.dep == "poss" and word.text.lower() in _MINE for word in clause.words),
    }


def _nouns(clause: MainClause) -> tuple[list[Word], list[Word]]:
    """Return the nouns of a sentence, and those that say something specific."""
    nouns = [word for word in clause.words if word.pos in NOUNS and not clause.is_called(word)]
    hollow = _VAGUE | _GENERIC | _PRAISE
    return nouns, [word for word in nouns if word.text.lower() not in hollow]


def _of_head(clause: MainClause, head: Word) -> list[Word]:
    return [word for word in clause.words if clause.words[word.head] is head]
