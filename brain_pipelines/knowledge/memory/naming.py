"""Mentions of an anchor's names in sentences, distinguishing speech about the anchor from speech addressed to it."""

import re
from collections.abc import Iterable

from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_retrieval.language.folding import fold, without_accents

CALLS = LEXICONS.read("passages").expression("calls")
LONGEST_ARTICLE = 3


class Names:
    """Matches the names of one anchor (at least one)."""

    def __init__(self, names: Iterable[str]) -> None:
        ordered = sorted({name.strip() for name in names if name.strip()}, key=lambda n: (-len(n), n))
        self._words = frozenset(without_accents(fold(word)) for name in ordered for word in re.findall(r"\w+", name))
        either = "|".join(map(re.escape, ordered)) or r"(?!)"
        self._any = re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE)
        self._addressed = re.compile(rf"(?:^|[,.!?]\s*|\b(?:{CALLS})\s+)(?:{either})\s*(?:[,.!?…]|$)", re.IGNORECASE)

    def mentioned_in(self, sentence: str) -> bool:
        """Return whether a sentence names the anchor other than to address it ("Thanks, Bob!")."""
        named = len(self._any.findall(sentence))
        return named > 0 and named > len(self._addressed.findall(sentence))

    def match_speaker(self, speaker: str | None) -> bool:
        """Return whether a speaker is the anchor."""
        return bool(speaker) and self._any.fullmatch(speaker.strip()) is not None

    def begin(self, sentence: str) -> bool:
        """Return whether a sentence begins with a name of the anchor, after an article at most."""
        found = self._any.search(sentence)
        return found is not None and len(sentence[: found.start()].strip()) <= LONGEST_ARTICLE

    def has_word(self, beginning: str) -> bool:
        """Return whether a word of a name begins like this, folded."""
        return any(word.startswith(beginning) for word in self._words)
