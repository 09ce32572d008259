"""Who "he" and "she", and what a leading "it", refer to, where that is sure."""

from collections.abc import Iterable, Iterator, Sequence

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.gazetteers import gender_of, is_given_name
from brain_pipelines.stages.extraction.memories.main_clause import NOUNS, OBJECTS, MainClause
from brain_pipelines.stages.extraction.memories.rewriting.antecedents import is_expletive
from brain_pipelines.stages.extraction.memories.rewriting.edits import Edit
from brain_pipelines.stages.extraction.memories.rewriting.pronouns import ALONE, POSSESSIVE, possessive
from brain_pipelines.stages.extraction.memories.sentence import Name, Sentence, Word
from brain_retrieval.language.folding import fold

_WORDS = LEXICONS.read("rewriting")
_GENDER_OF = {form: gender for gender, forms in _WORDS.table("genders").items() for form in forms.split()}
_FORMS = {gender: forms.split() for gender, forms in _WORDS.table("genders").items()}
_GAZETTEERS = LEXICONS.read("gazetteers")
_LIVING = _GAZETTEERS.words("kin") | _GAZETTEERS.words("roles") | _WORDS.words("living")
_ENDINGS = _WORDS.listed("living_ends")
LEADING = 2  # words before which a pronoun leads the sentence
MAX_PHRASE = 60
_DOING, _DONE_TO, _ONESELF = ("nsubj", "nsubjpass"), ("dobj", "obj", "dative"), "self"


def is_person_pronoun(text: str) -> bool:
    """Return whether a text is "he", "she" or one of their forms."""
    return text.lower() in _GENDER_OF


def person_pronouns(sentence: Sentence) -> dict[int, str]:
    """Return gender by place of "he", "she" and their forms that no name before them in the sentence explains."""
    found: dict[int, str] = {}
    for place, word in enumerate(sentence.words):
        gender = _GENDER_OF.get(word.text.lower())
        earlier = (name for name in _people(sentence) if name.end <= word.start and _may_be(name.text, gender or ""))
        if gender and all(_does_it(sentence, name, word) for name in earlier):
            found[place] = gender
    return found


def living_before(sentence: Sentence, pronouns: Iterable[int]) -> bool | None:
    """Return whether the first of the pronouns may mean someone in the sentence itself: "our doctor, she".

    Returns:
        True if so, None if a noun may be a person by its ending ("the installer"), else False.
    """
    place = min(pronouns)
    governing = _governing(sentence.words, place) if sentence.words[place].dep in OBJECTS else None
    found = [
        _is_living(sentence, noun)
        for noun, word in enumerate(sentence.words[:place])
        if word.pos in NOUNS and word.dep not in ("compound", "poss") and _governing(sentence.words, noun) != governing
    ]
    return True if True in found else None if None in found else False


def _governing(words: Sequence[Word], place: int) -> int:
    """Return the place of the word that governs a word: "the dog bit him" has one verb over both."""
    return words[place].head


def _is_living(sentence: Sentence, noun: int) -> bool | None:
    word = sentence.words[noun]
    if word.pos == "PROPN":
        # Of names only those of people and those of no type are looked at: "my cat is called Biscuit".
        typed = [name for name in sentence.names if name.start <= word.start < name.end]
        return not typed and word.tag == "NNP" and word.dep in (*OBJECTS, "oprd", "appos", "nsubj")
    if word.tag != "NN":
        return False
    if word.lemma.lower() in _LIVING:
        return True
    return None if word.dep in ("nsubj", "nsubjpass") and word.lemma.lower().endswith(_ENDINGS) else False


def _does_it(sentence: Sentence, name: Name, pronoun: Word) -> bool:
    """Return whether a person does what is done to "him", who then is someone else: "Ann paid her the rent"."""
    if pronoun.dep not in _DONE_TO or pronoun.text.lower().endswith(_ONESELF):
        return False
    verb = sentence.words[pronoun.head]
    inside = (word for word in sentence.words if name.start <= word.start < name.end)
    return any(word.dep in _DOING and sentence.words[word.head] is verb for word in inside)


