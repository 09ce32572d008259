"""Strict JSON schemas from pydantic models, and parsing of answers. Nothing is sent here."""

import copy
import json
import re
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

Answer = TypeVar("Answer", bound=BaseModel)
# Keywords that some endpoints reject in strict schemas. Answers are validated against them in any case.
LIMITS = ("minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "pattern", "uniqueItems")
_NOISE = ("title", "default", "examples")
_THINKING = re.compile(r"<think>.*?</think>", re.S)


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
    """Return the answer in `content`, which may be in a code fence or after reasoning text.

    Raises:
        ValidationError: if it does not fit `model`.
        ValueError: if there is no JSON object in it (ValidationError is one too).
    """
    content = _THINKING.sub("", content)
    start = content.find("{")
    if start < 0:
        raise ValueError("the answer holds no JSON object")
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(content, start)
    except json.JSONDecodeError as error:
        raise ValueError(f"not valid JSON: {error.msg} at character {error.pos}") from None
    return model.model_validate(value)


def explain(error: ValueError) -> str:
    """Return the validation errors of an answer as locations and messages, without quoting it."""
    if not isinstance(error, ValidationError):
        return str(error)
    faults = error.errors(include_input=False, include_url=False, include_context=False)
    return "; ".join(f"{'.'.join(map(str, f['loc'])) or 'answer'}: {f['msg']}" for f in faults[:8])
