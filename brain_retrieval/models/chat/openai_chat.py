"""`OpenAIChat`: structured answers from any endpoint with OpenAI's `/v1/chat/completions` API.

Endpoints differ in their support of structured output, so the response formats are tried from strictest to plainest,
and the first that works is kept for the process. The answer is always validated here. Prompts live with their tasks.
"""

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic

from brain_retrieval.errors import EndpointDownError, ModelCallError, NoAnswerError, RequestTooLongError
from brain_retrieval.models.chat.chat_request import WAYS, Messages, bounded, demand, repair
from brain_retrieval.models.chat.chat_schema import explain, read_answer, strict_schema
from brain_retrieval.models.chat.openai_calls import call, open_client, resolve_key, scrub
from brain_retrieval.models.chat.pace import Pace
from brain_retrieval.models.chat.protocol import Answer, Content, Usage, estimate_tokens
from brain_retrieval.models.chat.streaming import Reply, Waits, read_reply, reply_of
from brain_retrieval.settings.language import LlmSettings

MOST_REPAIRED = 16_000  # characters of an invalid answer that are sent back for its repair
PATIENCE = 3  # failed calls in a row, after which each further one is a single short attempt
# An answer that is longer ignores the limit of its tokens. Few tokens have that many characters.
CHARS_PER_TOKEN, FEWEST_CHARS = 16, 64_000
_FINAL_CODES = ("model_not_found", "content_policy_violation", "invalid_api_key")
_FORM_WORDS = ("response_format", "json_schema", "literal_error")
# What OpenAI, vLLM, llama.cpp, Ollama and Mistral say of a request that is too long, or leaves its answer no room.
_TOO_LONG = re.compile(
    r"(?i)context.(length|size|window)|too (long|many tokens)|(maximum|exceed)[^\n]{0,200}?tokens"
    r"|max_(?:[a-z]{1,12}_)?tokens[^\n]{0,200}?(large|at most)"
)


# The same as an error of the server (proxies of several endpoints), or sent within the stream.
_CONTEXT = re.compile(r"(?i)context.(length|size|window)")
# One request above what is allowed in a minute, which no waiting helps.
_LARGER_THAN_LIMIT = re.compile(r"(?i)request too large")


# Some endpoints count the tokens of reasoning, which the answer does not show.
CUT_OFF_ADVICE = "; if the model reasons, raise llm.max_output_tokens or lower llm.reasoning_effort"


class FormRefusedError(Exception):
    """The endpoint rejects this response format; the message is the endpoint's."""


class UnusableAnswerError(Exception):
    """An answer that is invalid; `content` is its text, `advice` what the owner of the settings can do about it."""

    def __init__(self, reason: str, content: str, *, advice: str = "") -> None:
        super().__init__(reason)
        self.content = content
        self.advice = advice


