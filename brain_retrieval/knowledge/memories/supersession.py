"""What has ended a memory: a pure, pairwise function of the rows that exist, whatever their order.

Of two memories the later one (by when it holds, then by when it was said) ends the earlier one if it is asserted, has
begun, and

- `stated`: names it as what holds no longer, according to a model;
- `value`: states another value of the same dimension for the same thing;
- `slot`: states another value of the same attribute of the same subject, or denies it;
- `opposite`: denies what it affirms or the reverse, said by the same person in the same words;
- `attitude`: states another attitude of the same person to the same thing;
- `exchanged`: is a stored rule, wish or decision and states another value or denies it: unsure;
- `given up`: says that its subject has left or given up what the earlier one says of it: unsure;
- `situation`: has a strong cue of change in the same situation of the same subject, such as a home or a job: unsure;
- `change`: has a cue of change and shares more with it than its subject: unsure;
- `aside`: the same of another subject, with one word in common that is not what the earlier one is about: unsure;
- `answer`: answers what is asked instead of it, by the fit of `answers.py`: unsure.

Where much is said about one thing, its words say nothing about a common subject: what two memories share counts if it
is rare among the memories compared, and no light word ("move", "first").

What is reported, possible, conditional or asked ends nothing that is asserted; what is asserted ends it where both
speak of the same. A plain negation ends only what it denies.
"""

from datetime import datetime
from typing import NamedTuple

from brain_retrieval.knowledge.memories.attitudes import other_attitude, words_of
from brain_retrieval.knowledge.memories.compared.bearers import introduced, of_other_bearers
from brain_retrieval.knowledge.memories.compared.claims import says_opposite
from brain_retrieval.knowledge.memories.compared.entries import of_other_matters, replaces_entry
from brain_retrieval.knowledge.memories.compared.in_time import is_later, of_one_breath
from brain_retrieval.knowledge.memories.compared.numbered import of_other_numbers
from brain_retrieval.knowledge.memories.compared.other_amounts import counts_again, says_other_amount
from brain_retrieval.knowledge.memories.compared.strong_changes import apart, ends_strongly, of_other_people
from brain_retrieval.knowledge.memories.compared.weekdays import on_other_weekdays
from brain_retrieval.knowledge.memories.compared.world_pages import WEB, is_of_page
from brain_retrieval.knowledge.memories.concept_groups import GONE, OF_LIFE, OF_SITUATION, SCHEDULE, SINGLE, VAGUE
from brain_retrieval.knowledge.memories.evident import evident, gives_up, leaves_it, names_of_people, words_saying
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.matching import asks_for_moment
from brain_retrieval.knowledge.memories.shown.fitness import OWNER, by_program, tells_of_oneself
from brain_retrieval.knowledge.memories.value_changes import changes_value, keeps_day, names_other_version, says_again
from brain_retrieval.knowledge.memories.whose import (
    common_matters,
    is_of_someone_else,
    namesakes,
    of_another_speaker,
    of_one_subject,
    of_other_owners,
)
from brain_retrieval.language.content_words import content_words
from brain_retrieval.language.light_words import light_words

VALUE, SLOT, ATTITUDE, SETTLED, STATED, OPPOSITE = "value", "slot", "attitude", "settled", "stated", "opposite"
GIVEN_UP, SITUATION, CHANGE, ASIDE, ANSWER = "given up", "situation", "change", "aside", "answer"
EXCHANGED = "exchanged"
SURE = frozenset({VALUE, SLOT, ATTITUDE, SETTLED, STATED, OPPOSITE})
_ATTITUDE, BEST, _NOT_YET = ":attitude", ":best", ":not_yet"
_OWN = ":own"
PAPERS = WEB | {"document"}  # what was written for others, about many things
_PRICE = ":price"
_PRICED = frozenset({_PRICE})
_OWNERS = frozenset(content_words(OWNER))
CHATS = frozenset({"conversation", "message", "agent-output"})  # to an assistant
GUIDANCE = frozenset({"instruction", "preference"})
UNANSWERED = frozenset({"question", "conditional"})  # these end nothing


class Ending(NamedTuple):
    """What ended a memory, by which rule."""

    memory_id: str
    kind: str
    sure: bool


class Known(NamedTuple):
    """What is known beyond two memories: words that say nothing about a common subject, and names of one subject."""

    topic: frozenset[str] = frozenset()  # words asked for, which all share
    frequent: frozenset[str] = frozenset()  # words that many have
    names: frozenset[frozenset[str]] = frozenset()  # of the person or thing asked for, each as its words


NOTHING = Known()


def ending(a: Facet, b: Facet, at: datetime, known: Known = NOTHING) -> str | None:
    """Return the rule by which `b` ends `a` at a moment, None if it does not."""
    if b.ends and a.row["memory_id"] in b.ends and _may_state(a, b, at):
        return STATED
    if not is_later(a, b, at) or of_one_breath(a, b) or not _may_end(a, b):
        return None  # as `may_replace`, without a call for each of many pairs
    if a.words.isdisjoint(b.words) and a.concepts.isdisjoint(b.concepts):
        return None
    return _rule(a, b, known) or (EXCHANGED if replaces_entry(a, b) else None)


