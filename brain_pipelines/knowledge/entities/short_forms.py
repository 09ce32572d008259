"""Candidates for short forms: full names that a partial name, initial, nickname, address or acronym may stand for.

A short form joins the only entity that fits. If several fit, the context of each source decides (`context.py`);
otherwise it stays an entity of its own.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from brain_pipelines.knowledge.entities.names import initials, is_exact_form, is_written_as_name
from brain_pipelines.knowledge.entities.nodes import Names, Node
from brain_pipelines.knowledge.entities.people import fits, longer_forms
from brain_pipelines.knowledge.entities.similarity import agree
from brain_pipelines.stages.extraction.local.names.mention import GUESSED
from brain_pipelines.stages.extraction.local.names.name_forms import type_by_ending

SCORES = {
    "part_of_name": 0.9,
    "short_name": 0.9,
    "initial": 0.88,
    "nickname": 0.88,
    "address": 0.93,
    "acronym": 0.87,
    "alias": 0.93,
}
OWN_LIFE = 5  # a name used this many times more often on its own than as an alias is an entity of its own
ORGANISATION = "Organization"
LEAST_WORDS = 3  # of a name that may have lost its first word
LONE_ADDRESS = 0.86  # bob@…, of a given name only
STAGES = ("name", "initial", "address", "lone", "thing")  # in order: more specific forms are resolved first


@dataclass(frozen=True)
class Candidate:
    """A full name (node) that a short form may stand for, with rule and score."""

    node: int
    score: float
    rule: str


class FullForms:
    """Index of full names and names of things by their possible short forms."""

    def __init__(self, names: Names) -> None:
        self.nodes = names.nodes
        self._names = names
        self._by_word: dict[str, list[int]] = defaultdict(list)
        self._by_box: dict[str, list[int]] = defaultdict(list)
        self._by_initials: dict[str, list[int]] = defaultdict(list)
        self._by_place: dict[str, list[int]] = defaultdict(list)
        self._by_tail: dict[str, list[int]] = defaultdict(list)
        self._by_first: dict[str, list[int]] = defaultdict(list)
        self._recorded: dict[int, list[int]] = defaultdict(list)
        for i, node in enumerate(self.nodes):
            self._enter(i, node)
        for node, alias in sorted(names.aliases):
            self._recorded[alias].append(node)

    def _enter(self, i: int, node: Node) -> None:
        person = node.person
        if node.entity_class == "Person" and person.kind == "full":
            family = person.family.replace(" ", "")
            for word in {person.given, *person.middle, person.family, person.family.rpartition(" ")[2]}:
                self._by_word[word].append(i)
            given = person.given
            for box in {
                given,
                given + family,
                family + given,
                given[:1] + family,
                family + given[:1],
                given + family[:1],
            }:
                self._by_box[box].append(i)
        elif node.entity_class == "Person" and person.kind == "initial":
            self._by_word[person.family].append(i)
        elif not node.is_email and not is_exact_form(node.name):
            for short in initials(node.name) if is_written_as_name(node.display) else ():
                self._by_initials[short].append(i)
            if node.name.count(" ") >= LEAST_WORDS - 1:
                self._by_tail[node.name.partition(" ")[2]].append(i)
            if node.entity_class == "Entity" and " " in node.name and "," in node.display:
                self._by_place[node.name.split(" ")[0]].append(i)
            whole = is_written_as_name(node.display) and " - " not in node.display  # not "Admin - Insurance"
            if whole and node.type == type_by_ending(node.display) == ORGANISATION:
                self._by_first[node.name.split(" ")[0]].append(i)

    def candidates(self, i: int) -> list[Candidate]:
        """Return the candidates of node `i` in the order of the nodes; full names exclude other short forms."""
        node = self.nodes[i]
        found: dict[int, Candidate] = {}
        for other, rule in (*self._of_person(node), *self._of_thing(i, node), *self._of_record(i, node)):
            score = LONE_ADDRESS if rule == "address" and not node.person.family else SCORES[rule]
            if other != i and (other not in found or score > found[other].score):
                found[other] = Candidate(other, score, rule)
        whole = self._whole(found)
        return [found[other] for other in self._of_no_generation(node, whole) or sorted(found)]

    def _whole(self, found: dict[int, Candidate]) -> list[int]:
        """Return the candidates that exclude short forms: full names, and names with an initial that fit none.

        "Hale" may be "Mary Hale" as well as "P. Hale"; "M. Hale" is "Mary Hale" anyhow.
        """
        people = {other: self.nodes[other].person for other in sorted(found)}
        full = [other for other, person in people.items() if person.kind not in ("lone", "initial")]
        others = (o for o, person in people.items() if person.kind == "initial" and found[o].rule == "part_of_name")
        return sorted({*full, *(o for o in others if not any(fits(people[o], people[f]) for f in full))})

    def _of_no_generation(self, node: Node, whole: list[int]) -> list[int]:
        """Return the names without "Jr." if there are any and the short form has none either."""
        plain = [other for other in whole if not self.nodes[other].person.generation]
        return plain if plain and not node.person.generation else whole

    def _of_person(self, node: Node) -> Iterator[tuple[int, str]]:
        person = node.person
        if person.kind == "none":
            return
        near: set[int] = set()
        if person.kind == "address":
            near.update(self._by_word.get(person.family, ()) if person.family else self._by_box.get(person.given, ()))
            near.update(self._by_word.get(person.given, ()) if person.family else ())
        elif person.kind == "lone":
            for word in (person.given, *longer_forms(person.given)):
                near.update(self._by_word.get(word, ()))
        else:
            near.update(self._by_word.get(person.given if len(person.family) == 1 else person.family, ()))
        for other in near:
            rule = fits(person, self.nodes[other].person)
            if rule is not None:
                yield other, rule

    def _of_thing(self, i: int, node: Node) -> Iterator[tuple[int, str]]:
        if node.entity_class == "Person" or node.is_email:
            return
        if " " in node.name:
            yield from self._of_cut(node)
            return
        if 2 <= len(node.name) <= 6 and node.display.isupper():
            yield from ((other, "acronym") for other in self._by_initials.get(node.name, ()))
        if node.entity_class == "Entity":
            yield from ((other, "part_of_name") for other in self._by_place.get(node.name, ()))
        if node.type == ORGANISATION and node.display.istitle():
            yield from ((other, "short_name") for other in self._by_first.get(node.name, ()))

    def _of_cut(self, node: Node) -> Iterator[tuple[int, str]]:
        """Yield the names of one more word in front: where it begins a sentence, that word was not taken for a name."""
        if node.best <= GUESSED:
            longer = self._by_tail.get(node.name, ())
            yield from ((other, "part_of_name") for other in longer if self.nodes[other].sources >= node.sources)

    def _of_record(self, i: int, node: Node) -> Iterator[tuple[int, str]]:
        """Yield nodes that sources record this name as an alias of, unless the form or frequency speaks against it."""
        for other in self._recorded.get(i, ()):
            whole = self.nodes[other]
            linked = whole.person.kind == "full" == node.person.kind and agree(whole.person, node.person)
            common = self._names.aliases[other, i] * OWN_LIFE < node.sources
            if not node.is_email and not linked and not common:
                yield other, "alias"


def stage_of(node: Node) -> str:
    """Return the stage (one of STAGES) in which a node is resolved."""
    if node.is_email or node.person.kind == "address":
        return "address"
    if node.entity_class == "Person":
        return {"full": "name", "initial": "initial", "lone": "lone"}.get(node.person.kind, "thing")
    return "thing"
