"""LanceDB tables: connecting, creation of tables and indexes, training. Queries are in `lance_index.py`."""

import hashlib
import math
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import pyarrow as pa

from brain_retrieval.errors import DamagedIndexError, home_error
from brain_retrieval.language.letter_pairs import with_letter_pairs
from brain_retrieval.schemas.names import WORD_CODES
from brain_retrieval.stores.index.lance.lean_import import import_lancedb

CREATE_SECONDS = 60.0
INDEX_VERSION = 3  # of the columns: a table of other columns is another table
TEXT_INDEX = "search_text_idx"
# A text search reads rows that came after its index one by one: 4 ms of CPU, and 18 more a thousand.
TAIL_ROWS, SMALL_TAIL, TAIL_SHARE = 500, 50, 0.1
LARGE_SHARE = 0.01  # of a table above 50,000 rows, which are all written again when a tail is added
MOST_PARTS = 10  # of the vector index: 18 make a search of 80,000 rows take half as long again
INDEXES = ("day_idx", TEXT_INDEX, "source_idx")

# LanceDB's stemming languages by ISO 639-1 code.
LANGUAGES = {
    "ar": "Arabic", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "fi": "Finnish",
    "fr": "French", "hu": "Hungarian", "it": "Italian", "nl": "Dutch", "no": "Norwegian", "pt": "Portuguese",
    "ro": "Romanian", "ru": "Russian", "sv": "Swedish", "ta": "Tamil", "tr": "Turkish",
}  # fmt: skip

