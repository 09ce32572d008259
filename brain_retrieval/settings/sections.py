"""Settings of chunking, embedding, the search index, file limits and retrieval."""

from typing import Annotated, Any, Literal

from pydantic import Field, SecretStr, ValidationError, model_validator

from brain_retrieval.settings.recipes import BUILT_IN, Recipe, unknown_recipe
from brain_retrieval.settings.section import Address, Section

MEGABYTE = 1 << 20

Strategy = Literal["fixed", "semantic", "recursive", "document", "paragraph", "sentence"]
Unit = Literal["tokens", "characters"]


class ChunkingConfig(Section, frozen=True):
    """How a text is chunked. Sizes are in `unit`s: tokens of the embedder's tokenizer, or characters.

    Neighbouring pieces below `min_size` are merged; 0 never merges.
    `preserve_boundaries`: no split inside a turn, paragraph or section that fits in `max_size`.
    """

    strategy: Strategy = "recursive"
    unit: Unit = "tokens"
    max_size: int = Field(default=512, ge=1, le=1_000_000)
    overlap: int = Field(default=0, ge=0)
    min_size: int = Field(default=0, ge=0)
    preserve_boundaries: bool = True

    @model_validator(mode="after")
    def _check_sizes(self) -> "ChunkingConfig":
        # With an overlap as large as the chunk, the chunker would never advance.
        if self.overlap >= self.max_size:
            raise ValueError(f"overlap ({self.overlap}) must be smaller than max_size ({self.max_size})")
        if self.min_size > self.max_size:
            raise ValueError(f"min_size ({self.min_size}) must not exceed max_size ({self.max_size})")
        return self


class ChunkingOverride(Section, frozen=True):
    """Overrides for a source's chunking preset; None keeps the preset's value."""

    strategy: Strategy | None = None
    unit: Unit | None = None
    max_size: int | None = None
    overlap: int | None = None
    min_size: int | None = None
    preserve_boundaries: bool | None = None


class EmbeddingSettings(Section, frozen=True):
    """The embedding model.

    `model` is an entry of the manifest or a directory with `model.onnx` and `tokenizer.json` for "onnx", the
    endpoint's model name for "openai". `batch_size` None is the provider's own (8 local, 256 remote).
    `threads` per batch of a local model; the default is 1 because runs are executed in parallel.
    `dimensions` is the width of the vectors, needed for a remote model that Brain does not know.
    `tokenizer` counts the chunks' tokens: an entry, a directory or "approximate"; None is the model's own.
    `input_price` is per million tokens of a remote model.
    """

    provider: Literal["onnx", "openai"] = "onnx"
    model: str = Field(default="minilm-int8", min_length=1)
    base_url: Address | None = None
    api_key: SecretStr | None = None
    tokenizer: str | None = None
    dimensions: int | None = Field(default=None, ge=1, le=65_536)
    max_tokens: int | None = Field(default=None, ge=1)  # of one text; None: 256 local, 8191 remote
    batch_size: int | None = Field(default=None, ge=1, le=2048)
    input_price: float | None = Field(default=None, ge=0)
    timeout_seconds: float = Field(default=60.0, gt=0)
    max_attempts: int = Field(default=4, ge=1, le=20)
    threads: int = Field(default=1, ge=1, le=256)


class IndexSettings(Section, frozen=True):
    """The search index: `store` is a name registered in `stores/index/build.py`.

    After a change, searches use the old store until the new one is complete.
    """

    store: str = Field(default="lancedb", min_length=1)


class Cleaning(Section, frozen=True):
    """What is left out of the texts of a source. Set by source: `[cleaning.email]`."""

    boilerplate: bool = True  # of web pages: navigation, cookie banners, footers, comments
    signatures: bool = True  # of mails: signatures, disclaimers and footers
    quotes: bool = True  # of mails: quoted earlier mails
    whitespace: bool = True  # repeated blanks, blanks at the ends of lines, more than one empty line
    disfluencies: bool = True  # of speech: fillers, and words said twice by mistake


