"""What a test can script the server of `fake_openai.py` to answer: errors, slow, broken and odd answers."""

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.fake_openai_answers import Body


@dataclass(frozen=True)
class Reply:
    """One scripted answer. `edit` changes the ordinary answer instead of replacing it."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: Body | bytes | None = None
    delay: float = 0.0  # seconds before anything is sent
    edit: Callable[[Body], None] | None = None
    cut: int | None = None  # keep so many bytes of the body
    hang_up: bool = False  # close the connection without an answer
    pace: float = 0.0  # seconds before each token of a stream
    stall: int | None = None  # a stream stops, but stays open, after so many tokens
    ends: int | None = None  # a stream is closed after so many tokens
    error: Body | None = None  # with `ends`: this error is sent before the stream is closed
    whole: bool = False  # one JSON document, even if a stream was asked for


def api_error(status: int, message: str, *, code: str | None = None, headers: dict[str, str] | None = None) -> Reply:
    """An error document as OpenAI sends it."""
    return Reply(status, headers or {}, {"error": {"message": message, "type": "error", "param": None, "code": code}})


def rate_limited(*, retry_after: str | None = None, code: str = "rate_limit_exceeded") -> Reply:
    """HTTP 429; `code="insufficient_quota"` is the one that never passes."""
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return api_error(429, "Rate limit reached", code=code, headers=headers)


def server_error(status: int = 500) -> Reply:
    """HTTP 5xx."""
    return api_error(status, "The server had an error while processing your request")


def slow(seconds: float) -> Reply:
    """The ordinary answer after so long that the client should have given up."""
    return Reply(delay=seconds)


def truncated(keep: int = 40) -> Reply:
    """A valid status and length, but JSON that stops in the middle."""
    return Reply(cut=keep)


def hang_up() -> Reply:
    """The connection is closed before the status line."""
    return Reply(hang_up=True)


def wrong_count() -> Reply:
    """One vector fewer than there were texts."""
    return Reply(edit=lambda answer: answer["data"].pop())


def wrong_width(width: int) -> Reply:
    """Vectors of another width than the model's."""

    def edit(answer: Body) -> None:
        for item in answer["data"]:
            item["embedding"] = [1.0] * width

    return Reply(edit=edit)


def reversed_order() -> Reply:
    """Vectors in reversed order with the right indices, which the protocol allows."""
    return Reply(edit=lambda answer: answer["data"].reverse())


def paced(seconds: float) -> Reply:
    """A streamed answer with so many seconds before each token."""
    return Reply(pace=seconds)


def stalled(after: int) -> Reply:
    """A stream that stops after some tokens and stays open."""
    return Reply(stall=after)


def broken_off(after: int) -> Reply:
    """A stream that is closed after some tokens."""
    return Reply(ends=after)


def failed_within(after: int, message: str, code: int | str = 500) -> Reply:
    """A stream that sends an error after some tokens, as llama.cpp and vLLM do."""
    return Reply(ends=after, error={"message": message, "type": "server_error", "code": code})


def not_streamed() -> Reply:
    """The ordinary answer in one piece, whatever was asked for."""
    return Reply(whole=True)


def chat_content(content: str, *, finish_reason: str = "stop") -> Reply:
    """A chat answer with exactly this text."""

    def edit(answer: Body) -> None:
        answer["choices"][0]["message"]["content"] = content
        answer["choices"][0]["finish_reason"] = finish_reason

    return Reply(edit=edit)


def refusal(reason: str = "I can't help with that.") -> Reply:
    """A chat answer in which the model refuses: no content, HTTP 200."""

    def edit(answer: Body) -> None:
        answer["choices"][0]["message"].update(content=None, refusal=reason)

    return Reply(edit=edit)
