"""The three parts of a storyline made of its memories: how it began, its turns, and the state now."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from brain_pipelines.knowledge.memory.extractive_summary import FIRST, TOO_ALIKE, content_words, likeness
from brain_pipelines.knowledge.memory.passages import Passage, Source
from brain_pipelines.knowledge.memory.stories.story_memory import KEPT, StoryMemory, is_heading
from brain_pipelines.knowledge.memory.stories.telling import CUES, weigh
from brain_retrieval.knowledge.memories.supersession import ending
from brain_retrieval.language.outcomes import REACHED, outcome

SPOKEN = frozenset({"voice-memo", "meeting", "video"})
BEGINNING, TURN, NOW = "beginning", "turn", "now"
MOST_TURNS = 3
TURN_SOURCES = 4
# How much less a memory may say if it is of an earlier source (beginning) or a newer one (state now).
EARLIER, NEWER = 0.5, 0.4
OUTCOME = 0.3  # what a word of how something came out adds to the weight of a memory for a turn or the state now
LEAST_STATE = 0.1  # probability that a sentence is worth keeping which names the anchor and how it came out
KEEP = 0.5  # share of the probability that a memory is worth keeping which does not count for the state now
ABOUT = 0.3  # what a source that is mostly about the anchor adds for the state now: others only mention it
# What it adds for the state now that a sentence can be understood alone: what is said and cannot, is often an aside;
# written notes are kept short.
ALONE = 0.3
ENTRY = 0.3  # how much less an entry of a calendar tells: it has a name, a time and a room
CALENDAR = "calendar"
LabelledMemories = list[tuple[str, StoryMemory]]


def parts_of(memories: Sequence[StoryMemory], now: datetime) -> LabelledMemories:
    """Return the parts of a storyline with their memory, in the order in which they were said.

    The beginning is the most telling memory of the first source, unless those just after say much more; sources count
    as first up to a third of all, at most FIRST. The state now is the most telling current memory of the newest source,
    unless it says much less than those of the sources just before. Turns are at most MOST_TURNS of those between with
    a change cue or a decision, each of another day. If there are none, or fewer than one for TURN_SOURCES sources,
    the most telling events and plans between are added.

    Args:
        memories: of one storyline; those that are reported, asked or not understandable alone are left out.
        now: the end of the snapshot.
    """
    usable = _happening(sorted((m for m in memories if m.tellable), key=lambda m: m.order))
    if not usable:
        return []
    weighed = weigh(memories)
    weights = {m.memory_id: weighed[m.memory_id] - ENTRY * (m.source_type == CALENDAR) for m in memories}
    first = _first(_opening(usable), weights)
    stating = sorted((m for m in memories if m.tellable or _comes_out(m)), key=lambda m: m.order)
    stating = _happening(stating)
    state = _state([m for m in stating if first and m.order > first.order], weights, first, now)
    chosen = [one for one in (first, state) if one]
    inner = [m for m in usable if first and first.order < m.order and (state is None or m.order < state.order)]
    turns = _turns(inner, weights, chosen)
    parts = [(BEGINNING, first)] + [(TURN, m) for m in turns] + [(NOW, state)]
    return [(part, m) for part, m in parts if m is not None]


def _happening(memories: list[StoryMemory]) -> list[StoryMemory]:
    """Return the memories without what someone is asked for, which has not happened, unless there is nothing else."""
    return [m for m in memories if not m.is_order] or memories


def _comes_out(memory: StoryMemory) -> bool:
    """Return whether a sentence with the anchor's name tells how it came out: "the boat is back", however short."""
    named = memory.asserted and memory.named and memory.whole and memory.keep >= LEAST_STATE
    return named and outcome(memory.text, memory.language) == REACHED


def _first(opening: Sequence[StoryMemory], weights: Mapping[str, float]) -> StoryMemory | None:
    sources = dict.fromkeys(m.source_id for m in opening)
    best = [_best([m for m in opening if m.source_id == source_id], weights, []) for source_id in sources]
    most = max((weights[m.memory_id] for m in best if m), default=0.0)
    return next((m for m in best if m and weights[m.memory_id] >= most - EARLIER), None)