def may_replace(a: Facet, b: Facet, at: datetime, *, asked: bool = False) -> bool:
    """Return whether `b` has begun, comes after `a`, and may end it; if `asked`, it may also be a request."""
    return is_later(a, b, at) and not of_one_breath(a, b) and _may_end(a, b, asked=asked)


def _may_state(a: Facet, b: Facet, at: datetime) -> bool:
    """Return whether `b`, which names `a`, has begun and was said later: also of what has ended before `a` was said."""
    if b.row["modality"] in UNANSWERED or (a.asserted and not b.asserted):
        return False
    return b.said > a.said and b.starts <= at


def _may_end(a: Facet, b: Facet, *, asked: bool = False) -> bool:
    if b.row["modality"] in UNANSWERED or (a.asserted and not b.asserted):
        return False
    if is_of_page(a.row) != is_of_page(b.row) or (by_program(b.row) and not by_program(a.row)):
        return False
    if a.row["source"] in PAPERS and b.row["source"] in PAPERS and not _of_one_head(a, b):
        return False
    if b.row["kind"] == "instruction" and a.row["kind"] not in GUIDANCE and not asked:
        return False
    return not (BEST in a.concepts and BEST not in b.concepts)


def _of_one_head(a: Facet, b: Facet) -> bool:
    """Return whether two sentences are about the same: of two papers each has its own subjects."""
    if a.row["source_id"] == b.row["source_id"]:
        return True
    heads, others = a.telling_heads, b.telling_heads
    return bool(heads and others) and (heads <= others or others <= heads)


class _Common(NamedTuple):
    """What two memories have in common."""

    linking: frozenset[str]  # words besides their subject
    shared: frozenset[str]  # of these such that few memories have
    alike: frozenset[str]  # words of what both are about
    of_things: bool  # whether that is more than who speaks, who has many things and prices


def _rule(a: Facet, b: Facet, known: Known) -> str | None:
    if a.slot and b.slot and _by_slot(a, b, known.names):
        return SLOT
    if says_opposite(a.claim, b.claim) and a.row["speaker"] == b.row["speaker"]:
        return OPPOSITE
    cued = b.cue != "none" or a.negated or not a.asserted
    if not cued and b.comparable.keys().isdisjoint(a.comparable) and _ATTITUDE not in a.concepts:
        return None  # most pairs: nothing is stated that could end the other
    if of_other_matters(a, b):
        return None
    others = of_other_owners(a, b) or is_of_someone_else(b, a, known.topic) or of_other_people(a, b, known.topic)
    others = others or of_another_speaker(a, b) or of_other_numbers(a, b)
    if not others and b.cue != "none" and a.asserted and counts_again(a, b):
        return CHANGE
    common = None if others else _common(a, b, known)
    if common is None:
        return None
    if changes_value(a, b, common.shared, common.linking, same=common.of_things):
        return None if keeps_day(a, b) and asks_for_moment(known.topic) else VALUE
    if names_other_version(a, b):
        return None
    if common.alike and other_attitude(a, b, common.shared):
        return ATTITUDE
    if not a.asserted:
        another = bool(_speakers(a, b)) and not common.shared & a.names & b.names  # plans of one user: another trip
        return SETTLED if not another and _settles(a, b, common.shared, known.topic) else None
    otherwise = (says_other_amount, on_other_weekdays)
    if any(says(a, b, common.shared, same=common.of_things) for says in otherwise):
        return CHANGE
    return None if b.cue == "none" and not a.negated else _unsure(a, b, known, common)


def _common(a: Facet, b: Facet, known: Known) -> _Common | None:
    """Return what both have in common, None if all of that is of another thing in each."""
    others = namesakes(a, b)
    linking = common_matters(a, b) - others
    alike = (a.telling_heads & b.telling_heads) - others - _speakers(a, b)
    if others_own := of_other_bearers(a, b, linking | alike):
        units = a.measured | b.measured  # "euros" twice are no matter in common
        if linking | alike <= others_own | _OWNERS | units or alike & introduced(a, b):
            return None
        linking, alike = linking - others_own, alike - others_own
    shared = linking - known.frequent if linking else linking
    return _Common(linking, shared, alike, bool(alike - _OWNERS - a.voice))


def _unsure(a: Facet, b: Facet, known: Known, common: _Common) -> str | None:
    """Return by which unsure rule a cue of change ends a memory."""
    # "sold" twice, a house and a car, and "euros" twice are no matter in common.
    same, shared = bool(common.alike), common.shared - words_of(GONE) - a.measured - b.measured
    if not evident(a, b, shared, known.topic, same=same) or says_again(a, b):
        return None
    if not _by_change(a, b, shared, known, same=same) or _stays_true(a, b) or leaves_it(a, b, known.topic):
        return None
    if b.cue == "strong" and gives_up(a, b):
        return GIVEN_UP
    if b.cue == "strong" and _in_one_situation(a, b, shared):
        return SITUATION
    if same or not _is_beside(a, b, shared):
        return CHANGE
    return ASIDE if b.cue == "strong" else None


