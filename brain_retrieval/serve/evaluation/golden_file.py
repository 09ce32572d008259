"""Files of golden questions in YAML, TOML or JSON Lines, and errors that name line and field of what is wrong in them.

Values are never repeated in an error: it is also recorded where a user's text must not be.
"""

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, ValidationError, field_validator, model_validator

from brain_retrieval.errors import BrainError, InvalidQueryError
from brain_retrieval.home import Space
from brain_retrieval.moments import to_moment

NAMES = ("golden.yaml", "golden.yml", "golden.toml", "golden.jsonl")
Place = Callable[[str | None], int]  # field -> line, None -> line of the whole entry


class GoldenFileError(BrainError, ValueError):
    """A file of golden questions that cannot be read; the message names line and field."""

    exit_code = 2


def _as_tuple(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


Texts = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(_as_tuple)]


class Golden(BaseModel, extra="forbid", frozen=True):
    """A question and what its answer must be found in.

    Args:
        source: patterns (`*`, `?`) of the uri or title of sources, each of which must be found.
        text: texts, each of which a passage must contain; with `source`, a passage of such a source.
        not_text: texts, no passage with which may come before the first expected one.
        as_of, known_at, recipe: as for a search.
    """

    question: str = Field(min_length=1)
    source: Texts = ()
    text: Texts = ()
    not_text: Texts = ()
    as_of: datetime | date | str | None = None
    known_at: datetime | date | str | None = None
    recipe: str | None = None

    @field_validator("as_of", "known_at")
    @classmethod
    def _is_moment(cls, value: Any) -> Any:
        try:
            return value if value is None else (to_moment(value, UTC), value)[1]
        except InvalidQueryError:
            raise ValueError("not an ISO 8601 date or time") from None

    @model_validator(mode="after")
    def _expects_something(self) -> "Golden":
        if not self.source and not self.text:
            raise ValueError("neither `source` nor `text` says what to find")
        return self


@dataclass(frozen=True)
class GoldenFile:
    """The questions of a file, the line of each, and the recall below which an evaluation fails."""

    path: Path
    questions: tuple[Golden, ...]
    lines: tuple[int, ...]
    min_recall: float | None = None
    places: tuple[Place, ...] = field(default=(), repr=False)

    def check_recipes(self, known: tuple[str, ...]) -> None:
        """Raise GoldenFileError for a question with a recipe that is not known."""
        for question, place in zip(self.questions, self.places, strict=True):
            if question.recipe is not None and question.recipe not in known:
                raise _wrong(self.path, place("recipe"), "recipe", f"unknown; the recipes are {', '.join(known)}")


def find_golden(space: Space) -> Path | None:
    """Return the file of golden questions in the user's folder, if there is one."""
    return next((path for name in NAMES if (path := space.root / name).is_file()), None)


def read_golden(path: Path) -> GoldenFile:
    """Return the questions of a file.

    Raises:
        GoldenFileError: if it cannot be read, is of another format, holds no question or a wrong field.
    """
    reader = {".yaml": _yaml, ".yml": _yaml, ".toml": _toml, ".jsonl": _json_lines}.get(path.suffix.lower())
    if reader is None:
        raise GoldenFileError(f"{path.name}: golden questions are a .yaml, .toml or .jsonl file")
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        raise GoldenFileError(f"there is no file '{path}'") from None
    except (OSError, UnicodeDecodeError) as error:
        raise GoldenFileError(f"{path.name} cannot be read: {type(error).__name__}") from None
    head, entries = reader(path, text)
    questions = [_question(path, entry, place) for entry, place in entries]
    if not questions:
        raise GoldenFileError(f"{path.name}: no question in it")
    places = [place for _, place in entries]
    return GoldenFile(path, tuple(questions), tuple(p(None) for p in places), _min_recall(path, head), tuple(places))


