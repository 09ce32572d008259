"""What a new format requires: a module and a registry entry. The test adds one to a copy of the packages."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from brain_pipelines.readers.registry import FORMATS
from tests.paths import ROOT

FILE = "brain_pipelines/readers/document/toml_text.py"
REGISTRY = "brain_pipelines/readers/registry.py"
MODULE = '''
"""TOML as readable lines, `path: value` each. Comments are left out."""

import tomllib
from datetime import date, datetime, tzinfo
from pathlib import Path

from brain_pipelines.readers.document.json_text import read_json
from brain_pipelines.readers.encoding import read_decoded
from brain_pipelines.readers.event_time import parse_time
from brain_pipelines.readers.extracted import AS_DETECTED, Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.sandbox import Isolated
from brain_retrieval.errors import BadInputError


def read_file(path: Path, limits, _scratch) -> Extracted:
    import json
    from dataclasses import replace

    try:
        value = tomllib.loads(read_decoded(path, limits).text)
    except tomllib.TOMLDecodeError as error:
        raise BadInputError(f"not valid TOML: {error}") from None
    return replace(read_json(json.dumps(value, default=str)), format=AS_DETECTED)


def is_toml(start: bytes, complete: bool) -> bool:
    try:
        return complete and bool(tomllib.loads(start.decode()))
    except ValueError:
        return False


def date_of(path: Path, zone: tzinfo) -> datetime | None:
    return parse_time(tomllib.loads(path.read_text()).get("date"), zone)


FORMAT = Format(
    "toml", "application/toml", "a TOML file", family="data", suffixes=(".toml",), promised=True, as_text=True,
    shape=is_toml, read=Isolated(read_file, ("tomllib", "charset_normalizer")), date_of=date_of, date_from="content",
)
'''
USE = """
import json, sys
from pathlib import Path

import psutil

from brain_pipelines.readers.detect import detect_format
from brain_pipelines.sources.choice import choose_source
from brain_pipelines.sources.registry import SOURCES
from tests.samples.taking import take_one

settings, broken, pdf = map(Path, sys.argv[1:])
taken = take_one("document", settings)
print(json.dumps({
    "detected": [detect_format(settings).name, detect_format(broken).name],
    "chosen": choose_source(settings),
    "accepted by": [source.name for source in SOURCES if "toml" in source.formats],
    "dated": [taken.item.event_at.date().isoformat(), taken.item.event_from],
    "read": taken.document and [taken.document["format"], taken.document["text"]],
    "in the sandbox": len(psutil.Process().children()),
    "as a note": take_one("note", settings).text,
    "promised": take_one("document", pdf).reasons,
}))
"""


def test_new_format_needs_a_module_and_a_registry_entry(tmp_path: Path) -> None:
    for package in ("brain_pipelines", "brain_retrieval", "tests"):
        # With the bytecode: compiling all modules again takes longer than the test.
        shutil.copytree(ROOT / package, tmp_path / package)
    (tmp_path / FILE).write_text(MODULE.lstrip())
    registry = (tmp_path / REGISTRY).read_text()
    registry = registry.replace("    xml_text,\n", "    toml_text,\n    xml_text,\n", 1)
    (tmp_path / REGISTRY).write_text(
        registry.replace("    markdown.FORMAT,\n", "    toml_text.FORMAT,\n    markdown.FORMAT,\n")
    )
    text = '# of the house\ndate = 2026-01-05\n\n[heating]\nlimit = 21\nroom = "kitchen"\n'
    files = {
        "house.toml": text.encode(),
        "prose.txt": b"Words = words = words.\n",
        "plan.toml": b"name,a,b\nx,1,2\ny,3,4\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-c", USE, *(str(tmp_path / name) for name in files)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {
        "detected": ["toml", "text"],
        "chosen": "document",
        "accepted by": ["note", "document", "message", "web-page", "web-crawl"],
        "dated": ["2026-01-05", "content"],
        "read": ["toml", "date: 2026-01-05\n\nheating.limit: 21\nheating.room: kitchen"],
        "in the sandbox": 1,
        "as a note": text.strip(),
        "promised": ["named .toml, but it is a table of comma-separated values; read as that"],
    }


ELSEWHERE = sorted(
    path
    for package in ("brain_pipelines", "brain_retrieval")
    for path in (ROOT / package).rglob("*.py")
    if not path.is_relative_to(ROOT / "brain_pipelines/readers")
    and not path.is_relative_to(ROOT / "brain_pipelines/sources")
)


def special_cases(tree: ast.AST) -> list[str]:
    """Return comparisons of a format with format names, and lists of several such names."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            names = {one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and one.value in FORMATS}
            if names and "format" in ast.unparse(node):
                found.append(ast.unparse(node))
        parts = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
        listed = {one.value for one in parts if isinstance(one, ast.Constant)} & set(FORMATS)
        if len(listed) > 1:
            found.append(ast.unparse(node))
    return found


# "docx" and "pptx" are also names of libraries.
LIBRARIES = "brain_retrieval/extras.py"


def test_no_special_cases_by_format_name_elsewhere() -> None:
    paths = [path for path in ELSEWHERE if path != ROOT / LIBRARIES]
    texts = {path: path.read_text("utf-8") for path in paths}
    naming = re.compile(f"""["'](?:{"|".join(map(re.escape, sorted(FORMATS)))})["']""")
    found = {str(path): special_cases(ast.parse(text)) for path, text in texts.items() if naming.search(text)}
    assert found and {path: cases for path, cases in found.items() if cases} == {}


@pytest.mark.parametrize(
    "code", ['row["format"] == "pdf"', 'one.format in ("html",)', 'X = ("docx", "pdf")', '{"png": 1, "gif": 2}']
)
def test_special_cases_are_detected(code: str) -> None:
    assert special_cases(ast.parse(code))


def test_importing_the_registry_loads_no_parsing_library() -> None:
    """Detection runs at every landing and needs all formats, but none of the parsing libraries."""
    libraries = {name.split(".")[0] for one in FORMATS.values() for name in getattr(one.read, "libraries", ())}
    assert "pypdfium2" in libraries
    code = f"import sys, brain_pipelines.readers.detect; print(sorted({libraries!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"
