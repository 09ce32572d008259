"""Which domains, addresses and sources a user trusts: the decisions, in a file that is only ever added to.

`users/<user>/raw/trust.jsonl` holds one decision a line: when, by which person or key, about what, the state, the
reason. It cannot be computed again, so it lies beside the landing record and is part of exports and backups.

The policy. Everything has one of three states:

trusted     it is read, indexed, remembered and cited
pending     it is kept, cleaned and found only when asked for; it makes no chunk, no memory and no edge until approved
untrusted   rejected: the same, until another decision

1. A rejection holds for everything below it: no other decision, setting or default lifts it.
2. Else the decision about the most specific subject holds: a source (`inbox:…`, with `/` at the end a folder), then an
   address, then a domain with its subdomains, the longest first. "pending" is a decision too: it withdraws another.
3. Else the domains of `crawl.trusted_domains` are trusted.
4. Else how it came in decides (`settings/trust.py`): what the user put in himself, files and messages and addresses
   that he named, is trusted by that act; what was reached by links to other sites, or by a search provider, is pending.

    book = TrustBook.open(space, settings)
    book.state("https://example.org/page", origin="online")     # "trusted", "untrusted" or "pending"
    book.is_vouched("https://example.org/page")                 # trusted by a decision or a setting, not by default

Decisions are recorded by `brain_pipelines.ingest.trust.decide`, which also brings the stores up to date.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from ipaddress import ip_address
from typing import Literal
from urllib.parse import urlsplit

from brain_retrieval.errors import InvalidQueryError, StoreError, home_error
from brain_retrieval.home import Space
from brain_retrieval.ids import stable_hash
from brain_retrieval.settings import Settings

State = Literal["trusted", "pending", "untrusted"]
Origin = Literal["own", "named", "followed", "online", "agent"]  # "own": not from the web
Kind = Literal["domain", "address", "source"]
TRUSTED, PENDING, UNTRUSTED = "trusted", "pending", "untrusted"
STATES: tuple[State, ...] = (TRUSTED, PENDING, UNTRUSTED)
FILE = "trust.jsonl"
MAX_SUBJECT, MAX_REASON, MAX_BY = 2000, 500, 100  # characters
_RANK = {"domain": 0, "address": 1, "source": 2}
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Subject:
    """What a decision is about, in its normal form: a domain, an address, or the uri of a source or folder."""

    kind: Kind
    name: str

    @property
    def rank(self) -> tuple[int, int]:
        """Return how specific it is; the higher the more."""
        return _RANK[self.kind], len(self.name)


@dataclass(frozen=True)
class Decision:
    """One line of the record. `at` is ISO 8601 in UTC; `by` names a person of the command line, or a key."""

    at: str
    by: str
    subject: str
    state: State
    reason: str = ""

    def to_json(self) -> dict[str, str]:
        return asdict(self)


@dataclass(frozen=True)
class Standing:
    """A state and why: by a "decision", a "setting" or the "origin"; `subject` is that of the decision or setting."""

    state: State
    why: str
    subject: str = ""


class TrustBook:
    """The decisions of one user, as of when it was opened, with the settings."""

    def __init__(self, decisions: Sequence[Decision], settings: Settings) -> None:
        self.decisions = tuple(decisions)
        self._trusted = tuple(sorted(name.lower().strip(".") for name in settings.crawl.trusted_domains))
        self._defaults: dict[str, State] = {"own": TRUSTED, **settings.trust.model_dump()}
        self._changed = settings.trust.model_dump(exclude_defaults=True)

    @classmethod
    def open(cls, space: Space, settings: Settings) -> "TrustBook":
        """Return the book of a user; it is empty where nothing was decided.

        Raises:
            StoreError: the record is damaged: with lines missing, what was rejected might be let in.
        """
        return cls(read_decisions(space), settings)

    @cached_property
    def current(self) -> dict[Subject, Decision]:
        """The last decision about each subject."""
        return {parse_subject(one.subject): one for one in self.decisions}

    @cached_property
    def digest(self) -> str:
        """A hash of what the states depend on, "" if nothing was decided or set."""
        states = sorted((one.kind, one.name, decision.state) for one, decision in self.current.items())
        return stable_hash([states, self._trusted, self._changed]) if states or self._trusted or self._changed else ""

    def state(self, address: str | None = None, *, uri: str = "", origin: Origin = "named") -> State:
        """Return the state of an address, or of a source by its uri and, if it is from the web, its address.

        Args:
            address: of the page; None for what is not from the web.
            uri: of the source, `inbox:…`, "" for an address that is not stored.
            origin: how Brain comes to it; "own" for what is not from the web.
        """
        return self.standing(address, uri=uri, origin=origin).state

    def standing(self, address: str | None = None, *, uri: str = "", origin: Origin = "named") -> Standing:
        """Return the state of an address or source, and why it has it."""
        found = [(one, self.current[one]) for one in _covering(address, uri) if one in self.current]
        rejected = [one for one, decision in found if decision.state == UNTRUSTED]
        if rejected:
            return Standing(UNTRUSTED, "decision", max(rejected, key=lambda one: one.rank).name)
        if found:
            subject, decision = max(found, key=lambda one: one[0].rank)
            return Standing(decision.state, "decision", subject.name)
        for subject in _covering(address, ""):
            if subject.kind == "domain" and subject.name in self._trusted:
                return Standing(TRUSTED, "setting", subject.name)
        return Standing(self._defaults[origin], "origin")

    def standing_of(self, subject: Subject) -> Standing:
        """Return the state of a subject as such and why; a source's address, if it has one, is not known here."""
        if subject.kind == "source":
            return self.standing(uri=subject.name, origin="own")
        return self.standing(subject.name if subject.kind == "address" else f"http://{subject.name}/")

    @staticmethod
    def is_about(subject: Subject, address: str | None, *, uri: str = "") -> bool:
        """Return whether a decision about a subject covers an address or source."""
        return subject in _covering(address, uri)

    def is_vouched(self, address: str | None, *, uri: str = "") -> bool:
        """Return whether a decision or a setting says that an address or source is trusted; a default does not."""
        standing = self.standing(address, uri=uri)
        return standing.state == TRUSTED and standing.why != "origin"


