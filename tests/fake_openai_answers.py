"""Documents of OpenAI's wire protocol that need no server: vectors, the smallest value of a schema, forms, events."""

import hashlib
import json
from collections.abc import Iterator
from email import message_from_bytes
from typing import Any

Body = dict[str, Any]
TOKEN_CHARS = 4


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


def form_of(kind: str, data: bytes) -> Body:
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


def events_of(answer: Body, *, usage: bool) -> Iterator[str]:
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
