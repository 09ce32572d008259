"""An HTTP server on the loopback that speaks OpenAI's wire protocol and does what a test scripts. Calls no model.

    with FakeOpenAI() as server:
        server.script(rate_limited(retry_after="0"), truncated())
        ...point a client at server.base_url; the third request gets the ordinary answer...
        assert len(server.requests) == 3

A chat answer is streamed as server-sent events if the request says so, a few characters to a token.

Ordinary answers: `/v1/embeddings` gives each text a vector made from its hash, `/v1/chat/completions` gives
`chat(body)` if the test sets it, else the smallest document that fits the request's json_schema or tool, else "ok".
"""

import hashlib
import json
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]
TOKEN_CHARS = 4


@dataclass(frozen=True)
class Request:
    """What the client sent; header names are in lower case."""

    path: str
    headers: dict[str, str]
    body: Body


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


def vector_of(text: str, dim: int) -> list[float]:
    """The vector the server gives to a text: numbers in -1 … 1 from its SHAKE-256, not of unit length."""
    raw = hashlib.shake_256(text.encode()).digest(2 * dim)
    return [int.from_bytes(raw[i : i + 2], "big") / 32767.5 - 1 for i in range(0, 2 * dim, 2)]


def smallest(schema: Body, definitions: Body | None = None) -> Any:
    """The smallest value that fits a JSON schema of the subset that structured outputs allow."""
    definitions = definitions if definitions is not None else schema.get("$defs", {})
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        return smallest((definitions or {})[name], definitions)
    if "const" in schema or "enum" in schema:
        return schema["const"] if "const" in schema else schema["enum"][0]
    if "anyOf" in schema:
        return smallest(schema["anyOf"][-1], definitions)
    kind = schema.get("type", "object")
    if kind == "object":
        return {key: smallest(part, definitions) for key, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [smallest(schema["items"], definitions)] * schema.get("minItems", 0)
    if kind in ("integer", "number"):
        return schema.get("minimum", 0)
    return {"string": "x" * schema.get("minLength", 0), "boolean": False}.get(kind)


class FakeOpenAI:
    """The server; use it as a context manager. `requests` holds every request in order of arrival."""

    def __init__(self, *, dim: int = 8, chat: Callable[[Body], str] | None = None) -> None:
        self.dim = dim
        self.chat = chat
        self.requests: list[Request] = []
        self._replies: deque[Reply] = deque()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                fake._answer(self)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def script(self, *replies: Reply) -> None:
        """Append answers; each serves one request, then the server answers as usual."""
        self._replies.extend(replies)

    def __enter__(self) -> "FakeOpenAI":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._closing.set()  # wakes the answers that are being slow
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        data = handler.rfile.read(int(handler.headers["Content-Length"]))
        kind = handler.headers["Content-Type"]
        body = _form(kind, data) if kind.startswith("multipart/") else json.loads(data)
        headers = {name.lower(): value for name, value in handler.headers.items()}
        with self._lock:
            self.requests.append(Request(handler.path, headers, body))
            reply = self._replies.popleft() if self._replies else Reply()
        if reply.delay:
            self._closing.wait(reply.delay)
        if not reply.hang_up:
            status, data = self._render(reply, handler.path, body)
            if body.get("stream") and status == 200 and reply.body is None and not reply.whole:
                self._stream(handler, reply, body, json.loads(data))
            else:
                _send(handler, status, reply.headers, data[: reply.cut])

    def _stream(self, handler: BaseHTTPRequestHandler, reply: Reply, body: Body, answer: Body) -> None:
        counted = body.get("stream_options", {}).get("include_usage")
        events = list(_events(answer, usage=counted))
        try:
            _start(handler, 200, {"Content-Type": "text/event-stream", **reply.headers})
            for number, event in enumerate(events):
                if number == reply.stall:
                    self._closing.wait(60)
                if number == reply.ends or (reply.pace and self._closing.wait(reply.pace)):
                    return
                handler.wfile.write(f"data: {event}\n\n".encode()[: reply.cut])
                handler.wfile.flush()
        except OSError:  # the client stopped waiting
            pass

    def _render(self, reply: Reply, path: str, body: Body) -> tuple[int, bytes]:
        if isinstance(reply.body, bytes):
            return reply.status, reply.body
        if reply.body is not None:
            return reply.status, json.dumps(reply.body).encode()
        if path == "/v1/embeddings":
            answer = self._embeddings(body)
        elif path == "/v1/chat/completions":
            answer = self._completion(body)
        elif path == "/v1/audio/transcriptions":
            answer = {
                "task": "transcribe",
                "language": "english",
                "duration": 1.0,
                "text": "",
                "segments": [],
                "words": [],
            }
        else:
            return 404, b'{"error": {"message": "no such path"}}'
        if reply.edit is not None:
            reply.edit(answer)
        return reply.status, json.dumps(answer).encode()

    def _embeddings(self, body: Body) -> Body:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        dim = body.get("dimensions", self.dim)
        data = [{"object": "embedding", "index": i, "embedding": vector_of(t, dim)} for i, t in enumerate(texts)]
        tokens = sum(len(text) // 4 + 1 for text in texts)
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return {"object": "list", "model": body["model"], "data": data, "usage": usage}

    def _completion(self, body: Body) -> Body:
        wanted = body.get("response_format", {})
        tools = body.get("tools")
        if self.chat is not None:
            content = self.chat(body)
        elif tools:
            content = json.dumps(smallest(tools[0]["function"]["parameters"]))
        elif wanted.get("type") == "json_schema":
            content = json.dumps(smallest(wanted["json_schema"]["schema"]))
        else:
            content = "{}" if wanted.get("type") == "json_object" else "ok"
        message: Body = {"role": "assistant", "content": content, "refusal": None}
        if tools:
            function = {"name": tools[0]["function"]["name"], "arguments": content}
            message |= {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}
        return {
            "id": f"chatcmpl-{len(self.requests)}",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        }


def _form(kind: str, data: bytes) -> Body:
    """The fields of a multipart form; a file is its bytes, a field ending in [] a list."""
    message = message_from_bytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + data)
    body: Body = {}
    for part in message.get_payload():
        name, value = part.get_param("name", header="Content-Disposition"), part.get_payload(decode=True)
        if name.endswith("[]"):
            body.setdefault(name.removesuffix("[]"), []).append(value.decode())
        else:
            body[name] = value if part.get_filename() else value.decode()
    return body


def _events(answer: Body, *, usage: bool) -> Iterator[str]:
    """Yield a chat answer as the data of events: the role, tokens, the end, the usage."""
    choice = answer["choices"][0]
    message = {name: value for name, value in choice["message"].items() if value is not None}
    content, calls = message.pop("content", ""), message.pop("tool_calls", None)
    if calls:
        content = calls[0]["function"]["arguments"]
    common = {name: answer[name] for name in ("id", "created", "model")} | {"object": "chat.completion.chunk"}

    def event(delta: Body, end: str | None = None) -> str:
        return json.dumps({**common, "choices": [{"index": 0, "delta": delta, "finish_reason": end}]})

    yield event({"role": "assistant", "content": ""})
    if "refusal" in message:
        yield event({"refusal": message["refusal"]})
    for start in range(0, len(content), TOKEN_CHARS):
        part = content[start : start + TOKEN_CHARS]
        call = {"index": 0, "function": {"arguments": part}}
        yield event({"tool_calls": [call]} if calls else {"content": part})
    yield event({}, choice["finish_reason"])
    if usage and "usage" in answer:
        yield json.dumps({**common, "choices": [], "usage": answer["usage"]})
    yield "[DONE]"


def _start(handler: BaseHTTPRequestHandler, status: int, headers: dict[str, str]) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.end_headers()


def _send(handler: BaseHTTPRequestHandler, status: int, headers: dict[str, str], data: bytes) -> None:
    try:
        _start(handler, status, {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers})
        handler.wfile.write(data)
    except OSError:  # the client stopped waiting, which is what a slow answer is for
        pass
