"""Anchors: two to five expressions of a statement by which evidence for it is known, the most telling first."""

from collections.abc import Iterable, Iterator, Sequence

from brain_retrieval.evidence.words import Token, content_forms, tokens_of
from brain_retrieval.language.folding import fold

LEAST, MOST = 2, 5
MOST_WORDS = 3  # of one anchor


def anchors_of(
    subject: str, action: str, rest: str, names: Iterable[str], stated: Iterable[str], language: str | None
) -> tuple[str, ...]:
    """Return the names of a statement, then the runs of content words of its subject, object and action.

    Where these are fewer than two, what it states (`stated`: amounts and dates) is among them.
    """
    inside = fold(f"{subject} {rest}")
    found = [name for name in names if fold(name) in inside]
    for part in (subject, rest):
        found += [run for run in _runs(part, language) if not _said(run, found)]
    found += [action] if action and content_forms(tokens_of(action), language) and not _said(action, found) else []
    if len(found) < LEAST:
        found += [text for text in stated if text not in found]
    if len(found) < LEAST:
        words = [token.text for part in (subject, rest, action) for token in content_forms(tokens_of(part), language)]
        found += [word for word in words if word not in found]
    return tuple(dict.fromkeys(found))[:MOST]


def _runs(text: str, language: str | None) -> Iterator[str]:
    """Yield content words that follow each other, at most three at a time."""
    wanted = {token.start for token in content_forms(tokens_of(text), language)}
    run: list[Token] = []
    for token in tokens_of(text):
        joined = bool(run) and text[run[-1].end : token.start].strip() in ("", "-", "/")
        if token.start in wanted and (not run or (joined and len(run) < MOST_WORDS)):
            run.append(token)
            continue
        if run:
            yield text[run[0].start : run[-1].end]
        run = [token] if token.start in wanted else []
    if run:
        yield text[run[0].start : run[-1].end]


def _said(run: str, found: Sequence[str]) -> bool:
    return any(fold(run) in fold(other) for other in found)
