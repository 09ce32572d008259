"""Packing: hits in order of rank → entries within a budget. Whole passages, their best sentences, or nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from brain_retrieval.query.duplicates import DuplicateFilter
from brain_retrieval.query.hits import Hit
from brain_retrieval.query.packs.ended import marks_of
from brain_retrieval.query.packs.excerpts import Count, excerpt
from brain_retrieval.query.packs.fence import lines_of, quoted
from brain_retrieval.query.packs.headings import heading, without_title
from brain_retrieval.query.packs.pack import ContextItem, Dropped

SHORT_BUDGET = 100  # tokens up to which headings have no title
LEAST_ROOM = 12  # tokens of text below which no passage is begun


@dataclass
class Piece:
    """A passage of an entry: its lines, also those beside it in a conversation."""

    hit: Hit
    lines: tuple[str, ...]
    tokens: int
    cut: str = ""
    whole: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    mark: str = ""  # the line that says what of it no longer holds


@dataclass
class Entry:
    """Passages of one source under one heading, in reading order when written."""

    citation: int
    heading: str
    tokens: int
    pieces: list[Piece] = field(default_factory=list)

    def text(self) -> str:
        written = [self.heading]
        for piece in sorted(self.pieces, key=lambda piece: piece.hit.source_ref.span):
            written.append(quoted([*piece.before, *piece.lines, *piece.after]))
            written += [piece.mark] if piece.mark else []
        return "\n".join(written)


class Packer:
    """The state of one greedy pass. Each passage is tokenized once and the counts are added."""

    def __init__(
        self,
        room: int,
        budget: int,
        count: Count,
        weights: Mapping[str, float],
        nonce: str,
        buckets: Mapping[str, str],
    ) -> None:
        self.entries: list[Entry] = []
        self.dropped: list[Dropped] = []
        self.left = room
        self._count, self._weights, self._nonce, self._buckets = count, weights, nonce, buckets
        self._short = budget <= SHORT_BUDGET
        self._by_source: dict[tuple[object, ...], Entry] = {}
        self._duplicates = DuplicateFilter()
        self._waiting: list[Hit] = []

    def offer(self, hit: Hit) -> None:
        """Add `hit` whole or let it wait until all have been offered; the first one is cut rather than waiting."""
        if not self._repeated(hit) and not self._add(hit, cut=not self.entries):
            self._waiting.append(hit)

    def finish(self) -> None:
        """Use what is left: sentences of the passages that wait, the rest of those that were cut, turns beside them."""
        for hit in self._waiting:
            if not self._repeated(hit):
                self._add(hit, cut=True)
        for piece in self._pieces():
            self._complete(piece)
        shown = {piece.hit.source_ref.chunk_id for piece in self._pieces()}
        for piece in self._pieces():
            self._widen(piece, shown)

    def _repeated(self, hit: Hit) -> bool:
        twin = self._duplicates.twin(hit)
        if twin is not None:
            self.dropped.append(Dropped(hit, f"nearly the same as [{twin}]"))
        return twin is not None

    def _add(self, hit: Hit, *, cut: bool) -> bool:
        """Add a hit if it fits; with `cut` its best sentences, or a record of why it was dropped."""
        lines = lines_of(hit.text) or ["…"]
        # Without a title in the heading, a first line that repeats it would be shown nowhere.
        lines = lines if self._short else without_title(lines, hit)
        entry = self._by_source.get(_place(hit)) or self._new_entry(hit, lines)
        heading_tokens = 0 if entry.pieces else entry.tokens
        whole = self._tokens(lines)
        room = self.left - heading_tokens
        piece = self._marked(Piece(hit, tuple(lines), whole), room) if whole <= room else None
        if piece is None and cut:
            piece = self._cut(hit, lines, room)
        if piece is None:
            if cut:
                left = max(0, self.left)
                self.dropped.append(Dropped(hit, f"over the budget: {heading_tokens + whole} tokens, {left} left"))
            return cut
        self._take(entry, piece, heading_tokens)
        return True

    def _take(self, entry: Entry, piece: Piece, heading_tokens: int) -> None:
        if not entry.pieces:
            self.entries.append(entry)
            self._by_source[_place(piece.hit)] = entry
        entry.pieces.append(piece)
        self.left -= heading_tokens + piece.tokens
        self._duplicates.add(piece.hit, entry.citation)

    def _cut(self, hit: Hit, lines: Sequence[str], room: int) -> Piece | None:
        """Return the best sentences of a passage in `room` tokens; the first passage of a pack is shown in any case."""
        first = not self.entries
        if room < (1 if first else LEAST_ROOM):
            return None
        bare = self._excerpt(hit, lines, room, required=not first)
        if bare is None:
            return None
        if marked := self._marked(bare, room):
            return marked
        # The mark needs some of the room that the sentences have taken.
        marks = marks_of(hit, bare.lines, self._nonce, self._citation)
        less = self._excerpt(hit, lines, room - self._count("\n" + marks[-1]), required=not first)
        return (less and self._marked(less, room)) or (bare if first else None)

    def _excerpt(self, hit: Hit, lines: Sequence[str], room: int, *, required: bool) -> Piece | None:
        found = excerpt(lines, self._weights, room - 1, self._count, required=required)
        if found is None or (tokens := self._tokens(found.lines)) > room:
            return None
        return Piece(hit, found.lines, tokens, found.reason, tuple(lines))

    def _marked(self, piece: Piece, room: int) -> Piece | None:
        """Return a passage with the line that says what of it has ended; None if that line finds no room."""
        marks = marks_of(piece.hit, piece.lines, self._nonce, self._citation)
        for mark in marks:
            tokens = self._count("\n" + mark)
            if piece.tokens + tokens <= room:
                return replace(piece, mark=mark, tokens=piece.tokens + tokens)
        return None if marks else piece

    def _citation(self, source_id: str, span: tuple[int, int]) -> int | None:
        """Return the number of the entry that shows a statement whole, if one does."""
        for entry in self.entries:
            for piece in entry.pieces:
                ref = piece.hit.source_ref
                if ref.source_id == source_id and ref.span[0] <= span[0] and span[1] <= ref.span[1] and not piece.cut:
                    return entry.citation
        return None

    def _complete(self, piece: Piece) -> None:
        """Show a passage that was cut whole after all, if there is room now."""
        if not piece.cut:
            return
        bare = Piece(piece.hit, piece.whole, self._tokens(piece.whole))
        whole = self._marked(bare, self.left + piece.tokens)
        if whole is not None and whole.tokens <= self.left + piece.tokens:
            self.left -= whole.tokens - piece.tokens
            piece.lines, piece.cut, piece.tokens, piece.mark = whole.lines, "", whole.tokens, whole.mark

    def _widen(self, piece: Piece, shown: set[str]) -> None:
        """Show the neighbouring turns of a passage, each once in the pack."""
        for near in piece.hit.neighbours:
            lines = tuple(lines_of(near.text))
            tokens = self._tokens(lines)
            if near.source_ref.chunk_id in shown or piece.cut or tokens > self.left:
                continue
            shown.add(near.source_ref.chunk_id)
            self.left -= tokens
            piece.tokens += tokens
            if near.offset < 0:
                piece.before += lines
            else:
                piece.after += lines

    def items(self) -> tuple[ContextItem, ...]:
        """Return the passages in the order of the text's entries and, within one, of rank."""
        return tuple(
            ContextItem(
                entry.citation,
                piece.tokens + (entry.tokens if piece is entry.pieces[0] else 0),
                piece.hit,
                "\n".join(piece.lines) if piece.cut else "",
                piece.cut,
            )
            for entry in self.entries
            for piece in entry.pieces
        )

    def drop_last(self) -> None:
        """Take the last entry out again."""
        last = self.entries.pop()
        for piece in last.pieces:
            self.dropped.append(Dropped(piece.hit, f"over the budget: {piece.tokens + last.tokens} tokens, 0 left"))

    def _pieces(self) -> list[Piece]:
        return [piece for entry in self.entries for piece in entry.pieces]

    def _new_entry(self, hit: Hit, lines: list[str]) -> Entry:
        citation = len(self.entries) + 1
        bucket = self._buckets.get(hit.source_ref.source_id, "")
        text = heading(hit, citation, self._nonce, lines, bucket=bucket, short=self._short)
        return Entry(citation, text, self._count(text))

    def _tokens(self, lines: Sequence[str]) -> int:
        return self._count("\n" + quoted(lines)) if lines else 0


def _place(hit: Hit) -> tuple[object, ...]:
    """Return what the heading of a passage says; passages of one place are one entry."""
    ref = hit.source_ref
    return (ref.source_id, ref.section, ref.page, (ref.time or hit.temporal_context.event_at).date())
