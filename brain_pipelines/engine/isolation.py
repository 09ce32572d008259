"""Fault isolation by bisection: when a batch raises, it is halved and retried until each failing item is alone.

The engine runs every stage through `run_isolated`, so one bad item is recorded and the rest of the batch is stored.
Errors that concern the run and not an item (a missing model, a spent budget, a full disk) are raised unchanged.
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
from brain_retrieval.extras import MissingExtraError, missing_extra
from brain_retrieval.language.lexicon import LexiconError

# If at least this many items fail, all with the same error at the same place, the stage is at fault, not the items.
TOO_MANY_ALIKE = 5
_NO_RESOURCES = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM})

Item = TypeVar("Item")
Result = TypeVar("Result")


def lacks_resources(error: BaseException) -> bool:
    """Return whether memory, disk or a database failed: no item causes these."""
    return isinstance(error, MemoryError | sqlite3.Error) or getattr(error, "errno", None) in _NO_RESOURCES


def concerns_run(error: BaseException) -> bool:
    """Return whether an error would occur for every item, so that skipping one item does not help.

    A missing lexicon concerns the texts in its language.
    """
    if isinstance(error, BrainError):
        return not isinstance(error, BadInputError | NoAnswerError | LexiconError)
    return lacks_resources(error) or isinstance(error, ImportError)


def isolated(
    items: Sequence[Item], attempt: Callable[[Sequence[Item]], Result]
) -> Iterator[tuple[Sequence[Item], Result | Exception]]:
    """Yield parts of `items` in order, each with the result of `attempt`; an item that makes it raise is a part alone.

    All items are tried together first, then halves. One bad item costs about two more computations of the others.

    Args:
        attempt: a function of a part of the items; its result for an item must not depend on the other items.

    Raises:
        Exception: an error that concerns the run, see `concerns_run`.
    """
    found: Result | Exception
    try:
        found = attempt(items)
    except Exception as error:
        # Another ImportError is of a library that is there and cannot be imported: it says what is wrong itself.
        absent = isinstance(error, ModuleNotFoundError | MissingExtraError)
        if absent and (explained := missing_extra(error)) is not None:
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
    """Return the output of a stage for a span of days; an item that makes the stage raise is recorded as failed.

    Raises:
        Exception: an error that is not caused by single items, see `concerns_run` and `_is_broken`.
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
    """Return one row for each item of each day; rows with the same source id are one item."""
    rows = [(day, row) for day, rows in stage_input.rows.items() for row in rows]
    return list({(day, row["source_id"]): (day, row) for day, row in rows}.values())


def _narrowed(stage_input: StageInput, items: Sequence[tuple[str, Row]], *, whole: bool) -> StageInput:
    """Return the input restricted to the rows of `items`. Parts of a span report no progress of their own."""
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
    """Return whether a stage that failed for every item is itself at fault: it fails without items, or always alike."""
    if all(isinstance(error, ChecksViolatedError) for error in errors):
        return True
    kinds = {(type(error), place_of(error)) for error in errors}
    if len(kinds) > 1:
        return False
    if len(errors) >= TOO_MANY_ALIKE:
        return True
    # Few items failed alike: a run without any item shows whether the items were needed for the failure.
    try:
        run(_narrowed(stage_input, [], whole=False))
    except Exception as error:
        return (type(error), place_of(error)) in kinds
    return False
