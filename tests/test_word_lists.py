"""Words of ordinary language are data in lexicon files, not code: no module holds a list of more than a dozen.

What we write ourselves, in names, comments, help and documentation, uses ordinary terms.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILES = sorted(path for package in ("brain_retrieval", "brain_pipelines") for path in (ROOT / package).rglob("*.py"))
MOST = 12
WORD = re.compile(r"[^\W\d_]{2,}(?:['’-][^\W\d_]+)*\.?")
# What stands between the words of a regular expression.
MARKS = re.compile(r"[|()\[\]?:\\.*+^$]+")

# Keywords of formats and names of columns, types and exported classes are no ordinary language.
FORMATS = {
    "brain_pipelines/connectors/http/urls.py": "parameters and suffixes of addresses",
    "brain_pipelines/landing/redaction/telephones.py": "codes of countries",
    "brain_pipelines/readers/calendar/calendar_entry.py": "fields of a calendar entry",
    "brain_pipelines/readers/confinement/seccomp.py": "names of system calls",
    "brain_pipelines/readers/document/contact_card.py": "fields of a contact card",
    "brain_pipelines/readers/document/html_fragment.py": "elements of HTML",
    "brain_pipelines/readers/document/html_in_markdown.py": "elements of HTML",
    "brain_pipelines/readers/email/mail_html.py": "elements of HTML",
    "brain_pipelines/readers/image/image_facts.py": "the colours that a picture is said to have, our own words",
    "brain_pipelines/readers/webpage/hidden_text.py": "properties of CSS",
    "brain_pipelines/readers/webpage/page_prose.py": "elements of HTML and usual names of classes",
    "brain_pipelines/stages/extraction/local/agent_operations.py": "columns",
    "brain_pipelines/stages/extraction/local/names/names.py": "labels of spaCy",
    "brain_pipelines/stages/extraction/local/relations/patterns.py": "suffixes of files",
    "brain_pipelines/stages/extraction/local/relations/triple.py": "names of rules",
    "brain_retrieval/__init__.py": "exported names",
    "brain_retrieval/models/speech/speech_openai.py": "codes of languages and Whisper's names of them",
    "brain_pipelines/knowledge/memory/stories/story_memories.py": "columns",
    "brain_pipelines/stages/prose/machine_lines.py": "keywords of programming languages",
    "brain_pipelines/stages/extractions_local.py": "columns",
    "brain_retrieval/query/packs/fence.py": "names of characters in HTML",
    "brain_retrieval/query/sql/views.py": "names of views and columns",
    "brain_retrieval/settings/__init__.py": "exported names",
    "brain_retrieval/settings/language.py": "codes of languages",
    "brain_retrieval/stores/index/lance/lance_table.py": "codes of languages and LanceDB's names of them",
}
# Words inside regular expressions that are half grammar; each is a candidate for a lexicon.
GRAMMARS = {
    "brain_pipelines/stages/extraction/local/time/time_expressions.py": "the grammar of English times",
}


def word_lists(tree: ast.AST) -> Iterator[tuple[int, list[str]]]:
    """Yield the line and the words of each literal collection, split string and regular expression."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Tuple | ast.Set | ast.List):
            yield node.lineno, _texts(node.elts)
        elif isinstance(node, ast.Dict):
            yield node.lineno, _texts([*node.keys, *node.values])
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split":
            yield node.lineno, " ".join(_texts([node.func.value])).split()
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.count("|") >= 3:
            # A table of a docstring is prose.
            yield from () if "\n|" in node.value else [(node.lineno, MARKS.split(node.value))]


def _texts(nodes: list[ast.expr] | list[ast.expr | None]) -> list[str]:
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def too_long(path: Path) -> list[tuple[int, list[str]]]:
    found = word_lists(ast.parse(path.read_text("utf-8")))
    plain = ((line, [word for word in listed if WORD.fullmatch(word)]) for line, listed in found)
    return [(line, listed) for line, listed in plain if len(listed) > MOST]


def test_no_module_holds_a_list_of_words() -> None:
    others = [path for path in FILES if path.relative_to(ROOT).as_posix() not in FORMATS | GRAMMARS]
    found = {str(path): lists for path in others if (lists := too_long(path))}
    assert not found, "move the words to lexicons/<language>/ of the package"


def test_the_exceptions_are_still_needed() -> None:
    assert [name for name in FORMATS | GRAMMARS if not too_long(ROOT / name)] == []


WORDS = "one two three four five six seven eight nine ten eleven twelve thirteen"


@pytest.mark.parametrize(
    "code",
    [
        f"X = '{WORDS}'.split()",
        f"X = frozenset({set(WORDS.split())!r})",
        f"X = re.compile('{WORDS.replace(' ', '|')}')",
        f"X = {dict.fromkeys(WORDS.split(), 1)!r}",
    ],
)
def test_a_list_in_any_form_is_found(tmp_path: Path, code: str) -> None:
    module = tmp_path / "module.py"
    module.write_text(code, "utf-8")
    assert too_long(module)
    module.write_text(code.replace("thirteen", "x9"), "utf-8")
    assert not too_long(module)


# Old-fashioned or vague words of our own prose; "the user that", "a person", "stated", "again" stand for them.
AVOIDED = re.compile(r"(?<![a-z])(?:anew|for ever|is over|nobody|somebody|told|whom)(?![a-z])", re.IGNORECASE)
QUOTED = {
    "brain_pipelines/knowledge/entities/context.py": "a reason that is stored with names",
    "brain_pipelines/knowledge/prompts/storyline.py": "part of a prompt, whose answers are kept by its text",
    "brain_pipelines/stages/extraction/local/names/evidence/type_evidence.py": "English pronouns",
}


def avoided(path: Path) -> list[str]:
    """Return the avoided words of a file."""
    return AVOIDED.findall(path.read_text("utf-8"))


def test_names_and_prose_use_ordinary_words() -> None:
    pages = [*(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "CHANGELOG.md"]
    assert len(pages) > 10
    found = {path.relative_to(ROOT).as_posix(): words for path in [*FILES, *pages] if (words := avoided(path))}
    assert found.keys() == QUOTED.keys()
