"""The built wheel, installed into an environment of its own and used far from the checkout."""

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from brain_retrieval import __version__
from tests.paths import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of an environment with the wheel; its dependencies are those of the tests, the checkout is not."""
    root = tmp_path_factory.mktemp("installed")
    uv = [sys.executable, "-m", "uv"]
    subprocess.run([*uv, "venv", "--quiet", "--python", sys.executable, str(root / "env")], check=True)
    python = root / "env" / "bin" / "python"
    options = ["--quiet", "--offline", "--no-deps", "--python", str(python)]
    subprocess.run([*uv, "pip", "install", *options, str(wheel)], check=True)
    paths = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    own = Path(subprocess.run(paths, capture_output=True, text=True, check=True).stdout.strip())
    # A path file is read after the environment's own packages, and path files of that folder are not followed:
    # an editable install of the checkout is out of sight.
    (own / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return python.parent


def run(command: list[str | Path], cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("BRAIN_", "DAGSTER_"))}
    environment.pop("PYTHONPATH", None)
    environment |= {"BRAIN_OFFLINE": "1", "HOME": str(cwd)}
    if models := os.environ.get("BRAIN_MODELS_DIR"):
        environment["BRAIN_MODELS_DIR"] = models
    else:
        environment["BRAIN_MODELS_DIR"] = str(ROOT / "data" / "models")
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, cwd=cwd, env=environment
    )


def test_a_wheel_holds_its_data(wheel: Path) -> None:
    assert wheel.name == f"brain-{__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {"brain_retrieval/py.typed", "brain_pipelines/py.typed"} <= names
    assert "brain_pipelines/ingest/templates/dagster.yaml" in names
    assert "brain_retrieval/models/weights/manifest.toml" in names
    page = "brain_pipelines/server/page"
    assert {f"{page}/templates/base.html", f"{page}/assets/page.css", f"{page}/labels.toml"} <= names
    assert {name.split("/")[0] for name in names} == {
        "brain_retrieval",
        "brain_pipelines",
        f"brain-{__version__}.dist-info",
    }
    checked_in = subprocess.run(
        ["git", "ls-files", "brain_retrieval", "brain_pipelines"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert set(checked_in.stdout.split()) <= names


def test_init_ingest_and_search_with_the_installed_wheel(installed: Path, tmp_path: Path, models_dir: Path) -> None:
    code = "import brain_retrieval, brain_pipelines as p; print(brain_retrieval.__file__, p.__file__)"
    where = run([installed / "python", "-c", code], tmp_path)
    assert where.stdout.count(str(installed.parent)) == 2, where.stdout + where.stderr
    home = tmp_path / "home"
    assert run([installed / "brain", "init", home], tmp_path).returncode == 0
    (tmp_path / "note.md").write_text("Project Phoenix is led by Nina. The launch is planned for April.")
    ingested = run([installed / "brain", "ingest", "note.md", "--user", "alice", "--home", home, "--json"], tmp_path)
    assert ingested.returncode == 0, ingested.stdout + ingested.stderr
    assert (home / "dagster_home" / "history").exists() and not (home / "dagster").exists()
    found = run([installed / "brain", "search", "who leads Phoenix", "-u", "alice", "--home", home, "--json"], tmp_path)
    assert found.returncode == 0, found.stderr
    assert "Nina" in json.dumps(json.loads(found.stdout))
    assert not list(tmp_path.glob("data*"))  # nothing is taken for a checkout
