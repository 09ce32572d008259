"""Recognisers of passwords, tokens and keys: by their issuer's format, a header, or a word before them."""

import base64
import binascii
import re
from collections.abc import Iterator

from brain_pipelines.landing.redaction.cues import cue_before, ends_of, lowered, word_set, words_of
from brain_pipelines.landing.redaction.found import Found

# Each expression with plain strings one of which its matches contain: most texts have none of them.
_FORMATS: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = (
    (
        ("PRIVATE KEY",),
        re.compile(
            r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){0,20000}"
            r"(?:-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----)?"
        ),
    ),
    (("AKIA", "ASIA", "AROA", "AIDA"), re.compile(r"(?<!\w)A(?:KIA|SIA|ROA|IDA)[0-9A-Z]{16}(?!\w)")),
    (("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), re.compile(r"(?<!\w)gh[pousr]_[A-Za-z0-9]{30,}")),
    (("github_pat_",), re.compile(r"(?<!\w)github_pat_\w{22,}")),
    (("glpat-", "npm_"), re.compile(r"(?<!\w)(?:glpat-[\w-]{20,}|npm_[A-Za-z0-9]{36})")),
    (
        ("sk-", "sk_", "rk-", "rk_", "pk-", "pk_"),
        re.compile(r"(?<!\w)[srp]k[-_](?:live_|test_|proj-|ant-|or-)?[\w-]{18,}"),
    ),
    (("xox",), re.compile(r"(?<!\w)xox[abeprs]-[\w-]{10,}")),
    (("AIza", "ya29."), re.compile(r"(?<!\w)(?:AIza[\w-]{35}|ya29\.[\w-]{20,})")),
    (("hf_", "pypi-"), re.compile(r"(?<!\w)(?:hf_[A-Za-z0-9]{30,}|pypi-[\w-]{40,})")),
    (("eyJ",), re.compile(r"(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}")),
    (("SG.",), re.compile(r"(?<!\w)SG\.[\w-]{16,32}\.[\w-]{32,64}")),  # SendGrid
    (("hooks.slack.com",), re.compile(r"(?<=hooks\.slack\.com/services/)T\w{6,12}/B\w{6,12}/\w{16,32}")),
    (("api/webhooks/",), re.compile(r"(?<=discord\.com/api/webhooks/)\d{17,20}/[\w-]{40,80}")),
    ((":AA",), re.compile(r"(?<![\w-])\d{8,10}:AA[\w-]{32,34}(?![\w-])")),  # Telegram
    (("SK", "AC"), re.compile(r"[SA](?<!\w[SA])[KC][0-9a-f]{32}(?!\w)")),  # Twilio
    (("-us",), re.compile(r"(?<!\w)[0-9a-f]{32}-us\d{1,2}(?!\w)")),  # Mailchimp
    (("sq0",), re.compile(r"(?<!\w)sq0(?:atp|csp)-[\w-]{22,43}")),  # Square
    (("://",), re.compile(r"(?<=://)[^\s/:@]{0,128}:[^\s/@]{1,128}(?=@)")),
    ((" -u ",), re.compile(r"(?<=\s-u )[\w.@-]{1,64}:[^\s\"']{4,64}")),  # curl
)
_HEADER = re.compile(r"[ \t]{1,4}([\w.~+/-]{8,4096}={0,2})")
_AFTER = re.compile(
    r"[ \t]{0,2}(?:[\"'\])]{0,2}[ \t]{0,2}(?P<mark>[:=]{1,2}>?|->|=>|→|[ \t]-(?=[ \t]))|(?P<word>[^\W\d_]+))[ \t]{0,3}"
)
_VALUE = re.compile(r"[\"'`“„«]{0,2}(?P<value>(?:[^\s\"'`“”„«»,;&]|&(?!\w{1,30}=)){4,256})(?P<closed>[\"'`”»])?")
_ENDS = re.compile(r"[ \t]{0,3}(?:$|[\n,;.)|\"'`”»&])")
_CODE = re.compile(r"[\d#*](?<![\w.,:/#-][\d#*])(?:\d\d \d{3}|[\d#*]{3,9})(?![\w-])(?![.,:/]\d)")
_EXPRESSION = re.compile(r"[A-Za-z_.][\w.]{0,60}[\[(]|\d\*<|[A-Z_]{4,60}$|[A-Z]{2,20}(?:_[A-Z]{2,20}){1,6}\b")
_HIDDEN = re.compile(r"[*•x.…_-]{3,}$")
MOST_BETWEEN = 5  # words and marks between the word and the value, as in "password for the wifi is"
MIN_BEARER = 12  # characters
LONG = 6  # characters of a word that may end another


def find_secrets(text: str) -> Iterator[Found]:
    """Yield the secrets of a text."""
    for strings, pattern in _FORMATS:
        if any(string in text for string in strings):
            for match in pattern.finditer(text):
                yield Found(match.start(), match.end(), "SECRET", match[0])
    low = lowered(text)
    for end, scheme in ends_of(low, ("bearer", "basic"), inside=LONG):
        match = _HEADER.match(text, end)
        if match and (_is_basic(match[1]) if scheme == "basic" else _is_odd(match[1]) and len(match[1]) >= MIN_BEARER):
            yield Found(match.start(1), match.end(1), "SECRET", match[1])
    for end, _ in ends_of(low, words_of("passwords"), inside=LONG):
        yield from _named(text, end, plain=True)
    for end, _ in ends_of(low, words_of("keys"), inside=LONG):
        yield from _named(text, end, plain=False)
    yield from _codes(text)


def _is_basic(value: str) -> bool:
    try:
        plain = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
        return b":" in plain and plain.decode("utf-8").isprintable()
    except (binascii.Error, UnicodeDecodeError):
        return False


def _is_odd(value: str) -> bool:
    """Return whether a value mixes letters with digits or marks, as words and numbers do not."""
    letters = any(char.isalpha() for char in value)
    return letters and any(not char.isalpha() and char not in "-_.'’" for char in value)


def _named(text: str, end: int, *, plain: bool) -> Iterator[Found]:
    """Yield the value after a word such as "password" that ends at `end`; `plain`: it may be an ordinary word."""
    for position, marked in _joints(text, end):
        match = _VALUE.match(text, position)
        value = match["value"].rstrip(".)?:]}") if match else ""
        if match and not _is_remark(value):
            start = match.start("value")
            alone = match["closed"] or _ENDS.match(text, start + len(value))
            if _is_odd(value) or (plain and marked and alone and len(value) >= 6):
                yield Found(start, start + len(value), "SECRET", value)
                return


def _is_remark(value: str) -> bool:
    """Return whether the value is a remark, a placeholder or program code: "required", "<token>", os.environ["X"]."""
    low = value.lower().split("<")[0].strip(".*")
    if len(value) < 4 or low in word_set("no_secret") or low.endswith("password") or value[0] in "[<{$*(%":
        return True
    return bool(_EXPRESSION.match(value) or _HIDDEN.match(value))


def _joints(text: str, end: int) -> Iterator[tuple[int, bool]]:
    """Yield where a value may start after a word that ends at `end`, and whether a mark such as ":" precedes it."""
    joints, between = word_set("joints"), word_set("between")
    position = end
    for _ in range(MOST_BETWEEN):
        match = _AFTER.match(text, position)
        if match is None:
            return
        position = match.end()
        if match["mark"]:
            yield position, True
            return
        word = match["word"].lower()
        if word in joints:
            yield position, False
        elif word not in between:
            return


def _codes(text: str) -> Iterator[Found]:
    """Yield the numbers after "PIN", "door code" and the like."""
    for match in _CODE.finditer(text):
        if any(char.isdigit() for char in match[0]):
            cue = cue_before(text, match.start())
            if cue is not None and cue.kind == "CODE" and cue.is_beside:
                yield Found(match.start(), match.end(), "SECRET", match[0])
