"""Whether a later memory is about another person or thing than the earlier one that it may answer instead of."""

from dataclasses import dataclass

from brain_retrieval.knowledge.memories.asked.answer import PERSON, Answer
from brain_retrieval.knowledge.memories.asked.differences import values_differ
from brain_retrieval.knowledge.memories.asked.overlaps import (
    begins_otherwise,
    matches_less,
    of_other_things,
    only_in_compounds,
)
from brain_retrieval.knowledge.memories.compared.numbered import Numbers, of_another_number, of_other_numbers
from brain_retrieval.knowledge.memories.compared.strong_changes import of_other_people
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.value_changes import runs_elsewhere
from brain_retrieval.knowledge.memories.whose import (
    OWN,
    Owners,
    has_of_others,
    is_of_relative,
    is_of_someone_else,
    of_another_than,
)


@dataclass(frozen=True)
class Apart:
    """What a question asks about, and whether two memories are about different things of it.

    Args:
        topic: the words of the question.
        owned: whose is what it asks for, as `owners_asked` gives it.
        named: those of its words that are in names of people and things.
        asked: the kinds of what it asks for.
        numbered: the things of a kind that it asks for by their numbers, as `numbers_asked` gives them.
    """

    topic: frozenset[str]
    owned: Owners
    named: frozenset[str]
    asked: frozenset[str]
    numbered: Numbers

    def holds(self, a: Answer, b: Answer) -> bool:
        """Return whether `b` is about another person or thing than `a`, or than the question."""
        old, new = a.facet, b.facet
        if of_other_numbers(old, new) or of_another_number(self.numbered, new):
            return True
        apart = self._of_another(old, new) or of_other_people(old, new, self.topic) or of_other_things(old, new)
        if apart or self._of_another_owner(a, b) or self._of_relative(a, b):
            return True
        if self._names_another(a, b) or self._only_says(a, b):
            return True
        return self._is_of_compounds(a, b) or begins_otherwise(a, b) or matches_less(a, b)

    def _names_another(self, a: Answer, b: Answer) -> bool:
        """Return whether `b` tells no change, and is about what has another name than what is asked for, which `a` has.

        "Emberwood ships on 3 October" does not say when Lanternfall does. Who is asked for is such another name itself.
        """
        old, new = a.facet, b.facet
        lost = (a.match.keys() & self.named) - b.match.keys()
        if new.cue != "none" or not lost or (old.is_of_person and old.telling_heads.isdisjoint(self.topic)):
            return False
        others = (new.telling_heads & new.names) - old.words - old.voice - new.voice - self.topic
        return bool(others) and PERSON not in self.asked

    def _only_says(self, a: Answer, b: Answer) -> bool:
        """Return whether `b` tells no change and has nothing of the question but that its speaker is named there.

        "Ben: 3,150 net since October" says nothing of Ben's birthday in the place of a line below "Birthdays".
        """
        asked = a.match.keys() - self.named
        only = b.match.keys() <= b.facet.voice & self.named
        return bool(asked and b.match) and only and b.facet.cue == "none" and not values_differ(a, b)

    def _is_of_compounds(self, a: Answer, b: Answer) -> bool:
        """Return whether `b` matches less of the question than `a`, and only by parts of compounds of other things.

        "The car wash costs 12 now" has a word of "car key" and is about a car wash, "Schulbus" has one of "Schule"; a
        change of the key may leave that word out as well: "The key is at Ruth's now".
        """
        owners = frozenset[str]().union(*self.owned.values())  # "Grandma's phone number", and her phone case
        words = [word for word in b.match if word not in owners]
        if not words or b.score >= a.score:
            return False
        known = a.facet.words | a.topic
        return all(only_in_compounds(word, b.facet, known) for word in words)

    def _of_another(self, a: Facet, b: Facet) -> bool:
        """Return whether `b` speaks of what someone else has, or of someone else than who is asked for: of Bo's team.

        "Edda wears size 34" is no answer to "Milo's shoe size" in the place of one about Milo.
        """
        if of_another_than(self.owned, b) and not of_another_than(self.owned, a):
            return True
        asked = a.heads & a.names & self.topic
        if runs_elsewhere(a, b) or is_of_someone_else(b, a, self.topic):
            return True
        others = b.subjects if b.is_of_person else frozenset[str]()
        return bool(asked and others) and asked.isdisjoint(b.words | b.voice) and others.isdisjoint(a.words)

    def _of_another_owner(self, a: Answer, b: Answer) -> bool:
        """Return whether `b`, without a word of the question, is about what another person has.

        Neither `a` nor the question names that person.

        "Ilse's tablet had to be repaired" is no answer to "work laptop" in the place of one about a laptop.
        """
        return not b.match and not b.facet.is_about_oneself and has_of_others(b.facet, a.facet, self.topic)

    def _of_relative(self, a: Answer, b: Answer) -> bool:
        """Return whether `b` states no other value and is about the sister or flatmate of who is asked for or speaks.

        "Lucía's sister signed for Leganés" does not say where Lucía lives; "my boss moved the meeting" may say when.
        """
        asked = frozenset(b.match) if len(b.match) == 1 else frozenset[str]()  # and no word of what is asked of them
        owners = asked if b.facet.cue != "none" else self.topic | b.facet.voice | {OWN}
        return not values_differ(a, b) and is_of_relative(b.facet, a.facet, self.topic, owners)
