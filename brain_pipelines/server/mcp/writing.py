"""The tools that write, and how any tool is called: here, or in the process of the server that writes.

Every failure becomes a sentence for the model, and none shows a traceback or a path.
"""

import logging
import traceback
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from brain_pipelines.server.mcp import crawl_tool, evidence_tools, write_tools
from brain_pipelines.server.mcp.answers import Answer
from brain_pipelines.server.mcp.memory import UserMemory
from brain_pipelines.server.writer import Place
from brain_retrieval.errors import BrainError, UnknownUserError, home_error

LOGGER = logging.getLogger(__name__)
WRITING_TOOLS: tuple[Callable[..., Answer], ...] = (
    write_tools.memory_store,
    write_tools.memory_ingest,
    write_tools.add_note_to_person,
    write_tools.add_note_to_concept,
    write_tools.add_note_to_entity,
    write_tools.create_relationship,
    write_tools.add_note_to_relationship,
    crawl_tool.knowledge_crawl,
    evidence_tools.check_claim_online,
)
OPEN_WORLD = (crawl_tool.knowledge_crawl, evidence_tools.check_claim_online)
REPEATABLE = (write_tools.memory_store, write_tools.memory_ingest, *OPEN_WORLD)
# Beside the user's other writes, not in turn with them: it waits for other machines, and stores a page at a time.
ASIDE = frozenset({crawl_tool.knowledge_crawl.__name__})
# As over HTTP it is run where its limit is counted, of checks at the same time.
NOT_APART = frozenset({evidence_tools.check_claim_online.__name__})
_BY_NAME = {tool.__name__: tool for tool in WRITING_TOOLS}


@dataclass(frozen=True)
class Refused:
    """Why a tool did not do what it was asked, as a sentence for a model."""

    said: str


def answered(tool: Callable[..., Answer], memory: UserMemory, arguments: dict[str, Any]) -> Answer | Refused:
    """Return what a tool returns, or why it failed."""
    try:
        return tool(memory, **arguments)
    except UnknownUserError:
        return Refused("Nothing is stored for this user yet. memory_store or memory_ingest store something.")
    except BrainError as error:
        return Refused(str(error))
    except Exception as error:
        if (known := home_error(error)) is not None:
            return Refused(str(known))
        place = traceback.extract_tb(error.__traceback__)[-1]
        LOGGER.error("%s failed: %s at %s:%s", tool.__name__, type(error).__name__, place.name, place.lineno)
        return Refused(
            "The server failed inside; its log (standard error) names the place. Try again, or another tool."
        )


def write_apart(place: Place, name: str, arguments: dict[str, Any]) -> Answer | Refused:
    """Call a writing tool for the user of a key. The function that the process of the server that writes runs."""
    with closing(UserMemory(place.home, place.user)) as memory:
        return answered(_BY_NAME[name], memory, arguments)