def other_person(sentence: Sentence, before: Sequence[Sentence], gender: str) -> str | None:
    """Return the only person of a gender named in the last sentences besides speaker and listener; None if unsure.

    After "he ate one of Tom's socks" the next "he" is the one who ate it, and no Tom.
    """
    talking = {fold(name) for name in (sentence.speaker, sentence.listener) if name}
    talking |= {fold(name).split(" ")[0] for name in talking}
    names = {
        name.text: None
        for each in before
        for name in _people(each)
        if fold(name.text) not in talking and _may_be(name.text, gender)
    }
    if any(_is_another(each, gender) for each in before):
        return None
    if not all(map(is_given_name, names)):  # a place or a firm that was taken for a person is never "he"
        return None
    firsts = {fold(name).split(" ")[0] for name in names}
    return max(names, key=len) if len(firsts) == 1 else None


def _is_another(sentence: Sentence, gender: str) -> bool:
    """Return whether a sentence is about a "he" or "she" who does something to another one named behind."""
    doing = [
        sentence.words[place]
        for place, found in person_pronouns(sentence).items()
        if found == gender and sentence.words[place].dep in _DOING and _is_main(sentence, sentence.words[place].head)
    ]
    return any(word.end <= name.start and _may_be(name.text, gender) for word in doing for name in _people(sentence))


def _is_main(sentence: Sentence, verb: int) -> bool:
    return sentence.words[verb].head == verb or sentence.words[verb].dep in ("conj", "ccomp")


def resolved(sentence: Sentence, pronouns: dict[int, str], name: str) -> Iterator[Edit]:
    """Yield the edit that puts the name for the first of the pronouns; the others then refer to it."""
    place = min(pronouns)
    word = sentence.words[place]
    forms = _FORMS[pronouns[place]]
    low = word.text.lower()
    owns = word.dep == "poss" or low == forms[ALONE] and low != forms[POSSESSIVE]
    yield Edit(word.start, word.end, possessive(name) if owns else name)


def leading_thing(sentence: Sentence, before: Sequence[Sentence]) -> tuple[Word, str] | None:
    """Return a leading "it" or "they", and the only thing in the sentence before, by the same speaker, it can mean."""
    clause = MainClause(sentence)
    word = clause.subject
    if word is None or word.text.lower() not in ("it", "they") or sentence.words.index(word) >= LEADING:
        return None
    if not before or before[-1].speaker != sentence.speaker or is_expletive(clause, word):
        return None
    earlier = MainClause(before[-1])
    things = [w for w in earlier.objects if w.pos in NOUNS and w.dep in OBJECTS]
    nouns = [w for w in before[-1].words if w.pos in NOUNS and w.dep not in ("compound", "poss")]
    plural = bool(things) and things[0].tag.endswith("S")
    if len(things) != 1 or len(nouns) != 1 or plural != (word.text.lower() == "they"):
        return None
    phrase = _phrase(before[-1], things[0])
    return (word, phrase) if phrase and len(phrase) <= MAX_PHRASE else None


def shared_subject(sentence: Sentence, before: Sequence[Sentence]) -> str | None:
    """Return the subject that a clause without one takes over from the clauses before it in its sentence.

    What has no verb has no subject: "Netflix cancelled, Disney+ instead".
    """
    if MainClause(sentence).subject is not None or not any(word.pos in ("VERB", "AUX") for word in sentence.words):
        return None
    for each in reversed(before):
        if not each.clause or each.said_at != sentence.said_at:
            return None
        if (subject := MainClause(each).subject) is not None:
            return _phrase(each, subject)
    return None


def _people(sentence: Sentence) -> list[Name]:
    return [name for name in sentence.names if name.type == "Person"]


def _may_be(name: str, gender: str) -> bool:
    return gender_of(name) in (gender, "-")


def _phrase(sentence: Sentence, noun: Word) -> str:
    """Return the noun with what stands before it, without what is said of it after."""
    place = sentence.words.index(noun)
    first = place
    while first and sentence.words[first - 1].head == place and sentence.words[first - 1].dep not in ("punct", "cc"):
        first -= 1
    return sentence.text[sentence.words[first].start : noun.end]
