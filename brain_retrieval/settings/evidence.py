"""Settings of checking claims: the search providers of `brain check --online`, and the limits of one request.

Nothing here is used without `--online`. A key is set here, in an environment variable that `api_key_env` names, or not
at all.
"""

import re
from typing import Annotated, Literal

from pydantic import Field, SecretStr, StringConstraints, field_validator, model_validator

from brain_retrieval.settings.connectors import secret_of
from brain_retrieval.settings.section import Section
from brain_retrieval.settings.sections import MEGABYTE

Address = Annotated[str, StringConstraints(pattern=r"^https?://[^\s\\]+$", max_length=2000)]
HeaderName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{1,60}$")]
_PATH = re.compile(r"[\w-]{1,60}(?:\.[\w-]{1,60}){0,8}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class SearchApiSettings(Section, frozen=True):
    """A search service that answers in JSON.

    `kind` "searxng" knows the form of SearXNG: `url` is its base address. For "json", `url` holds `{query}` (and
    `{count}`), or `body` does, which is then sent with POST; `results` is the path to the list in the answer.
    """

    kind: Literal["searxng", "json"] = "searxng"
    url: Address
    body: str | None = None  # JSON with {query} and {count}; the query is escaped
    results: str = "results"
    address_field: str = "url"
    title_field: str = "title"
    snippet_field: str = "content"
    api_key: SecretStr | None = None
    api_key_env: str | None = None
    key_header: HeaderName = "Authorization"
    key_prefix: str = ""  # such as "Bearer "
    language: str | None = None  # passed to SearXNG
    allow_private: bool = False  # it runs on this machine or in the local network; pages there stay refused
    seconds: float = Field(default=10.0, gt=0, le=120)

    @field_validator("results", "address_field", "title_field", "snippet_field")
    @classmethod
    def _check_path(cls, value: str) -> str:
        if value and not _PATH.fullmatch(value):
            raise ValueError("must be names separated by dots, such as web.results")
        return value

    @field_validator("key_prefix")
    @classmethod
    def _no_control_characters(cls, value: str) -> str:
        if _CONTROL.search(value):
            raise ValueError("control characters are not allowed")
        return value

    @model_validator(mode="after")
    def _has_query(self) -> "SearchApiSettings":
        if self.kind == "json" and "{query}" not in self.url + (self.body or ""):
            raise ValueError('"url" or "body" must hold {query}')
        return self

    def key(self) -> str | None:
        """Return the key, or None."""
        return secret_of(self.api_key, self.api_key_env)


class AddressListSettings(Section, frozen=True):
    """Pages of sites that are trusted for being listed here: single pages, feeds, sitemaps.

    A page of a feed or sitemap is looked at if a word of the query is in its title or address.
    """

    addresses: tuple[Address, ...] = ()
    feeds: tuple[Address, ...] = ()  # RSS or Atom
    sitemaps: tuple[Address, ...] = ()
    most: int = Field(default=5000, ge=1, le=100_000)  # addresses read from all feeds and sitemaps


class OnlineSettings(Section, frozen=True):
    """Limits of one request; what is reached first ends it, with the reason in the report."""

    search: dict[str, SearchApiSettings] = Field(default_factory=dict)  # by name
    trusted: dict[str, AddressListSettings] = Field(default_factory=dict)  # by name; asked first
    max_rounds: int = Field(default=6, ge=1, le=50)  # one query each
    max_queries: int = Field(default=12, ge=1, le=200)  # requests to providers
    max_addresses: int = Field(default=12, ge=1, le=500)  # pages requested
    addresses_per_round: int = Field(default=3, ge=1, le=50)
    addresses_per_domain: int = Field(default=2, ge=1, le=50)  # of one owner's domain
    max_seconds: float = Field(default=120.0, gt=0, le=3600)
    page_seconds: float = Field(default=12.0, gt=0, le=300)
    max_bytes: int = Field(default=24 * MEGABYTE, ge=1024)
    max_page_bytes: int = Field(default=4 * MEGABYTE, ge=1024)
    max_model_tokens: int = Field(default=0, ge=0)  # of the chat model, to word queries; 0 is by rules alone
    least_gain: float = Field(default=0.15, ge=0, le=1)  # expected of another query; less ends the search
    fresh_days: float = Field(default=7.0, ge=0)  # how long an answer is given from memory
    fresh_days_temporal: float = Field(default=1.0, ge=0)  # the same for claims about a time


class EvidenceSettings(Section, frozen=True):
    """How claims are checked."""

    online: OnlineSettings = OnlineSettings()
