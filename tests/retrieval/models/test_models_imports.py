"""Importing the models package loads no engine, opens no file of weights and no connection."""

import subprocess
import sys

import pytest

HEAVY = "{'onnxruntime', 'openai', 'tokenizers', 'lancedb', 'spacy', 'torch', 'dagster', 'transformers'}"
MODULES = ["embedding.build", "embedding.onnx_embedder", "embedding.openai_embedder", "embedding.tokenizer"]
MODULES += ["embedding.similarity", "weights.download", "weights.manifest"]


@pytest.mark.parametrize(
    "modules", [[f"models.{name}" for name in MODULES], ["serve.models_cli"]], ids=["models", "cli"]
)
def test_import_is_light(modules: list[str]) -> None:
    imports = "; ".join(f"import brain_retrieval.{name}" for name in modules)
    code = f"{imports}; import sys; print(sorted({HEAVY} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=True)
    assert done.stdout.strip() == "[]"


def test_building_a_remote_embedder_loads_no_client() -> None:
    code = (
        "import sys; from brain_retrieval.models.embedding.build import build_embedder; "
        "from brain_retrieval.settings import EmbeddingSettings; "
        "build_embedder(EmbeddingSettings(provider='openai', model='m', dimensions=3, base_url='http://localhost')); "
        "print('openai' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=True)
    assert done.stdout.strip() == "False"
