"""Strict JSON schemas from pydantic models, and parsing of answers. Nothing is sent here."""

import copy
import json
import re
from collections.abc import Iterator
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

Answer = TypeVar("Answer", bound=BaseModel)
# Keywords that some endpoints reject in strict schemas. Answers are validated against them in any case.
LIMITS = ("minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "pattern", "uniqueItems")
_NOISE = ("title", "default", "examples")
_END_OF_THINKING = "</think>"
_DECODER = json.JSONDecoder(strict=False)
_NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_MOST_OBJECTS = 50  # places in an answer at which an object is looked for


def strict_schema(model: type[BaseModel], *, limits: bool = True) -> dict[str, Any]:
    """Return the schema of `model` for strict structured output: all keys required, no additional keys.

    `limits` False leaves out the bounds of lengths and numbers.
    """
    schema = copy.deepcopy(model.model_json_schema())
    _tighten(schema, () if limits else LIMITS)
    return schema


def _tighten(node: Any, dropped: tuple[str, ...]) -> None:
    if isinstance(node, list):
        for part in node:
            _tighten(part, dropped)
    if not isinstance(node, dict):
        return
    for key in (*_NOISE, *dropped):
        if not isinstance(node.get(key), dict):  # a dict is a property with this name, not the keyword
            node.pop(key, None)
    if isinstance(properties := node.get("properties"), dict):
        node["required"] = list(properties)
        node["additionalProperties"] = False
        for part in properties.values():
            _tighten(part, dropped)
    for key, part in node.items():
        if key != "properties":
            _tighten(part, dropped)


def read_answer(model: type[Answer], content: str) -> Answer:
    """Return the answer in `content`, which may be in a code fence, or after prose or reasoning that has braces too.

    Of several JSON objects the first that fits `model` counts.

    Raises:
        ValidationError: if none fits `model`.
        ValueError: if there is no JSON object in it (ValidationError is one too).
    """
    fault: ValueError | None = None
    for value in _objects(content):
        if isinstance(value, ValueError):
            fault = fault or value
            continue
        try:
            return model.model_validate(value)
        except ValidationError as error:
            # What an object lacks is worth more to the model than where another brace stands.
            fault = fault if isinstance(fault, ValidationError) else error
    raise fault or ValueError("the answer holds no JSON object")


def is_whole(content: str) -> bool:
    """Return whether the first JSON object of an answer is complete, so that nothing of it can be missing."""
    return isinstance(next(_objects(content), None), dict)


def _objects(content: str) -> Iterator[dict[str, Any] | ValueError]:
    """Yield the outermost JSON objects of an answer; for what begins like one, what is wrong with it.

    First those behind the last mark of the end of reasoning, whose first mark may belong to the endpoint's template.
    """
    _, mark, answered = content.rpartition(_END_OF_THINKING)
    yield from _objects_of(answered)
    if mark:
        yield from _objects_of(content)


def _objects_of(text: str) -> Iterator[dict[str, Any] | ValueError]:
    place = text.find("{")
    for _ in range(_MOST_OBJECTS):
        if place < 0:
            return
        try:
            value, end = _DECODER.raw_decode(text, place)
            yield _clean(value)
        except json.JSONDecodeError as error:
            end = place + 1
            yield ValueError(f"not valid JSON: {error.msg} at character {error.pos}")
        except RecursionError:
            yield ValueError("not valid JSON: nested too deeply")
            return
        place = text.find("{", end)


def _clean(value: Any) -> Any:
    """Return a JSON value without the characters that no stored text may have: halves of pairs, control characters."""
    if isinstance(value, str):
        return _NO_TEXT.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, list):
        return [_clean(part) for part in value]
    return {_clean(name): _clean(part) for name, part in value.items()} if isinstance(value, dict) else value


def explain(error: ValueError) -> str:
    """Return the validation errors of an answer as locations and messages, without quoting it."""
    if not isinstance(error, ValidationError):
        return str(error)
    faults = error.errors(include_input=False, include_url=False, include_context=False)
    return "; ".join(f"{'.'.join(map(str, f['loc'])) or 'answer'}: {f['msg']}" for f in faults[:8])
