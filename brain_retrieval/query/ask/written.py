"""An answer in sentences by the configured chat model. A sentence that its citations do not support is dropped."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from brain_retrieval.errors import BrainError, RequestTooLongError
from brain_retrieval.home import Space
from brain_retrieval.language.content_words import content_words
from brain_retrieval.language.support import is_supported
from brain_retrieval.models.chat.cached_chat import CachedChat, open_chat
from brain_retrieval.models.chat.protocol import DATA_RULE, ChatModel, as_data
from brain_retrieval.query.ask.asked import Cited, Written, WrittenSentence
from brain_retrieval.settings import Settings

NAME = "ask"
MOST_CHARS = 12_000  # of the passages of one request
MOST_SENTENCES = 5
MOST_ATTEMPTS = 2  # calls of an endpoint that fails, while the answer is waited for
SYSTEM = f"""You answer a question from passages of the asker's own archive.
{DATA_RULE}
Give 1 to 4 plain sentences in the language of the question, the answer first. Every sentence rests on numbered passages
and names their numbers. Say nothing that no passage says. Newer passages count more than older ones; say so if
something has changed. If the passages do not answer the question, give no sentence."""


class CitedSentence(BaseModel):
    """One sentence and the numbers of the passages it rests on."""

    model_config = ConfigDict(extra="ignore")

    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400)]
    passages: list[int] = Field(max_length=8)


class CitedAnswer(BaseModel):
    """An answer whose every sentence says where it is from; no sentence if the passages hold no answer."""

    model_config = ConfigDict(extra="ignore")

    sentences: list[CitedSentence] = Field(max_length=MOST_SENTENCES)


def write_answer(
    space: Space, settings: Settings, question: str, cited: Sequence[Cited]
) -> tuple[Written | None, list[str]]:
    """Return the answer of the configured chat model, and warnings; None without a model, an answer, or on failure."""
    if not settings.llm.model or not cited:
        return None, []
    attempts = min(settings.llm.max_attempts, MOST_ATTEMPTS)
    settings = settings.model_copy(update={"llm": settings.llm.model_copy(update={"max_attempts": attempts})})
    try:
        chat = open_chat(space, settings, NAME, "")
        if chat is None:
            return None, []
        with chat:
            return _written(chat, question, fitting(cited)), []
    except BrainError as error:
        return None, [f"no answer in sentences: {error}"]


def _written(chat: CachedChat, question: str, cited: Sequence[Cited]) -> Written:
    """Return the answer from the passages; of a request that is too long from the first half of them."""
    try:
        asked = replace(chat, quoted=tuple((one.source_id, *one.span) for one in cited))
        return _checked(asked, question, cited)
    except RequestTooLongError:
        if len(cited) == 1:
            raise
    return _written(chat, question, cited[: len(cited) // 2])


def _checked(chat: ChatModel, question: str, cited: Sequence[Cited]) -> Written:
    answer = chat.complete(CitedAnswer, system=SYSTEM, user=user_prompt(question, cited), name=NAME)
    kept: list[WrittenSentence] = []
    by_number = {one.number: one for one in cited}
    for sentence in answer.sentences:
        given = [by_number[number] for number in dict.fromkeys(sentence.passages) if number in by_number]
        text = " ".join(sentence.text.split())
        quotes, dates = [one.text for one in given], [one.at for one in given]
        # The words of the question count like others: an answer that only repeats it rests on nothing.
        if given and is_supported(text, quotes, dates, content_words, known=question):
            kept.append(WrittenSentence(text, tuple(one.number for one in given)))
    return Written(chat.name, tuple(kept), len(answer.sentences) - len(kept))


def fitting(cited: Sequence[Cited]) -> list[Cited]:
    """Return the first passages that fit into one request."""
    sizes = accumulate(len(one.text) for one in cited)
    return [one for one, size in zip(cited, sizes, strict=True) if size <= MOST_CHARS]


def user_prompt(question: str, cited: Sequence[Cited]) -> str:
    """Return the question and the numbered passages."""
    lines = [f"[{one.number}] {one.at:%Y-%m-%d}: {one.text}" for one in cited]
    return f"{as_data(question, 'question')}\n\n{as_data(chr(10).join(lines), 'passages')}"
