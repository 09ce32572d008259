"""Reply extraction from mails: lines kept and removed, compared with mail-parser-reply on the same texts.

    python benchmarks/mail.py EVAL_DIR [--show]

EVAL_DIR/files/mail holds the test mails of reply-parser and talon. The gold answer is the reply as their authors expect
it, without marked signatures: the non-empty lines (counted from 1) that belong to the message. Sign-offs ("Thanks,
Alex"), on which the authors disagree, are not scored. Both systems read the same text; for HTML it is Brain's
conversion, where quotes are marked with ">". mail-parser-reply is given all its languages.
"""

import argparse
import re
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

# File -> (lines of the message, lines that are not scored).
EXPECTED = {
    "reply-parser/correct_sig.txt": ("1", ""),
    "reply-parser/email_1_2.txt": ("1 8-24", ""),
    "reply-parser/email_1_4.txt": ("1", ""),
    "reply-parser/email_1_6.txt": ("1", ""),
    "reply-parser/email_1_8.txt": ("11 15", ""),
    "reply-parser/email_2_2.txt": ("1", ""),
    "reply-parser/email_BlackBerry.txt": ("1", ""),
    "reply-parser/email_gmail.txt": ("1", ""),
    "reply-parser/email_iPhone.txt": ("1", ""),
    "reply-parser/email_one_is_not_on.txt": ("1-3", ""),
    "reply-parser/email_sent_from_my_not_signature.txt": ("1-2", ""),
    "reply-parser/greedy_on.txt": ("1-4", ""),
    "talon/standard_replies/android.eml": ("1", ""),
    "talon/standard_replies/apple_mail.eml": ("1", ""),
    "talon/standard_replies/comcast.eml": ("1", ""),
    "talon/standard_replies/hotmail.eml": ("1", ""),
    "talon/standard_replies/iphone_reply_text": ("1", ""),
    "talon/standard_replies/sparrow.eml": ("1", ""),
    "talon/standard_replies/thunderbird.eml": ("3", ""),
    "talon/html_replies/gmail.html": ("1", "2-3"),
    "talon/html_replies/mail_ru.html": ("1", "2-3"),
    "talon/html_replies/ms_outlook_2007.html": ("1", "2-3"),
    "talon/html_replies/thunderbird.html": ("1", "2-3"),
    "talon/html_replies/yandex_ru.html": ("1", "2-3"),
    "talon/reply-separated-by-hr.html": ("1-2", "3"),
    "talon/OLK_SRC_BODY_SECTION.html": ("1", ""),
    "talon/signature/emails/P/unicode_msg": ("2-6", "1 7-8"),
}
SIGNATURES = "talon/signature/emails"


@dataclass(frozen=True)
class Case:
    """A text, and for each non-empty line whether it belongs to the message; None is not scored."""

    name: str
    text: str
    expected: tuple[bool | None, ...]


def full_lines(text: str) -> list[str]:
    return [line.strip() for line in text.replace("\r", "").split("\n") if line.strip()]


def read_text(path: Path) -> str:
    """Return the plain text of a test file, as given to both systems."""
    from brain_pipelines.readers.email.mail_html import html_to_text
    from brain_pipelines.readers.email.mail_message import parse_mail
    from brain_pipelines.readers.email.mail_parts import parts_of
    from brain_retrieval.settings import Limits

    data = path.read_bytes()
    if path.suffix == ".eml":
        texts = parts_of(parse_mail(data, Limits())).texts
        return "\n".join(html_to_text(text) if kind == "html" else text for kind, text in texts)
    text = data.decode("utf-8", "replace")
    return html_to_text(text) if path.suffix == ".html" else text


