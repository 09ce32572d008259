"""The page of `brain ask`: what holds, what has ended, passages with citations, and the storyline."""

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.query.ask.asked import Asked, Written
from brain_retrieval.query.ask.counted import CountedList
from brain_retrieval.query.hits import Hit
from brain_retrieval.query.overview import HEADINGS, Theme
from brain_retrieval.serve.hit_print import of_nearest
from brain_retrieval.serve.readable import opens_with, readable
from brain_retrieval.serve.times_print import began, day

WIDTH = 88  # columns at most: longer lines are tiring to read
SHOWN_NEAREST, SHOWN_ENDED = 160, 80  # characters
INDENT = 4
PART_LABELS = {"beginning": "began", "turn": "then", "now": "now"}


def print_asked(asked: Asked) -> None:
    """Print what was found, or that nothing was, with the nearest miss."""
    page = _Page()
    page.line(f"[bold]{escape(asked.question)}[/]{_limits(asked)}")
    if asked.written is not None and asked.written.sentences:
        _print_written(page, asked.written)
    if asked.counted is not None:
        _print_count(page, asked.counted, len(asked.memories) + 1 + asked.hits.index(asked.counted.hit))
    if asked.holding:
        held = HEADINGS.get(asked.form) or ("Held then" if asked.as_of or asked.held_on else "What holds")
        _print_memories(page, held, asked.holding, first=1)
    if asked.ended:
        _print_memories(page, "Earlier", asked.ended, first=len(asked.holding) + 1)
    if asked.hits:
        page.heading("Passages")
        for number, (hit, excerpt) in enumerate(
            zip(asked.hits, asked.excerpts, strict=True), start=len(asked.memories) + 1
        ):
            _print_passage(page, number, hit, excerpt)
    if asked.storyline is not None:
        _print_storyline(page, asked.storyline)
    if not asked.found:
        _print_nothing(page, asked)


def print_problems(asked: Asked) -> None:
    """Print on standard error what went wrong, and what of a model's answer was left out."""
    errors = Console(stderr=True, highlight=False)
    for warning in asked.warnings:
        errors.print(f"[yellow]warning:[/] {escape(warning)}", soft_wrap=True)
    written = asked.written
    if written is not None and written.dropped:
        count = f"{written.dropped} sentence{'' if written.dropped == 1 else 's'}"
        errors.print(f"[dim]{count} of {escape(written.model)} left out: not supported by the passages cited[/]")


class _Page:
    """Lines of the page, wrapped at WIDTH; places are never broken, so that they can be copied."""

    def __init__(self) -> None:
        self._console = Console(highlight=False)
        self._width = min(self._console.width or WIDTH, WIDTH)

    def line(self, markup: str, indent: int = 0, *, before: str = "") -> None:
        """Print a wrapped line; `before` stands before the first part of it, and the others are indented as far."""
        first = Text.from_markup(before)
        rest = max(self._width - indent - len(first), 20)
        for number, part in enumerate(Text.from_markup(markup).wrap(self._console, rest)):
            part.rstrip()
            margin = Text(" " * indent) + (Text(" " * len(first)) if number else first)
            self._console.print(margin + part, soft_wrap=True)

    def place(self, text: str, indent: int) -> None:
        self._console.print(f"{' ' * indent}[dim]{escape(text)}[/]", soft_wrap=True)

    def heading(self, title: str) -> None:
        self._console.print(f"\n[bold cyan]{title}[/]")

    def text(self, text: str, indent: int) -> None:
        for line in text.splitlines():
            self.line(escape(line), indent)


def _limits(asked: Asked) -> str:
    at = f"as of {day(asked.as_of)}" if asked.as_of else ""
    known = f"as known on {day(asked.known_at)}" if asked.known_at else ""
    said = ", ".join(part for part in (at, known) if part)
    return f"  [dim]{said}[/]" if said else ""


def _print_written(page: _Page, written: Written) -> None:
    sentences = (f"{escape(_plain(one.text))} [dim]{_numbers(one.numbers)}[/]" for one in written.sentences)
    page.heading("Answer")
    page.line(" ".join(sentences), 2)
    page.place(f"written by {written.model} from the passages below, each sentence checked", 2)


