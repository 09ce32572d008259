"""Summaries by a chat model, within a request limit for each snapshot; unsupported sentences are dropped."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from brain_pipelines.knowledge.memory.citation_check import is_supported
from brain_pipelines.knowledge.memory.passages import Passage
from brain_pipelines.knowledge.prompts.storyline import CitedSummary, user_prompt
from brain_retrieval.errors import (
    BudgetExceededError,
    EndpointDownError,
    ModelCallError,
    NoAnswerError,
    RequestTooLongError,
)
from brain_retrieval.models.chat.protocol import ChatModel

MOST_FAILURES = 3  # consecutive failures after which the endpoint is considered down
MOST_CHARS = 12_000  # of the passages of one request


@dataclass(frozen=True)
class Written:
    """The sentences of a model that their citations support, and the cited passages."""

    text: str
    cited: list[Passage]


@dataclass
class Writer:
    """Calls the model at most `requests` times; `left` counts skipped summaries, `problems` go into the report."""

    chat: ChatModel
    requests: int
    asked: int = 0
    left: int = 0
    problems: list[str] = field(default_factory=list)
    _failures: int = 0
    _stopped: bool = False
    _answered: bool = False

    def write(
        self, system: str, name: str, anchor: str, passages: Sequence[Passage], *, current: str = ""
    ) -> Written | None:
        """Return the supported part of the model's summary; None at the limit, on failure or if there is none."""
        if not (passages := within(passages, MOST_CHARS)):
            return None
        if self._stopped or self.asked >= self.requests:
            self.left += 1
            return None
        self.asked += 1
        try:
            answer, passages = self._ask(system, name, anchor, passages, current)
        except ModelCallError as error:
            self._fail(error, anchor)
            return None
        self._failures, self._answered = 0, True
        found = _supported(answer, passages, anchor)
        if found is None:
            self.problems.append(f"{name} of {anchor}: the model returned no sentence that its passages support")
        return found

    def _ask(
        self, system: str, name: str, anchor: str, passages: Sequence[Passage], current: str
    ) -> tuple[CitedSummary, Sequence[Passage]]:
        """Return the answer and the passages that it is about: of a request that is too long the later half."""
        while True:
            user = user_prompt(anchor, passages, current=current)
            try:
                return self.chat.complete(CitedSummary, system=system, user=user, name=name), passages
            except RequestTooLongError:
                fewer = within(passages, sum(len(passage.text) for passage in passages) // 2)
                if not fewer:
                    raise
                passages = fewer

    def _fail(self, error: ModelCallError, anchor: str) -> None:
        # A summary that a model refuses says nothing about the others, once it has written one.
        self._failures += not (self._answered and isinstance(error, NoAnswerError))
        self._stopped = self._failures >= MOST_FAILURES or isinstance(error, BudgetExceededError | EndpointDownError)
        more = "; the model is not asked again this snapshot" if self._stopped else ""
        self.problems.append(f"summary of {anchor} without the chat model: {error}{more}"[:500])


def within(passages: Sequence[Passage], most: int) -> list[Passage]:
    """Return the longest suffix of the passages with at most `most` characters in total."""
    kept: list[Passage] = []
    for passage in reversed(passages):
        most -= len(passage.text)
        if most < 0:
            break
        kept.append(passage)
    return kept[::-1]


def _supported(answer: CitedSummary, passages: Sequence[Passage], anchor: str) -> Written | None:
    """Return the sentences whose cited passages exist and support them, None if there are none."""
    said: list[str] = []
    cited: dict[Passage, None] = {}
    for sentence in answer.sentences:
        given = [passages[n - 1] for n in dict.fromkeys(sentence.passages) if 1 <= n <= len(passages)]
        text = " ".join(sentence.text.split())
        if given and is_supported(text, given, anchor):
            said.append(text)
            cited |= dict.fromkeys(given)
    return Written(" ".join(said), list(cited)) if said else None