def _question(path: Path, entry: Any, place: Place) -> Golden:
    if not isinstance(entry, Mapping):
        raise _wrong(path, place(None), None, "not a question with its fields")
    try:
        return Golden(**{str(key): value for key, value in entry.items()})
    except ValidationError as error:
        fault = error.errors(include_input=False, include_url=False, include_context=False)[0]
        name = str(fault["loc"][0]) if fault["loc"] else None
        unknown = fault["type"] == "extra_forbidden"
        known = f"unknown field; the fields are {', '.join(Golden.model_fields)}"
        raise _wrong(path, place(name), name, known if unknown else fault["msg"]) from None


def _min_recall(path: Path, head: Mapping[str, Any]) -> float | None:
    if unknown := sorted(set(head) - {"min_recall", "questions"}):
        raise GoldenFileError(f"{path.name}: `{unknown[0]}`: unknown field; beside `questions` there is `min_recall`")
    value = head.get("min_recall")
    if value is None or isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return value
    raise GoldenFileError(f"{path.name}: `min_recall`: a number from 0 to 1")


def _wrong(path: Path, line: int, name: str | None, what: str) -> GoldenFileError:
    where = f"{path.name}, line {line}" + (f", `{name}`" if name else "")
    return GoldenFileError(f"{where}: {what.removeprefix('Value error, ')}")


Entries = tuple[Mapping[str, Any], list[tuple[Any, Place]]]


def _yaml(path: Path, text: str) -> Entries:
    import yaml

    from brain_retrieval.serve.evaluation.golden_yaml import HandWritten

    try:
        node, value = yaml.compose(text, HandWritten), yaml.load(text, HandWritten)  # noqa: S506 - a safe loader
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        problem = str(getattr(error, "problem", None) or "not YAML")
        raise _wrong(path, mark.line + 1 if mark else 1, None, problem) from None
    head = value if isinstance(value, dict) else {"questions": value}
    if isinstance(node, yaml.MappingNode):
        node = next((below for key, below in node.value if key.value == "questions"), None)
    entries = head.get("questions")
    if not isinstance(node, yaml.SequenceNode) or not isinstance(entries, list):
        raise GoldenFileError(f"{path.name}: a list of questions, or `questions:` with one, is missing")
    return head, [(entry, _yaml_place(below)) for entry, below in zip(entries, node.value, strict=True)]


def _yaml_place(node: Any) -> Place:
    fields = {str(key.value): key.start_mark.line + 1 for key, _ in node.value} if node.id == "mapping" else {}
    line = node.start_mark.line + 1
    return lambda name: fields.get(name or "", line)


def _toml(path: Path, text: str) -> Entries:
    try:
        head = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise GoldenFileError(f"{path.name}: {error}") from None
    lines = text.splitlines()
    starts = [number for number, line in enumerate(lines) if line.replace(" ", "").startswith("[[questions]]")]
    entries = head.get("questions", [])
    if not isinstance(entries, list) or len(starts) != len(entries):
        raise GoldenFileError(f"{path.name}: each question is a table [[questions]]")
    ends = [*starts[1:], len(lines)]
    return head, [
        (entry, _toml_place(lines[start:end], start + 1))
        for entry, start, end in zip(entries, starts, ends, strict=True)
    ]


def _toml_place(lines: list[str], first: int) -> Place:
    fields = {line.partition("=")[0].strip().strip("\"'"): first + n for n, line in enumerate(lines) if "=" in line}
    return lambda name: fields.get(name or "", first)


def _json_lines(path: Path, text: str) -> Entries:
    return {}, list(_parsed_lines(path, text))


def _parsed_lines(path: Path, text: str) -> Iterator[tuple[Any, Place]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                yield json.loads(line, object_pairs_hook=_once), lambda _, number=number: number
            except json.JSONDecodeError as error:
                raise _wrong(path, number, None, f"not JSON: {error.msg}") from None
            except (ValueError, RecursionError) as error:
                problem = str(error) if isinstance(error, _TwiceError) else "not JSON"
                raise _wrong(path, number, None, problem) from None


class _TwiceError(ValueError):
    """A field that an object has twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise _TwiceError("a field is given twice")
    return fields