def _stays_true(a: Facet, b: Facet) -> bool:
    """Return whether `a` is what someone has given up, or is or likes where `b` only tells something new.

    "I'm learning to draw now", and what others have sold, leave it as it is.
    """
    if GONE in a.concepts and a.row["kind"] == "event" and a.heads.isdisjoint(b.heads):
        return True
    if b.cue != "weak" or a.concepts & b.concepts & SINGLE:
        return False
    speaker = frozenset(content_words(a.row["speaker"] or ""))
    return a.telling_heads & b.telling_heads <= speaker and tells_of_oneself(a.row)


def _is_beside(a: Facet, b: Facet, shared: frozenset[str]) -> bool:
    """Return whether a change of another subject only touches a word of `a`: others still use R as Ann begins to.

    A common concept, such as work, tells nothing where each is about another person.
    """
    if len(shared) > 1 or a.heads & b.words:
        return False
    return not (a.concepts & b.concepts) - VAGUE or (a.is_of_person and b.is_of_person)


def _speakers(a: Facet, b: Facet) -> frozenset[str]:
    """Return the words of the user of an assistant, who speaks of many things: that is no matter in common."""
    return _OWNERS if a.row["speaker"] == b.row["speaker"] == OWNER and a.row["source"] in CHATS else frozenset()


def _settles(a: Facet, b: Facet, shared: frozenset[str], topic: frozenset[str]) -> bool:
    """Return whether `b` says how what was only reported or planned has turned out, or replaces it."""
    if not (a.words & b.words) - a.measured - b.measured:  # "euros" twice are no matter in common
        return False
    same, concepts = bool((a.heads & b.heads) - _speakers(a, b)), a.concepts & b.concepts
    shared = shared if same else shared - names_of_people(a, b)
    if len(shared) > 1 or same or concepts:
        cued = same or b.cue != "none"
        return bool(
            (shared - topic and cued)
            or (shared and b.cue == "strong")
            or (concepts and (cued or shared - words_saying(concepts)))
        )
    return False


def _by_slot(a: Facet, b: Facet, names: frozenset[frozenset[str]]) -> bool:
    if a.slot is None or b.slot is None or a.slot[0] != b.slot[0]:
        return False
    subjects = (a.slot[1], b.slot[1])
    merged = all(any(subject <= name for name in names) for subject in subjects)
    if not (a.slot[1] <= b.slot[1] or b.slot[1] <= a.slot[1] or merged):
        return False
    same_value = bool(a.slot[2] & b.slot[2])
    return same_value if b.negated else not same_value


def _by_change(a: Facet, b: Facet, shared: frozenset[str], known: Known, *, same: bool) -> bool:
    concepts = (a.concepts & b.concepts) - VAGUE
    if a.negated and not b.negated and shared and (_NOT_YET in a.concepts or (same and (concepts or b.cue != "none"))):
        return True
    if b.cue == "none" or (b.negated and b.cue != "strong"):
        return False
    if concepts == _PRICED and b.cue == "weak" and (shared | a.telling_heads & b.telling_heads) <= words_of(_PRICE):
        return False  # two things that cost something: the gym, and a new bike
    if concepts & (OF_LIFE if _of_oneself(a, b) else SINGLE) and of_one_subject(a, b):
        return True
    fresh = (b.new & a.words) - a.names - a.new - known.frequent - light_words()
    if fresh and (same or concepts or len(shared) > 1):
        return True
    if len(known.topic & a.words & b.words) > 1 and (concepts or (same and not apart(a, b, VAGUE))):
        return bool(concepts) or not b.new
    if same and not b.new and _says_more(a, b) and not apart(a, b, VAGUE | {SCHEDULE}):
        return True
    if b.cue == "strong":
        return ends_strongly(a, b, shared, concepts)
    return bool(shared - known.topic and not b.new) or (bool(shared) and bool(concepts))


def _in_one_situation(a: Facet, b: Facet, shared: frozenset[str]) -> bool:
    """Return whether both tell of the same home, job or price of one subject; oneself has many prices and days."""
    concepts = a.concepts & b.concepts & OF_SITUATION
    telling = concepts & OF_LIFE or shared or not _of_oneself(a, b)
    return bool(concepts and telling) and of_one_subject(a, b)


def _of_oneself(a: Facet, b: Facet) -> bool:
    """Return whether both are about nothing in common but who speaks, who has many things, prices and days."""
    return a.telling_heads & b.telling_heads <= (a.voice & b.voice) | _OWNERS


def _says_more(a: Facet, b: Facet) -> bool:
    """Return whether the same is said again, with a cue: "The newsletter now goes out on …"."""
    common = a.words & b.words
    return len(common - a.names) > 1 and bool(common - (a.heads | b.heads))
