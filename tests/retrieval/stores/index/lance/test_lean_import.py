"""LanceDB is imported without the client of remote catalogues, and works; the client is there for who asks for it."""

import subprocess
import sys
from pathlib import Path

from tests.paths import ROOT

CODE = """
import sys
from importlib import import_module
from importlib.util import find_spec
from brain_retrieval.stores.index.lance.lean_import import import_lancedb
compared = []
if find_spec("overrides") is not None:
    checks = import_module("overrides.overrides")
    compare = checks._validate_method
    checks._validate_method = lambda method, *_: compared.append(method)
lancedb = import_lancedb()
print(compared)
if find_spec("overrides") is not None:  # whoever uses it later has its checks
    checks._validate_method = compare
    assert checks._overrides.__name__ == "_overrides"
assert lancedb is import_lancedb()
client = "lance_namespace_urllib3_client"
print([name for name in sys.modules if name.startswith(client + ".api.")])
print(len([name for name in sys.modules if name.startswith(client + ".models.")]) < 100)
table = lancedb.connect(sys.argv[1]).create_table("words", [{"id": 1, "word": "one"}, {"id": 2, "word": "two"}])
table.create_index("word", config=lancedb.index.FTS())
found = table.search("two", query_type="fts").to_arrow()["id"].to_pylist()
print(found, lancedb.connect(sys.argv[1]).list_tables().tables)
from lance_namespace_urllib3_client import TableApi
from lance_namespace_urllib3_client.models import ListTablesResponse
from lance_namespace import CreateTableRequest, ListTablesResponse as Listed
made = Listed(tables=["a"])
assert isinstance(made, Listed) and type(made) is ListTablesResponse and issubclass(ListTablesResponse, Listed)
assert Listed.from_dict({"tables": ["b"]}).tables == ["b"] and not isinstance(made, CreateTableRequest)
print(TableApi.__name__, ListTablesResponse(tables=[]).tables, sys.modules[client].__version__ > "")
"""


def test_the_client_of_remote_catalogues_is_loaded_when_it_is_used(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", CODE, str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(ROOT))
    assert result.stdout.splitlines() == ["[]", "[]", "True", "[2] ['words']", "TableApi [] True"]