def parse_subject(text: str) -> Subject:
    """Return the subject that a text names: a domain, an address, or the uri of a source (`inbox:…`).

    Raises:
        InvalidQueryError: it is none of them.
    """
    name = text.strip()
    if not name or len(name) > MAX_SUBJECT or any(char.isspace() or not char.isprintable() for char in name):
        raise InvalidQueryError("name a domain, an address (http…), or a source (inbox:…), at most 2,000 characters")
    if name.startswith("inbox:"):
        return Subject("source", name)
    if "://" in name:
        if not (plain := plain_address(name)):
            raise InvalidQueryError(f"no address of the web: {name:.100}")
        host = _hosts(plain)[0]
        return Subject("domain", host) if plain.endswith(f"{host}/") else Subject("address", plain)
    hosts = _hosts(f"http://{name.rstrip('/').strip('.').removeprefix('*.')}/")
    if not hosts or "/" in name.rstrip("/"):
        raise InvalidQueryError(f"neither a domain, nor an address, nor a source: {name:.100}")
    return Subject("domain", hosts[0])


def plain_address(address: str) -> str:
    """Return an http(s) address with its scheme and host in lower case, without fragment and usual port; "" for others.

    Paths and queries differ by case; they stay as they are.
    """
    try:
        parts = urlsplit(address.strip())
        port = parts.port
    except ValueError:
        return ""
    host = _ascii(parts.hostname or "")
    if parts.scheme not in _PORTS or not host:
        return ""
    place = f"[{host}]" if ":" in host else host
    place += f":{port}" if port not in (None, _PORTS[parts.scheme]) else ""
    return f"{parts.scheme}://{place}{parts.path or '/'}{'?' + parts.query if parts.query else ''}"


def read_decisions(space: Space) -> list[Decision]:
    """Return the decisions of a user, oldest first. A last line without an end was never acknowledged.

    Raises:
        StoreError: a line is damaged, or the file cannot be read.
    """
    path = space.landing.parent / FILE
    try:
        whole, _, _ = path.read_bytes().rpartition(b"\n")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise home_error(error) or StoreError(f"{path} cannot be read: {error.strerror}") from error
    try:
        return [_decision(line) for line in whole.split(b"\n") if line.strip()]
    except (ValueError, TypeError, KeyError):
        raise StoreError(
            f"{path} is damaged: it is the record of what you trust; put back a copy from a backup"
        ) from None


def _decision(line: bytes) -> Decision:
    stored = Decision(**json.loads(line))
    if stored.state not in STATES:
        raise ValueError(stored.state)
    parse_subject(stored.subject)
    return stored


def _covering(address: str | None, uri: str) -> Iterator[Subject]:
    """Yield the subjects that an address or source falls under."""
    if uri:
        file, _, fragment = uri.partition("#")
        yield Subject("source", uri)
        if fragment:
            yield Subject("source", file)
        parts = file.split("/")
        for count in range(1, len(parts)):
            yield Subject("source", "/".join(parts[:count]) + "/")
    if address and (plain := plain_address(address)):
        yield Subject("address", plain)
        for host in _hosts(plain):
            yield Subject("domain", host)


def _hosts(address: str) -> list[str]:
    """Return the host with its port, the host, and the domains above it; [] for no valid host."""
    try:
        parts = urlsplit(address)
        host, port = _ascii(parts.hostname or ""), parts.port
    except ValueError:
        return []
    if not host:
        return []
    found = [f"{host}:{port}", host] if port is not None else [host]
    try:
        ip_address(host)
    except ValueError:
        labels = host.split(".")
        found += [".".join(labels[start:]) for start in range(1, len(labels))]
    return found


def _ascii(host: str) -> str:
    name = host.rstrip(".").lower()
    if name.isascii():
        return name if all(char.isalnum() or char in ".-_:" for char in name) else ""
    try:
        return name.encode("idna").decode("ascii")
    except UnicodeError:
        return ""