# Of the messages of errors that are no RuntimeError: LanceDB read something that it did not write.
DAMAGE = (
    "not appear to be a Lance file", "LanceError", "lance error", "Not a directory", "does not exist",
    "Invalid direct", "metadata region",
)  # fmt: skip

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def reports_damage(method: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Turn LanceDB's errors about its own files into a StoreError that says what to do; wrong arguments stay as is.

    A full disk, a read-only home and a missing permission are not damage.
    """

    @wraps(method)
    def reporting(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        try:
            return method(*args, **kwargs)
        except (RuntimeError, OSError, ValueError) as error:
            if (unusable := home_error(error)) is not None:
                raise unusable from error
            if not isinstance(error, RuntimeError) and not any(sign in str(error) for sign in DAMAGE):
                raise
            suspect(args[0]).touch()
            raise damaged(args[0], error) from error

    return reporting


def suspect(index: Any) -> Path:
    """Return the path of a file that marks an index in which something could not be read: `check` then reads all."""
    return index.space.index / "suspect"


def damaged(index: Any, cause: object) -> DamagedIndexError:
    """Return the error for an index whose table cannot be read."""
    return DamagedIndexError(
        f"the index table {index.name} of {index.space.user!r} cannot be read or written ({cause!s:.200}); the next "
        f"run moves it aside and builds it again: `brain doctor --user {index.space.user}` does so now"
    )


def table_name(model: str, dim: int) -> str:
    """Return the table name of a model; the hash keeps models apart whose names differ only in punctuation."""
    slug = re.sub(r"[^a-z0-9]+", "_", model.lower()).strip("_")[:40]
    tag = hashlib.blake2b(f"{model}|{dim}|{INDEX_VERSION}".encode(), digest_size=4).hexdigest()
    return f"chunks_{slug}_{dim}_{tag}"


def connect(folder: Path) -> Any:
    """Return a connection whose tables look for the newest commit before each query."""
    return import_lancedb().connect(folder, read_consistency_interval=timedelta(0))


def open_existing(connection: Any, name: str) -> Any | None:
    """Return the table, or None if it is not there (any more)."""
    try:
        return connection.open_table(name)
    except (ValueError, FileNotFoundError) as error:
        if "not found" in str(error):
            return None
        raise


def open_whole(index: Any) -> Any | None:
    """Return the table of an index whose directory exists; None while a first writer is creating it.

    Raises:
        DamagedIndexError: if the directory holds no table, but is older than that.
    """
    table = open_existing(connect(index.space.index), index.name)
    age = time.time() - (index.space.index / f"{index.name}.lance").stat().st_mtime
    if table is None and age > CREATE_SECONDS:
        suspect(index).touch()
        raise damaged(index, "its directory holds no table")
    return table


def check(index: Any, table: Any) -> None:
    """Read a little of everything that searches use, so that an index that cannot be searched is found out.

    Raises:
        RuntimeError, OSError: LanceDB cannot read the table or one of its indexes.
    """
    try:
        _read_a_little(index, table)
    except ValueError as error:  # no argument comes from a caller: LanceDB reads what it did not write
        raise RuntimeError(str(error)) from error


def _read_a_little(index: Any, table: Any) -> None:
    missing = set(INDEXES) - {found.name for found in table.list_indices()}
    if missing and table.count_rows():
        raise RuntimeError(f"without the indexes {', '.join(sorted(missing))}")
    matches(table, "a", None, 1, ["id"])
    table.search().select(["id", "vector"]).limit(1).to_arrow()
    table.count_rows("day = '' OR source = ''")
    if suspect(index).exists():
        table.search().to_arrow()
        suspect(index).unlink(missing_ok=True)


def create(connection: Any, name: str, schema: pa.Schema, language: str | None = None) -> Any:
    """Return the table with its indexes, making what is missing; several processes may do so at once.

    The text index has to exist before the first search, and is made while the table is empty: text search
    fails without one, and rows that come later are found at once. A text index of another `language` is replaced.
    """
    deadline = time.monotonic() + CREATE_SECONDS
    while (table := open_existing(connection, name)) is None:
        # Not exist_ok: with it, a creator that comes second may write an empty table over the first one's rows.
        with _races(deadline):
            connection.create_table(name, schema=schema, mode="create")
    while missing := [i for i in INDEXES if i not in {found.name for found in table.list_indices()}]:
        with _races(deadline):
            table.create_index(missing[0].removesuffix("_idx"), config=_config(missing[0], language), replace=False)
        table.checkout_latest()
    if language and text_language(table) != language:
        index_text(table, language)
    if WORD_CODES not in table.schema.names:  # made before there was this column
        with _races(deadline):
            table.add_columns(schema.field(WORD_CODES))
        table.checkout_latest()
    return table


def replace_rows(table: Any, where: str, rows: pa.Table) -> None:
    """Replace the rows within `where` by others in one commit. Two writers must not do so at once.

    A merge that also deletes reads all columns of all rows, vectors too: in 300,000 rows 0.3 s of CPU and 450 MB for
    any write. One that does not takes 0.04 s and 10 MB.
    """
    stored = table.search().where(where).select(["id"]).to_arrow().column("id").to_pylist()
    gone = set(stored) - set(rows.column("id").to_pylist())
    if gone and not rows.num_rows:
        table.delete(where)
        return
    merge = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
    (merge.when_not_matched_by_source_delete(where) if gone else merge).execute(rows)


def text_language(table: Any) -> str:
    """Return the language of the table's text index, ISO 639-1; "" without one."""
    names = [index.index_details["language"] for index in table.list_indices() if index.name == TEXT_INDEX]
    return {name: code for code, name in LANGUAGES.items()}.get(names[0], "") if names else ""


def text_tail(table: Any) -> int:
    """Return how many rows the text index does not hold yet."""
    stats = table.index_stats(TEXT_INDEX)
    return stats.num_unindexed_rows if stats is not None else 0


def allowed_tail(rows: int) -> int:
    """Return how many rows of a table of so many may be missing in its text index before a write adds them to it.

    Adding them takes 30–60 ms of CPU in a small table, and 3 s a hundred thousand rows in a large one, which LanceDB
    writes again for it. A tail that grows with the table makes that a constant number of times for each row.
    """
    return min(max(TAIL_ROWS, int(LARGE_SHARE * rows)), max(SMALL_TAIL, int(TAIL_SHARE * rows)))


def index_text(table: Any, language: str) -> None:
    """Rebuild the text index in `language`; readers use the old one until the new one is complete."""
    table.create_index("search_text", config=_config(TEXT_INDEX, language), replace=True)


def index_again(table: Any, names: Iterable[str], language: str) -> None:
    """Build indexes again by name; readers use the old ones until the new ones are complete."""
    for name in names:
        table.create_index(name.removesuffix("_idx"), config=_config(name, language), replace=True)


def match_query(words: str) -> Any:
    """Return a search for any of `words`; unlike a text query it is not parsed, so nothing in it is an operator."""
    from lancedb.query import MatchQuery

    return MatchQuery(with_letter_pairs(words), "search_text")  # pyright: ignore[reportCallIssue]


def matches(table: Any, words: str, where: str | None, limit: int, columns: Sequence[str]) -> Any:
    """Return `columns` and `_score` of the rows that hold any of `words`; the column "_rowid" is LanceDB's row number.

    The table's own asynchronous queries: a synchronous one goes to LanceDB's thread five times instead of once, which
    takes as much processor time as the search itself.
    """
    from lancedb.background_loop import LOOP

    search = table._table.query().nearest_to_text(match_query(words))
    search = search.where(where) if where else search
    search = search.with_row_id() if "_rowid" in columns else search
    kept = [name for name in columns if name != "_rowid"]
    return LOOP.run(search.select([*kept, "_score"]).limit(limit).to_arrow())


def train_vector_index(table: Any) -> bool:
    """Build the approximate vector index unless there is one of few parts; return whether it was built.

    IVF_RQ with sqrt(rows) partitions: 20–40 times cheaper to build than IVF_PQ at the same recall. LanceDB adds rows as
    a further part, which each search looks through, and which keeps their fragment from being merged with others.
    """
    from lancedb.index import IvfRq

    found = [index.name for index in table.list_indices() if "vector" in index.columns]
    if found and (table.index_stats(found[0]).num_indices or 1) <= MOST_PARTS:
        return False
    partitions = max(1, math.isqrt(table.count_rows()))
    table.create_index("vector", config=IvfRq(distance_type="cosine", num_partitions=partitions))
    return True


@contextmanager
def _races(deadline: float) -> Iterator[None]:
    # "Retryable commit conflict" or "already exists": another process was faster. The caller looks again.
    try:
        yield
    except (RuntimeError, ValueError, OSError) as error:
        lost = "conflict" in str(error).lower() or "already exists" in str(error)
        if not lost or time.monotonic() > deadline:
            raise


def _config(name: str, language: str | None) -> Any:
    from lancedb.index import FTS, Bitmap, BTree

    if name == TEXT_INDEX:
        known = LANGUAGES.get(language or "en")  # words of another language are searched as written, in any case
        stem = known is not None
        return FTS(
            language=known or "English", with_position=True, stem=stem, remove_stop_words=stem, ascii_folding=True
        )
    return BTree() if name == "day_idx" else Bitmap()
