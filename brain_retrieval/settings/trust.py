"""Settings of trust: what becomes of a page of which no decision was recorded, by how Brain came to it."""

from typing import Literal

from brain_retrieval.settings.section import Section

Default = Literal["trusted", "pending"]


class TrustSettings(Section, frozen=True):
    """State of web pages without a decision; `crawl.trusted_domains` and decisions take precedence.

    With `named = "pending"` every page from the web waits for an approval.
    """

    named: Default = "trusted"  # an address that the user gave, the site of a crawl's seeds, a saved page he put in
    followed: Default = "pending"  # reached by links, on another site than the seeds of the crawl
    online: Default = "pending"  # found by a search provider and fetched to check a claim
    agent: Default = "pending"  # an address that an agent gave to its tool `knowledge_crawl`
