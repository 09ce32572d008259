"""What describing a picture is to the rest of Brain, and the one place that chooses how it is done.

Implementations are beside it: `vision_local.py` says what was measured and read, `vision_openai.py` asks a model.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Protocol

from pydantic import BaseModel, ConfigDict, Field

from brain_retrieval.models.chat.protocol import ChatModel
from brain_retrieval.models.vision.ocr import TextLine
from brain_retrieval.settings import Settings, VisionSettings

Short = Annotated[str, Field(max_length=300)]


class SeenEntity(BaseModel):
    """Something or someone with a name. `confidence` is the describer's own, 0..1."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    type: Annotated[str, Field(max_length=60)]
    name: Annotated[str, Field(min_length=1, max_length=200)]
    confidence: float = Field(ge=0, le=1)


class SeenRelationship(BaseModel):
    """How two of the entities stand to each other: `source` is written "from" and `target` "to"."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)

    source: Short = Field(alias="from")
    target: Short = Field(alias="to")
    type: Annotated[str, Field(max_length=60)]


class Seen(BaseModel):
    """What a vision model is asked for."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)

    description: Annotated[str, Field(min_length=1, max_length=4000)]
    visible_text: Annotated[list[Annotated[str, Field(max_length=1000)]], Field(alias="visibleText", max_length=200)]
    entities: Annotated[list[SeenEntity], Field(max_length=50)]
    context: Annotated[str, Field(max_length=1000)]
    relationships: Annotated[list[SeenRelationship], Field(max_length=50)]


class Description(Seen):
    """A description and who made it: "local" or the name of a model. `remark` says why it is not what was asked for."""

    describer: str
    remark: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return plain values under the names that other systems know: visibleText, from, to."""
        return self.model_dump(mode="json", by_alias=True, exclude={"remark"} if not self.remark else None)


class Describer(Protocol):
    """Describes a picture. `name` says which model, for the record."""

    name: str

    def describe(self, picture: Path, *, lines: Sequence[TextLine], facts: Mapping[str, Any]) -> Description:
        """Return what a PNG shows.

        Args:
            picture: a PNG that a reader wrote, never a file as received.
            lines: the text recognised in it, in reading order.
            facts: what was measured, keys as in docs/sources/image.md.

        Raises:
            ModelCallError: an endpoint failed; the picture is described later.
        """
        ...


def build_describer(settings: Settings, counted: Callable[[ChatModel], ChatModel | None] | None = None) -> Describer:
    """Return the describer of these settings; what it asks a model goes through `counted`, if that is given.

    Raises:
        InvalidSettingsError: OpenAI's own endpoint without a key.
    """
    if settings.vision.provider == "openai" and counted is not None:
        from brain_retrieval.models.vision.vision_openai import OpenAIDescriber

        return OpenAIDescriber(settings.vision, counted)
    return _build(settings.vision)


@lru_cache(maxsize=2)
def _build(settings: VisionSettings) -> Describer:
    if settings.provider == "openai":
        from brain_retrieval.models.vision.vision_openai import OpenAIDescriber

        return OpenAIDescriber(settings)
    from brain_retrieval.models.vision.vision_local import LocalDescriber

    return LocalDescriber()
