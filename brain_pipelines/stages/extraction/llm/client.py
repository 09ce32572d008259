"""Memory requests to a chat model: caching by group, repetition of what is missing, smaller requests if one fails."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel

from brain_pipelines.stages.extraction.llm import prompt as prompt
from brain_pipelines.stages.extraction.llm.lines import Group, expected_tokens, requests_of, user_prompt
from brain_pipelines.stages.extraction.llm.notes import numbers_of
from brain_pipelines.stages.extraction.llm.prompt import DescribedName, Entry, ReadName
from brain_pipelines.stages.extraction.llm.quotes import Quotable
from brain_retrieval.errors import BudgetExceededError, EndpointDownError, ModelCallError, NoAnswerError
from brain_retrieval.models.chat.cached_chat import CachedChat
from brain_retrieval.models.chat.chat_cache import answer_key
from brain_retrieval.models.chat.protocol import Usage

# After this many failed calls in a row, or refused texts in a row, the endpoint is not called again for this span; a
# text of which so many requests were refused is not asked about any more, so that it spoils nothing for the others.
PATIENCE = 3
# So many likely sentences (by the local tier) of which a model keeps less than this share were not read. Answers
# written by hand keep two thirds of those of each text and more.
LIKELY, FEWEST_LIKELY, LIKELY_SHARE = 0.8, 3, 0.25
# An answer may be that many times longer than expected before it is cut off.
HEADROOM = 2


class Kept(BaseModel):
    """Cache entry of a group: its entries with numbers from 1 on, and the names in its sentences."""

    entries: list[Entry]
    names: list[DescribedName | ReadName]


Part = tuple[Group, Kept | ModelCallError]


def read_with(
    chat: CachedChat,
    groups: Sequence[Group],
    *,
    size: int,
    most_chars: int,
    described: bool = False,
    progress: Callable[[int], None] | None = None,
) -> list[Part]:
    """Return the groups, or their halves, with their answers or why there is none; a failing endpoint does not raise.

    The order is that of the groups and their sentences.

    Args:
        size: maximum number of sentences in a request.
        most_chars: maximum length of a request in characters.
        described: ask for the forms and descriptions of names.
        progress: called with the number of sentences just done.
    """
    session = _Session(chat, described, progress or (lambda _: None))
    by_key = {session.key(group): group for group in groups}
    session.recall(by_key)
    pending = [group for key, group in by_key.items() if key not in session.kept]
    for batch in requests_of(pending, size=size, most_chars=most_chars):
        session.ask(batch)
        session.progress(sum(len(group.lines) for group in batch))
    return [part for group in groups for part in session.parts(group)]


def group_key(model: str, group: Group, *, described: bool) -> str:
    """Return the cache key of a group, which does not depend on the rest of its request."""
    return answer_key(model, prompt.NAME, prompt.system_prompt(described=described), group.shown(), Kept)


@dataclass
class _Session:
    """State of the requests of one span: answers and errors so far, and the reason to stop sending requests."""

    chat: CachedChat
    described: bool
    progress: Callable[[int], None]
    kept: dict[str, Kept] = field(default_factory=dict)
    errors: dict[str, ModelCallError] = field(default_factory=dict)
    halved: dict[str, tuple[Group, Group]] = field(default_factory=dict)
    failures: int = 0
    refused: Counter[int] = field(default_factory=Counter)  # requests by text, of which single sentences got no answer
    refused_in_a_row: set[int] = field(default_factory=set)  # texts since the last answer
    over: ModelCallError | None = None  # reason why no further request is sent

    def key(self, group: Group) -> str:
        return group_key(self.chat.identity, group, described=self.described)

    def recall(self, by_key: dict[str, Group]) -> None:
        self.kept |= self.chat.recall(Kept, list(by_key), name=prompt.NAME)
        self.progress(sum(len(group.lines) for key, group in by_key.items() if key in self.kept))

    def parts(self, group: Group) -> list[Part]:
        """Return a group with its answer; if only a half of it has one, its halves."""
        key = self.key(group)
        if key in self.kept:
            return [(group, self.kept[key])]
        if key in self.halved:
            return [part for half in self.halved[key] for part in self.parts(half)]
        return [(group, self.errors[key])]

    def ask(self, batch: list[Group]) -> None:
        """Send a batch; if the model cannot answer it, or it is too long, send its halves."""
        for group in batch:
            if self.refused[group.place] >= PATIENCE:
                self.errors[self.key(group)] = NoAnswerError(f"not asked after {PATIENCE} refused parts of its text")
        batch = [group for group in batch if self.refused[group.place] < PATIENCE]
        if not batch:
            return
        try:
            missing = self._request(batch)
        except NoAnswerError as error:
            self._halve(batch, error)
        except ModelCallError as error:
            self._fail(batch, error)
        else:
            self._ask_again(missing)

    def _halve(self, batch: list[Group], error: NoAnswerError) -> None:
        if len(batch) > 1:
            self.ask(batch[: len(batch) // 2])
            self.ask(batch[len(batch) // 2 :])
        elif len(batch[0].lines) > 1:
            self._halve_group(batch[0])
        else:
            self._fail(batch, error)

    def _halve_group(self, group: Group) -> None:
        """Ask about the halves of a group, and keep their answers as one under the key of the whole."""
        halves = group.halves()
        for half in halves:
            if self.key(half) not in self.kept:
                self.ask([half])
        keys = [self.key(half) for half in halves]
        if not all(key in self.kept for key in keys):
            self.halved[self.key(group)] = halves
            return
        first, second = (self.kept[key] for key in keys)
        moved = [_shifted(entry, len(halves[0].lines)) for entry in second.entries]
        self._keep({self.key(group): Kept(entries=[*first.entries, *moved], names=[*first.names, *second.names])})

    def _ask_again(self, missing: list[Group]) -> None:
        if not missing:
            return
        try:
            missing = self._request(missing)
        except ModelCallError as error:
            self._fail(missing, error)
            return
        left_out = NoAnswerError(f"{prompt.NAME} with {self.chat.name}: sentences were left out of two answers")
        self.errors |= {self.key(group): left_out for group in missing}

    def _request(self, batch: list[Group]) -> list[Group]:
        """Send a batch, cache the answers of the groups that were read, and return the others."""
        if self.over is not None:
            raise self.over
        schema = prompt.answer_schema(described=self.described)
        system = prompt.system_prompt(described=self.described)
        most = max(self.chat.most_output, HEADROOM * expected_tokens(batch))
        answer, usage = self.chat.ask(
            schema, system=system, user=user_prompt(batch), name=prompt.NAME, most_output=most
        )
        entries = answer.entries()
        if not _has_read(entries, batch):
            return batch
        self.failures = 0
        self.refused_in_a_row.clear()
        answered, missing, first = {}, [], 1
        for group in batch:
            last = first + len(group.lines) - 1
            if answer.last < last:
                missing.append(group)
            else:
                answered[self.key(group)] = Kept(
                    entries=_entries(entries, first, last), names=_names(answer.names, group)
                )
            first = last + 1
        self._keep(answered, usage)
        return missing

    def _keep(self, answered: dict[str, Kept], usage: Usage | None = None) -> None:
        # An answer put together from two costs nothing itself.
        self.chat.keep(answered, name=prompt.NAME, usage=usage or Usage(self.chat.name, prompt.NAME, 0, 0, 0.0))
        self.kept |= answered

    def _fail(self, batch: list[Group], error: ModelCallError) -> None:
        self.errors |= {self.key(group): error for group in batch}
        if self.over is not None:
            return
        if isinstance(error, NoAnswerError):
            # The endpoint works: what it refuses is the text's.
            places = {group.place for group in batch}
            self.refused.update(places)
            self.refused_in_a_row |= places
        else:
            self.failures += 1
        if isinstance(error, BudgetExceededError | EndpointDownError):
            self.over = error
        elif self.failures >= PATIENCE or len(self.refused_in_a_row) >= PATIENCE:
            what = "failed calls" if self.failures >= PATIENCE else "texts without an answer"
            self.over = ModelCallError(f"not asked after {PATIENCE} {what} in a row, the last: {error}"[:400])


def _has_read(entries: Sequence[Entry], batch: Sequence[Group]) -> bool:
    """Return whether an answer keeps enough of the likely sentences to be a reading of them."""
    lines = enumerate((line for group in batch for line in group.lines), 1)
    likely = {number for number, line in lines if line.row["keep"] >= LIKELY}
    kept = {entry.i for entry in entries}
    return len(likely) < FEWEST_LIKELY or len(likely & kept) >= LIKELY_SHARE * len(likely)


def _entries(entries: Sequence[Entry], first: int, last: int) -> list[Entry]:
    """Return the entries of the numbers `first` to `last`, numbered from 1 on."""
    return [_shifted(entry, 1 - first) for entry in entries if first <= entry.i <= last]


def _shifted(entry: Entry, by: int) -> Entry:
    """Return an entry with its number, and those it names, moved."""
    notes = [
        note.model_copy(update={"v": " ".join(str(n + by) for n in numbers_of(note.v))})
        if note.k == "changes"
        else note
        for note in entry.n
    ]
    return entry.model_copy(update={"i": entry.i + by, "n": notes})


def _names(names: Sequence[DescribedName | ReadName], group: Group) -> list[DescribedName | ReadName]:
    """Return the names that occur in a sentence of the group."""
    said = Quotable("\n".join(line.row["evidence"] for line in group.lines))
    return [name for name in names if said.holds(name.n)]
