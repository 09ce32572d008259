"""Speaker turns of a text, from its message segments or, without any, from labels at line starts ("Alice Chen: ").

Labels are not prose and are excluded from the parsed spans.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.gazetteers import every_given_name, given_names, rarer_given_names
from brain_pipelines.stages.extraction.local.names.mention import FULL_NAME, Mention
from brain_pipelines.stages.extraction.local.names.person_form import bare_person
from brain_pipelines.stages.extraction.local.names.turns import HUMAN_ROLES, MACHINE_ROLES, OWNER, Turn, with_quoted
from brain_pipelines.stages.prose.quoted import quoted_parts
from brain_retrieval.language.lexicon import ENGLISH, code_of
from brain_retrieval.language.plain import lowered, word_pattern

_PICTURED = frozenset(("image", "frame", "barcode", "described", "generated"))  # the words of whoever wrote the sign

# "TODO: …", "Antrag: …" of minutes: they end the words of who spoke before.
_NO_SPEAKERS = LEXICONS.every_language("speakers").words("no_speakers")
_LABEL = re.compile(
    r"^[ \t]*(?:[-*+][ \t]{1,4})?(?:\*\*|__)?(?P<name>[A-Za-z][\w.'’-]*?(?: [A-Z][\w.'’-]*?){0,2})"
    r"(?:\*\*:|__:|:\*\*|:__|:)[ \t]+(?=\S)",
    re.MULTILINE,
)
_SPOKEN_LABEL = re.compile(
    r"^[ \t]*(?:\*\*|__)?(?P<name>[^\W\d_][^\n:()\[\]*]{0,60}?)(?:[ \t]{1,3}\([^\n]{1,160}?\))?"
    r"(?:\*\*:|__:|:\*\*|:__|:)[ \t]+(?=\S)",
    re.MULTILINE,
)
_FULL_NAME = re.compile(r"(?:[A-Z][\w.'’-]{0,30} ){1,4}[A-Z][\w.'’-]{1,30}")
_INITIALS = re.compile(r"[A-Z]{2,3}")
_MARKS = " \t\r\n-*+_"  # of a list or of strong text, in front of a label
_HEADING = re.compile(r"^#{1,6}[ \t]", re.MULTILINE)
_WORD = re.compile(r"[^\W\d_]+")
_LIST_ITEM = re.compile(r"(?P<indent>[ \t]*)[-*+][ \t]")
_NEXT_ITEM = re.compile(r"^(?P<indent>[ \t]*)[-*+][ \t]", re.MULTILINE)
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_TAB = 4  # columns
# What a bridge to another network passes on: "[discord] <ann> good morning".
_RELAYED = re.compile(
    r"[ \t]{0,4}(?P<net>\[[^\[\]\n]{1,40}\][ \t]{1,3})?<[ @+%&~]?(?P<name>[^<>\n]{1,40})>[ \t]{1,4}(?=\S)"
)
LEAST_RELAYED = 2  # messages of a speaker, at least half of them, where the network is not named
LEAST_LABELS = 2  # of speakers
ROLL_SHARE = 0.6  # of the labels of lines that follow one another, which are speakers by themselves
REPEATED = 2  # lines of a label, and labels, that show a word that is in no list to be a speaker
# A line of IRC: "[09:15] <ann> good morning", "2026-01-05T09:15:00  <@bo> hi".
_CHAT_LINE = re.compile(
    r"^[ \t]{0,8}(?:\[?[\d.:/T -]{4,22}\]?[ \t]{1,4})?<[ @+%&~]?(?P<name>[A-Za-z_\[\]\\^{}|][\w\[\]\\^{}|-]{0,30})>"
    r"[ \t]{1,4}(?=\S)",
    re.MULTILINE,
)
LEAST_CHAT = 3  # lines
_CALLED = re.compile(r"\s{0,4}@?(?P<name>[^\s:,@][^:,\n]{0,40})(?P<mark>[:,])[ \t]{1,4}(?=\S)")
LEAST_SPOKEN, SPOKEN_SHARE = 8, 0.6  # labels, and of all lines, from which on a text is a transcript
MANY = 3  # speakers: "Ann, …" calls one of them


def turns_of(document: dict[str, Any]) -> list[Turn]:
    """Return the turns of a DOCUMENT_TEXT row in order; they cover its prose and do not overlap.

    What it quotes is a turn of its own, by the quoted writer. Sources with `own_voice` (voice memos, notes) are spoken
    by the owner unless a speaker or author says otherwise.
    """
    return list(with_quoted(_turns_of(document), quoted_parts(document), document["text"]))


def _turns_of(document: dict[str, Any]) -> list[Turn]:
    text = document["text"]
    source = SOURCES_BY_NAME.get(document.get("source", ""))
    own_voice = source is not None and source.own_voice
    messages = [s for s in document.get("segments") or () if s["kind"] in ("message", "speech")]
    if messages:
        alone = own_voice and len({s.get("speaker") for s in messages}) == 1
        turns = list(_relayed([_message(text, segment) for segment in messages], text))
        turns = [replace(turn, speaker=OWNER) for turn in turns] if alone else turns
        return list(_with_gaps(list(_calling(turns, text)), text))
    if said := list(_labelled(text, document.get("language"))) or list(_chat_lines(text)):
        writer = OWNER if own_voice else None
        return [turn if turn.label else replace(turn, speaker=writer) for turn in _with_gaps(said, text)]
    kinds = {s["kind"] for s in document.get("segments") or ()}
    if kinds and kinds <= _PICTURED:
        return [Turn(0, len(text))]
    authors = [bare_person(author) for author in document.get("authors") or ()]
    if own_voice:
        return [Turn(0, len(text), authors[0] if len(authors) == 1 else OWNER)]
    return [Turn(0, len(text), authors[0] if len(authors) == 1 else None)]


def _with_gaps(turns: list[Turn], text: str) -> Iterator[Turn]:
    """Yield the turns and, without a speaker, the text between them: headings, text in video frames."""
    position = 0
    for turn in turns:
        before = turn.label[0] if turn.label else turn.start
        if text[position:before].strip(_MARKS):
            yield Turn(position, before)
        yield turn
        position = turn.end
    if text[position:].strip():
        yield Turn(position, len(text))


def speaker_mentions(turns: list[Turn]) -> Iterator[Mention]:
    """Yield a mention for each turn label that is the name of a person."""
    for turn in turns:
        if turn.label is not None and turn.names_person and turn.speaker is not None:
            yield Mention(*turn.label, turn.speaker, "Person", FULL_NAME)


def known_people(turns: Iterable[Turn]) -> frozenset[str]:
    """Return the names by which a text may call its speakers: in full, and their first words."""
    people = {turn.speaker for turn in turns if turn.speaker and turn.names_person}
    return called(name for name in people if "@" not in name and name[:1].isupper())


def called(names: Iterable[str]) -> frozenset[str]:
    """Return the forms by which people of these names may be called: in full, and by their first words."""
    return frozenset(form for name in names for form in (name, name.split(" ")[0]) if len(form.rstrip(".")) > 1)


def _message(text: str, segment: dict[str, Any]) -> Turn:
    start, end, speaker = segment["start"], segment["end"], segment.get("speaker")
    label = f"{speaker}:"
    if speaker and text.startswith(label, start):
        return Turn(start + len(label), end, bare_person(speaker), (start, start + len(speaker)))
    return Turn(start, end, bare_person(speaker) if speaker else None)


def _relayed(turns: list[Turn], text: str) -> Iterator[Turn]:
    """Yield the turns of chat; a message that a program passes on is said by the one whose name stands in it."""
    if "<" not in text:
        yield from turns
        return
    found = [_RELAYED.match(text, turn.start, turn.end) for turn in turns]
    said = Counter(turn.speaker for turn in turns)
    passed = Counter(turn.speaker for turn, match in zip(turns, found, strict=True) if match)
    bridges = {who for who, count in passed.items() if count >= LEAST_RELAYED and 2 * count >= said[who]}
    for turn, match in zip(turns, found, strict=True):
        if match and (match["net"] or turn.speaker in bridges):
            yield Turn(match.end(), turn.end, match["name"].strip(), match.span("name"))
        else:
            yield turn


def _calling(turns: list[Turn], text: str) -> Iterator[Turn]:
    """Yield the turns without the name of another speaker in front: "ann: look at this"."""
    people = {turn.speaker.casefold(): turn.speaker for turn in turns if turn.speaker and turn.names_person}
    for turn in turns:
        found = _CALLED.match(text, turn.start, turn.end)
        called = people.get(found["name"].casefold()) if found else None
        if found and called and called != turn.speaker and (found["mark"] == ":" or len(people) >= MANY):
            yield replace(turn, start=found.end())
        else:
            yield turn


def _labelled(text: str, language: str | None) -> Iterator[Turn]:
    """Yield the labelled turns; a heading ends a turn. In a transcript a label that is no speaker ends one, too."""
    labels, speakers = _transcript_labels(text)
    spoken = bool(labels)
    if not spoken:
        labels, speakers = _speaker_labels(text)
    headings = [match.start() for match in _HEADING.finditer(text)]
    for place, label in enumerate(labels):
        end = labels[place + 1].start() if place + 1 < len(labels) else len(text)
        below = bisect_right(headings, label.end())
        end = min(end, headings[below]) if below < len(headings) else end
        name = " ".join(label["name"].split())
        if name in speakers:
            end = end if spoken else _end_in_minutes(text, label, end, language)
            yield Turn(label.end(), end, name, label.span("name"))
        else:
            yield Turn(label.end(), end, None, label.span("name")) if spoken else Turn(label.start(), end)


def _end_in_minutes(text: str, label: re.Match[str], end: int, language: str | None) -> int:
    """Return where the words of a label of minutes end: its item of a list, else its paragraph.

    A later paragraph is still theirs if it says "I" or "we".
    """
    item = _LIST_ITEM.match(label.group())
    if item is not None:
        depth = len(item["indent"].expandtabs(_TAB))
        for other in _NEXT_ITEM.finditer(text, label.end(), end):
            if len(other["indent"].expandtabs(_TAB)) <= depth:
                return other.start()
        return end
    first = _PARAGRAPH.search(text, label.end(), end)
    if first is None or _first_person(code_of(language)).search(lowered(text[first.start() : end])):
        return end
    return first.start()


@cache
def _first_person(language: str) -> re.Pattern[str]:
    lexicon = LEXICONS.read("persons", language if LEXICONS.has("persons", language) else ENGLISH)
    return word_pattern([*lexicon.listed("first"), *lexicon.listed("first_plural"), *lexicon.listed("first_verbs")])


def _transcript_labels(text: str) -> tuple[list[re.Match[str]], frozenset[str]]:
    """Return the labels of a transcript and those that are speakers: all that recur, and what looks like a full name.

    Most lines of a transcript begin with a label, and most labels recur: "Project Manager: …", "Ann Lee (Hull): …".
    """
    found = list(_SPOKEN_LABEL.finditer(text))
    if len(found) < max(LEAST_SPOKEN, SPOKEN_SHARE * sum(bool(line.strip()) for line in text.split("\n"))):
        return [], frozenset()
    counts = Counter(" ".join(match["name"].split()) for match in found)
    again = {n for n, c in counts.items() if c >= REPEATED and len(n) > 1 and n.casefold() not in _NO_SPEAKERS}
    if 2 * sum(counts[name] for name in again) < len(found):
        return [], frozenset()
    return found, frozenset(again | {name for name in counts if _FULL_NAME.fullmatch(name)})


def _speaker_labels(text: str) -> tuple[list[re.Match[str]], frozenset[str]]:
    """Return the labels that end a turn, and the speakers: a role, a given name, or what recurs as these do.

    A single label may be any "Word: …" line. Of two initials that recur both are speakers ("BS: …"); beside speakers
    another label that recurs is one, too, unless the text has it in small letters ("Note: …").
    """
    found = list(_LABEL.finditer(text))
    counts = Counter(match["name"] for match in found)
    initials = {name for name, count in counts.items() if count >= REPEATED and _INITIALS.fullmatch(name)}
    speakers = {name for name in counts if _is_speaker(name)} | (initials if len(initials) >= REPEATED else set())
    if sum(counts[name] for name in speakers) < LEAST_LABELS:
        return [], frozenset()
    words = frozenset(_WORD.findall(text))
    if len(speakers) >= REPEATED:
        again = {name for name, count in counts.items() if count >= REPEATED}
        speakers |= {name for name in again if _may_be_name(name, words)}
    called = _called_by_roll(text, found, speakers)
    speakers |= {name for name in called if name in _rarer_names() and _may_be_name(name, words)}
    speakers = {name for name in speakers if name.casefold() not in _NO_SPEAKERS}
    ending = called | {name for name in counts if name.casefold() in _NO_SPEAKERS} | speakers
    return [match for match in found if match["name"] in ending], frozenset(speakers)


def _may_be_name(label: str, words: Collection[str]) -> bool:
    """Return whether the words of a text do not have a label in small letters; a single letter is "Q: …"."""
    return label[0].isupper() and len(label) > 1 and label.split(" ")[0].lower() not in words


def _called_by_roll(text: str, labels: Sequence[re.Match[str]], speakers: Collection[str]) -> set[str]:
    """Return the labels in strong letters of lines that follow one another, each by another speaker: at a stand-up.

    ROLL_SHARE of them are speakers by themselves; a rarer given name among them is one too, and any ends a turn.
    """
    rolls: list[list[re.Match[str]]] = []
    for label in labels:
        if not label.group().rstrip().endswith(("**", "__", "**:", "__:")):
            continue
        last = rolls[-1][-1] if rolls else None
        if last is not None and "\n" not in text[last.end() : label.start()].strip():
            rolls[-1].append(label)
        else:
            rolls.append([label])
    named = ([label["name"] for label in roll] for roll in rolls)
    return {one for names in named if sum(n in speakers for n in names) >= ROLL_SHARE * len(names) for one in names}


@cache
def _rarer_names() -> frozenset[str]:
    return frozenset(every_given_name()) | frozenset(rarer_given_names())


def _chat_lines(text: str) -> Iterator[Turn]:
    """Yield the lines of a chat on IRC that is, or is quoted in, a text."""
    lines = list(_CHAT_LINE.finditer(text))
    if len(lines) < LEAST_CHAT:
        return
    for line in lines:
        end = text.find("\n", line.end())
        yield Turn(line.end(), len(text) if end < 0 else end, line["name"], line.span())


def _is_speaker(name: str) -> bool:
    return name.casefold() in HUMAN_ROLES | MACHINE_ROLES or name.split(" ")[0] in given_names()
