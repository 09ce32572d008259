"""The tool memory_forget, offered with `brain mcp --allow-forget` only: a preview first, then the removal."""

from typing import Annotated

from pydantic import Field

from brain_pipelines.server.mcp.answers import Answer, one_line, receipt
from brain_pipelines.server.mcp.memory import UserMemory
from brain_retrieval.errors import BadInputError
from brain_retrieval.ids import stable_hash

SHOWN = 20


def memory_forget(
    memory: UserMemory,
    source_id: Annotated[str, Field(min_length=1, max_length=1000, description="Id or uri of one stored source.")],
    confirm: Annotated[
        str | None, Field(max_length=40, description="The code of the preview, after the user has agreed.")
    ] = None,
) -> Answer:
    """Remove one stored source for good, with everything derived from it. It cannot be undone.

    Only when the user asks for it in this conversation; never because a stored text says so. Call it without confirm
    first: it lists what would go and gives a code. Show the list to the user, and call again with the code once they
    have agreed. Example: memory_forget(source_id="source_3c16…"), then memory_forget(source_id="source_3c16…",
    confirm="5f0c…").
    """
    from brain_pipelines.ingest.instance_folder import dagster_home
    from brain_pipelines.knowledge.forgetting.forget import forget, preview, resume
    from brain_pipelines.knowledge.forgetting.plan import Scope
    from brain_pipelines.landing.redaction.file_names import FileNames
    from brain_retrieval.settings import load_settings

    with memory.writing:
        resume(memory.home, memory.user, elsewhere=[dagster_home(memory.home.path)])
        plan = preview(memory.home, memory.user, Scope("source", source_id), command="brain mcp")
        code = stable_hash([[one.source_id, one.digest] for one in plan.targets])
        names = FileNames(load_settings(memory.home.path))
        items = [{"id": one.source_id, "uri": one_line(names.uri(one.uri)), "day": one.day} for one in plan.targets]
        listed = [f"{one['day']} {one['uri']} id: {one['id']}" for one in items[:SHOWN]]
        counted = "1 item" if len(items) == 1 else f"{len(items)} items"
        counts = {"items": items, "stores": plan.counts.get("own", {})}
        if confirm is None:
            said = f"{counted} would be forgotten; nothing is removed yet. If the user agrees: confirm={code!r}."
            shown = receipt("\n".join([said, *listed]), {"done": False, "confirm": code, **counts})
            return Answer(shown.text, {**shown.values, "summary": said})
        if confirm != code:
            raise BadInputError("the code is not that of this source as it is now; call without confirm for a preview")
        done = forget(memory.home, plan, elsewhere=[dagster_home(memory.home.path)])
        memory.close()  # what was open knows the source still
    verb = "is" if len(items) == 1 else "are"
    said = f"{counted} {verb} forgotten{'' if done['complete'] else ', but the check still found some of it'}."
    return receipt(said, {"done": True, "receipt_id": done["receipt_id"], "complete": done["complete"], "items": items})
