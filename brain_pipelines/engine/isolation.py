"""One item that raises fails alone: a function over many items is run again over parts of them until those that raise
stand by themselves. The engine runs every stage through `run_isolated`.

Errors that concern the run and not an item, such as a missing model, a spent budget or a full disk, are raised as
they are.
"""

import errno
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from brain_pipelines.engine.stage import ChecksViolatedError, Row, StageInput, StageOutput, ignore_progress
from brain_pipelines.landing.raw_files import BytesDroppedError
from brain_pipelines.readers.contract import place_of
from brain_retrieval.errors import BadInputError, BrainError, NoAnswerError
from brain_retrieval.extras import missing_extra

# So many items, all of them with the same error at the same place, show that the stage is broken and not the items.
TOO_MANY_ALIKE = 5
_NO_RESOURCES = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM})

Item = TypeVar("Item")
Result = TypeVar("Result")


def lacks_resources(error: BaseException) -> bool:
    """Tell whether memory, disk or a database failed, which no item is to blame for."""
    return isinstance(error, MemoryError | sqlite3.Error) or getattr(error, "errno", None) in _NO_RESOURCES


def concerns_run(error: BaseException) -> bool:
    """Tell whether an error would meet every item alike, so that going on without one of them is no help."""
    if isinstance(error, BrainError):
        return not isinstance(error, BadInputError | NoAnswerError)
    return lacks_resources(error) or isinstance(error, ImportError)


def isolated(
    items: Sequence[Item], attempt: Callable[[Sequence[Item]], Result]
) -> Iterator[tuple[Sequence[Item], Result | Exception]]:
    """Yield parts of `items` in order, each with what `attempt` returned; an item that makes it raise comes alone.

    All items are tried together first. With one bad item the others are computed about twice more at most.

    Args:
        attempt: a function of some of the items whose results do not depend on which others it is given.

    Raises:
        Exception: what `concerns_run` says is not the fault of an item.
    """
    found: Result | Exception
    try:
        found = attempt(items)
    except Exception as error:
        if isinstance(error, ImportError) and (explained := missing_extra(error)) is not None:
            raise explained from error
        if concerns_run(error) or not items:
            raise
        found = error
    if isinstance(found, Exception) and len(items) > 1:
        middle = len(items) // 2
        yield from isolated(items[:middle], attempt)
        yield from isolated(items[middle:], attempt)
    else:
        yield items, found


def run_isolated(run: Callable[[StageInput], StageOutput], stage_input: StageInput) -> StageOutput:
    """Return what a stage makes of a span; an item that makes it raise is recorded as failed and the rest goes on.

    Raises:
        Exception: what the stage raises if that is no fault of single items, see `concerns_run` and `_is_broken`.
    """
    items = _items(stage_input)
    whole = StageOutput()
    errors: list[Exception] = []
    done = 0
    for part, found in isolated(items, lambda some: run(_narrowed(stage_input, some, whole=len(some) == len(items)))):
        if isinstance(found, Exception):
            errors.append(found)
            _record(whole, *part[0], found)
        else:
            whole.merge(found)
        done += len(part)
        if len(part) < len(items):
            stage_input.progress(done, len(items), "items")
    if errors and len(errors) == len(items) and _is_broken(run, stage_input, errors):
        raise errors[0]
    return whole


def _items(stage_input: StageInput) -> list[tuple[str, Row]]:
    """Return a row of each item of each day: rows with one source id are one item."""
    rows = [(day, row) for day, rows in stage_input.rows.items() for row in rows]
    return list({(day, row["source_id"]): (day, row) for day, row in rows}.values())


def _narrowed(stage_input: StageInput, items: Sequence[tuple[str, Row]], *, whole: bool) -> StageInput:
    """Return the same input with the rows of some items only. Parts of a span report no progress of their own."""
    if whole:
        return stage_input
    wanted = {(day, row["source_id"]) for day, row in items}
    rows = {day: [r for r in rows if (day, r["source_id"]) in wanted] for day, rows in stage_input.rows.items()}
    return replace(stage_input, rows=rows, progress=ignore_progress)


def _record(output: StageOutput, day: str, row: Row, error: Exception) -> None:
    if isinstance(error, BadInputError | BytesDroppedError):
        output.reject(day, row, str(error))
    else:
        output.fail(day, row, error)


def _is_broken(run: Callable[[StageInput], StageOutput], stage_input: StageInput, errors: Sequence[Exception]) -> bool:
    """Tell whether a stage that failed for every item would fail without any, or fails for many in one way."""
    if all(isinstance(error, ChecksViolatedError) for error in errors):
        return True
    kinds = {(type(error), place_of(error)) for error in errors}
    if len(kinds) > 1:
        return False
    if len(errors) >= TOO_MANY_ALIKE:
        return True
    try:
        run(_narrowed(stage_input, [], whole=False))
    except Exception as error:
        return (type(error), place_of(error)) in kinds
    return False
