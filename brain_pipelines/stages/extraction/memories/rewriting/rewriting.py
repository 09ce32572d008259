"""A sentence as a text that is readable on its own, months later and without its neighbours.

Numbers, units and qualifiers stay to the letter: pronouns become names, verbs agree, days get their date in brackets,
greetings are cut. Where a change would not be safe the sentence stays as it is, behind the name of its speaker.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import unescape

from brain_pipelines.stages.extraction.local.names.speakers import OWNER
from brain_pipelines.stages.extraction.memories.quotations import is_quoted, quotations
from brain_pipelines.stages.extraction.memories.rewriting import pronouns, referents
from brain_pipelines.stages.extraction.memories.rewriting.agreement import NoVerbError
from brain_pipelines.stages.extraction.memories.rewriting.antecedents import points_outside
from brain_pipelines.stages.extraction.memories.rewriting.asides import commented_from, led_up_to
from brain_pipelines.stages.extraction.memories.rewriting.edits import Edit, edited
from brain_pipelines.stages.extraction.memories.rewriting.hanging import hangs
from brain_pipelines.stages.extraction.memories.rewriting.listener import means_listener
from brain_pipelines.stages.extraction.memories.rewriting.openers import called_at_end, opened_at
from brain_pipelines.stages.extraction.memories.rewriting.participants import Participant, participants
from brain_pipelines.stages.extraction.memories.rewriting.pieces import is_piece
from brain_pipelines.stages.extraction.memories.rewriting.plain_rewriting import (
    dated,
    refers_outside,
    speaks_of,
)
from brain_pipelines.stages.extraction.memories.sentence import Sentence, Signals
from brain_pipelines.stages.extraction.memories.setting import is_machine
from brain_pipelines.stages.extraction.memories.unparsed.plain_verbs import has_no_verb
from brain_retrieval.language.content_words import content_words
from brain_retrieval.language.details import is_entry_of_detail

_LAST_MARKS, _FULL_STOP = " .!?…", "."
LATER = 2  # number of a clause that follows another one


@dataclass(frozen=True)
class Rewritten:
    """A sentence readable on its own, if `self_contained`; else something in it still refers outside."""

    text: str
    self_contained: bool
    participants: tuple[Participant, ...] = ()
    resolved: str | None = None  # the person that "he" or "she" means

    def person_of(self, pronoun: str) -> str | None:
        """Return the person that a subject means, None if it is no resolved "he" or "she"."""
        return self.resolved if referents.is_person_pronoun(pronoun) else None


@dataclass
class _Draft:
    """The changes of a sentence while they are collected."""

    edits: list[Edit] = field(default_factory=list)
    resolved: dict[str, str] = field(default_factory=dict)  # relation of "he" or "she" by the name it means
    outside: bool = False
    addressed: bool = False  # "you" is the listener
    quoted: bool = False  # left as it is, behind the name of its speaker


def rewrite(
    sentence: Sentence,
    signals: Signals,
    before: Sequence[Sentence],
    owner_name: str | None = None,
    subject: str | None = None,
) -> Rewritten:
    """Return the text of a sentence and who takes part in it.

    Args:
        sentence: parsed, or of a language without a parser, which keeps its words.
        signals: its dates are put in brackets.
        before: the last sentences, the nearest last.
        owner_name: for "I" of the speaker "user"; None leaves the first person as it is.
        subject: what a later clause leaves to the first, where no parse says it.
    """
    speaker = _shown(sentence.speaker, owner_name)
    listener = _shown(sentence.listener, owner_name)
    listener = None if listener and "@" in listener else listener  # the address of a list is no name for "you"
    draft = _Draft(edits=list(dated(sentence, signals)))
    opened = led_up_to(sentence, opened_at(sentence))
    end = commented_from(sentence, signals, opened)
    if sentence.words:
        _persons(sentence, speaker, listener, draft, (opened, len(sentence.text) if end is None else end))
        _referents(sentence, before, draft)
    else:
        draft.quoted = True
        draft.outside = refers_outside(sentence)
    lead = _shared_subject(sentence, before, speaker, subject) if sentence.clause >= LATER else None
    start = 0 if lead else opened
    draft.outside = draft.outside or bool(lead) and referents.is_person_pronoun(lead or "")
    if called := called_at_end(sentence):
        draft.edits.append(Edit(*called, ""))
    if end is not None:
        draft.edits.append(Edit(end, len(sentence.text), _FULL_STOP))
    text = edited(sentence.text, draft.edits, start)
    if "&" in text:  # Markdown may hold "&nbsp;" and "&amp;"
        text = unescape(text).replace("\xa0", " ")
    stated = bool(signals.values or signals.slot)
    hanging = not lead and hangs(sentence, start, states_value=stated)
    draft.outside = draft.outside or hanging or _is_piece(sentence, signals, start)
    text = _upper(f"{lead} {text[:1].lower() + text[1:]}" if lead else text)
    text = _with_topic(text, sentence)
    if speaker and _needs_speaker(sentence, speaker, text, draft):
        text = f"{speaker}: {text}"
    taking_part = participants(sentence, draft.resolved, addressed=draft.addressed)
    return Rewritten(text, not draft.outside, taking_part, next(iter(draft.resolved), None))


def _is_piece(sentence: Sentence, signals: Signals, start: int) -> bool:
    """Return whether a sentence is only a piece of one, or a line without a verb that states no address or code."""
    if is_entry_of_detail(sentence.text):
        return False
    bare = not sentence.words and has_no_verb(sentence.text, sentence.language)
    return bare or is_piece(sentence, signals, start)


def _shown(who: str | None, owner_name: str | None) -> str | None:
    return owner_name if who == OWNER else who


def _persons(
    sentence: Sentence, speaker: str | None, listener: str | None, draft: _Draft, kept: tuple[int, int]
) -> None:
    """Add the edits of "I" and "you"; a sentence with "we", or a verb that is not found, is quoted.

    What stands between quotation marks, and a "you" that may be anybody, stays as it is. What the text keeps of the
    sentence are the characters `kept`.
    """
    others = quotations(sentence.text, opened=sentence.in_quotation)
    said = [one for one in enumerate(sentence.words) if kept[0] <= one[1].start < kept[1]]
    own = [(place, word) for place, word in said if not is_quoted(others, word.start)]
    first = {place: case for place, _ in own if (case := pronouns.first_person(sentence, place)) is not None}
    second = {place: case for place, word in own if (case := pronouns.second_person(word)) is not None}
    second = {place: case for place, case in second.items() if not pronouns.is_filler(sentence, place)}
    sure = bool(second) and listener is not None and means_listener(sentence, second, says_i=bool(first))
    draft.outside = sentence.in_quotation or bool(second) and not sure and (listener is None or not first)
    draft.addressed, second = sure, second if sure else {}
    if pronouns.speaks_of_we(word for _, word in own) or is_machine(sentence.speaker):
        draft.quoted = True
        return
    verb = pronouns.implied(sentence) if speaker and sentence.clause < LATER else None
    verb = verb if verb is None or not is_quoted(others, verb.start) else None
    try:
        edits = list(pronouns.named(sentence, speaker, first, again=verb is not None)) if speaker and first else []
        edits += pronouns.named(sentence, listener, second) if listener and second else []
    except NoVerbError:
        draft.quoted = True
        return
    draft.edits += edits
    if speaker and verb is not None:
        draft.edits += pronouns.with_subject(sentence, verb, speaker)


def _shared_subject(
    sentence: Sentence, before: Sequence[Sentence], speaker: str | None, known: str | None
) -> str | None:
    """Return the subject of the clause before for a clause without one: "… and joined the police"."""
    lead = referents.shared_subject(sentence, before) if sentence.words else known
    return speaker or lead if (lead or "").lower() in pronouns.FIRST else lead


def _referents(sentence: Sentence, before: Sequence[Sentence], draft: _Draft) -> None:
    found = referents.person_pronouns(sentence)
    genders = set(found.values())
    inside = referents.living_before(sentence, found) if found else False
    if len(genders) == 1 and inside is False and (name := referents.other_person(sentence, before, *genders)):
        draft.edits += referents.resolved(sentence, found, name)
        draft.resolved[name] = sentence.words[min(found)].dep
    elif found and not inside:
        draft.outside = True
    if leading := referents.leading_thing(sentence, before):
        word, phrase = leading
        draft.edits.append(Edit(word.end, word.end, f" [{phrase}]"))
    elif points_outside(sentence):
        draft.outside = True


def _with_topic(text: str, sentence: Sentence) -> str:
    """Return a text with the title it stands under in brackets before its last mark, where it needs one.

    "Ann talks to the caretaker" tells little without "[Laser cutter]". What the writer says of themselves, what names a
    thing, and what repeats a word of the title is about that.
    """
    topic = sentence.topic
    if topic is None or sentence.listener is not None or sentence.clause or speaks_of(sentence):
        return text
    if any(name.type != "Person" for name in sentence.names):
        return text
    if not set(content_words(topic, sentence.language)).isdisjoint(content_words(sentence.text, sentence.language)):
        return text
    bare = text.rstrip(_LAST_MARKS)
    return f"{bare} [{topic}]{text[len(bare) :].rstrip()}"


def _needs_speaker(sentence: Sentence, speaker: str, text: str, draft: _Draft) -> bool:
    """Return whether the speaker is put in front: what others say, and what is left in the first person."""
    if speaker.casefold() in text.casefold() and not draft.quoted:
        return False
    return sentence.speaker != OWNER or draft.quoted and speaks_of(sentence)


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:] if text[:1].islower() and not text[1:2].isupper() else text
