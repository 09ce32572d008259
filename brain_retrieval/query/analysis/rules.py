"""`analyse`: what a question asks for, by rules and word lists. No model is used, nothing is searched or opened."""

from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.query.analysis.clauses import clauses_of, statements_of
from brain_retrieval.query.analysis.dates import find_dates
from brain_retrieval.query.analysis.expansion import expansion_of
from brain_retrieval.query.analysis.grammar import form, has, language_of
from brain_retrieval.query.analysis.intent import asks_then, intent_of, strategy_of
from brain_retrieval.query.analysis.known_names import KnownNames
from brain_retrieval.query.analysis.names import find_names
from brain_retrieval.query.analysis.question import Question
from brain_retrieval.query.analysis.resolve import resolve
from brain_retrieval.query.analysis.scopes import buckets_of, sources_of
from brain_retrieval.query.analysis.time_forms import Now
from brain_retrieval.query.analysis.times import find_time
from brain_retrieval.query.analysis.wants import asks_list, is_yes_no, wants, without_request
from brain_retrieval.query.analysis.words import clean, content_words

MOST_ANALYSED = 600  # characters; what a longer text says after them is searched for, not analysed


def analyse(
    query: str,
    *,
    max_characters: int,
    language: str | None = None,
    languages: Sequence[str] = (),
    now: datetime | None = None,
    zone: tzinfo | None = None,
    names: KnownNames | None = None,
    expand: bool = True,
) -> Question:
    """Return the analysed query; it is cut at `max_characters`, with a warning.

    Args:
        language: ISO 639-1, of the user's full-text index; None means English. The question may be in another one.
        languages: in which the user's sources are written, the commonest first; mostly that of a short question.
        now: when it is asked, which "last week" refers to; None is the present.
        zone: the user's; None is that of `now`, else UTC.
        names: the names that the user's sources know.
        expand: whether to add other words for the question's own.

    Raises:
        InvalidQueryError: if it is not a string, or only white space.
    """
    if not isinstance(query, str):
        raise InvalidQueryError(f"a query is text, not {type(query).__name__}")
    warnings = []
    if len(query) > max_characters:
        warnings.append(f"query cut to its first {max_characters:,} of {len(query):,} characters")
    text = clean(query[:max_characters])
    if not text:
        raise InvalidQueryError("the query is empty")
    head = text[:MOST_ANALYSED]
    own = language_of(head, language, languages)
    words = content_words(text, own or language)
    if not words:
        warnings.append("the query has no letter or digit; nothing was searched")
    dates = find_dates(text, own or language)
    base = Question(text, words, dates, tuple(warnings), own)
    return _analysed(base, head, _today(now, zone), names, expand) if words else base


def _today(now: datetime | None, zone: tzinfo | None) -> datetime:
    moment = now or datetime.now(zone or UTC)
    return moment.astimezone(zone) if zone is not None and moment.tzinfo is not None else moment


def _analysed(base: Question, head: str, now: datetime, known: KnownNames | None, expand: bool) -> Question:
    found = find_names(head, base.language, known)
    entities, speakers = resolve(found, known)
    own = base.language
    named = {"names": found, "entities": entities, "speakers": speakers}
    if own is None:
        return Question(base.text, base.words, base.dates, base.warnings, **named)
    low = form(head, own)
    asked = without_request(low, own)
    today = now.date()
    now_asked = Now(today, 1 if has("future", low, own) else -1)
    time = find_time(head, low, own, now_asked, len(low) - len(asked))
    lists = asks_list(asked, own)
    is_past = time is not None and time.end is not None and time.end < today and time.kind not in ("since", "after")
    then = asks_then(asked, own, time, is_past=is_past)
    intent = intent_of(asked, own, names=found, time=time, lists=lists, then=then)
    yes_no = is_yes_no(asked, own)
    return Question(
        *(base.text, base.words, base.dates, base.warnings, own, intent),
        wants=wants(asked, own, yes_no=yes_no),
        clauses=clauses_of(head, low, own, found, intent),
        statements=statements_of(head, low, own, found),
        time=time,
        asks_then=then,
        lists=lists,
        yes_no=yes_no,
        sources=sources_of(low, own),
        buckets=buckets_of(low, own),
        expansion=expansion_of(head, own) if expand else (),
        strategy=strategy_of(intent, asked, own, entities),
        **named,
    )
