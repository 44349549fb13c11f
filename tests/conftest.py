"""Every test runs without a network and with Hugging Face caches of its own."""

import json
import os
import subprocess
import sys
import tempfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data"
REAL_MDCR = os.environ.pop("MDCR_DATA_DIR", None)

# The libraries read these when they are imported, so they are set before any test module is.
os.environ.update(
    HF_HOME=tempfile.mkdtemp(prefix="scirank-tests-"),
    HF_HUB_OFFLINE="1",
    HF_DATASETS_OFFLINE="1",
    HF_EVALUATE_OFFLINE="1",
    TOKENIZERS_PARALLELISM="false",
)
os.environ.pop("HF_DATASETS_CACHE", None)

# A slow machine is no fault of the code's.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture
def acmcr() -> Path:
    """Real papers in MDCR's format, with the numbers that upstream's script gives."""
    folder = SHARED / "acmcr"
    if not folder.is_dir():
        pytest.skip(f"needs the shared data set acmcr in {folder}")
    return folder


@pytest.fixture
def expected(acmcr) -> dict:
    return json.loads((acmcr / "expected.json").read_text())


@pytest.fixture
def real_mdcr() -> Path:
    """Upstream's real files and scores."""
    needed = ("mdcr_test.json", "scincl_scores.json")
    if REAL_MDCR is None or not all((Path(REAL_MDCR) / name).is_file() for name in needed):
        pytest.skip("needs upstream's real mdcr_test.json and scincl_scores.json in MDCR_DATA_DIR")
    return Path(REAL_MDCR)


LISTS = ("bm25", "scincl", "specter", "graph", "most_cited", "random", "true")


def pool(**lists):
    """A query's seven lists, those not named empty."""
    return {name: lists.get(name, []) for name in LISTS}


@pytest.fixture
def write_mdcr(tmp_path):
    """Write a split in upstream's format; what is bytes or str is written as it stands."""

    def write(benchmark, papers, folder="data", split="test"):
        target = tmp_path / folder
        target.mkdir(exist_ok=True)
        if not isinstance(papers, bytes):
            lines = [paper if isinstance(paper, str) else json.dumps(paper) for paper in papers]
            papers = "".join(line + "\n" for line in lines).encode()
        if not isinstance(benchmark, bytes):
            benchmark = json.dumps(benchmark).encode()
        (target / f"mdcr_{split}.json").write_bytes(benchmark)
        (target / f"mdcr_{split}_data.jsonl").write_bytes(papers)
        return target

    return write


@pytest.fixture
def python(tmp_path):
    """Run code in a fresh process, in an empty folder; give what it prints."""

    def run(code, *arguments, cwd=tmp_path, expect=0, **environment):
        done = subprocess.run(
            [sys.executable, "-c", code, *map(str, arguments)],
            cwd=cwd,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == expect, done.stdout + done.stderr
        return done

    return run


@pytest.fixture
def scirank(python):
    """Run the command line in a fresh process."""

    def run(*arguments, **options):
        return python("from scirank.cli import main; main()", *arguments, **options)

    return run


@pytest.fixture
def upstream(tmp_path, monkeypatch):
    """A web server in upstream's place; gives the folder that it serves."""
    served = tmp_path / "served"
    served.mkdir()
    handler = partial(SimpleHTTPRequestHandler, directory=str(served))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    import datasets

    import mdcr_dataset

    files = {
        split: mdcr_dataset.SplitFiles(f"{address}/mdcr_{name}.json", f"{address}/mdcr_{name}_data.jsonl")
        for split, name in mdcr_dataset.files.SPLITS.items()
    }
    monkeypatch.setattr("mdcr_dataset.files.UPSTREAM", files)
    monkeypatch.setattr("mdcr_dataset.UPSTREAM", files)
    monkeypatch.setattr("scirank.reproduce.SCORES_URL", f"{address}/scincl_scores.json")
    monkeypatch.setattr(datasets.config, "DOWNLOADED_DATASETS_PATH", str(tmp_path / "downloads"))
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(SimpleHTTPRequestHandler, "log_message", lambda *_: None)
    yield served
    server.shutdown()
    server.server_close()
