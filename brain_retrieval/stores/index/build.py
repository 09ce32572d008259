"""Factory of search indexes; a store is one line here. The interface is in `protocol.py`."""

from typing import Protocol

from brain_retrieval.errors import InvalidSettingsError
from brain_retrieval.home import Space
from brain_retrieval.settings import Settings
from brain_retrieval.stores.index.lance.lance_index import LanceIndex
from brain_retrieval.stores.index.protocol import SearchIndex


class OpensIndex(Protocol):
    """Opens the index of a user for one embedding model; loads heavy libraries at the first use, not before.

    `language` (ISO 639-1) is that of the texts, for the text search; None leaves it as it is, English if it is new.
    """

    def __call__(self, space: Space, *, model: str, dim: int, language: str | None = None) -> SearchIndex: ...


STORES: dict[str, OpensIndex] = {
    "lancedb": LanceIndex,
}


def build_index(space: Space, settings: Settings, *, model: str, dim: int) -> SearchIndex:
    """Return the index to write to, for a model and the store set as `index.store`. Nothing is created yet.

    Raises:
        InvalidSettingsError: no such store.
    """
    language = settings.language_of(space.user)
    return open_index(space, settings.index.store, model=model, dim=dim, language=language)


def open_index(space: Space, store: str, *, model: str, dim: int, language: str | None = None) -> SearchIndex:
    """Return the index of a model in a store of this name. Nothing is created yet.

    Raises:
        InvalidSettingsError: no such store.
    """
    if store not in STORES:
        raise InvalidSettingsError(f"index.store: there is no {store!r:.40}; known are {', '.join(sorted(STORES))}")
    return STORES[store](space, model=model, dim=dim, language=language)