def load_cases(folder: Path) -> list[Case]:
    """Return the cases ordered by name."""
    cases = []
    for name, (kept, ignored) in EXPECTED.items():
        text = read_text(folder / name)
        keep, ignore = numbers(kept), numbers(ignored)
        count = len(full_lines(text))
        cases.append(Case(name, text, tuple(None if n in ignore else n in keep for n in range(1, count + 1))))
    for path in sorted((folder / SIGNATURES).glob("*/*_body")):
        name, text = str(path.relative_to(folder)), path.read_text("utf-8")
        signature = path.with_name(path.name.replace("_body", "_signature"))
        if "#sig#" in text:
            marks = [not line.startswith("#sig#") for line in full_lines(text)]
            cases.append(Case(name, re.sub(r"^#sig#", "", text, flags=re.M), tuple(marks)))
        elif signature.exists():
            count = len(full_lines(signature.read_text("utf-8")))
            every = len(full_lines(text))
            cases.append(Case(name, text, tuple(n < every - count for n in range(every))))
    return cases


def numbers(text: str) -> set[int]:
    """Return the set of numbers in a range list such as "1 7-9"."""
    spans = (part.partition("-") for part in text.split())
    return {n for first, _, last in spans for n in range(int(first), int(last or first) + 1)}


def kept_lines(text: str, answer: str) -> list[bool]:
    """Return for each line of `text` whether `answer` contains it; repeated lines are matched from the front."""
    left = Counter(full_lines(answer))
    kept = []
    for line in full_lines(text):
        bare = line.lstrip("> ")
        found = line if left[line] else bare
        kept.append(left[found] > 0)
        left[found] -= left[found] > 0
    return kept


def brain(text: str) -> str:
    from brain_pipelines.readers.email.mail_reply import split_reply

    split = split_reply(text)
    return "\n".join(filter(None, (split.own, split.forwarded)))


def peer(text: str) -> str:
    from mailparser_reply import EmailReplyParser
    from mailparser_reply.constants import MAIL_LANGUAGES

    replies = EmailReplyParser(languages=[name for name in MAIL_LANGUAGES if name != "david"]).read(text).replies
    return replies[0].body if replies else ""


def measure(cases: list[Case], parse: object, *, show: bool) -> dict[str, float]:
    """Return precision and recall of removed and kept lines, the share of mails entirely right, and milliseconds."""
    counts: Counter[tuple[bool, bool]] = Counter()
    whole, began = 0, time.perf_counter()
    answers = [parse(case.text) for case in cases]  # type: ignore[operator]
    seconds = time.perf_counter() - began
    for case, answer in zip(cases, answers, strict=True):
        pairs = [(e, k) for e, k in zip(case.expected, kept_lines(case.text, answer), strict=True) if e is not None]
        counts.update(pairs)
        whole += all(e == k for e, k in pairs)
        if show and any(e != k for e, k in pairs):
            print(f"  {case.name}: expected {_marks(case.expected)}, {_marks(kept_lines(case.text, answer))}")
    kept, left = counts[True, True], counts[False, False]
    return {
        "left out, precision": left / max(1, left + counts[True, False]),
        "left out, recall": left / max(1, left + counts[False, True]),
        "kept, precision": kept / max(1, kept + counts[False, True]),
        "kept, recall": kept / max(1, kept + counts[True, False]),
        "whole mails right": whole / len(cases),
        "ms a mail": 1000 * seconds / len(cases),
    }


def _marks(values: object) -> str:
    return "".join("-" if v is None else "K" if v else "." for v in values)  # type: ignore[attr-defined]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("eval_dir", type=Path)
    parser.add_argument("--show", action="store_true", help="print mails with a wrong line")
    args = parser.parse_args()
    cases = load_cases(args.eval_dir / "files" / "mail")
    brain(cases[0].text), peer(cases[0].text)  # the first mail compiles the word lists
    ours, theirs = (measure(cases, parse, show=args.show) for parse in (brain, peer))
    print(f"{len(cases)} mails, {sum(len(case.expected) for case in cases)} lines with words\n")
    print("| | Brain | mail-parser-reply |\n|---|---|---|")
    for key in ours:
        digits = 2 if key == "ms a mail" else 3
        print(f"| {key} | {ours[key]:.{digits}f} | {theirs[key]:.{digits}f} |")


if __name__ == "__main__":
    main()
