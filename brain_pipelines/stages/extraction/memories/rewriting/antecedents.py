"""Whether a thing or place that a word stands for is named before it in the sentence.

A noun does not explain a pronoun that is governed by the same verb (binding: "a friend made it" has no thing in it), a
person is never "it", and "there" needs a place.
"""

from collections.abc import Sequence

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.main_clause import NOUNS, MainClause
from brain_pipelines.stages.extraction.memories.sentence import Sentence, Word

_WORDS = LEXICONS.read("rewriting")
_THINGS, _PLACES, _COMPARED, _POINTED = (_WORDS.words(key) for key in ("things", "places", "compared", "pointed"))
_MOMENTS, _SPANS, _WEATHER = (_WORDS.words(key) for key in ("moments", "spans", "weather"))
_PEOPLE = LEXICONS.read("gazetteers").words("kin") | LEXICONS.read("gazetteers").words("roles")
_POINTING = ("nsubj", "nsubjpass", "dobj", "obj", "pobj", "attr", "dative", "poss", "conj")
_CLAUSES = ("ccomp", "xcomp", "csubj", "advcl", "acl")
_SINGLE = ("it", "its", "itself")
_SUBJECTS, _OBJECTS = ("nsubj", "nsubjpass"), ("dobj", "obj", "dative", "attr")
_GOVERNED = (*_OBJECTS, "pobj")
_OF_ONE = ("prep", "relcl", "acl", "amod", "compound", "det")  # what tells which one is meant
_PLACE_WORDS = ("in", "at", "to", "from", "into", "near")
_AUXILIARIES = ("do", "have", "will", "would", "can", "could")
_VERBS = ("VERB", "AUX")


def points_outside(sentence: Sentence) -> bool:
    """Return whether a thing or place is meant, or a verb left out, that nothing before it in the sentence names."""
    clause = MainClause(sentence)
    nouns: list[int] = []
    for place, word in enumerate(sentence.words):
        low = word.text.lower()
        if low in _COMPARED:
            return True
        if _is_place(sentence, place) and not any(_is_somewhere(sentence, noun, place) for noun in nouns):
            return True
        if _is_thing(sentence, clause, place) and (low in _POINTED or not _is_named(sentence, place, nouns)):
            return True
        if _is_one(sentence, place) and not _is_named(sentence, place, nouns):
            return True
        if word.pos in NOUNS and low not in _MOMENTS and not clause.is_called(word):
            nouns.append(place)
    return _leaves_out_verb(sentence)


def is_expletive(clause: MainClause, word: Word) -> bool:
    """Return whether "it" stands for nothing: "it rains", "it was good to see her"."""
    if word.dep == "expl":
        return True
    head = clause.words[word.head]
    said = [w for w in clause.words if clause.words[w.head] is head and w.dep in ("acomp", "attr")]
    after = [
        w for w in clause.words if w.dep in _CLAUSES and any(clause.words[w.head] is part for part in (head, *said))
    ]
    return head.lemma in _WEATHER or bool(said) and any(w.start > word.start for w in after)


def _is_thing(sentence: Sentence, clause: MainClause, place: int) -> bool:
    word = sentence.words[place]
    low = word.text.lower()
    if low not in _THINGS or word.pos not in ("PRON", "DET") or word.dep not in _POINTING:
        return False
    return not (low == "it" and is_expletive(clause, word)) and not _of_clause(sentence, place)


def _of_clause(sentence: Sentence, place: int) -> bool:
    """Return whether "that" begins a clause: "the house that I bought", or is one's own: "those who"."""
    word = sentence.words[place]
    return word.tag in ("WDT", "IN") or any(w.head == place and w.dep in ("relcl", "prep") for w in sentence.words)


