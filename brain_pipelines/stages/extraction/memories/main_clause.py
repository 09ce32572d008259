"""The main clause of a parsed sentence: its verbs, their subjects and objects."""

from functools import cached_property

from brain_pipelines.stages.extraction.memories.sentence import Sentence, Word
from brain_pipelines.stages.extraction.memories.word_features import is_addressed

SUBJECTS = ("nsubj", "nsubjpass", "expl")
OBJECTS = ("dobj", "obj", "attr", "dative", "oprd")
_BE = ("be",)
_JOINED = ("conj", "ccomp", "parataxis")
_HAVE = ("have", "has", "'ve", "'s", "’ve", "’s")
NOUNS = ("NOUN", "PROPN")


class MainClause:
    """The words of a sentence by their relation to its main verbs."""

    def __init__(self, sentence: Sentence) -> None:
        self.sentence = sentence
        self.words = sentence.words
        roots = [place for place, word in enumerate(self.words) if word.head == place]
        joined = [place for place, w in enumerate(self.words) if w.dep in _JOINED and w.head in roots]
        self._places = dict.fromkeys((*roots, *joined))
        self.verbs = [self.words[place] for place in self._places]
        self.subjects = self.children(*SUBJECTS)
        self.subject = self.subjects[0] if self.subjects else None
        self.objects = self.children(*OBJECTS)
        self.helpers = self.children("aux", "auxpass")

    def children(self, *deps: str) -> list[Word]:
        """Return the words with one of the relations to a main verb."""
        return [w for place, w in enumerate(self.words) if w.dep in deps and w.head in self._places and w.head != place]

    @cached_property
    def is_past(self) -> bool:
        """Whether a main verb is in a past tense."""
        helped = any(word.text.lower() in _HAVE or word.tag == "VBD" for word in self.helpers)
        return any(verb.tag == "VBD" or verb.tag == "VBN" and helped for verb in self.verbs)

    @cached_property
    def happened(self) -> bool:
        """Whether a main verb tells an event: a past tense, apart from "was" and the perfect."""
        did = any(word.tag == "VBD" for word in self.helpers)
        return any(
            verb.tag == "VBD" and verb.lemma not in _BE or verb.tag in ("VB", "VBN") and did for verb in self.verbs
        )

    def in_name(self, word: Word | None) -> bool:
        """Return whether a word is part of a name that is not just called."""
        if word is None:
            return False
        return any(n.start <= word.start < n.end and not is_addressed(self.sentence, n) for n in self.sentence.names)

    def is_called(self, word: Word) -> bool:
        """Return whether a word is part of a name that is called: "Hey Mira"."""
        return any(n.start <= word.start < n.end and is_addressed(self.sentence, n) for n in self.sentence.names)

    def owners(self, word: Word) -> list[str]:
        """Return the owners that stand before a noun: "my", "Ann"."""
        return [w.text.lower() for w in self.words if w.dep == "poss" and self.words[w.head] is word]
