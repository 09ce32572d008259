"""The search providers that the settings name, in the order in which they are asked: listed addresses first."""

from brain_pipelines.ingest.evidence.providers.address_list import AddressList
from brain_pipelines.ingest.evidence.providers.provider import SearchProvider
from brain_pipelines.ingest.evidence.providers.search_api import SearchApi
from brain_retrieval.settings import Settings


def build_providers(settings: Settings) -> list[SearchProvider]:
    """Return the configured providers; [] if there is none."""
    online, fetch = settings.evidence.online, settings.fetch
    listed: list[SearchProvider] = [AddressList(name, own, fetch) for name, own in online.trusted.items()]
    return [*listed, *(SearchApi(name, own, fetch) for name, own in online.search.items())]
