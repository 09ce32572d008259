"""What is a statement by its form: no caption, mail header, code, link list or entry of a table of contents."""

import re
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.blocks import Block
from brain_pipelines.stages.prose.records import is_record
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import plain

_WORDS = LEXICONS.every_language("prose")
MIN_LETTERS = 0.55  # share of letters and spaces
LABEL_WORDS = 5  # a line this short with a colon at its end announces something
_HEADING = re.compile(r"[ \t]*(?:>[ \t]*)*#{1,6}[ \t]")
_QUOTE = re.compile(r"[ \t]*>")
_QUOTING_SOURCES = ("email", "message")  # what they quote is a source of its own
_CHATS = ("conversation", "slack-thread")
_QUOTED_IN_CHAT = re.compile(r"(?::[ \t]|^[ \t]*)>{1,3}[ \t]?$")  # "ann: >I see no problem"
_LINK = re.compile(r"(?:https?://|www\.)[^\s<>]{1,2000}|[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,63}")
_WORD = re.compile(r"[^\W\d_]{2,}|[^\W\d_](?![^\W\d_])")
_CODE = re.compile(
    r"[{}]|\(\)|[;]$|[=!]=|::|->|=>|</|/>|\\u[0-9a-f]{4}|\$\w|&&|\|\||__|\w\[\d"
    r"|<<?-(?=\s|\w)|\w\((?=[^()\n]{0,60}[,=~(])|[=~] ?\w{1,30}\("  # assignments, calls with arguments
)
_MACHINE_WORD = re.compile(  # a path, an option, a version, an identifier, a comparison
    r"\S*[_=<>\\{}]\S*|--?[a-z][\w-]*|\.{0,2}/\S+|~/\S+|\S+/\S+/\S*|\d+/[a-z]{2,}|\S*\w::?[\w^]\S*[a-z]\S*|[#|&*+]+"
    r"|[(\^~v]*\d+\.\d+\.\d\S*|(?=\S*\d)(?=\S*[a-f])[0-9a-f]{7,}"
)
MACHINE_SHARE, LEAST_MACHINE = 0.34, 2
_KEYS = re.compile(r"(?<!\S)([a-z][\w.-]*):\s")  # "title: … date: …" on one line
_DATA_KEYS = _WORDS.words("metadata_keys")
MOST_KEYS = 2
_LEADERS = re.compile(r"\.{6}|(?:\. ){4}|…{3}|_{6}")  # between a title and its page
_FIELD = re.compile(rf"(?:[*_]{{0,2}})(?:{_WORDS.pattern('mail_fields')}):", re.IGNORECASE)
_CAPTION = re.compile(rf"(?:{_WORDS.pattern('captions')})\.?\s+[\dIVX]{{1,4}}[.:)\s–—-]", re.IGNORECASE)
_CAPTION_LINE = re.compile(rf"(?:{_WORDS.pattern('captions')})\.?\s+[\dIVX]{{1,4}}[.:)–—]", re.IGNORECASE)
_BOT = re.compile(r"(?<!\S)[#!](?:start|end)meeting\b|(?<!\S)#(?:topic|action|agreed|info|link|idea)\b")  # of a chat
_PRESENT = re.compile(rf"[*_\s]{{0,4}}(?:{_WORDS.pattern('attendance')})[*_\s]{{0,4}}:", re.IGNORECASE)
_SIGNED = re.compile(rf"(?:{_WORDS.pattern('sent_from')})\b", re.IGNORECASE)
_GAP = re.compile(r"\[[^\W\d][^\[\]\n]{0,200}\](?!\()|\{\{[^{}\n]{0,200}\}\}|<[A-Za-z][^<>\n@/]{0,60}>")
_SIDE_BY_SIDE = re.compile(r"\s[|·•]\s")
MOST_TITLES = 10  # words
_ANSWER = re.compile(r"(?:[€$£]?[^\W_]{1,16}(?:[.,:'’/][^\W_]{1,8}){0,3}[€%°]?[.,;:!…]{0,3}(?:\s|$)){1,6}")
_SINGLE = re.compile(r"[^\W_](?:[\w'’-]{1,38})[^\W_][.!]{0,3}")
_NAMED_WORD = r"[^\W\d_][\w-]{1,20}"
_NUMBER = r"\d[\d.,:/]{0,14}(?:[ \u00a0\u202f]\d{2,5}){0,4}"
_UNIT = r"(?: ?[^\W\d_/%]{1,8}| ?[%€£$])"
_THING = rf"{_NAMED_WORD}(?: {_NAMED_WORD}){{0,2}}:? {_NUMBER}{_UNIT}?"
_GROUPS = r"\d{1,5}(?:[:/ \u00a0\u202f]\d{2,5}){1,5}"  # of a telephone number, a time, a pressure
# A thing and its value, several of them, or a value alone that ends as a sentence does.
_MEASURED = re.compile(rf"(?:{_THING}(?:[,;] {_THING}){{0,3}}[.!]{{0,3}}|{_NUMBER}{_UNIT}[.!]|{_GROUPS}[.!]{{1,3}})")
_SENTENCE_ENDS = (".", "!", "?", "…", "。", "！", "？")
# Letters of scripts that part no words by blanks: Thai, Lao, Burmese, Khmer, kana and Han; a word has about three.
_WITHOUT_BLANKS = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
LETTERS_OF_WORD = 3
LEAST_RECOGNISED, LEAST_DENSE = 4, 40  # words of a sentence in a picture; characters
MAX_QUOTER = 300