def _print_count(page: _Page, counted: CountedList, number: int) -> None:
    page.heading("Counted")
    page.line(
        f"{counted.number} entries of “{escape(_plain(counted.title))}”  [dim]{_numbers([number])}[/]", 2, before="• "
    )


def _print_memories(page: _Page, title: str, cards: Sequence[MemoryCard], *, first: int) -> None:
    page.heading(title)
    for number, card in enumerate(cards, start=first):
        mark = "" if card.status == "current" else f"  [yellow]{escape(_status(card))}[/]"
        page.line(f"{escape(_plain(card.text))}{mark}", 2, before="• ")
        others = f" · {card.support} sources" if card.support > 1 else ""
        page.place(f"[{number}] {_when(card)}{others} · {card.uri} [{card.span[0]}:{card.span[1]}]", INDENT)


def _status(card: MemoryCard) -> str:
    return f"ended {day(card.valid_to)}" if card.status == "ended" and card.valid_to else card.status


def _when(card: MemoryCard) -> str:
    since, said = began(card), day(card.said_at)
    return since if since.endswith(said) else f"{since}, said {said}"


def _print_passage(page: _Page, number: int, hit: Hit, excerpt: str) -> None:
    ref = hit.source_ref
    when = day(ref.time or hit.temporal_context.event_at)
    shown = readable(excerpt) or excerpt
    title = f"[bold]{escape(_plain(ref.title))}[/]  " if ref.title and not opens_with(shown, ref.title) else ""
    page.line(f"{title}[dim]{escape(ref.source)}, {when}[/]", 2, before=f"{escape(f'[{number}]')} ")
    page.text(shown, INDENT + 2)
    newer = hit.temporal_context.superseded_by
    if newer is not None and newer.ends_part_of(excerpt, hit.text, ref.span[0]):
        ended = _short(newer.quote(hit.text, ref.span[0]), SHOWN_ENDED)
        begin = f"[yellow]{'' if newer.sure else 'perhaps '}no longer[/] “{escape(ended)}”"
        page.line(f"{begin}, [yellow]since {day(newer.effective_from)}:[/] {escape(_plain(newer.text))}", 6)
    place = ", ".join(part for part in (ref.place, ref.url) if part and part != ref.title)
    page.place(f"{ref.uri} [{ref.span[0]}:{ref.span[1]}]" + (f" ({place})" if place else ""), INDENT + 2)


def _print_storyline(page: _Page, theme: Theme) -> None:
    card = theme.card
    page.heading("Storyline")
    state = "goes on" if card.open else "ended"
    days = f"{day(card.started_at)} to {day(card.last_event_at)}, {state}, {card.source_count} sources"
    page.line(f"[bold]{escape(_plain(card.name))}[/]  [dim]{days}[/]", 2)
    if card.description and not card.parts:
        page.text(_plain(card.description), INDENT)
    places = [f"{one.uri} [{one.span[0]}:{one.span[1]}]" for one in card.citations]
    for number, part in enumerate(card.parts):
        label = PART_LABELS.get(part.part, part.part)
        page.line(escape(_plain(part.text)), INDENT, before=f"[dim]{label:6}{day(part.at)}[/]  ")
        if number < len(places):
            page.place(places[number], INDENT + 18)


def _print_nothing(page: _Page, asked: Asked) -> None:
    limited = " within these limits" if asked.as_of or asked.known_at else ""
    page.heading("Nothing found" + limited)
    if (miss := asked.nearest) is None:
        return
    page.line(f"[dim]The nearest, {of_nearest(miss.score)}:[/] {escape(_short(miss.text, SHOWN_NEAREST))}", 2)
    page.place(f"{miss.source_ref.uri} [{miss.source_ref.span[0]}:{miss.source_ref.span[1]}]", INDENT)


def _numbers(numbers: Iterable[int]) -> str:
    return escape("".join(f"[{number}]" for number in numbers))


def _short(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[:most].rsplit(" ", 1)[0] + " …"


def _plain(text: str) -> str:
    """Return a text on one line, its square brackets round: the square ones are citations."""
    return " ".join(text.split()).translate(str.maketrans("[]", "()"))
