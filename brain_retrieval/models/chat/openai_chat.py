"""`OpenAIChat`: structured answers from any endpoint with OpenAI's `/v1/chat/completions` API.

Endpoints differ in their support of structured output, so the response formats are tried from strictest to plainest,
and the first that works is kept for the process. The answer is always validated here. Prompts live with their tasks.
"""

import json
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from pydantic import BaseModel

from brain_retrieval.errors import ModelCallError, NoAnswerError
from brain_retrieval.models.chat.chat_schema import explain, read_answer, strict_schema
from brain_retrieval.models.chat.openai_calls import call, open_client, resolve_key, scrub
from brain_retrieval.models.chat.protocol import Answer, Content, Usage, estimate_tokens
from brain_retrieval.settings.language import LlmSettings

Messages = list[dict[str, Any]]
WAYS = ("schema", "schema without limits", "tool", "object")
CUT_OFF = "[… {} characters left out …]"
_FINAL_CODES = ("model_not_found", "context_length_exceeded", "content_policy_violation", "invalid_api_key")
_FORM_WORDS = ("response_format", "json_schema", "literal_error")


class FormRefusedError(Exception):
    """The endpoint rejects this response format; the message is the endpoint's."""


class UnusableAnswerError(Exception):
    """An answer that is invalid; `content` is its text."""

    def __init__(self, reason: str, content: str) -> None:
        super().__init__(reason)
        self.content = content


class OpenAIChat:
    """A `ChatModel` over an OpenAI-compatible endpoint. Thread-safe."""

    def __init__(self, settings: LlmSettings, *, sleep: Callable[[float], None] = time.sleep) -> None:
        if not settings.model:
            raise ValueError("a chat model needs a name")
        self.name = settings.model
        self._settings = settings
        self._key = resolve_key(settings.api_key, settings.base_url, variable="BRAIN_LLM__API_KEY")
        self._sleep = sleep
        self._way = 0
        # OpenAI's newer models accept only `max_completion_tokens` and one temperature; others only `max_tokens`.
        self._limit_name = "max_completion_tokens" if settings.base_url is None else "max_tokens"
        self._options: dict[str, Any] = {"temperature": 0}

    def complete(
        self,
        schema: type[Answer],
        *,
        system: str,
        user: Content,
        name: str,
        on_usage: Callable[[Usage], None] | None = None,
        allow: Callable[[int], None] | None = None,
    ) -> Answer:
        """Return an instance of `schema`. See `ChatModel.complete`.

        Raises:
            ModelCallError: the endpoint failed, refused, or gave no valid answer after one repair.
        """
        content = _bounded(user, self._settings.max_input_chars)
        messages: Messages = [{"role": "system", "content": system}, {"role": "user", "content": content}]
        try:
            return self._ask(schema, messages, name, on_usage, allow)
        except UnusableAnswerError as error:
            messages += [{"role": "assistant", "content": error.content or "(nothing)"}, _repair(error)]
        try:
            return self._ask(schema, messages, name, on_usage, allow)
        except UnusableAnswerError as error:
            raise NoAnswerError(f"{name} with {self.name}: no valid answer after one repair: {error}") from None

    @cached_property
    def _client(self) -> Any:
        settings = self._settings
        return open_client(self._key, base_url=settings.base_url, timeout_seconds=settings.timeout_seconds)

    def _ask(
        self,
        schema: type[Answer],
        messages: Messages,
        name: str,
        on_usage: Callable[[Usage], None] | None,
        allow: Callable[[int], None] | None,
    ) -> Answer:
        size = sum(estimate_tokens(m["content"]) for m in messages) + estimate_tokens(json.dumps(strict_schema(schema)))
        if allow is not None:
            allow(size)
        began = time.perf_counter()
        answer = self._negotiate(schema, messages, name)
        if on_usage is not None:
            on_usage(_usage(answer, size, self.name, name, time.perf_counter() - began))
        content = self._content(answer, name)
        try:
            return read_answer(schema, content)
        except ValueError as error:
            raise UnusableAnswerError(explain(error), content) from None

    def _negotiate(self, schema: type[BaseModel], messages: Messages, name: str) -> Any:
        """Return the first answer, trying the response formats from strictest to plainest."""
        refused = ""
        for way in range(self._way, len(WAYS)):
            try:
                answer = self._request(_demand(WAYS[way], schema, messages, name), name)
            except FormRefusedError as error:
                refused = refused or str(error)
            else:
                self._way = way
                return answer
        raise ModelCallError(f"{name} with {self.name}: {refused}")

    def _request(self, demand: dict[str, Any], name: str) -> Any:
        """Send one request, adapting the two options that some models reject."""
        for _ in range(3):
            limit = {self._limit_name: self._settings.max_output_tokens}
            try:
                return self._send({"model": self.name, **demand, **limit, **self._options}, name)
            except FormRefusedError as error:
                if "temperature" in str(error) and self._options:
                    self._options = {}
                elif "max_tokens" in str(error) and self._limit_name == "max_tokens":
                    self._limit_name = "max_completion_tokens"
                else:
                    raise
        raise AssertionError("each option is given up once")

    def _send(self, body: dict[str, Any], name: str) -> Any:
        refusal: list[FormRefusedError] = []

        def send() -> Any:
            import openai

            try:
                answer = self._client.chat.completions.create(**body)
            except openai.APIStatusError as error:
                if not _about_form(error):
                    raise
                refusal.append(FormRefusedError(f"HTTP {error.status_code} {error!s}"[:300]))
                return None
            return answer if answer.choices else _no_choice()

        what = f"{name} with {self.name}"
        answer = call(send, what=what, secret=self._key, max_attempts=self._settings.max_attempts, sleep=self._sleep)
        if refusal:
            raise FormRefusedError(scrub(str(refusal[0]), self._key))
        return answer

    def _content(self, answer: Any, name: str) -> str:
        choice = answer.choices[0]
        refused = getattr(choice.message, "refusal", None) or choice.finish_reason == "content_filter"
        if refused:
            raise NoAnswerError(f"{name} with {self.name}: the model refused")
        calls = choice.message.tool_calls
        content = (calls[0].function.arguments if calls else choice.message.content) or ""
        if choice.finish_reason == "length":
            limit = self._settings.max_output_tokens
            raise UnusableAnswerError(f"cut off at {limit} tokens; answer in fewer words", content[:200])
        return content


