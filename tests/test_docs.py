"""The documentation: its pages are in the site, its code and commands run, and the site builds."""

import contextlib
import importlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from types import SimpleNamespace
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from conftest import ROOT, zipped_folder
from typer.main import get_command

import mdcr_dataset
import oagqa_dataset
from scirank.cli import app

PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
}
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
COMMANDS = get_command(app).commands
MODULE = re.compile(r"# (\w+\.py)\n")
CHANGED = "with the change above"
MOST_LINES = 60

NOT_RUN = {
    r"^scirank publish .*--push": "sends to the Hub; tests/test_publishing.py has a stand-in for it",
    r"^scirank push": "sends to the Hub; tests/test_push.py has a stand-in for it",
    r"^scirank reproduce": "downloads the authors' scores; tests/test_tools.py serves others in their place",
    r"^scirank convert": "needs the authors' checkpoints and the Hub; tests/test_convert.py makes such files",
    r"^scirank train (?!.*--base minilm)": "trains BERT, from the Hub, for hours; tests/test_training.py trains small",
    r"^scirank run (\S+ )?dpr ": "downloads the encoders of DPR; tests/test_architectures.py makes two",
    r"models/dpr-ft |runs/": "needs models that take hours to train",
    r"specter2:Specter2": "needs the Hub and the library adapters",
    r"--device cuda:": "needs graphics cards",
    r"--engine ray": "needs a Ray cluster; tests/test_ray.py starts one",
    r"^(torchrun|sbatch|python|pip|make) ": "other programs than scirank",
    r"^from adapters import": "needs the Hub and the library adapters",
}
"""What a command, or a block of code, has in it -> why it does not run here. Its options are checked all the same."""

STAND_INS = {
    "malteos/scincl": "BertModel",
    "allenai/specter2_base": "BertModel",
    "intfloat/e5-base-v2": "BertModel",
    "colbert-ir/colbertv2.0": "BertModel",
    "sentence-transformers/static-retrieval-mrl-en-v1": "BertModel",
    "cross-encoder/ms-marco-MiniLM-L6-v2": "BertForSequenceClassification",
    "MODEL": "BertModel",
    "MY_QUESTION_ENCODER": "BertModel",
    "MY_PAPER_ENCODER": "BertModel",
}
"""Models of the Hub, and places for models -> the kind of network, of random weights, that runs instead."""

PLACES = {
    "/shared/vectors": "shared/vectors",
    "physics,nlp": "physics",
    "optics,geometry": "optics",
    "cpu,cpu,cpu,cpu": "cpu,cpu",
    "--steps 10 ": "--steps 2 ",
    "max_seq_length = 64": "max_seq_length = 8",
    '"optics", "geometry"': '"optics"',
}
"""What else is another here: folders, what the small benchmarks do not have, numbers."""

QUICKLY = {"run minilm bm25": "run bm25", "results/all-MiniLM-L6-v2 results/bm25": "results/bm25"}
"""In the quick tests, which load no network, others of the same command run without MiniLM."""

SLOW = re.compile(
    r"minilm|all-MiniLM|mine:Letters|__scincl|results/scincl|models/dpr|--plot|SentenceTransformer"
    r"|^scirank (plot|report|train|mine|export|prepare)|^scirank run MODEL|^import (evaluate|mteb)|"
    + "|".join(re.escape(name) for name in STAND_INS if name != "MODEL"),
    re.MULTILINE,
)
"""What `make test-full` runs only: networks, figures, whole exports."""


def items(text):
    """A page's blocks of code, changes, and commands, in order."""
    for language, body in FENCE.findall(text):
        if language in ("python", "diff"):
            yield SimpleNamespace(kind=language, text=body)
        elif language in ("", "bash", "sh", "console"):
            for line in body.splitlines():
                if re.match(r"(scirank|torchrun|sbatch|python|pip|make)\s", line):
                    yield SimpleNamespace(kind="command", text=line)


def words_of(command):
    words = shlex.split(command, comments=True)
    return words[: words.index(">")] if ">" in words else words


def commands():
    return [(page, item.text) for page, text in PAGES.items() for item in items(text) if item.kind == "command"]


