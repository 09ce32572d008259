"""Which domains, addresses and sources a user trusts; `book.py` says how it is decided and where it is recorded."""

from brain_retrieval.stores.trust_book.book import (
    FILE,
    MAX_BY,
    MAX_REASON,
    PENDING,
    STATES,
    TRUSTED,
    UNTRUSTED,
    Decision,
    Origin,
    Standing,
    State,
    Subject,
    TrustBook,
    parse_subject,
    plain_address,
    read_decisions,
)

__all__ = [
    "FILE",
    "MAX_BY",
    "MAX_REASON",
    "PENDING",
    "STATES",
    "TRUSTED",
    "UNTRUSTED",
    "Decision",
    "Origin",
    "Standing",
    "State",
    "Subject",
    "TrustBook",
    "parse_subject",
    "plain_address",
    "read_decisions",
]
