"""Statements of an English claim by its grammar, where the parser of the extra "pipelines" is installed.

Nothing is downloaded: without the library or its model the word lists of `pieces.py` are used.
"""

import threading
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from brain_retrieval.evidence.claims.pieces import Piece
from brain_retrieval.evidence.lexicons import listed
from brain_retrieval.extras import MissingExtraError, require
from brain_retrieval.language.lexicon import ENGLISH, code_of
from brain_retrieval.models.lean_spacy import import_spacy
from brain_retrieval.models.weights.first_use import parser_directory
from brain_retrieval.models.weights.manifest import manifest
from brain_retrieval.models.weights.weights import is_installed
from brain_retrieval.settings import Settings

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

Parser = Callable[[str], list[Piece]]
_ONE_AT_A_TIME = threading.Lock()
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "expl"})
_OWN = frozenset({"conj", "advcl", "cc", "mark", "punct"})  # what belongs to another statement, or to none
_SPLITS = frozenset({"while", "whereas", "although", "though", "but"})  # clauses that are statements of their own
_ENDING = " \t\n.;,:"


def parser_for(settings: Settings, language: str | None) -> Parser | None:
    """Return the reader of statements of a language, None if no parser for it is installed."""
    entry = manifest().get(settings.nlp.model)
    if code_of(language) != ENGLISH:
        return None
    try:
        require("spacy")
    except MissingExtraError:
        return None
    if entry is None or not is_installed(entry, settings.models_dir):
        return None
    load = loaded(settings.nlp.model, settings.models_dir)

    def parse(text: str) -> list[Piece]:
        # Words of claims are given back with the zone, or the vocabulary of a long-lived server grows with each claim.
        # A second zone in another thread would be refused.
        with _ONE_AT_A_TIME, load.memory_zone():
            return parsed_pieces(load, text)

    return parse


@lru_cache(maxsize=2)
def loaded(name: str, models_dir: Path) -> "Language":
    """Return the parser with its vocabulary, loaded once."""
    return import_spacy().load(parser_directory(name, models_dir), exclude=["ner"])


def parsed_pieces(load: Callable[[str], "Doc"], text: str) -> list[Piece]:
    """Return the statements of a text: of each sentence its verb, and the verbs joined to it."""
    documents = [load(part.strip()) for part in text.split(";") if part.strip()]
    return [piece for one in documents for sentence in one.sents for piece in _statements(sentence.root, None)]


def _statements(verb: "Token", subject: "Token | None") -> Iterator[Piece]:
    own = next((child for child in verb.children if child.dep_ in _SUBJECTS), None) or subject
    if verb.pos_ in ("VERB", "AUX"):
        yield _piece(verb, own)
        for child in verb.children:
            if _is_statement(child):
                yield from _statements(child, own)
    else:
        yield Piece(_text(sorted(verb.subtree, key=lambda token: token.i)))


def _is_statement(token: "Token") -> bool:
    if token.pos_ not in ("VERB", "AUX"):
        return False
    marks = {child.lower_ for child in token.children if child.dep_ in ("mark", "cc", "advmod")}
    return token.dep_ == "conj" or (token.dep_ == "advcl" and bool(marks & _SPLITS))


def _piece(verb: "Token", subject: "Token | None") -> Piece:
    left_out = {token for child in verb.children if _is_statement(child) for token in child.subtree}
    of_subject = [] if subject is None else sorted(subject.subtree, key=lambda token: token.i)
    here = [token for token in verb.subtree if token not in left_out and token not in of_subject]
    here = [token for token in here if not (token.head == verb and token.dep_ in ("cc", "punct", "mark"))]
    group = [
        token
        for token in here
        if token == verb or (token.head == verb and token.dep_ in ("aux", "auxpass", "neg", "prt"))
    ]
    agent = next((child for child in verb.children if child.dep_ == "agent"), None)
    rest = [token for token in here if token not in group]
    said = (
        [*of_subject, *here]
        if of_subject and of_subject[0] not in verb.subtree
        else sorted([*of_subject, *here], key=_place)
    )
    past = "VBD" in {token.tag_ for token in group} or any(token.lower_ in listed("past", ENGLISH) for token in group)
    text = _text(said)
    action = _text([verb, *(token for token in group if token.dep_ == "prt")])
    if agent is not None:
        doer = [token for token in agent.subtree if token != agent]
        objects = [*of_subject, *(token for token in rest if token not in doer and token != agent)]
        return Piece(text, _text(doer), action, _text(objects), past)
    return Piece(text, _text(of_subject), action, _text(rest), past)


def _place(token: "Token") -> int:
    return token.i


def _text(tokens: "list[Token]") -> str:
    """Return words with the blanks between them, where they follow each other as they stand."""
    return "".join(
        token.text_with_ws if token.whitespace_ else token.text + _gap(tokens, place)
        for place, token in enumerate(tokens)
    ).strip(_ENDING)


def _gap(tokens: "list[Token]", place: int) -> str:
    """Return a blank where words that are now side by side were apart."""
    follows = tokens[place + 1] if place + 1 < len(tokens) else None
    return " " if follows is not None and follows.i != tokens[place].i + 1 else ""
