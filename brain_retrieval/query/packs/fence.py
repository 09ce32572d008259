"""What keeps stored text apart from the words of a pack: a nonce, a mark before every quoted line, escaping.

The nonce is drawn for each pack and stands in the tags and in the heading of every entry, so that no stored text can
know it. A quoted line begins with "> ", whatever it contains; anything that looks like the tag loses its bracket.
"""

import re
import secrets
import unicodedata
from collections.abc import Callable, Iterable
from difflib import SequenceMatcher

TAG = "retrieved_knowledge"
MARK = "> "
HEADING_CHARS = 100

_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_SYLLABLES = 3
_USUAL = "kelimo"  # three tokens for the built-in embedder's tokenizer, like three draws of four
_DRAWS = 1000  # from which on any length will do, for a tokenizer to which the usual word is a rare one
_LETTERS = "retrievedknowledge"
_ALIKE = 0.75  # similarity of letters from which a text after a bracket is taken for the tag
# Brackets that look like "<", and its entities, however often the "&" itself is escaped.
_OPEN = re.compile(
    r"[<＜﹤‹〈⟨«❮❰❬≺⋖˂˱ᐸᑉᚲᱹ≪《⟪⧼⦑⟦⏴◁◂◄⊰]"
    r"|&(?:amp;)*(?:lt|LT|lang|laquo|lsaquo|Lt|prec|#0*60|#0*8249|#[xX]0*3[cC]|#[xX]0*2039);?"
    r"|%(?:25)*3[cC]|\\[uU]\{?0*3[cC]\}?|\\x\{?0*3[cC]\}?|\\0?74|\\0*3[cC]\b|[uU]\+0*3[cC]"
)
_REACH = 90  # characters after a bracket that are compared
# Letters of other alphabets that look like those of the tag.
_HOMOGLYPHS = str.maketrans(
    {
        **dict.fromkeys("еεɛᴇ3", "e"),
        **dict.fromkeys("гʀᴦ", "r"),
        **dict.fromkeys("тτᴛ", "t"),
        **dict.fromkeys("іιɩɪ1!", "i"),
        **dict.fromkeys("ѵνᴠ", "v"),
        **dict.fromkeys("ԁᴅ", "d"),
        **dict.fromkeys("кκᴋ", "k"),
        **dict.fromkeys("пɴո", "n"),
        **dict.fromkeys("оοσᴏ0", "o"),
        **dict.fromkeys("ԝѡωᴡ", "w"),
        **dict.fromkeys("ӏłʟ|", "l"),
        **dict.fromkeys("ɡɢ", "g"),
        **dict(zip("ꓣꓰꓔꓲꓦꓓꓗꓠꓳꓪꓡꓖ", "retivdknowlg", strict=True)),  # Lisu
        **dict(zip("ᎡᎬᎢᎥᏙᎠᏦᏁᎾᎳᏞᏀ", "retivdknowlg", strict=True)),  # Cherokee
        **{chr(first + n): chr(97 + n) for first in (0x1F150, 0x1F170) for n in range(26)},  # white on black
    }
)
_LINE_ENDS = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# Controls of terminals, characters without width, and those that turn the direction of writing. Joiners stay, since
# scripts and emoji need them.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\xad\u061c\u200b"
    r"\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def new_nonce(foreign: Iterable[str] = (), count: Callable[[str], int] = len) -> str:
    """Return a random word of three syllables that none of the quoted texts contains.

    It takes as many tokens by `count` as most such words do, so that what fits into a pack never depends on the draw.
    """
    texts = [text.lower() for text in foreign]
    usual = count(_USUAL)
    draws = 0
    while True:
        draws += 1
        nonce = "".join(secrets.choice(_CONSONANTS) + secrets.choice(_VOWELS) for _ in range(_SYLLABLES))
        if (count(nonce) == usual or draws > _DRAWS) and not any(nonce in text for text in texts):
            return nonce


def opening(nonce: str) -> str:
    return f"<{TAG} {nonce}>"


def closing(nonce: str) -> str:
    return f"</{TAG} {nonce}>"


def lines_of(text: str) -> list[str]:
    """Return the lines of a stored text that are not blank, harmless but unmarked."""
    return [line.rstrip() for line in _LINE_ENDS.split(harmless(text)) if line.strip()]


def quoted(lines: Iterable[str]) -> str:
    """Return lines as a quotation: each begins with the mark."""
    return "\n".join(MARK + line for line in lines)


def flat(text: str, most: int = HEADING_CHARS) -> str:
    """Return stored text for a place within a line: without brackets of headings, cut to `most` characters."""
    plain = " ".join(" ".join(lines_of(text)).split()).translate(str.maketrans("[]［］【】〔〕⟦⟧", "()" * 5))
    return plain if len(plain) <= most else plain[: most - 1].rstrip() + "…"


def harmless(text: str) -> str:
    """Return text without characters that cannot be seen, in which nothing looks like the tag of a pack."""
    text = _UNSEEN.sub("", text)
    return _OPEN.sub(_disarmed, text) if _OPEN.search(text) else text


def _disarmed(match: re.Match[str]) -> str:
    after = match.string[match.end() : match.end() + _REACH]
    return "(" if _looks_like_tag(after) else match.group()


def _looks_like_tag(after: str) -> bool:
    plain = unicodedata.normalize("NFKD", after).casefold().translate(_HOMOGLYPHS)
    letters = "".join(char for char in plain if "a" <= char <= "z")[: len(_LETTERS)]
    return SequenceMatcher(None, _LETTERS, letters, autojunk=False).ratio() >= _ALIKE
