"""The types of tool arguments, with the descriptions that a model reads."""

from typing import Annotated, Literal

from pydantic import Field

Query = Annotated[
    str, Field(min_length=1, max_length=2000, description="A question or key words, in any language of the data.")
]
About = Annotated[
    str, Field(min_length=1, max_length=300, description='A name ("Priya Nair"), an id, or a topic ("launch date").')
]
Limit = Annotated[int, Field(ge=1, le=50, description="At most so many entries.")]
MaxTokens = Annotated[int, Field(ge=100, le=8000, description="Size of the answer in tokens.")]
When = Annotated[
    str | None, Field(max_length=40, description='What held at that time: ISO 8601 day or time, as "2026-02-01".')
]
KnownAt = Annotated[
    str | None, Field(max_length=40, description="Only what had been received by then counts (ISO 8601).")
]
Names = Annotated[list[Annotated[str, Field(max_length=200)]] | None, Field(max_length=50)]
Key = Annotated[
    str,
    Field(min_length=1, max_length=200, description="A name or an entity id; an unknown name becomes a new entity."),
]
NoteText = Annotated[
    str,
    Field(
        min_length=1, max_length=20_000, description="One or a few self-contained sentences, names instead of he/it."
    ),
]
_PropertyText = Annotated[str, Field(min_length=1, max_length=200)]
Properties = Annotated[
    dict[_PropertyText, _PropertyText] | None,
    Field(
        max_length=20,
        description='In words: {"role": "lead designer", "duration": "a year"}.',
    ),
]
Lifetime = Annotated[
    Literal["week", "month", "year", "forever"], Field(description="How long the note counts; it stays searchable.")
]
Retention = Annotated[
    Literal["keep_forever", "ephemeral", "decay"] | None,
    Field(description="decay (default) fades with time, keep_forever never, ephemeral is gone after 30 days."),
]
Sensitivity = Annotated[Literal["low", "normal", "high"] | None, Field(description="normal if not given.")]
BasedOn = Annotated[
    str | None,
    Field(max_length=300, description="Id of the stored source that this is based on, if it is; repeats count once."),
]
Category = Literal["preference", "instruction", "fact", "project", "person", "decision", "insight"]
Priority = Literal["critical", "high", "medium", "low"]
Kind = Literal["fact", "event", "plan", "preference", "decision", "relationship", "instruction", "feeling"]
EntityClass = Literal["person", "concept", "entity"]
