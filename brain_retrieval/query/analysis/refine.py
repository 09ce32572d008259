"""Analysis by a chat model, on top of the rules; off unless the settings name a model.

The model may correct intent, names, time and expansion. What it says is checked: names must stand in the question,
times must be dates. If it fails, the analysis by rules stays, with a warning.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from brain_retrieval.errors import BudgetExceededError, ModelCallError
from brain_retrieval.language.folding import fold
from brain_retrieval.models.chat.protocol import DATA_RULE, ChatModel, as_data
from brain_retrieval.query.analysis.expansion import MOST_WORDS
from brain_retrieval.query.analysis.grammar import form
from brain_retrieval.query.analysis.intent import strategy_of
from brain_retrieval.query.analysis.known_names import KnownNames
from brain_retrieval.query.analysis.question import Intent, Name, Question, QuestionTime, TimeKind
from brain_retrieval.query.analysis.resolve import resolve
from brain_retrieval.query.analysis.words import content_words

NAME = "query_analysis"
MOST_OUTPUT = 600  # tokens
MOST_CONTEXT = 4000  # characters of the conversation before the question
_Short = Annotated[str, StringConstraints(max_length=120)]

SYSTEM = f"""You analyse one question that someone asks of their own archive of mails, meetings, notes and chats.
{DATA_RULE}
intent: factual (one fact), relational (how people or things are connected), temporal (when, or what happened or held
at a time), aggregation (a list or a count), comparison, exploratory (an overview, ideas).
entities: the names in the question, spelled as there. time: the days meant, as ISO dates, with the kind of bound, and
words: the words of the question, or of the conversation before it, that say so; kind none if no words do;
event: the words of the question that name an event which the time depends on. expanded: a few other words for
its content words."""


class NamedEntity(BaseModel):
    """A name in the question."""

    name: _Short
    type: _Short = ""
    role: _Short = ""


class TimeConstraint(BaseModel):
    """The time asked for; empty strings where there is none. Days count only with the words that say them."""

    kind: Literal["none", "absolute", "relative", "season", "before", "after", "since", "during"] = "none"
    start: _Short = ""
    end: _Short = ""
    words: _Short = ""
    event: _Short = ""


class AnalysisAnswer(BaseModel):
    """What the model returns."""

    intent: Intent
    entities: list[NamedEntity] = Field(default_factory=list, max_length=10)
    time: TimeConstraint = TimeConstraint()
    requires_relationships: bool = False
    expanded: list[_Short] = Field(default_factory=list, max_length=MOST_WORDS)


def refine(
    question: Question,
    chat: ChatModel,
    *,
    now: datetime,
    names: KnownNames | None = None,
    context: Sequence[str] = (),
    expand: bool,
) -> Question:
    """Return `question` with what the model corrects; unchanged but for a warning if the model fails.

    `context` is what was said before the question, oldest first.
    """
    before = "\n".join(context)[-MOST_CONTEXT:]
    asked = [f"Now: {now.isoformat(timespec='minutes')}, {now:%A}.", as_data(question.text, "question")]
    asked += [as_data(before, "conversation")] if before else []
    try:
        answer = chat.complete(AnalysisAnswer, system=SYSTEM, user="\n".join(asked), name=NAME, most_output=MOST_OUTPUT)
    except (ModelCallError, BudgetExceededError) as error:
        return replace(question, warnings=(*question.warnings, f"query analysis by rules alone: {error}"))
    return _refined(question, answer, names, expand, before)


def _refined(
    question: Question, answer: AnalysisAnswer, known: KnownNames | None, expand: bool, context: str = ""
) -> Question:
    found = _names(question, answer)
    entities, speakers = resolve(found, known)
    low = form(question.text, question.language or "en")
    strategy = strategy_of(answer.intent, low, question.language, entities)
    if answer.requires_relationships and strategy == "vector_only":
        strategy = "hybrid_graph"
    return replace(
        question,
        intent=answer.intent,
        names=found,
        entities=entities,
        speakers=speakers,
        time=_time(question, answer.time, context),
        expansion=_expansion(question, answer) if expand else (),
        strategy=strategy,
    )


def _names(question: Question, answer: AnalysisAnswer) -> tuple[Name, ...]:
    """Return the names of the rules, and those of the model that stand in the question."""
    found = list(question.names)
    for entity in answer.entities:
        start = question.text.find(entity.name) if entity.name.strip() else -1
        end = start + len(entity.name)
        if start >= 0 and not any(start < other.end and other.start < end for other in found):
            found.append(Name(entity.name, start, end))
    return tuple(sorted(found, key=lambda name: name.start))


def _time(question: Question, said: TimeConstraint, context: str) -> QuestionTime | None:
    if said.kind == "none":
        return question.time
    kind: TimeKind = said.kind
    if said.event and fold(said.event) in fold(question.text):
        return QuestionTime(None, None, kind, said.event)
    if not said.words.strip() or fold(said.words) not in fold(f"{question.text}\n{context}"):
        return question.time  # a time that nothing says would hide all that is of another day
    start, end = _date(said.start), _date(said.end)
    if (start is None and end is None) or (start and end and start > end):
        return question.time
    return QuestionTime(start, end, kind)


def _date(text: str) -> date | None:
    try:
        return datetime.fromisoformat(text.strip()).date()
    except ValueError:
        return None


def _expansion(question: Question, answer: AnalysisAnswer) -> tuple[str, ...]:
    own = {fold(word) for word in question.words.split()}
    said = [word for each in answer.expanded for word in content_words(each, question.language).split()]
    others = (word for word in (*said, *question.expansion) if fold(word) not in own)
    return tuple(dict.fromkeys(others))[:MOST_WORDS]