def _is_one(sentence: Sentence, place: int) -> bool:
    """Return whether "one" stands for a thing, and nothing beside it tells which: "he is saving to buy one"."""
    word = sentence.words[place]
    if word.text.lower() not in ("one", "ones") or word.dep not in (*_SUBJECTS, *_GOVERNED):
        return False
    after = sentence.words[place + 1 : place + 2]
    if any(next_.text in ("of", "-") or next_.text[:1].isdigit() for next_ in after):
        return False
    return not any(w.head == place and w.dep in _OF_ONE for w in sentence.words)


def _is_named(sentence: Sentence, place: int, nouns: Sequence[int]) -> bool:
    """Return whether one of the nouns before the pronoun at word `place` may be what it means."""
    words, low = sentence.words, sentence.words[place].text.lower()
    is_object = words[place].dep in _GOVERNED
    verb = _verb(words, place)
    follows = (
        low == "it"
        and not is_object
        and any(w.pos in _VERBS and _verb(words, at) != verb for at, w in enumerate(words[:place]))
    )
    if follows:  # "Ann moved in May and it was hard": the move
        return bool(nouns)
    for noun in nouns:
        if low in (*_SINGLE, "one", "ones") and (_is_person(sentence, noun) or _is_span(words[noun])):
            continue
        if is_object and low not in ("that",) and _is_beside(words, noun, place, verb):
            continue
        return True
    return False


def _is_beside(words: Sequence[Word], noun: int, place: int, verb: int) -> bool:
    """Return whether the verb of a pronoun governs the noun, too; a subject may be in it: "the coat has dirt on it"."""
    governed = _OBJECTS if words[place].dep == "pobj" else (*_SUBJECTS, *_OBJECTS)
    return words[noun].dep in governed and _verb(words, noun) == verb


def _verb(words: Sequence[Word], place: int) -> int:
    """Return the place of the verb that governs a word; the root, if there is none."""
    head = words[place].head
    for _ in words:
        if words[head].pos in _VERBS or words[head].head == head:
            break
        head = words[head].head
    return head


def _is_person(sentence: Sentence, place: int) -> bool:
    word = sentence.words[place]
    if word.lemma.lower() in _PEOPLE:
        return True
    return any(name.type == "Person" and name.start <= word.start < name.end for name in sentence.names)


def _is_span(word: Word) -> bool:
    return not {word.text.lower(), word.lemma.lower()}.isdisjoint(_MOMENTS | _SPANS)


def _is_place(sentence: Sentence, place: int) -> bool:
    """Return whether "there" or "here" stands alone: "here at the office" says where."""
    word, after = sentence.words[place], sentence.words[place + 1 : place + 2]
    alone = not any(next_.text.lower() in (*_PLACE_WORDS, "like") for next_ in after)
    return alone and word.text.lower() in _PLACES and word.dep in ("advmod", "pcomp", "pobj")


def _is_somewhere(sentence: Sentence, noun: int, place: int) -> bool:
    """Return whether "there" at word `place` may be at the noun: a name of no person, what "in", "at", "to" or "from"
    stands before, or what another verb is about.
    """
    words = sentence.words
    word = words[noun]
    if _is_person(sentence, noun) or _is_span(word):
        return False
    if word.pos == "PROPN":
        return True
    if word.dep == "pobj":
        return words[word.head].text.lower() in _PLACE_WORDS
    return _verb(words, noun) != _verb(words, place)


def _leaves_out_verb(sentence: Sentence) -> bool:
    """Return whether the main verb is a helper whose verb another sentence says: "Arthur did when he was seven"."""
    words = sentence.words
    for place, word in enumerate(words):
        if word.head != place or word.lemma.lower() not in _AUXILIARIES:
            continue
        own = [w for at, w in enumerate(words) if w.head == place and at != place]
        if any(w.dep in _SUBJECTS for w in own) and all(
            w.dep in (*_SUBJECTS, "neg", "punct", "intj", "advcl", "npadvmod", "cc", "conj", "advmod") for w in own
        ):
            return True
    return False