class OpenAIChat:
    """A `ChatModel` over an OpenAI-compatible endpoint. Thread-safe."""

    def __init__(self, settings: LlmSettings, *, sleep: Callable[[float], None] = time.sleep) -> None:
        if not settings.model:
            raise ValueError("a chat model needs a name")
        self.name = settings.model
        self._settings = settings
        self._key = resolve_key(settings.api_key, settings.base_url, variable="BRAIN_LLM__API_KEY")
        self._sleep = sleep
        self._pace = Pace()
        self._way = 0
        self._failures = 0  # calls in a row without any answer
        # OpenAI's newer models accept only `max_completion_tokens` and one temperature; others only `max_tokens`.
        # An option that the endpoint rejects by its name is left out from then on.
        self._limit_name = "max_completion_tokens" if settings.base_url is None else "max_tokens"
        self._options: dict[str, Any] = {"temperature": 0, "stream": True, "stream_options": {"include_usage": True}}
        if settings.reasoning_effort is not None:
            self._options["reasoning_effort"] = settings.reasoning_effort

    def complete(
        self,
        schema: type[Answer],
        *,
        system: str,
        user: Content,
        name: str,
        on_usage: Callable[[Usage], None] | None = None,
        allow: Callable[[int], None] | None = None,
        most_output: int | None = None,
    ) -> Answer:
        """Return an instance of `schema`. See `ChatModel.complete`.

        Raises:
            ModelCallError: the endpoint failed, refused, or gave no valid answer after one repair.
        """
        content = bounded(user, self._settings.max_input_chars)
        messages: Messages = [{"role": "system", "content": system}, {"role": "user", "content": content}]
        task = _Task(schema, name, most_output or self._settings.max_output_tokens, on_usage, allow)
        try:
            return self._ask(task, messages)
        except UnusableAnswerError as error:
            said = bounded(error.content, MOST_REPAIRED) or "(nothing)"
            messages += [{"role": "assistant", "content": said}, repair(str(error))]
        try:
            return self._ask(task, messages)
        except UnusableAnswerError as error:
            said = f"no valid answer after one repair: {error}{error.advice}"
            raise NoAnswerError(f"{name} with {self.name}: {said}") from None

    @cached_property
    def _client(self) -> Any:
        settings = self._settings
        # Longer than the waits for tokens, which are kept in `streaming.py`; it ends a request that was given up.
        longest = 2 * max(settings.first_token_seconds, settings.idle_seconds)
        waits = {"timeout_seconds": longest, "connect_seconds": settings.connect_seconds}
        return open_client(self._key, base_url=settings.base_url, pace=self._pace, **waits)

    def _ask(self, task: "_Task[Answer]", messages: Messages) -> Answer:
        schema = json.dumps(strict_schema(task.schema))
        size = sum(estimate_tokens(m["content"]) for m in messages) + estimate_tokens(schema)
        if task.allow is not None:
            task.allow(size)
        began = time.perf_counter()
        reply = self._negotiate(replace(task, size=size), messages)
        if task.on_usage is not None:
            task.on_usage(_usage(reply, size, self.name, task.name, time.perf_counter() - began))
        content = self._content(reply, task)
        try:
            return read_answer(task.schema, content)
        except ValueError as error:
            raise UnusableAnswerError(explain(error), content) from None

    def _negotiate(self, task: "_Task[Any]", messages: Messages) -> Reply:
        """Return the first answer, trying the response formats from strictest to plainest."""
        refused = ""
        for way in range(self._way, len(WAYS)):
            try:
                reply = self._request(demand(WAYS[way], task.schema, messages, task.name), task)
            except FormRefusedError as error:
                refused = refused or str(error)
            else:
                self._way = way
                return reply
        raise ModelCallError(f"{task.name} with {self.name}: {refused}")

    def _request(self, form: dict[str, Any], task: "_Task[Any]") -> Reply:
        """Send one request, without the options that the endpoint rejects by name."""
        while True:
            limit = {self._limit_name: task.most_output}
            try:
                return self._send({"model": self.name, **form, **limit, **self._options}, task)
            except FormRefusedError as error:
                rejected = [name for name in self._options if re.search(rf"\b{name}\b", str(error))]
                if rejected:
                    # Without a stream its options would be rejected as well.
                    gone = {*rejected, "stream_options"} if "stream" in rejected else set(rejected)
                    self._options = {name: value for name, value in self._options.items() if name not in gone}
                elif "max_tokens" in str(error) and self._limit_name == "max_tokens":
                    self._limit_name = "max_completion_tokens"
                else:
                    raise

    def _send(self, body: dict[str, Any], task: "_Task[Any]") -> Reply:
        refusal: list[FormRefusedError | RequestTooLongError] = []
        settings, down = self._settings, self._failures >= PATIENCE
        first = min(settings.first_token_seconds, settings.idle_seconds) if down else settings.first_token_seconds
        longest = settings.first_token_seconds + task.most_output / settings.min_tokens_per_second
        waits = Waits(first, settings.idle_seconds, longest)
        most_chars = max(FEWEST_CHARS, CHARS_PER_TOKEN * task.most_output)

        create = self._client.chat.completions.create

        def send() -> Reply | None:
            import openai

            try:
                if body.get("stream"):
                    return read_reply(lambda: create(**body), waits, most_chars=most_chars)
                return reply_of(create(**body).to_dict())
            except openai.APIError as error:
                # Without a status: an error within the stream, or no answer at all.
                status = error.status_code if isinstance(error, openai.APIStatusError) else None
                whole = scrub(str(error), self._key)  # before it is cut, or a part of the key would stay
                said = f"HTTP {status} {whole}"[:300] if status else whole[:300]
                if _is_too_long(error, status):
                    refusal.append(RequestTooLongError(said))
                elif status and _about_form(error):
                    refusal.append(FormRefusedError(said))
                else:
                    raise
                return None

        what = f"{task.name} with {self.name}"
        try:
            reply = call(
                send,
                what=what,
                secret=self._key,
                max_attempts=1 if down else settings.max_attempts,
                sleep=self._sleep,
                pace=self._pace,
                tokens=task.size + task.most_output,
            )
        except ModelCallError as error:
            self._failures += 1
            if down:
                raise EndpointDownError(f"{error}, after {self._failures - 1} that failed before") from None
            raise
        self._failures = 0
        if reply is None:
            said = str(refusal[0])
            raise type(refusal[0])(said if isinstance(refusal[0], FormRefusedError) else f"{what}: {said}")
        return reply

    def _content(self, reply: Reply, task: "_Task[Any]") -> str:
        if reply.refused or reply.finish_reason == "content_filter":
            raise NoAnswerError(f"{task.name} with {self.name}: the model refused")
        if reply.finish_reason == "length":
            reason = f"cut off at {task.most_output} tokens; answer in fewer words"
            raise UnusableAnswerError(reason, reply.content[:200], advice=CUT_OFF_ADVICE)
        return reply.content


@dataclass(frozen=True)
class _Task(Generic[Answer]):
    """What is asked for, apart from the messages; see `ChatModel.complete`."""

    schema: type[Answer]
    name: str
    most_output: int
    on_usage: Callable[[Usage], None] | None
    allow: Callable[[int], None] | None
    size: int = 0  # an upper estimate of the tokens of the messages


def _is_too_long(error: Any, status: int | None) -> bool:
    """Return whether a part of the request might be accepted."""
    if status == 413 or error.code == "context_length_exceeded":
        return True
    said = _TOO_LONG if status in (400, 422) else _LARGER_THAN_LIMIT if status == 429 else _CONTEXT
    return bool(said.search(str(error)))


def _about_form(error: Any) -> bool:
    """Return whether the error may be caused by the response format."""
    if error.code in _FINAL_CODES:
        return False
    if error.status_code in (400, 404, 422):
        return True
    return error.status_code == 500 and any(word in str(error) for word in _FORM_WORDS)


def _usage(reply: Reply, size: int, model: str, task: str, seconds: float) -> Usage:
    if reply.input_tokens:
        return Usage(model, task, reply.input_tokens, reply.output_tokens or 0, seconds)
    # Estimate if the server reports no usage, so that it does not appear to be free.
    return Usage(model, task, size, estimate_tokens(reply.content), seconds)
