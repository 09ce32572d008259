"""`QuestionReader`: analysis of one user's questions, with the names of that user and the model of the settings."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from brain_retrieval.errors import BrainError
from brain_retrieval.home import Space
from brain_retrieval.knowledge.memories.stored import memory_index
from brain_retrieval.models.chat.cached_chat import CachedChat, open_chat
from brain_retrieval.query.analysis import NameIndex, Question, analyse
from brain_retrieval.query.analysis.question import Strategy
from brain_retrieval.query.analysis.refine import MOST_OUTPUT, NAME, refine
from brain_retrieval.query.media_question import MediaQuestion
from brain_retrieval.query.names_of_user import NamesOfUser
from brain_retrieval.query.rewording.other_languages import as_asked, in_other_languages, languages_of
from brain_retrieval.query.rewording.relatives import with_names
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog

BALANCED: Strategy = "hybrid_balanced"


class QuestionReader:
    """Analyses questions of one user. Thread-safe."""

    def __init__(self, space: Space, settings: Settings, catalog: Catalog) -> None:
        self._space, self._settings, self._catalog = space, settings, catalog
        self._names = NamesOfUser(space, catalog)

    def read(self, query: str | MediaQuestion, *, now: datetime | None = None, context: Sequence[str] = ()) -> Question:
        """Return the analysed query; names that cannot be read, or a model that fails, are a warning.

        `now` is when it is asked; `context` is what was said before it, for the model.

        Raises:
            InvalidQueryError: if it is not a string, or only white space.
        """
        if isinstance(query, MediaQuestion):
            question = self._read(query.text, now, context).with_warnings(query.warnings)
            if query.words:
                question = replace(question, words=self._read(query.words, now, context).words)
            return replace(question, intent=query.intent, strategy=BALANCED) if query.intent else question
        return self._read(query, now, context)

    def named(self, asked: str | Question, *, now: datetime | None = None) -> Question:
        """Return the analysed question with the name of who it calls "my brother"; see `rewording/relatives.py`.

        Raises:
            InvalidQueryError: if it is no question, or only white space.
            StoreError: if the memories cannot be read.
        """
        question = self.read(asked, now=now) if isinstance(asked, str) else asked
        text = with_names(question, memory_index(self._space, self._catalog))
        return question if text == question.text else self.read(text, now=now)

    def in_other_languages(self, question: Question, *, now: datetime | None = None) -> Iterator[Question]:
        """Yield the question in other words, also those of the user's languages; see `rewording/other_languages.py`.

        Raises:
            StoreError: if the memories cannot be read.
        """
        at = now or datetime.now(self._settings.zone)
        languages = languages_of(self._space, self._catalog)
        known = memory_index(self._space, self._catalog).words
        for language, text in in_other_languages(question, languages, known):
            other = analyse(
                text,
                max_characters=self._settings.retrieval.max_query_chars,
                language=language,
                now=at,
                zone=self._settings.zone,
                names=self._names.index(),
            )
            yield as_asked(other, question)

    def is_in_own_language(self, question: Question) -> bool:
        """Return whether a question is in a language in which at least a tenth of the user's sources are written.

        Raises:
            StoreError: if the lake cannot be read.
        """
        return question.language in languages_of(self._space, self._catalog)

    def _read(self, query: str, now: datetime | None, context: Sequence[str]) -> Question:
        chosen, warnings = self._settings.retrieval, []
        names = self._known(warnings)
        at = now or datetime.now(self._settings.zone)
        question = analyse(
            query,
            max_characters=chosen.max_query_chars,
            language=self._settings.language_of(self._space.user),
            languages=self._languages(),
            now=at,
            zone=self._settings.zone,
            names=names,
            expand=chosen.analysis.enable_query_expansion,
        )
        question = question.with_warnings(warnings)
        if chosen.analysis.model is None or not question.searchable:
            return question
        return self._refined(question, at, names, context)

    @property
    def names(self) -> NamesOfUser:
        """The names that the user's stores know."""
        return self._names

    def _languages(self) -> tuple[str, ...]:
        try:
            return languages_of(self._space, self._catalog)
        except (BrainError, OSError):
            return ()

    def _known(self, warnings: list[str]) -> NameIndex | None:
        try:
            return self._names.index()
        except (BrainError, OSError) as error:
            warnings.append(f"names in the question were not looked up: {error}")
            return None

    def _refined(self, question: Question, now: datetime, names: NameIndex | None, context: Sequence[str]) -> Question:
        expand = self._settings.retrieval.analysis.enable_query_expansion
        try:
            chat = self._chat()
        except BrainError as error:
            return question.with_warnings([f"query analysis by rules alone: {error}"])
        with chat:
            return refine(question, chat, now=now, names=names, context=context, expand=expand)

    def _chat(self) -> CachedChat:
        own = self._settings.retrieval.analysis
        llm = self._settings.llm
        # A search waits for it: an endpoint that hangs costs one short wait, and the rules answer.
        first = min(llm.first_token_seconds, llm.idle_seconds)
        limits = {"max_output_tokens": MOST_OUTPUT, "max_attempts": 1, "first_token_seconds": first}
        llm = llm.model_copy(update={"model": own.model, **limits})
        if own.input_price is not None or own.output_price is not None or own.model != self._settings.llm.model:
            llm = llm.model_copy(update={"input_price": own.input_price, "output_price": own.output_price})
        chat = open_chat(self._space, self._settings.model_copy(update={"llm": llm}), "search", NAME)
        if chat is None:
            raise BrainError("no model is set")
        return chat
