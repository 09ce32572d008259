"""Mentions of an anchor's names in sentences, distinguishing speech about the anchor from speech addressed to it."""

import re
from collections.abc import Iterable, Sequence

from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_retrieval.language.content_words import word_form
from brain_retrieval.language.folding import fold, without_accents
from brain_retrieval.language.plain import plain

CALLS = LEXICONS.read("passages").expression("calls")
LONGEST_ARTICLE = 3


class Names:
    """Matches the names of one anchor (at least one)."""

    def __init__(self, names: Iterable[str]) -> None:
        ordered = sorted({name.strip() for name in names if name.strip()}, key=lambda n: (-len(n), n))
        self._words = frozenset(without_accents(fold(word)) for name in ordered for word in re.findall(r"\w+", name))
        self._forms = frozenset(word_form(plain(word)) for name in ordered for word in re.findall(r"\w+", name))
        either = "|".join(map(re.escape, ordered)) or r"(?!)"
        self._any = re.compile(rf"(?<!\w)(?<!\w\.)(?:{either})(?!\w)", re.IGNORECASE)  # "UK", not "gov.uk"
        self._addressed = re.compile(
            rf"(?:^|[,.!?:]\s*|\b(?:{CALLS})\s+)@?(?:{either})\s*(?:[,.!?…]|$)|(?:^|:\s)@(?:{either})(?!\w)",
            re.IGNORECASE,
        )

    def mentioned_in(self, sentence: str) -> bool:
        """Return whether a sentence names the anchor other than to address it ("Thanks, Bob!")."""
        named = len(self._any.findall(sentence))
        return named > 0 and named > len(self._addressed.findall(sentence))

    def only_within(self, sentence: str, spans: Sequence[tuple[int, int]]) -> bool:
        """Return whether a sentence names the anchor, and within spans of it only."""
        found = [match.start() for match in self._any.finditer(sentence)]
        return bool(found) and all(any(start <= at < end for start, end in spans) for at in found)

    def follow(self, phrase: str, sentence: str) -> bool:
        """Return whether a name of the anchor stands right behind a phrase: "Prof. Reed"."""
        before = (sentence[: match.start()].rstrip(" .") for match in self._any.finditer(sentence))
        return any(text.casefold().endswith(phrase.casefold()) for text in before)

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

    def has_form(self, form: str) -> bool:
        """Return whether a word of a name has the form that `word_form` gives."""
        return form in self._forms