def scirank_words(command):
    """The words behind `scirank`, also where another command starts it."""
    words = words_of(command)
    if "--wrap" in words:
        words = words_of(words[words.index("--wrap") + 1])
    return words[words.index("scirank") + 1 :] if "scirank" in words else None


def test_every_page_is_in_the_site():
    def pages(entry):
        if isinstance(entry, str):
            return [entry]
        return [page for each in (entry.values() if isinstance(entry, dict) else entry) for page in pages(each)]

    nav = pages(yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"])
    assert len(nav) == len(set(nav))
    assert {f"docs/{page}" for page in nav} == set(PAGES) - {"README.md"}


@pytest.mark.parametrize("page", PAGES)
def test_every_command_is_one(page):
    """Each is parsed as the command line parses it: commands, options, choices, numbers, what is required."""
    for item in items(PAGES[page]):
        if item.kind == "command" and (words := scirank_words(item.text)) is not None:
            name, *arguments = words
            COMMANDS[name].make_context(name, arguments)


def test_every_extra_and_target_is_there():
    setup, makefile = ((ROOT / name).read_text("utf-8") for name in ("setup.cfg", "Makefile"))
    told = [
        (text, span)
        for page, text in PAGES.items()
        for span in (*SPAN.findall(text), *(command for there, command in commands() if there == page))
    ]
    assert told
    for _, span in told:
        if extras := re.search(r"pip install .*(?:scirank|\.)\[([\w,]+)\]", span):
            assert all(re.search(rf"^{extra} =$", setup, re.MULTILINE) for extra in extras[1].split(",")), span
        if target := re.match(r"make ([\w-]+)$", " ".join(words_of(span)) if span.startswith("make ") else ""):
            assert re.search(rf"^{target[1]}:", makefile, re.MULTILINE), span
        if script := re.match(r"python ((?:benchmarks|examples|mdcr_metric)/\S+)(.*)", span):
            source = (ROOT / script[1]).read_text("utf-8")
            assert all(f'"{option}"' in source for option in re.findall(r"(--[\w-]+)", script[2])), span


def options_of(command):
    """All options of a command and of those below it."""
    own = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    return own.union(*map(options_of, getattr(command, "commands", {}).values()))


@pytest.mark.parametrize("page", PAGES)
def test_every_command_in_the_text_is_one(page):
    for span in SPAN.findall(PAGES[page]):
        if not (match := re.match(r"scirank (\w[\w-]*)(.*)", span)) or match[1] == "COMMAND":
            continue
        assert match[1] in COMMANDS, span
        named = set(re.findall(r"(?<!\S)--[\w-]+", match[2])) - {"--help"}
        assert named <= options_of(COMMANDS[match[1]]), span


def test_each_reason_is_of_something():
    """A reason of which nothing is left is taken out."""
    shown = [item.text for text in PAGES.values() for item in items(text)]
    for pattern in NOT_RUN:
        assert any(re.search(pattern, text, re.MULTILINE) for text in shown), pattern


def test_the_examples_are_short():
    sections = re.split(r"^## ", PAGES["docs/contribute.md"], flags=re.MULTILINE)
    lengths = {
        section.splitlines()[0]: sum(body.count("\n") for _, body in FENCE.findall(section))
        for section in sections
        if section.startswith("A ")
    }
    assert set(lengths) == {"A benchmark", "A model kind", "A measure"}
    assert max(lengths.values()) < MOST_LINES, lengths


class Shown:
    """A page's code and commands, run in order in one folder, where the benchmarks are the small ones."""

    def __init__(self, page, folder, scirank, python, stand_in=None):
        self.folder, self.scirank, self.python, self.stand_in = folder, scirank, python, stand_in
        self.namespace = {"__name__": "shown"}
        self.ran = 0
        # What the reader has.
        if page == "docs/models.md":
            self.namespace |= {"model": "bm25", "scirank": importlib.import_module("scirank")}

    def run(self, item):
        text = item.text
        if why := next((why for pattern, why in NOT_RUN.items() if re.search(pattern, text, re.MULTILINE)), None):
            assert why
            return
        if self.stand_in is None and item.kind == "command":
            for whole, part in QUICKLY.items():
                text = text.replace(whole, part)
        if self.stand_in is None and SLOW.search(text):
            return
        for there, here in PLACES.items():
            text = text.replace(there, here)
        getattr(self, f"run_{item.kind}")(text)
        self.ran += 1

    def run_command(self, text):
        words = words_of(text)
        if self.stand_in is not None:
            words = [self.replaced(word) for word in words]
        self.scirank(*words[1:], MDCR_DATA_DIR=str(mdcr_dataset.MINI), OAGQA_DATA_DIR=str(oagqa_dataset.MINI))

    def replaced(self, word):
        kind, colon, names = word.rpartition(":") if word.startswith("dpr:") else ("", "", word)
        found = [str(self.stand_in(name)) if name in STAND_INS else name for name in names.split(",")]
        return kind + colon + ",".join(found)

    def run_python(self, text):
        first, _, code = text.partition("\n")
        if CHANGED in first:
            environment = {"PYTHONPATH": str(self.folder / "changed")}
            lines = self.python(code, cwd=self.folder, **environment).stdout.splitlines()
        elif module := MODULE.match(text):
            (self.folder / module[1]).write_text(text, "utf-8")
            return
        else:
            for name in STAND_INS if self.stand_in else ():
                text = text.replace(f'"{name}"', f'"{self.stand_in(name)}"') if f'"{name}"' in text else text
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(text, "shown", "exec"), self.namespace)
            lines = out.getvalue().splitlines()
        printed = iter(lines)
        for line in re.findall(r"# prints (.*)$", text, re.MULTILINE):
            assert line in printed, f"{line!r} is not printed, or not in this order: {lines}"

    def run_diff(self, text):
        """Make the change in a copy; each part of it says what stands there before."""
        changed = self.folder / "changed"
        for package in ("mdcr_metric", "scirank"):
            shutil.copytree(ROOT / package, changed / package, ignore=shutil.ignore_patterns("__pycache__"))
        path = None
        for part in re.split(r"^(?=@@|--- )", text, flags=re.MULTILINE):
            if named := re.search(r"^\+\+\+ b/(.*)$", part, re.MULTILINE):
                path = changed / named[1]
            elif part:
                lines = part.splitlines(keepends=True)[1:]
                before, after = ("".join(line[1:] for line in lines if line[0] != sign) for sign in "+-")
                content = path.read_text("utf-8")
                assert content.count(before) == 1, before
                path.write_text(content.replace(before, after), "utf-8")