def is_caption(line: str) -> bool:
    """Return whether a line begins like "Figure 3: "; "Table 4 was taken" does not."""
    return bool(_CAPTION_LINE.match(line))


def is_whole_sentence(text: str) -> bool:
    """Return whether recognised text is a sentence rather than the words of a button, a sign or a form."""
    first = text.lstrip("\"'“‘«¿¡([")[:1]
    if not text.rstrip("\"'”’») \n").endswith(_SENTENCE_ENDS) or first.islower():
        return False
    dense = not text.isascii() and len(text) >= LEAST_DENSE  # writing without blanks
    return dense or len(_WORD.findall(text)) >= LEAST_RECOGNISED and is_statement(text)


def is_heading(block: Block, text: str) -> bool:
    """Return whether a block of `text` is a Markdown heading; its marker is not in the block."""
    return bool(_HEADING.match(_line_before(block, text)))


def is_prose(block: Block, text: str, source: str) -> bool:
    """Return whether a block of `text` may hold sentences of the writer; headings are decided by `is_heading`."""
    if block.is_table or _CAPTION.match(block.text) or _FIELD.match(block.text):
        return False
    before = _line_before(block, text)
    if source in _CHATS and _QUOTED_IN_CHAT.search(before):
        return False
    return not (source in _QUOTING_SOURCES and _QUOTE.match(before))


@cache
def _parts() -> frozenset[str]:
    """Return the words for a numbered part of a text: "chapter"."""
    return frozenset(map(plain, SHARED.every_language("values").listed("parts")))


@cache
def _quoters() -> tuple[str, ...]:
    return tuple(word.casefold() for word in _WORDS.listed("quoted_by"))


def is_statement(text: str) -> bool:
    """Return whether a sentence is one by its form: words, mostly letters, no announcement, link, code or header."""
    bare = _LINK.sub(" ", text) if "http" in text or "www." in text or "@" in text else text
    words = word_count(bare)
    if words < 2 or not any(c.islower() for c in bare) and any(c.isupper() for c in bare):
        return False
    if sum(c.isalpha() or c.isspace() for c in bare) < MIN_LETTERS * len(bare.strip()) or len(_CODE.findall(bare)) > 1:
        return False
    if announces(bare) or (bare.rstrip().endswith(":") and _introduces_quote(bare)):
        return False
    if _is_of_machine(bare) or _is_template(text) or _is_row_of_titles(bare):
        return False
    if _BOT.search(bare) or _PRESENT.match(bare) or is_record(text):
        return False
    return not (_FIELD.match(bare) or _SIGNED.match(bare) or _CAPTION.match(bare) or _LEADERS.search(bare))


def word_count(text: str) -> int:
    """Return the number of words of a text, about that of a script without blanks."""
    return max(len(_WORD.findall(text)), len(_WITHOUT_BLANKS.findall(text)) // LETTERS_OF_WORD)


def announces(text: str) -> bool:
    """Return whether a text is a few words before a colon, which say what follows is about: "Shop hours:"."""
    bare = text.rstrip()
    return bare.endswith(":") and 0 < len(_WORD.findall(bare)) <= LABEL_WORDS and not _introduces_quote(bare)


def is_short_answer(text: str) -> bool:
    """Return whether a text is a number or two with a few words, as an answer in talk may be: "No, 800."."""
    return bool(_ANSWER.fullmatch(text.strip())) and any(map(str.isdecimal, text))


def is_single_word(text: str) -> bool:
    """Return whether a text is one word, as an answer in talk may be: "Lisbon.", "badger77"."""
    return bool(_SINGLE.fullmatch(text.strip()))


def is_measurement(text: str) -> bool:
    """Return whether a part of a note is a thing and its value, several, or a value: "Weight: 71.2 kg", "9 km."."""
    bare = text.strip()
    return bool(_MEASURED.fullmatch(bare)) and not _CAPTION.match(bare) and plain(bare.split()[0]) not in _parts()


def _is_of_machine(text: str) -> bool:
    """Return whether a sentence is mostly identifiers and paths, or keys with their values."""
    words = text.split()
    found = sum(bool(_MACHINE_WORD.fullmatch(word.strip(".,;()[]\"'"))) for word in words)
    if found >= LEAST_MACHINE and found >= MACHINE_SHARE * len(words):
        return True
    keys = _KEYS.findall(text)
    return len(keys) > MOST_KEYS or len(keys) == MOST_KEYS and any(key in _DATA_KEYS for key in keys)


def _is_template(text: str) -> bool:
    """Return whether most of a sentence are gaps to be filled in: "[Name]: [task and date]", "{{ date }}"."""
    gaps = sum(len(match.group()) for match in _GAP.finditer(text))
    return 2 * gaps > len(text.strip())


def _is_row_of_titles(text: str) -> bool:
    """Return whether a short line only has titles side by side: "Head of Sales | Northwind", "Club · Season 2026"."""
    bare = text.strip()
    return bool(_SIDE_BY_SIDE.search(bare)) and len(bare.split()) <= MOST_TITLES and not bare.endswith(_SENTENCE_ENDS)


def _introduces_quote(text: str) -> bool:
    """Return whether it is "On 3 May 2026, Ann <ann@example.org> wrote:"."""
    said = text.rstrip(" :>").casefold()[-MAX_QUOTER:]
    return said.endswith(_quoters()) and any(c.isdigit() for c in said)


def _line_before(block: Block, text: str) -> str:
    """Return what its line holds before the block: indent, list marker, heading marks."""
    first = block.offsets[0]
    return text[text.rfind("\n", max(0, first - 80), first) + 1 : first]
