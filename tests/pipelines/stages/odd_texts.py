"""Odd texts, the same in every run: extremes of Unicode, and sentences shuffled from the words the readers look for."""

import importlib
import pkgutil
import random
import re
import sys
from collections.abc import Iterator
from functools import cache

from brain_pipelines.stages import enrichment, extraction
from brain_pipelines.stages.extraction.local.time import date_ranges

ODD = (
    *(
        "",
        " ",
        "\n",
        "\t\r\n",
        "\x00",
        "a\x00b",
        "\ufeff",
        "\u200b" * 50,
        "\u202eabc\u202c",
        "\u00ad",
        "\ud800",
        "x\udfffy",
    ),
    *(
        "🙂" * 30,
        "👩\u200d👩\u200d👧",
        "🇩🇪🇫🇷",
        "e\u0301" * 40,
        "\u0301\u0302",
        "Z̷a̸l̵g̶o̷",
        "ﷺ",
        "ǅ",
        "ß",
        "İstanbul",
        "ſix dayſ",
    ),
    *(
        "مرحبا بالعالم في 5 مايو",
        "שלום עולם, since 2019",
        "漢字かな交じり文。三日前",
        "Привет, мир! 5 мая 2021",
        "नमस्ते",
        "ไทยไม่เว้นวรรค",
    ),
    *(
        "x" * 20_000,
        "word " * 3_000,
        "a-" * 2_000,
        "?" * 500,
        "...",
        "!?!?",
        "—–-",
        "'",
        '"“”"',
        "’s",
        "n't",
        "@",
        "#",
        "[",
        "](",
    ),
    *(
        "```python\nprint('in')\n```",
        "| a | b |\n|---|---|\n| May | 5 |",
        "# \n## \n- \n- [ ] \n> \n1. ",
        "<b>x</b>",
        "{}[]()\\",
    ),
    *(
        "[5 May 2021]",
        "Ann: ",
        ": x",
        "Ann:Bob:",
        "0000-00-00",
        "99/99/2099",
        "31 June",
        "12:60",
        "1e999",
        "²",
        "٣ days ago",
        "½",
    ),
    *(
        "http://",
        "https://a.b/?q=%00#",
        "a@b",
        "mailto:",
        "C:\\x\\y",
        "./..//",
        "$1,000,000.00",
        "-5%",
        "v1.2.3-rc.4+5",
    ),
)
GLUE = (" ", " ", " ", " ", ", ", ". ", "\n", "\n\n", "; ", " - ", "… ", "? ", "\u00a0", "")
FRAMES = (
    "I have lived in Oslo for {}.",
    "Ann joined Acme {} and left {}.",
    "{} we met Bob.",
    "The review was moved from {} to {}.",
    "She has been on it for {}, since {}.",
    "He will start {} or {}.",
    "Between {} and {} Carol worked at {}.",
    "Bob, CEO since {}, used to live in {}.",
)


@cache
def lexicon() -> list[str]:
    """Return every word and phrase in the constants of the readers: names, verbs, units, months, markers."""
    for package in (extraction, enrichment):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    found: set[str] = set()
    for name, module in list(sys.modules.items()):
        if name.startswith(("brain_pipelines.stages.extraction.", "brain_pipelines.stages.enrichment.")):
            for value in vars(module).values():
                found.update(_strings(value))
    return sorted(found)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str) and len(value) < 40 and not value.startswith("brain_"):
        yield value
    elif isinstance(value, dict | frozenset | set | tuple | list):
        for one in value:
            yield from _strings(one)
        if isinstance(value, dict):
            yield from _strings(list(value.values()))
    elif isinstance(value, re.Pattern):
        yield from re.findall(r"[a-z]{2,}", value.pattern)


def times(chance: random.Random) -> str:
    """Return an expression of time, right or almost right, of the readers' own words."""
    counts = [*date_ranges._NUMBERS, "3", "15", "999", "half a", "umpteen", "the"]
    units = ["day", "weeks", "month", "years", "decade", "quarter", "weekend", "century", "time"]
    names = [*date_ranges.MONTHS, *date_ranges.WEEKDAYS, *date_ranges.SEASONS, "2019", "1990s", "5th", "q3"]
    starts = [
        "the",
        "past",
        "the past",
        "last",
        "next",
        "this",
        "early",
        "mid",
        "end of",
        "around",
        "in",
        "since",
        "for",
    ]
    ends = ["ago", "from now", "or so", "now", "of", "2021", "morning", ""]
    words = [chance.choice(kind) for kind in (starts, counts, units, names, ends)]
    if chance.random() < 0.5:
        chance.shuffle(words)
    return " ".join(words[: chance.randint(1, 5)])


def odd_texts(count: int, *, seed: int = 7, longest: int = 12) -> list[str]:
    """Return `count` texts; the first are those of ODD."""
    chance = random.Random(seed)
    makers = (_shuffled, _framed, _mixed, _code_points)
    made = [chance.choice(makers)(chance, longest) for _ in range(max(0, count - len(ODD)))]
    return [*ODD, *made][:count]


def _shuffled(chance: random.Random, longest: int) -> str:
    words = chance.choices(lexicon(), k=chance.randint(1, longest))
    cased = [chance.choice((w, w, w.title(), w.upper())) for w in words]
    return "".join(w + chance.choice(GLUE) for w in cased)


def _framed(chance: random.Random, longest: int) -> str:
    frame = chance.choice(FRAMES)
    text = frame.format(*(times(chance) for _ in range(frame.count("{}"))))
    return chance.choice((text, text, text.lower(), text.upper(), text.title()))


def _mixed(chance: random.Random, longest: int) -> str:
    words = [chance.choice((times(chance), chance.choice(lexicon()), chance.choice(ODD)[:200])) for _ in range(4)]
    return "".join(w + chance.choice(GLUE) for w in words)


def _code_points(chance: random.Random, longest: int) -> str:
    ranges = (
        (0, 0x7F),
        (0x80, 0x2FF),
        (0x300, 0x36F),
        (0x590, 0x6FF),
        (0x2000, 0x206F),
        (0x1F300, 0x1FAFF),
        (0, 0x10FFFF),
    )
    return "".join(chr(chance.randint(*chance.choice(ranges))) for _ in range(chance.randint(1, longest * 4)))