@pytest.fixture
def show(tmp_path, monkeypatch, scirank, python):
    """Run a page; what readers are told to have lies in the folder."""
    shutil.copytree(mdcr_dataset.MINI, tmp_path / "data")
    for name in ("mdcr", "data/mdcr"):
        shutil.copytree(mdcr_dataset.MINI, tmp_path / name)
    shutil.copytree(oagqa_dataset.MINI, tmp_path / "oagqa")
    shutil.copy(tmp_path / "data" / "mdcr_test.json", tmp_path)
    for name in ("oagqa.zip", "oagqa-topic-v2.zip"):
        (tmp_path / name).write_bytes(zipped_folder(oagqa_dataset.MINI, "oagqa-topic-v2/"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    loaded = set(sys.modules)

    def run(page, stand_in=None):
        found = list(items(PAGES[page]))
        if page == "README.md":  # its code runs in tests/test_examples.py
            found = [item for item in found if item.kind == "command"]
        _lying_there(page)
        shown = Shown(page, tmp_path, scirank, python, stand_in)
        for item in found:
            shown.run(item)
        return shown

    yield run
    for name in set(sys.modules) - loaded:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


def _lying_there(page):
    """What commands of a page take, and other commands or the reader have made."""
    from scirank import run

    def ran(model, benchmark, data_dir, **options):
        run(model, benchmark, data_dir=data_dir, quiet=True, **options)

    if page == "README.md":
        ran("random", "mdcr", "data", name="my", out="made", save_scores=True)
        ran("random", "oagqa", "oagqa.zip", name="my", out="made-oagqa", save_run=True)
        shutil.copy("made/my/scores.json", "my_scores.json")
        shutil.copy("made-oagqa/my/run.trec", "my.run")
    if page == "docs/publishing.md":
        pytest.importorskip("huggingface_hub", minversion="1.4", reason="`.eval_results` needs huggingface_hub 1.4")
        for name in ("MODEL", "bm25"):
            ran("bm25", "mdcr", "data", name=name, out="results")


RUNNABLE = [page for page, text in PAGES.items() if any(True for _ in items(text))]


@pytest.mark.parametrize("page", RUNNABLE)
def test_what_is_quick_runs(page, show):
    show(page)


@pytest.mark.full
@pytest.mark.parametrize("page", RUNNABLE)
def test_all_runs(page, show, tiny_model, tmp_path):
    """Also what needs networks: those of the Hub have stand-ins, under the name that results of theirs have."""
    for module in ("matplotlib", *(["mteb"] if "import mteb" in PAGES[page] else [])):
        pytest.importorskip(module)

    def stand_in(name):
        folder = tmp_path / "stand-ins" / name.replace("/", "__")
        if not folder.exists():
            labels = {"num_labels": 1} if "Classification" in STAND_INS[name] else {}
            shutil.copytree(tiny_model(STAND_INS[name], **labels), folder)
        return folder

    shown = show(page, stand_in)
    assert shown.ran or all(
        any(re.search(pattern, item.text, re.MULTILINE) for pattern in NOT_RUN) for item in items(PAGES[page])
    )


@pytest.mark.full
def test_a_measure_that_is_added_is_known_everywhere(tmp_path, python):
    changed = Shown("", tmp_path, None, python)
    for item in items(PAGES["docs/contribute.md"]):
        if item.kind == "diff":
            changed.run_diff(item.text)
    arguments = ("run", "bm25", "--benchmark", "mdcr-mini", "--fields", "Art", "--measures", "capped_5")
    done = python(
        "from scirank.cli import main; main()", *arguments, PYTHONPATH=str(tmp_path / "changed"), cwd=tmp_path
    )
    assert "Cap@5" in done.stdout


class Links(HTMLParser):
    """What a page links to and loads, and the anchors that it has."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.anchors = [], [], set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors.update(found[name] for name in ("id", "name") if found.get(name))
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        elif tag in ("link", "script", "img", "iframe", "source"):
            self.loaded += [found[name] for name in ("href", "src") if found.get(name)]


@pytest.mark.full
def test_the_site_builds_strictly(tmp_path):
    """Without a warning; no link leads nowhere, and no page loads anything from elsewhere."""
    pytest.importorskip("zensical", reason="needs zensical, of the extra `docs`")
    pytest.importorskip("mkdocstrings_handlers.python", reason="needs mkdocstrings, of the extra `docs`")
    for name in ("docs", "scirank", "mdcr_dataset", "mdcr_metric", "oagqa_dataset"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict", "--clean"],
        cwd=tmp_path,
        env=os.environ | {"NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    site = tmp_path / "build" / "site"
    pages = {path.resolve(): Links(path) for path in site.rglob("*.html")}
    assert len(pages) >= len(PAGES) - 1
    lost, elsewhere = set(), set()
    for path, page in pages.items():
        elsewhere.update(address for address in page.loaded if urlsplit(address).netloc)
        for link in (*page.links, *page.loaded):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or path.name == "404.html":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            anchors = pages[target].anchors if target in pages else {unquote(parts.fragment)}
            if not target.is_file() or (parts.fragment and unquote(parts.fragment) not in anchors):
                lost.add(f"{path.relative_to(site)} links to {link}")
    assert not lost
    assert not elsewhere
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(\s*[\"']?(https?:)?//", style.read_text("utf-8")), style
    reference = (site / "reference" / "scirank.html").read_text("utf-8")
    for name in importlib.import_module("scirank").__all__:
        assert name.startswith("_") or f'id="scirank.{name}"' in reference, f"{name} is not in the reference"
