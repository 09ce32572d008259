"""An HTTP server on the loopback that speaks OpenAI's wire protocol and does what a test scripts. Calls no model.

    with FakeOpenAI() as server:
        server.script(rate_limited(retry_after="0"), truncated())
        ...point a client at server.base_url; the third request gets the ordinary answer...
        assert len(server.requests) == 3

A chat answer is streamed as server-sent events if the request says so, a few characters to a token.

Ordinary answers: `/v1/embeddings` gives each text a vector made from its hash, `/v1/chat/completions` gives
`chat(body)` if the test sets it, else the smallest document that fits the request's json_schema or tool, else "ok".
"""

import json
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.fake_openai_answers import Body, events_of, form_of, smallest, vector_of
from tests.fake_openai_replies import Reply


@dataclass(frozen=True)
class Request:
    """What the client sent; header names are in lower case."""

    path: str
    headers: dict[str, str]
    body: Body


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

    def clear(self) -> None:
        """Forget the answers that are still scripted."""
        self._replies.clear()

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
        body = form_of(kind, data) if kind.startswith("multipart/") else json.loads(data)
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
        events = list(events_of(answer, usage=counted))
        try:
            _start(handler, 200, {"Content-Type": "text/event-stream", **reply.headers})
            for number, event in enumerate(events):
                if number == reply.stall:
                    self._closing.wait(60)
                if number == reply.ends and reply.error is not None:
                    event = json.dumps({"error": reply.error})
                    handler.wfile.write(f"data: {event}\n\ndata: [DONE]\n\n".encode())
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
