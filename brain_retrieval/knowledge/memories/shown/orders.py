"""What someone asks a program to do once: "Write me a short letter", which is done when it is answered.

What it is always to do ("From now on, answer in English") is worth keeping, and does not count here.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from brain_retrieval.knowledge.memories.shown.fitness import OWNER, said
from brain_retrieval.knowledge.memories.shown.surroundings import Surroundings
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import lowered, word_expression
from brain_retrieval.language.self_description import describes_speaker

INSTRUCTION = "instruction"

Row = Mapping[str, Any]


def is_order(row: Row, home: Surroundings) -> bool:
    """Return whether the owner asks a program to do something once.

    Args:
        row: of MEMORIES.
        home: of all memories of the user, with the sources in which a program answers.
    """
    if row["speaker"] != OWNER or row["source_id"] not in home.with_programs or row["method"] != "local":
        return False
    words = said(row)
    if describes_speaker(words, to_program=True):
        return False
    return row["kind"] == INSTRUCTION or begins_as_order(words)


def begins_as_order(text: str) -> bool:
    """Return whether a sentence that is said to a program begins as an order, perhaps behind what it is about.

    >>> begins_as_order("Please add a retry."), begins_as_order("Alarm: send a mail."), begins_as_order("It is done.")
    (True, True, False)
    """
    return _orders().match(lowered(text)) is not None


@cache
def _orders() -> re.Pattern[str]:
    """Return a pattern for the beginning of an order, in all languages: "Schreib mir", "please translate"."""
    lexicon = SHARED.every_language("requests")
    polite, verbs = (word_expression(lexicon.listed(key), lowered) for key in ("polite", "orders"))
    return re.compile(rf"(?:[^:.!?]{{2,30}}: )?(?:(?:{polite}),? )?(?:{verbs})(?!\w)")
