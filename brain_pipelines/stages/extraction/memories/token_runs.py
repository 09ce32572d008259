"""The tokens of each sentence of a parse, where the parser cuts too often or not at all."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from brain_pipelines.stages.prose.statements import announces
from brain_retrieval.language.lexicon import ENGLISH, SHARED

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

SENTENCE_ENDS = tuple(".!?:;…\"'”’»)]")
_CALLS = tuple("!?")


def token_runs(doc: "Doc") -> Iterator[list["Token"]]:
    """Yield the tokens of each sentence.

    The parser leaves a call with what follows it ("Hey Ben! I moved"), and cuts long sentences of a chat where no mark
    ends one.
    """
    run: list[Token] = []
    for token in doc:
        if token.is_space:
            continue
        after_end = bool(run) and (
            token.is_sent_start
            and run[-1].text.endswith(SENTENCE_ENDS)
            and not _goes_on_behind(run)
            or run[-1].text.endswith(_CALLS)
            and token.text[:1].isupper()
        )
        if after_end:
            yield run
            run = []
        run.append(token)
    if run:
        yield run


def _goes_on_behind(run: Sequence["Token"]) -> bool:
    """Return whether the last words are an abbreviation that no sentence ends with: "2,850 incl. VAT"."""
    last = "".join(token.text_with_ws for token in run[-2:]).rstrip(" .").rpartition(" ")[2]
    return run[-1].text.endswith(".") and last.lower() in _inside()


@cache
def _inside() -> frozenset[str]:
    return SHARED.read("abbreviations", ENGLISH).words("inside")


def with_announcements(runs: Iterable[list["Token"]]) -> Iterator[list["Token"]]:
    """Yield the tokens of each sentence, with the few words before a colon that say what it is about.

    The parser cuts "Shop hours: Tue to Sat 10 to 6." behind the colon.
    """
    before: list[Token] = []
    for run in runs:
        joined = [*before, *run]
        if run[-1].text == ":" and announces("".join(token.text_with_ws for token in joined)):
            before = joined
            continue
        yield joined
        before = []
    if before:
        yield before
