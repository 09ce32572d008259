"""Reading of one streamed chat answer, with time-outs for its tokens instead of one for the whole.

An endpoint that ignores `stream` and answers with one JSON document is read too.
"""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any

from brain_retrieval.models.chat.chat_schema import is_whole

# Bytes of a whole answer in one JSON document, which an endpoint that does not stream sends.
MOST_BYTES = 32_000_000


class StreamError(Exception):
    """An answer that stalled or broke off; asking again may help. The message holds nothing of the answer."""


class NoTokenError(StreamError):
    """An answer that did not even begin in time: asking many times means waiting as many times."""


@dataclass(frozen=True)
class Waits:
    """The longest waits in seconds: for the first token, between two tokens, and for the whole answer."""

    first: float
    idle: float
    total: float


@dataclass
class Reply:
    """A complete answer. The token counts are None if the endpoint reports none."""

    content: str = ""
    finish_reason: str | None = None
    refused: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None


def read_reply(open_stream: Callable[[], Any], waits: Waits, *, most_chars: int) -> Reply:
    """Return the answer of the `openai.Stream` of chat completion chunks that `open_stream` opens, and close it.

    An answer of more than `most_chars` characters is one without end: it is cut off there, as by a limit of tokens.

    Raises:
        NoTokenError: no token came in time.
        StreamError: no further token came in time, or the answer ended without its end.
        ValueError: an answer that is not in the agreed form.
        Exception: what `open_stream` and the client raise.
    """
    reply = Reply()
    for part in _in_time(open_stream, waits):
        if isinstance(part, Reply):
            return _cut(part, most_chars)
        _add(reply, part)
        if len(reply.content) > most_chars:
            return _cut(reply, most_chars)
    # Some endpoints give no reason at all: then a complete answer is its own end.
    if reply.finish_reason is None and not is_whole(reply.content):
        raise StreamError("the answer broke off")
    return reply


def _in_time(open_stream: Callable[[], Any], waits: Waits) -> Iterator[Any]:
    """Yield the chunks, or the whole answer of an endpoint that does not stream.

    They are read in a thread: the client's own time-out for reading cannot change after the first token.
    """
    parts: SimpleQueue[Any] = SimpleQueue()
    given_up = Event()
    Thread(target=_pull, args=(open_stream, parts, given_up), daemon=True).start()
    end, wait, begun = time.monotonic() + waits.total, waits.first, False
    try:
        while True:
            left = end - time.monotonic()
            try:
                part = parts.get(timeout=max(0.0, min(wait, left)))
            except Empty:
                if not begun:
                    raise NoTokenError(f"time-out: no token for {min(wait, waits.total):g} s") from None
                said = f"no further token for {wait:g} s" if wait < left else f"no end after {waits.total:g} s"
                raise StreamError(f"time-out: {said}") from None
            if part is None:
                return
            if isinstance(part, Exception):
                raise part
            if isinstance(part, Reply) or _is_token(part):
                wait, begun = waits.idle, True
            yield part
    finally:
        given_up.set()


def _pull(open_stream: Callable[[], Any], parts: "SimpleQueue[Any]", given_up: Event) -> None:
    try:
        with open_stream() as stream:
            if "event-stream" not in stream.response.headers.get("content-type", ""):
                parts.put(reply_of(json.loads(_read(stream.response))))
                return
            for chunk in stream:
                if given_up.is_set():
                    return
                parts.put(chunk)
        parts.put(None)
    except Exception as error:
        parts.put(error)


def _read(response: Any) -> bytes:
    data = bytearray()
    for part in response.iter_bytes():
        data += part
        if len(data) > MOST_BYTES:
            raise ValueError("an answer without end")
    return bytes(data)


def _cut(reply: Reply, most_chars: int) -> Reply:
    if len(reply.content) <= most_chars:
        return reply
    return replace(reply, content=reply.content[:most_chars], finish_reason="length")


def _is_token(chunk: Any) -> bool:
    """Return whether a chunk holds a part of an answer or of its reasoning; the first chunk often holds a role only."""
    for choice in chunk.choices or ():
        said = {name: value for name, value in choice.delta.to_dict().items() if name != "role"}
        if any(said.values()):
            return True
    return False


def _add(reply: Reply, chunk: Any) -> None:
    for choice in (chunk.choices or ())[:1]:
        delta = choice.delta
        parts = [delta.content or "", *(call.function.arguments or "" for call in delta.tool_calls or ())]
        reply.content += "".join(parts)
        reply.refused = reply.refused or bool(delta.refusal)
        reply.finish_reason = choice.finish_reason or reply.finish_reason
    if chunk.usage:
        reply.input_tokens, reply.output_tokens = chunk.usage.prompt_tokens, chunk.usage.completion_tokens


def reply_of(answer: Any) -> Reply:
    """Return the answer in a chat completion that was not streamed."""
    if not isinstance(answer, dict) or not answer.get("choices"):
        raise ValueError("no choice")
    choice, usage = answer["choices"][0], answer.get("usage") or {}
    message = choice["message"]
    calls = message.get("tool_calls")
    return Reply(
        content=(calls[0]["function"]["arguments"] if calls else message.get("content")) or "",
        finish_reason=choice.get("finish_reason"),
        refused=bool(message.get("refusal")),
        input_tokens=usage.get("prompt_tokens"),
        output_tokens=usage.get("completion_tokens"),
    )