def _opening(usable: Sequence[StoryMemory]) -> list[StoryMemory]:
    sources = list(dict.fromkeys(m.source_id for m in usable))
    begin = set(sources[: min(FIRST, -(-len(sources) // 3))])
    return [m for m in usable if m.source_id in begin]


def _state(
    usable: Sequence[StoryMemory], weights: Mapping[str, float], first: StoryMemory | None, now: datetime
) -> StoryMemory | None:
    """Return the most telling current memory of the newest sources, given all memories after the first one.

    An appointment that has been is the state only of a storyline of which nothing else is known.
    """
    # A change is a turn; for the state counts what else a memory says, and that it is new counts more than that it is
    # likely to be kept.
    came = {m.memory_id: outcome(m.text, m.language) for m in usable}
    # Where a person says how it came out, that is the state, and not what a program reports beside it.
    came_out = {m.source_id for m in usable if came[m.memory_id] == REACHED and not m.of_program}
    of_state = {
        m.memory_id: OUTCOME * came[m.memory_id]
        - OUTCOME * (m.of_program and m.source_id in came_out)
        + ABOUT * m.mostly
        + ALONE * (m.whole or m.source_type not in SPOKEN or came[m.memory_id] == REACHED)
        - KEEP * m.keep
        for m in usable
    }
    weights = {m.memory_id: weights[m.memory_id] - CUES.get(m.cue, 0.0) + of_state[m.memory_id] for m in usable}
    holding = [m for m in usable if not m.over and not m.ahead]
    present = [m for m in holding if not m.past]
    latest = _latest(present, usable, weights, first, now) or _latest(holding, usable, weights, first, now)
    most = max((weights[m.memory_id] for m in latest), default=0.0)
    return next((m for m in latest if weights[m.memory_id] >= most - NEWER), None)


def _latest(
    holding: Sequence[StoryMemory],
    usable: Sequence[StoryMemory],
    weights: Mapping[str, float],
    first: StoryMemory | None,
    now: datetime,
) -> list[StoryMemory]:
    """Return the most telling memory that nothing has ended for each of the newest sources, the newest first."""
    latest: list[StoryMemory] = []
    for source_id in list(dict.fromkeys(m.source_id for m in reversed(holding)))[:FIRST]:
        left = [m for m in holding if m.source_id == source_id]
        while (best := _best(left, weights, [first] if first else [])) and _is_ended(best, usable, now):
            left.remove(best)
        if best:
            latest.append(best)
    return latest


def _is_ended(memory: StoryMemory, others: Sequence[StoryMemory], now: datetime) -> bool:
    """Return whether another memory of the storyline has ended it."""
    if memory.facet is None:
        return False
    return any(ending(memory.facet, m.facet, now) for m in others if m.facet and m.order > memory.order)


def _turns(
    inner: Sequence[StoryMemory], weights: Mapping[str, float], chosen: Sequence[StoryMemory]
) -> list[StoryMemory]:
    weights = {m.memory_id: weights[m.memory_id] + OUTCOME * outcome(m.text, m.language) for m in inner}
    changes = [m for m in inner if m.cue != "none" or m.kind == "decision" or outcome(m.text, m.language) == REACHED]
    events = [m for m in inner if m.kind in ("event", "plan")]
    turns: list[StoryMemory] = []
    _extend(turns, changes, MOST_TURNS, weights, chosen)
    due = max(1, len({m.source_id for m in inner}) // TURN_SOURCES)
    _extend(turns, events, min(due, MOST_TURNS), weights, chosen)
    return sorted(turns, key=lambda m: m.order)


def _extend(
    turns: list[StoryMemory],
    memories: Sequence[StoryMemory],
    most: int,
    weights: Mapping[str, float],
    chosen: Sequence[StoryMemory],
) -> None:
    """Add the most telling memories to the turns until there are `most`, each of another day and unlike the rest."""
    while len(turns) < most:
        days = {m.said_at.date() for m in (*chosen, *turns)}
        best = _best([m for m in memories if m.said_at.date() not in days], weights, [*chosen, *turns])
        if best is None:
            break
        turns.append(best)


def _best(
    memories: Sequence[StoryMemory], weights: Mapping[str, float], chosen: Sequence[StoryMemory]
) -> StoryMemory | None:
    """Return the most telling memory that is not too similar to those chosen."""
    apart = [m for m in memories if all(likeness(m.words, other.words) < TOO_ALIKE for other in chosen)]
    return min(apart, key=lambda m: (-weights[m.memory_id], m.order), default=None)


def memory_passage(memory: StoryMemory, part: str = "") -> Passage:
    """Return a memory as a passage that can be cited; its time is when it was said."""
    source = Source(memory.source_id, memory.source_type, memory.said_at)
    memory_id = memory.memory_id if memory.facet else None
    return Passage(source, memory.start, memory.end, memory.text, memory.named, memory_id, part)


def unread(passage: Passage) -> StoryMemory:
    """Return a passage of a source without memories as the least of memories."""
    source = passage.source
    return StoryMemory(
        memory_id=f"{source.source_id}:{passage.start}",
        source_id=source.source_id,
        source_type=source.source_type,
        said_at=source.at,
        start=passage.start,
        end=passage.end,
        text=passage.text,
        kind="fact",
        keep=KEPT,
        cue="none",
        valued=False,
        asserted=not passage.text.endswith("?") and not is_heading(passage.text),
        whole=True,
        named=passage.about,
        over=False,
        ahead=False,
        words=content_words(passage.text),
    )


def relabelled(passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages of a macro, given in order, as its beginning, turns and state now, if all have parts."""
    if not all(p.part for p in passages) or len(passages) < 2:
        return list(passages)
    inner = [replace(p, part=TURN) for p in passages[1:-1]]
    return [replace(passages[0], part=BEGINNING), *inner, replace(passages[-1], part=NOW)]
