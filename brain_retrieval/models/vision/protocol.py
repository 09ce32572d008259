"""The interfaces of OCR and image description. `build.py` has the factories.

`ocr_rapid.py` reads text; `vision_local.py` describes from measurements and text, `vision_openai.py` asks a model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Protocol

from pydantic import BaseModel, ConfigDict, Field

Box = tuple[float, float, float, float]  # left, top, right, bottom
Short = Annotated[str, Field(max_length=300)]


@dataclass(frozen=True)
class TextLine:
    """A piece of a line of text in a picture.

    `box` is in fractions 0..1 of the picture, origin top left. Pieces with the same `row` are on one line,
    rows with the same `paragraph` belong together; both count up in reading order.
    """

    text: str
    box: Box
    confidence: float  # 0..1, the model's own
    row: int = 0
    paragraph: int = 0


class OcrReader(Protocol):
    """Reads the text in a picture. `name` is the model name stored with the result."""

    name: str

    def read(self, picture: Path) -> list[TextLine]:
        """Return the text of a PNG in reading order; [] if there is none. The same picture gives the same lines."""
        ...


class SeenEntity(BaseModel):
    """A named entity in a picture. `confidence` is the describer's, 0..1."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    type: Annotated[str, Field(max_length=60)]
    name: Annotated[str, Field(min_length=1, max_length=200)]
    confidence: float = Field(ge=0, le=1)


class SeenRelationship(BaseModel):
    """A relationship between two entities; `source` is serialised as "from", `target` as "to"."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)

    source: Short = Field(alias="from")
    target: Short = Field(alias="to")
    type: Annotated[str, Field(max_length=60)]


class Seen(BaseModel):
    """The response model of the vision task."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)

    description: Annotated[str, Field(min_length=1, max_length=4000)]
    visible_text: Annotated[list[Annotated[str, Field(max_length=1000)]], Field(alias="visibleText", max_length=200)]
    entities: Annotated[list[SeenEntity], Field(max_length=50)]
    context: Annotated[str, Field(max_length=1000)]
    relationships: Annotated[list[SeenRelationship], Field(max_length=50)]


class Description(Seen):
    """A description and its maker: "local" or a model name. `remark` explains a fallback to the local describer.

    `waits`: the model was not asked, and has to be asked another time.
    """

    describer: str
    remark: str = ""
    waits: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return plain values under the names that other systems know: visibleText, from, to."""
        return self.model_dump(mode="json", by_alias=True, exclude={"waits", *(() if self.remark else ("remark",))})


class Describer(Protocol):
    """Describes a picture. `name` is the model name stored with the result."""

    name: str

    def describe(self, picture: Path, *, lines: Sequence[TextLine], facts: Mapping[str, Any]) -> Description:
        """Return the description of a PNG.

        Args:
            picture: a PNG that a reader wrote, never a file as received.
            lines: the text recognised in it, in reading order.
            facts: measured properties, keys as in docs/sources/image.md.

        Raises:
            ModelCallError: an endpoint failed; the picture is described later.
        """
        ...