class Limits(Section, frozen=True):
    """Resource limits for one untrusted file. A file beyond a limit is quarantined, never silently truncated."""

    max_file_bytes: int = Field(default=64 * MEGABYTE, ge=1)
    max_pdf_bytes: int = Field(default=128 * MEGABYTE, ge=1)
    max_pages: int = Field(default=2000, ge=1)
    parse_seconds: float = Field(default=60.0, gt=0)
    parse_memory_mb: int = Field(default=1024, ge=64)
    max_archive_ratio: float = Field(default=100.0, ge=1)
    max_archive_bytes: int = Field(default=256 * MEGABYTE, ge=1)
    max_text_chars: int = Field(default=20_000_000, ge=1)
    max_pixels: int = Field(default=100_000_000, ge=1)  # of one picture
    max_pictures: int = Field(default=200, ge=0)  # read in one document; more are counted and left out
    max_scanned_pages: int = Field(default=300, ge=0)  # recognised in one document
    max_media_bytes: int = Field(default=2048 * MEGABYTE, ge=1)  # of a recording or a video
    max_audio_seconds: float = Field(default=4 * 3600.0, gt=0)
    max_video_seconds: float = Field(default=4 * 3600.0, gt=0)
    max_frames: int = Field(default=10, ge=0, le=1000)  # key frames of one video
    media_seconds: float = Field(default=600.0, gt=0)  # for unpacking one recording or video
    max_parts: int = Field(default=1000, ge=0)  # attachments of one message, items of one archive
    # Handed to readers with the limits; set by source in `cleaning`.
    cleaning: Cleaning = Field(default_factory=Cleaning)


class AnalysisSettings(Section, frozen=True):
    """Query analysis. `model` is a chat model at the endpoint of the section `llm`; None analyses by rules alone.

    Prices are those of `model`, per million tokens; unset, those of the section `llm` if it names the same model.
    """

    model: str | None = Field(default=None, min_length=1)
    input_price: float | None = Field(default=None, ge=0)
    output_price: float | None = Field(default=None, ge=0)
    enable_query_expansion: bool = True


class JudgeSettings(Section, frozen=True):
    """Judging of evidence for a claim. `model` is a chat model at the endpoint of the section `llm`; None: rules alone.

    It is asked only about statements that the rules leave undecided, at most `most_statements` of them for each
    statement of a claim, in one request. Prices are as in `AnalysisSettings`.
    """

    model: str | None = Field(default=None, min_length=1)
    input_price: float | None = Field(default=None, ge=0)
    output_price: float | None = Field(default=None, ge=0)
    most_statements: int = Field(default=6, ge=1, le=20)


