"""Whether a sentence says of its speaker what stays true for long, or asks to be remembered, in all languages.

Who one is, where one lives and works, family, health, likes, numbers and codes, and requests such as "from now on":
what people tell an assistant so that it knows. Found by the beginning of a clause, without a parse.
"""

import re
from functools import cache, lru_cache

from brain_retrieval.language.lexicon import ENGLISH, SHARED, Lexicon, code_of
from brain_retrieval.language.plain import lowered

SUBJECT = "self_description"
CONTACTS = ("contacts", "owned_contacts", "contact_owners", "naming")
WORDS = (
    "oneself",
    "ourselves",
    "addressed",
    "liking",
    "joins",
    "fillers",
    *CONTACTS,
)  # keys of words, the others hold statements
_WORD = re.compile(r"[^\W\d_]{1,20}'?")
INSTRUCTIONS = "instructions"
TO_PROGRAM = ("habits", INSTRUCTIONS)  # keys of what counts only if it is said to an assistant
OF_NOW = ("likes", "requests")  # and of what does not if it is said to the readers of an essay
LONGEST = 400  # characters of a sentence that are looked at


@lru_cache(maxsize=1 << 12)
def describes_speaker(text: str, *, to_program: bool = False, to_readers: bool = False) -> bool:
    """Return whether a sentence, without the name of its speaker in front, says such a thing.

    Args:
        text: of the sentence.
        to_program: whether it was said to an assistant, to which people also tell what they do for some time, and
            how it is to answer and to work.
        to_readers: whether an essay says it, whose writer likes and wishes much just then.

    >>> describes_speaker("I'm allergic to peanuts."), describes_speaker("I like that idea.")
    (True, False)
    """
    if text.rstrip().endswith("?"):
        return False
    groups = ("lasting", *(() if to_readers else ("of now",)), *(("to program",) if to_program else ()))
    low = lowered(text[:LONGEST])
    return any(_pattern(group).search(low) is not None for group in groups)


def instructs_program(text: str) -> bool:
    """Return whether a sentence, without its speaker, says how an assistant is always to answer or to work.

    >>> instructs_program("In this repo we only use tabs, remember that."), instructs_program("I'm allergic to nuts.")
    (True, False)
    """
    return _pattern(INSTRUCTIONS).search(lowered(text[:LONGEST])) is not None


def names_contact(text: str) -> bool:
    """Return whether a sentence, without its speaker, names a person that its speaker deals with: a doctor, a landlord.

    >>> names_contact("Vet is Hannah at the mill."), names_contact("The vet is closed on Mondays.")
    (True, False)
    """
    found = _contact().search(lowered(text[:LONGEST]))
    return found is not None and text[found.end() : found.end() + 1].isupper()


def asks_of_oneself(question: str, language: str | None = None) -> bool:
    """Return whether a question is about who asks it, and not about who is asked: "where do I live?".

    >>> asks_of_oneself("Where do I live?"), asks_of_oneself("What did you tell me?")
    (True, False)
    """
    lexicon = _of(language)
    words = frozenset(_WORD.findall(lowered(question)))
    return not words.isdisjoint(lexicon.words("oneself")) and words.isdisjoint(lexicon.words("addressed"))


def asks_of_us(question: str, language: str | None = None) -> bool:
    """Return whether a question is about who asks it together with others: "where do we meet?"."""
    return not frozenset(_WORD.findall(lowered(question))).isdisjoint(_of(language).words("ourselves"))


def is_oneself(called: str) -> bool:
    """Return whether a name is a word for who uses it, in any language: "me", "ich", "yo"."""
    return lowered(called).strip() in SHARED.every_language(SUBJECT).words("oneself")


def words_of_liking(language: str | None = None) -> tuple[str, ...]:
    """Return the words under which likes and dislikes are looked up."""
    return _of(language).listed("liking")


def _of(language: str | None) -> Lexicon:
    code = code_of(language)
    return SHARED.read(SUBJECT, code if SHARED.has(SUBJECT, code) else ENGLISH)


@cache
def _pattern(group: str) -> re.Pattern[str]:
    """Return a pattern for the statements of a group: "lasting", "of now" or "to program"; each is compiled once."""
    lexicon = SHARED.every_language(SUBJECT)
    front = rf"(?:\A|[.;:!,–—-]\s{{1,2}}|\b(?:{lexicon.pattern('joins')})\s{{1,2}})"
    apart = {"of now": OF_NOW, "to program": TO_PROGRAM, INSTRUCTIONS: (INSTRUCTIONS,)}
    lasting = [key for key in lexicon.keys if key not in {*WORDS, *OF_NOW, *TO_PROGRAM}]
    kinds = apart.get(group, lasting)
    return re.compile(rf"{front}(?:(?:{lexicon.pattern('fillers')})\s{{1,2}})?(?:{lexicon.expression(*kinds)})")


@cache
def _contact() -> re.Pattern[str]:
    """Return a pattern for what stands before the name of a contact: "our new dentist at the mill is called "."""
    lexicon = SHARED.every_language(SUBJECT)
    alone, owned, owners, naming = (lexicon.pattern(key) for key in CONTACTS)
    before = rf"(?:(?:{owners})\s){{0,2}}(?:{alone})|(?:(?:{owners})\s){{1,2}}(?:{owned})"
    return re.compile(rf"(?:\A|[.;:!,–—-]\s{{1,2}})(?:{before})(?:\s[\w'’.-]{{1,20}}){{0,3}}?\s(?:{naming})\s")
