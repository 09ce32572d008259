"""A chat model judges what the rules leave open; off unless the settings name one.

It is asked about the statements nearest to a claim for which the rules found no verdict, in one request. What it says
counts less than a rule, must quote the statement it rests on, and never changes what a rule decided. If it fails, the
verdict by rules stays, with a warning.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints

from brain_retrieval.errors import BrainError
from brain_retrieval.evidence.claims.claim import SubClaim
from brain_retrieval.evidence.items import NEITHER, EvidenceItem
from brain_retrieval.evidence.stance.judge import LEAST_NAMES, judged_by_model
from brain_retrieval.home import Space
from brain_retrieval.language.folding import fold
from brain_retrieval.models.chat.cached_chat import CachedChat, open_chat
from brain_retrieval.models.chat.protocol import DATA_RULE, ChatModel, TokenMeter, as_data
from brain_retrieval.settings import Settings

NAME = "evidence_judging"
MOST_OUTPUT = 800  # tokens
MOST_REQUESTS = 4  # of one claim
MOST_CHARACTERS = 800  # of a statement and of what stands before it
LEAST_QUOTE = 8  # characters of a quotation
_Quote = Annotated[str, StringConstraints(max_length=400)]

SYSTEM = f"""You judge statements against a claim, each by what it says itself and by nothing else you know.
{DATA_RULE}
For each statement: "supports" if it can only be true if the claim is; "contradicts" if both cannot be true of the same
person or thing at the same time; "neither" in every other case: if it is about another one, another time or another
part, if it says less than the claim, or if you are not sure. What is not said is not false. quote: the words of the
statement that decide it, copied exactly; empty for "neither"."""


class Judged(BaseModel):
    """One statement as the model judges it."""

    number: int = Field(ge=1, le=20)
    stance: Literal["supports", "contradicts", "neither"]
    quote: _Quote = ""


class JudgingAnswer(BaseModel):
    """What the model returns."""

    statements: list[Judged] = Field(default_factory=list, max_length=20)


@dataclass
class ModelJudge:
    """The model of one request; `warnings` collects its failures, `meter` what it spends."""

    space: Space
    settings: Settings
    warnings: list[str] = field(default_factory=list)
    meter: TokenMeter | None = None
    asked: int = 0

    def judged(self, claim: SubClaim, items: Sequence[EvidenceItem]) -> list[EvidenceItem]:
        """Return the items, those judged by the model with its stance; unchanged if it fails or nothing is open."""
        chosen = _open(items)[: self.settings.retrieval.judge.most_statements]
        if not chosen or self.asked >= MOST_REQUESTS:
            return list(items)
        self.asked += 1
        try:
            places = tuple(item.statement.key for item in chosen)
            with replace(open_judge(self.space, self.settings), quoted=places) as chat:
                answer = ask(chat, claim, chosen, self.meter)
        except BrainError as error:
            self.warnings.append(f"judged by rules alone: {error}")
            return list(items)
        said = {item.statement.key: item for item in _checked(chosen, answer, claim)}
        return [said.get(item.statement.key, item) for item in items]


def open_judge(space: Space, settings: Settings) -> CachedChat:
    """Return the model that the settings name for judging, with its cache, costs and budget.

    Raises:
        BrainError: none is named, or it cannot be used.
    """
    own = settings.retrieval.judge
    llm = settings.llm.model_copy(update={"model": own.model, "max_output_tokens": MOST_OUTPUT})
    if own.input_price is not None or own.output_price is not None or own.model != settings.llm.model:
        llm = llm.model_copy(update={"input_price": own.input_price, "output_price": own.output_price})
    chat = open_chat(space, settings.model_copy(update={"llm": llm}), "evidence", NAME)
    if chat is None:
        raise BrainError("no model is set")
    return chat


def ask(
    chat: ChatModel, claim: SubClaim, items: Sequence[EvidenceItem], meter: TokenMeter | None = None
) -> JudgingAnswer:
    """Return what a model says of statements; each is fenced as data.

    Raises:
        BrainError: the model failed, or `meter` refuses the request.
    """
    asked = [as_data(claim.text, "claim")]
    for number, item in enumerate(items, start=1):
        one = item.statement
        before = f"(before it: {one.context[:MOST_CHARACTERS]})\n" if one.context else ""
        said = f"{one.said_at.date().isoformat()}, {one.speaker or one.title or one.source}"
        asked.append(as_data(f"{said}\n{before}{one.text[:MOST_CHARACTERS]}", f"statement {number}"))
    metered: dict[str, Any] = {}
    if meter is not None:
        metered = {"on_usage": meter.count_tokens, "allow": lambda size: meter.allow_tokens(size + MOST_OUTPUT)}
    text = "\n".join(asked)
    return chat.complete(JudgingAnswer, system=SYSTEM, user=text, name=NAME, most_output=MOST_OUTPUT, **metered)


def _open(items: Sequence[EvidenceItem]) -> list[EvidenceItem]:
    """Return the undecided items that a model may be asked about: not questions, and none of another one."""
    return [
        item
        for item in items
        if item.label == NEITHER
        and not item.later
        and not item.features.asked
        and (item.features.names >= LEAST_NAMES or item.features.other)
    ]


def _checked(items: Sequence[EvidenceItem], answer: JudgingAnswer, claim: SubClaim) -> list[EvidenceItem]:
    """Return the items with a stance of the model, where its quotation stands in the statement."""
    found: dict[int, EvidenceItem] = {}
    for one in answer.statements:
        if one.stance == "neither" or not 1 <= one.number <= len(items) or one.number in found:
            continue
        item = items[one.number - 1]
        quote = " ".join(fold(one.quote).split())
        if len(quote) < LEAST_QUOTE or quote not in " ".join(fold(item.statement.text).split()):
            continue
        label = "support" if one.stance == "supports" else "contradict"
        stance = judged_by_model(label, item.features, then=claim.then, hedged=claim.hedged)
        found[one.number] = replace(item, stance=stance)
    return list(found.values())