class RetrievalSettings(Section, frozen=True):
    """How a query is answered. The defaults are the one configuration that docs/retrieval.md measures.

    "weighted" is the convex combination of normalised scores; "rrf" is reciprocal rank fusion,
    sum of weight / (rrf_k + rank) (Cormack, Clarke and Büttcher 2009).
    """

    k: int = Field(default=10, ge=1, le=1000)
    arm_depth: int = Field(default=200, ge=1, le=10_000)  # candidates of each retriever before fusion
    fusion: Literal["weighted", "rrf"] = "weighted"
    vector_weight: float = Field(default=0.5, ge=0)
    lexical_weight: float = Field(default=0.5, ge=0)
    late_interaction_weight: float = Field(default=0.5, ge=0)  # of the question's words, each with a passage's closest
    rrf_k: int = Field(default=60, ge=1)
    # Weights of the chunks 1, 2, … positions away in the same source, relative to the chunk's own weight of 1.
    neighbour_weights: tuple[Annotated[float, Field(ge=0, le=1)], ...] = (0.3, 0.15)
    window_weight: float = Field(default=0.25, ge=0, lt=1)  # share of the chunks up to six positions away
    parent_weight: float = Field(default=0.375, ge=0, lt=1)  # share of the source's best chunk in a chunk's score
    date_boost: float = Field(default=0.2, ge=0)  # for a chunk of a day that the question names; half for its month
    around_boost: float = Field(default=0.1, ge=0)  # for one of the days that an event in the question points at
    byline_boost: float = Field(default=0.2, ge=0)  # if the question names who published or wrote it
    title_boost: float = Field(default=0.15, ge=0)  # if the question names its title, less for a common one
    # Share of how well the best memory of a passage fits; 0 leaves memories out.
    memory_weight: float = Field(default=0.25, ge=0, lt=1)
    coverage_weight: float = Field(default=0.1, ge=0)  # for the share of the question's words, rare ones counting more
    statement_weight: float = Field(default=0.25, ge=0)  # for a statement of the question that those before it lack
    publisher_weight: float = Field(default=0.2, ge=0)  # for one of several publishers named that those before it lack
    beside: int = Field(default=2, ge=0, le=10)  # places on each side of first passages that are candidates too
    second_hop: bool = True  # also look for sources whose title a first passage names
    # Weights of a passage that covers what a first one leaves open, and of one whose title a first one names.
    hop_weight: float = Field(default=0.1, ge=0)
    link_weight: float = Field(default=0.7, ge=0)
    bridge_weight: float = Field(default=0.45, ge=0)  # of one that shares a rare name with the page that is asked about
    trained: bool = True  # add the trained correction to the formula's score
    min_similarity: float | None = Field(default=None, ge=-1, le=1)  # cosine a passage found by vector alone must have
    min_score: float | None = Field(default=None, ge=0, le=1)  # least probability of a hit; None: the measured cut
    expand: bool = True  # add the turns around hits in conversations
    neighbours: int = Field(default=1, ge=0, le=20)  # turns shown on each side of a conversation hit
    context_hits: int = Field(default=50, ge=1, le=1000)  # candidates for a context pack
    context_tokens: int = Field(default=8000, ge=1)
    prompt_tokens: int = Field(default=4000, ge=1)  # of the block that `enrich_prompt` adds
    max_query_chars: int = Field(default=8000, ge=1)
    analysis: AnalysisSettings = AnalysisSettings()
    judge: JudgeSettings = JudgeSettings()
    recipe: str = "default"  # used where a call names none
    recipes: dict[str, Recipe] = Field(default_factory=dict)  # changes of the built-in ones, and further ones

    @model_validator(mode="after")
    def _check_weights(self) -> "RetrievalSettings":
        if self.vector_weight + self.lexical_weight <= 0:
            raise ValueError("vector_weight and lexical_weight must not both be 0")
        return self

    @model_validator(mode="after")
    def _check_recipes(self) -> "RetrievalSettings":
        if self.recipe not in self.recipe_names:
            raise ValueError(f"recipe: {unknown_recipe(self.recipe, self.recipe_names)}")
        for name in self.recipe_names if self.recipes else ():
            try:
                type(self)(**self.model_dump(exclude={"recipe", "recipes"}) | self._changes(name))
            except ValidationError as error:
                raise ValueError(f"recipes.{name}: {error.errors()[0]['msg']}") from None
        return self

    @property
    def recipe_names(self) -> tuple[str, ...]:
        """The recipes that can be chosen: the built-in ones, then those of the settings."""
        return tuple(dict.fromkeys([*BUILT_IN, *self.recipes]))

    def under(self, recipe: str | None = None) -> "RetrievalSettings":
        """Return these settings with the fields of a recipe in their place; None is the recipe of the settings.

        Raises:
            KeyError: for an unknown recipe.
        """
        name = self.recipe if recipe is None else recipe
        if name not in self.recipe_names:
            raise KeyError(name)
        return self.model_copy(update=self._changes(name))

    def _changes(self, name: str) -> dict[str, Any]:
        return BUILT_IN.get(name, Recipe()).changes | self.recipes.get(name, Recipe()).changes

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each retriever by its name."""
        return {
            "vector": self.vector_weight,
            "lexical": self.lexical_weight,
            "late_interaction": self.late_interaction_weight,
        }
