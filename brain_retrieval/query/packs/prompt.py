"""A pack as a part of a prompt: after the system's instructions, before the user's message."""

from brain_retrieval.query.packs.pack import ContextPack


def format_for_prompt(pack: ContextPack) -> str:
    """Return the sections of a pack without the element around them, "" for an empty pack."""
    return "\n".join(pack.text.split("\n")[1:-1])


def enriched(pack: ContextPack, system_context: str = "") -> str:
    """Return the system's instructions, a blank line and the pack as a block; one of them alone if it is all."""
    return "\n\n".join(part for part in (system_context.rstrip(), pack.text) if part)
