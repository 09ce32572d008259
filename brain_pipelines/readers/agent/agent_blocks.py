"""Parts of one record of an agent's session: text, tool calls, tool results.

Supported are Anthropic's content blocks, OpenAI's messages and response items, and plain tool results. Thinking and
system prompts are not output: they are counted and left out.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from brain_pipelines.readers.chat.chat_message import TEXT_KEYS

HEAD_CHARS, TAIL_CHARS = 3000, 1500  # of a tool result; the raw file keeps all of it
CALL_CHARS = 600  # of the arguments of a tool call
MAX_NAME = 80
# A file's "type" may be of any JSON type, also an unhashable one, so tuples are used instead of sets.
THINKING = ("thinking", "redacted_thinking", "reasoning", "thoughts")
CALLS = ("tool_use", "tool_call", "function_call", "custom_tool_call", "server_tool_use")
RESULTS = ("tool_result", "function_call_output", "custom_tool_call_output", "web_search_tool_result", "toolResult")
_OUTPUT_KEYS = ("content", "output", "result", "text", "error", "stdout", "stderr")
_FAILED = ("error", "failed", "failure")


@dataclass(frozen=True)
class Part:
    """One part: `kind` is text | call | result | thinking. `tool` is a tool's name, `call_id` links call and result."""

    kind: str
    text: str = ""
    tool: str = ""
    call_id: str = ""
    error: bool = False


def parts_of(record: Mapping[str, Any]) -> Iterator[Part]:
    """Yield the parts of a message or a tool result, in order."""
    if record.get("role") in ("tool", "function") or record.get("type") in RESULTS or is_bare_result(record):
        yield _result(record)
        return
    if record.get("type") in CALLS:
        yield _call(record)
        return
    content = next((record[key] for key in TEXT_KEYS if record.get(key)), None)
    yield from _content(content)
    for call in _as_list(record.get("tool_calls")):
        if isinstance(call, Mapping):
            yield _call(call)
    for key in ("tool_results", "toolResults", "tool_result"):
        for result in _as_list(record.get(key)):
            yield _result(result if isinstance(result, Mapping) else {"content": result})


def is_bare_result(record: Mapping[str, Any]) -> bool:
    """Return whether a record is a tool result that is not marked as one."""
    named = any(key in record for key in ("toolName", "tool_name", "tool", "toolCallId", "tool_call_id", "tool_use_id"))
    return named and "role" not in record and any(key in record for key in _OUTPUT_KEYS)


def _content(content: Any) -> Iterator[Part]:
    for block in _as_list(content):
        if isinstance(block, str):
            yield Part("text", block.strip())
        elif isinstance(block, Mapping):
            yield _block(block)


def _block(block: Mapping[str, Any]) -> Part:
    kind = block.get("type")
    if kind in THINKING or block.get("thought") is True:
        return Part("thinking")
    if kind in CALLS:
        return _call(block)
    if kind in RESULTS:
        return _result(block)
    return Part("text", plain(block))


def _call(call: Mapping[str, Any]) -> Part:
    function = call.get("function")
    inner = function if isinstance(function, Mapping) else call
    given = next((inner[key] for key in ("arguments", "input", "args", "parameters") if inner.get(key)), "")
    name = _name(inner) or "tool"
    text = f"[tool call {name}] {shortened(compact(given), CALL_CHARS, 0)}".strip()
    return Part("call", text, name, _call_id(call))


def _result(result: Mapping[str, Any]) -> Part:
    found = next((result[key] for key in _OUTPUT_KEYS if result.get(key)), "")
    text = plain(found) or (compact(found) if found else "")
    failed = result.get("is_error") or result.get("isError") or result.get("success") is False
    failed = failed or str(result.get("status")).lower() in _FAILED or bool(result.get("error"))
    return Part("result", text.strip(), _name(result), _call_id(result), bool(failed))


def _name(value: Mapping[str, Any]) -> str:
    named = (value.get(key) for key in ("toolName", "tool_name", "tool", "name"))
    return next((" ".join(name.split())[:MAX_NAME] for name in named if isinstance(name, str) and name.strip()), "")


def _call_id(value: Mapping[str, Any]) -> str:
    keys = ("tool_use_id", "tool_call_id", "toolCallId", "toolUseId", "call_id", "callId", "id")
    return next((found for key in keys if isinstance(found := value.get(key), str) and found), "")


def plain(content: Any) -> str:
    """Return the text of a content (string, block or list of these); pictures and files are given by their kind."""
    if isinstance(content, str):
        return content.strip()
    if isinstance(content, list):
        texts = [plain(part) for part in content]
        return "\n".join(text for text in texts if text) if all(texts) else ""
    if not isinstance(content, Mapping):
        return ""
    for key in ("text", "content", "value"):
        if isinstance(content.get(key), str | list) and (text := plain(content[key])):
            return text
    kind = content.get("type")
    if isinstance(kind, str) and any(word in kind for word in ("image", "audio", "file", "document")):
        return f"[{kind[:40]}]"
    return ""


def compact(value: Any) -> str:
    """Return a value as one line of JSON, a string unchanged."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def shortened(text: str, head: int = HEAD_CHARS, tail: int = TAIL_CHARS) -> str:
    """Return the beginning and the end of a long text, with the number of omitted characters in between."""
    mark = 60
    if len(text) <= head + tail + mark:
        return text
    left_out = len(text) - head - tail
    space = "\n" if tail else " "
    return f"{text[:head]}{space}[… {left_out} characters left out …]{space}{text[len(text) - tail :]}".rstrip()


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
