"""The expressions of versions: with dots behind the name of a product, or whole behind a verb of use."""

import re

from brain_retrieval.language.lexicon import Lexicon
from brain_retrieval.language.plain import word_expression

RELEASE = r"(?:-?[a-z]{1,8}[.-]?\d{1,3})?"  # behind a version: "-rc1", "b2"
_DOTTED = rf"\d{{1,4}}(?:\.\d{{1,6}}){{1,3}}{RELEASE}"


def versions_of_products(own: Lexicon, unit: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns for a version with dots behind a name, and for a whole number behind one and a verb of use."""
    behind = rf"(?![\w%€$£¥°]|[.,:]\d|\s?(?:[€$£¥°%]|(?:million|{unit})(?!\w)))"
    name, verb = r"(?P<name>[^\W\d_][\w+#-]{1,30})", word_expression(own.listed("running"))
    product = re.compile(rf"(?<![\w.,'-]){name}\s(?P<release>{_DOTTED}){behind}")
    between = r"(?:[^\s.,;:]{1,20}\s){0,5}?"
    return product, re.compile(rf"(?<!\w)(?:{verb})\s{between}{name}\s(?P<release>\d{{1,3}}){behind}")
