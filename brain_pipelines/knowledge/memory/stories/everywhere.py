"""People who are no subject because all is theirs: an owner without a name in the settings, who writes everywhere.

A mailbox, an exported chat or minutes name their owner in most sources. A storyline of such a person would hold all the
others together and say nothing.
"""

import re
from collections.abc import Collection, Iterable, Sequence

from brain_pipelines.knowledge.memory.naming import Names
from brain_retrieval.language.folding import fold, without_accents

LEAST_SOURCES = 20  # of a user; fewer say too little about who is in most of them
WRITING_SHARE = 0.25  # of the sources that mention someone, written by that person too
OTHER_WRITERS = 3  # beside such a person: in a talk of two, what the other one tells is a story


def has_name_of_user(names: Iterable[str], user: str) -> bool:
    """Return whether a name of several words is the id of the user: "Ann Lee" and "ann-lee".

    >>> has_name_of_user(["Ann", "Ann Lee"], "ann-lee"), has_name_of_user(["Ann"], "ann")
    (True, False)
    """
    parts = (re.findall(r"\w+", without_accents(fold(name))) for name in names)
    return any(len(words) > 1 and "-".join(words) == user for words in parts)


def is_everywhere(names: Names, writers: Sequence[Collection[str]], *, total: int, share: float) -> bool:
    """Return whether someone is in most sources of a user, and writes to several others in them.

    Args:
        names: of the person.
        writers: who speaks, for each source that mentions the person.
        total: of the sources of the user.
        share: of them, above which someone is in most.
    """
    if total < LEAST_SOURCES or len(writers) <= share * total:
        return False
    own = sum(any(names.match_speaker(one) for one in found) for found in writers)
    others = {one for found in writers for one in found if not names.match_speaker(one)}
    return own >= WRITING_SHARE * len(writers) and len(others) >= OTHER_WRITERS
