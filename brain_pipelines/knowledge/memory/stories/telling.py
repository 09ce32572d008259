"""How telling the memories of a storyline are, for its title and its parts, and what both depend on."""

import math
from collections import Counter
from collections.abc import Sequence

from brain_pipelines.knowledge.memory.stories.story_memory import StoryMemory
from brain_retrieval.ids import stable_hash
from brain_retrieval.knowledge.memories.shown.matters import tells_matter

# What a title or summary depends on; the times are those of the source, or in `over` and `ahead`.
HASHED = """
    memory_id text kind keep self_contained speaker entities anchors values polarity modality cue slot_subject
    slot_attribute slot_value
""".split()
NAMED = 0.4  # what the anchor's name adds to the weight of a memory
MATTER, REPORT = 0.2, 0.5
CUES = {"strong": 0.3, "weak": 0.15}
TELLING_KINDS = ("decision", "event", "plan")


def weigh(memories: Sequence[StoryMemory]) -> dict[str, float]:
    """Return by id how telling each memory of a storyline is.

    It adds to the probability that it is worth keeping: a change cue, a stated value, a decision, event or plan, what a
    life or a work turns on, the anchor's name or a source that is mostly about it, and words that occur in many of the
    other memories. What a program reports, and cannot be understood alone, tells less.
    """
    counts = Counter(word for m in memories for word in m.words)
    most = math.log2(1 + max(counts.values(), default=1))
    weights = {}
    for m in memories:
        central = math.fsum(math.log2(1 + counts[word]) for word in m.words) / (len(m.words) + 3) / most
        usable = 0.1 * m.valued + 0.1 * (m.kind in TELLING_KINDS) + NAMED * (m.named or m.mostly)
        usable += MATTER * tells_matter(m.text) - REPORT * (m.of_program and not m.whole)
        weights[m.memory_id] = round(m.keep + CUES.get(m.cue, 0.0) + usable + 0.3 * central, 9)
    return weights


def digest(memories: Sequence[StoryMemory]) -> str:
    """Return a hash of what a summary and a title of these memories depend on."""
    rows = [(m.facet.row if m.facet else {}, m) for m in memories]
    return stable_hash(
        [[[row.get(name) for name in HASHED], m.named, m.over, m.ahead, m.past, m.mostly] for row, m in rows]
    )
