"""Optional dependencies: the extra that provides each library, and the error for a missing one."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec

from brain_retrieval.errors import BrainError

# Import names of the packages that pyproject.toml lists under each extra.
EXTRAS: Mapping[str, tuple[str, ...]] = {
    "cli": ("typer", "rich", "yaml"),
    "neo4j": ("neo4j",),
    "openai": ("openai",),
    "mcp": ("mcp",),
    "serve": ("fastapi", "uvicorn", "starlette", "h11", "anyio", "jinja2"),
    "media": ("av", "cv2", "faster_whisper", "rapidocr", "zxingcpp", "pillow_heif", "scipy", "onnx"),
    "whisperx": ("whisperx",),
    "pii": ("presidio_analyzer",),
    "browser": ("playwright",),
    "dg": ("dagster_dg_cli",),
    "workers": ("dagster_celery", "celery", "redis"),
    "pipelines": (
        *("dagster", "dagster_webserver", "dagster_postgres", "spacy", "py3langid", "rustworkx", "rapidfuzz"),
        *("charset_normalizer", "ftfy", "lxml", "PIL", "pypdfium2", "pdfplumber", "docx", "pptx", "python_calamine"),
        *("striprtf", "oxmsg", "olefile", "mailparser_reply", "icalendar", "dateutil", "trafilatura", "warcio"),
        *("protego", "courlan", "httpcore", "idna", "fsspec", "obstore", "cryptography", "stdnum", "phonenumbers"),
        *("dagster_shared", "grpc", "obstore", "sqlalchemy", "tld", "feedparser"),
    ),
}
_EXTRA_OF = {name: extra for extra, names in EXTRAS.items() for name in names}


class MissingExtraError(BrainError, ImportError):
    """A library of an extra that is not installed; the message names the extra."""

    exit_code = 5

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(f'{library} is not installed; it comes with an extra: pip install "brain[{extra}]"')


def missing_extra(error: ImportError) -> MissingExtraError | None:
    """Return the error for a failed import of an extra's library; None if no extra provides it."""
    if isinstance(error, MissingExtraError):
        return error
    library = (error.name or "").split(".")[0]
    return MissingExtraError(library, _EXTRA_OF[library]) if library in _EXTRA_OF else None


def require(library: str) -> None:
    """Raise MissingExtraError if the library of an extra is not installed; nothing is imported."""
    try:
        found = find_spec(library) is not None
    except ModuleNotFoundError:
        found = False
    if not found:
        raise MissingExtraError(library, _EXTRA_OF[library])


def is_installed(extra: str) -> bool:
    """Return whether every library of an extra is installed."""
    try:
        return all(find_spec(library) is not None for library in EXTRAS[extra])
    except ModuleNotFoundError:
        return False


@contextmanager
def naming_the_extra() -> Iterator[None]:
    """Turn a failed import of an extra's library into a MissingExtraError; other errors pass unchanged."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (explained := missing_extra(error)) is None:
            raise
        raise explained from error