def _demand(way: str, schema: type[BaseModel], messages: Messages, name: str) -> dict[str, Any]:
    """Return the part of the request that specifies the response format."""
    if way.startswith("schema"):
        form = {"name": name, "strict": True, "schema": strict_schema(schema, limits=way == "schema")}
        return {"messages": messages, "response_format": {"type": "json_schema", "json_schema": form}}
    plain = strict_schema(schema)
    if way == "tool":
        function = {"name": name, "description": "Give the answer.", "parameters": plain}
        choice = {"type": "function", "function": {"name": name}}
        return {"messages": messages, "tools": [{"type": "function", "function": function}], "tool_choice": choice}
    ask = f"{messages[0]['content']}\n\nAnswer with one JSON object that fits this schema:\n{json.dumps(plain)}"
    told = [{**messages[0], "content": ask}, *messages[1:]]
    return {"messages": told, "response_format": {"type": "json_object"}}


def _repair(error: UnusableAnswerError) -> dict[str, Any]:
    text = f"That answer cannot be used: {error}. Give the whole answer again, corrected, and nothing else."
    return {"role": "user", "content": text}


def _bounded(user: Content, most: int) -> Content:
    """Return the content with texts cut in the middle, to at most `most` characters in total."""
    if isinstance(user, str):
        return _cut(user, most)
    parts: list[Mapping[str, Any]] = []
    for part in user:
        if part.get("type") == "text":
            part = {**part, "text": _cut(part["text"], most)}
            most = max(0, most - len(part["text"]))
        parts.append(part)
    return parts


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    mark = CUT_OFF.format(len(text) - most)
    head = max(0, most - len(mark)) * 2 // 3
    tail = max(0, most - len(mark) - head)
    return (text[:head] + mark + text[len(text) - tail :])[:most]


def _about_form(error: Any) -> bool:
    """Return whether the error may be caused by the response format."""
    if error.code in _FINAL_CODES:
        return False
    if error.status_code in (400, 404, 422):
        return True
    return error.status_code == 500 and any(word in str(error) for word in _FORM_WORDS)


def _no_choice() -> Any:
    raise ValueError("no choice")


def _usage(answer: Any, size: int, model: str, task: str, seconds: float) -> Usage:
    used = answer.usage
    if used and used.prompt_tokens:
        return Usage(model, task, used.prompt_tokens, used.completion_tokens or 0, seconds)
    # Estimate if the server reports no usage, so that it does not appear to be free.
    said = answer.choices[0].message
    content = (said.tool_calls[0].function.arguments if said.tool_calls else said.content) or ""
    return Usage(model, task, size, estimate_tokens(content), seconds)
