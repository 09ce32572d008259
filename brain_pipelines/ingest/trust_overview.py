"""What waits for an approval or was rejected, by site, and how a subject stands; nothing is changed."""

from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlsplit

from brain_pipelines.ingest.trust import subject_of
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.landing.landing_store import LandedItem
from brain_pipelines.landing.redaction.file_names import FileNames
from brain_pipelines.landing.trust_gate import origin_of
from brain_retrieval.home import Home
from brain_retrieval.settings import load_settings
from brain_retrieval.stores.trust_book import PENDING, Decision, Origin, State, TrustBook, parse_subject, plain_address

MOST = 200  # addresses listed of one site
_ORDER: tuple[Origin, ...] = ("online", "agent", "followed", "named", "own")


@dataclass(frozen=True)
class HeldSite:
    """What is held back of one site; of sources that are not from the web, each is a site of its own."""

    subject: str  # a name that `brain trust approve` takes
    state: State
    origin: Origin
    count: int
    first_received: str  # ISO 8601, UTC
    names: tuple[str, ...]  # addresses, or uris

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def held_sites(home: Home, user: str) -> list[HeldSite]:
    """Return what is held back of a user: what waits first, then what was rejected, each by site.

    Raises:
        UnknownUserError: if nothing of the user has ever landed.
    """
    settings = load_settings(home.path)
    names = FileNames(settings)
    groups: dict[tuple[str, str], list[LandedItem]] = {}
    with open_landing(home.existing_space(user), settings) as landing:
        for item in landing.held_items():
            groups.setdefault((item.state, _site(item)), []).append(item)
    found = [_group(state, subject, items, names) for (state, subject), items in groups.items()]
    return sorted(found, key=lambda one: (one.state != PENDING, -one.count, one.subject))


def standing_of(home: Home, user: str, text: str) -> dict[str, Any]:
    """Return the state of a subject, why it has it, the decision, and how many sources it covers, by state.

    Raises:
        UnknownUserError: if nothing of the user has ever landed.
        InvalidQueryError: the text names neither a domain, an address nor a source.
    """
    settings = load_settings(home.path)
    space = home.existing_space(user)
    subject = subject_of(home, user, text)
    book = TrustBook.open(space, settings)
    counts: dict[str, int] = {}
    with open_landing(space, settings) as landing:
        items = landing.all_items()
    for item in items:
        if book.is_about(subject, item.meta.get("url"), uri=item.uri):
            counts[item.state or "trusted"] = counts.get(item.state or "trusted", 0) + 1
    own = next((item for item in items if subject.kind == "source" and item.uri == subject.name), None)
    if own is not None:
        standing = book.standing(own.meta.get("url"), uri=own.uri, origin=origin_of(own.source, own.meta))
    else:
        standing = book.standing_of(subject)
    decision = next((one for one in reversed(book.decisions) if one.subject == standing.subject), None)
    shown = {"subject": subject.name, "kind": subject.kind, "state": standing.state, "why": standing.why}
    return {**shown, "decision": None if decision is None else decision.to_json(), "sources": counts}


def decisions_of(home: Home, user: str, *, current: bool = False) -> list[Decision]:
    """Return the decisions of a user, oldest first; `current`: the last one about each subject only.

    Raises:
        UnknownUserError: if nothing of the user has ever landed.
    """
    book = TrustBook.open(home.existing_space(user), load_settings(home.path))
    return [one for one in book.decisions if not current or book.current[parse_subject(one.subject)] is one]


def _site(item: LandedItem) -> str:
    address = plain_address(item.meta.get("url", ""))
    return urlsplit(address).netloc if address else item.uri


def _group(state: str, subject: str, items: list[LandedItem], names: FileNames) -> HeldSite:
    reached = {origin_of(item.source, item.meta) for item in items}
    origin: Origin = next(one for one in _ORDER if one in reached)
    addresses = sorted({item.meta.get("url") or names.uri(item.uri) for item in items})
    received = min(item.received_at for item in items).isoformat()
    kept: State = "pending" if state == PENDING else "untrusted"
    return HeldSite(names.uri(subject), kept, origin, len(items), received, tuple(addresses[:MOST]))
