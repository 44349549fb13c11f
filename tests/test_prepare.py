"""`scirank prepare`: names that load without an import of ours."""

import importlib
import json
import os
import shutil
import subprocess
import sys
import venv
from glob import glob
from pathlib import Path
from types import SimpleNamespace

import datasets
import pytest
from conftest import ROOT, WITH_TRANSFORMERS, WITHOUT_TRANSFORMERS, pool

import mdcr_dataset
import oagqa_dataset
import scirank as package
from mdcr_dataset import MdcrDataError
from scirank.errors import ScirankError
from scirank.hub.prepare import status

MINI = {"mdcr": mdcr_dataset.MINI, "oagqa": oagqa_dataset.MINI}
BENCHMARK = {"Art": {"1": pool(bm25=["2"], true=["3"])}, "Heraldry": {"2": pool(true=["1"])}}
PAPERS = [{"paper_id": str(n), "title": f"title {n}", "abstract": "text"} for n in range(1, 5)]

# What a user does who has the libraries only. Prints what is found, as JSON.
USE = """
import json, datasets
import evaluate
found = {}
for name, config, split, column in json.loads(sys.argv[1]):
    found[f"{name} {config}"] = datasets.load_dataset(name, config, split=split)[column]
    streamed = datasets.load_dataset(name, config, split=split, streaming=True)
    assert [row[column] for row in streamed] == list(found[f"{name} {config}"])
found = {key: list(values) for key, values in found.items()}
found["splits"] = {name: list(datasets.load_dataset(name)) for name in ("mdcr", "oagqa")}
found["metric"] = evaluate.load("mdcr_metric").compute(predictions=[[0.9, 0.2]], references=[[0, 1]])["ndcg"]
hits = evaluate.load("mdcr_metric", "oagqa").compute(predictions=[["A Title"]], references=[["a title"]])
found["hits"] = hits["exact_hit_1"]
print(json.dumps(found))
"""
OURS = ("scirank", "mdcr_dataset", "oagqa_dataset", "mdcr_metric")
ASKED = [
    ("mdcr", "Biology", "test", "query_id"),
    ("mdcr", "Computer Science", "validation", "title"),
    ("mdcr", "corpus", "test", "paper_id"),
    ("mdcr", None, "test", "query_id"),
    ("oagqa", "optics", "test", "question_id"),
    ("oagqa", "optics-corpus", "test", "paper_id"),
    ("oagqa", None, "train", "question"),
]


def expected() -> dict:
    found = {
        f"{name} {config}": list(datasets.load_dataset(name, config, split=split, data_dir=MINI[name])[column])
        for name, config, split, column in ASKED
    }
    return found | {
        "splits": {"mdcr": ["validation", "test"], "oagqa": ["test", "train"]},
        "metric": 63.0930,
        "hits": 100.0,
    }


def use_caches(monkeypatch, folder):
    """Hugging Face caches in a folder, for this process; gives the environment of another."""
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", folder / "datasets")
    monkeypatch.setattr(datasets.config, "HF_MODULES_CACHE", str(folder / "modules"))
    return {"HF_DATASETS_CACHE": str(folder / "datasets"), "HF_MODULES_CACHE": str(folder / "modules")}


def light_evaluate():
    """Import `evaluate` as WITHOUT_TRANSFORMERS does, unless that has been done."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(sys.modules, "transformers", None)
        importlib.import_module("evaluate")


def shelves(cache) -> list[Path]:
    """All that the library would find."""
    return sorted(map(Path, glob(str(cache / "*" / "*" / "*" / "*"))))


@pytest.fixture(scope="module")
def minis(tmp_path_factory):
    """Both mini benchmarks, prepared."""
    folder = tmp_path_factory.mktemp("prepared")
    with pytest.MonkeyPatch.context() as patched:
        environment = use_caches(patched, folder)
        prepared = {name: package.prepare(name, data_dir)[0] for name, data_dir in MINI.items()}
        light_evaluate()
        package.prepare("metric")
    return SimpleNamespace(environment=environment, cache=folder / "datasets", prepared=prepared)


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """An empty cache, in which `load_dataset` would find what is prepared."""
    use_caches(monkeypatch, tmp_path / "hf")
    return tmp_path / "hf" / "datasets"


@pytest.fixture
def files(write_mdcr):
    return write_mdcr(BENCHMARK, PAPERS)


def test_all_names_load_where_nothing_of_ours_can_be_imported(minis, python):
    # Something else has been kept in a folder since, as `map` does.
    (biology,) = (minis.cache / "mdcr" / "Biology").glob("*/*")
    (biology / "cache-1.arrow").touch()
    blocked = f"sys.modules.update(dict.fromkeys({OURS}))\n"
    code = f"{WITHOUT_TRANSFORMERS}import evaluate{WITH_TRANSFORMERS}{blocked}{USE}"
    printed = json.loads(python(code, json.dumps(ASKED), USE_TORCH="0", **minis.environment).stdout)
    assert printed == expected()


@pytest.mark.parametrize(("name", "group", "corpus"), [("mdcr", "Art", "corpus"), ("oagqa", "optics", "optics-corpus")])
def test_what_is_prepared_is_what_the_builder_gives(minis, name, group, corpus):
    record = minis.prepared[name].record
    groups = [config for config in record.configs if config != "all" and "corpus" not in config]
    for split, rows in record.configs["all"].items():
        assert sum(record.configs[config].get(split, 0) for config in groups) == rows
    for config in ("all", group, corpus):
        (folder,) = (minis.cache / name / config).glob("*/*")
        built = datasets.load_dataset(name, config, data_dir=MINI[name])
        assert record.configs[config] == {split: len(rows) for split, rows in built.items()}
        about = datasets.DatasetInfo.from_directory(str(folder))
        assert (about.config_name, about.citation) == (config, built["test"].info.citation)
        for split, rows in built.items():
            prepared = datasets.Dataset.from_file(str(folder / f"{name}-{split}.arrow"))
            assert prepared[:] == rows[:]
            assert prepared.features == rows.features


def test_beside_what_is_prepared_an_import_reads_the_files_that_are_asked_for(cache, files, write_mdcr):
    package.prepare("mdcr", files)
    other = write_mdcr({"Art": {"4": pool(true=["1"])}}, PAPERS, "other")
    assert datasets.load_dataset("mdcr", "Art", split="test", data_dir=other)["query_id"][:] == ["4"]
    assert datasets.load_dataset("mdcr", "Art", split="test", data_dir=files)["query_id"][:] == ["1"]
    with pytest.raises(MdcrDataError, match="could not be downloaded"):
        datasets.load_dataset("mdcr", "Art")


def test_what_is_up_to_date_stays_and_what_is_not_is_replaced_whole(cache, files):
    first = package.prepare("mdcr", files)[0]
    before = shelves(cache)
    assert {path.parent.parent.name for path in before} == {"all", "Art", "Heraldry", "corpus"}
    for left in (cache / "mdcr" / ".prepare" / "mdcr", before[0].with_name(".scirank-of-one-that-was-killed.tmp")):
        left.mkdir(parents=True)
    inodes = [path.stat().st_ino for path in before]
    assert package.prepare("mdcr", files) == [first]
    assert [path.stat().st_ino for path in shelves(cache)] == inodes
    assert not [path for path in cache.rglob(".*") if path.is_dir()]

    again = package.prepare("mdcr", files, force=True)[0]
    assert shelves(cache) == before
    assert [path.stat().st_ino for path in before] != inodes
    assert again.record.key == first.record.key

    (files / "mdcr_test.json").write_text(json.dumps({"Music": BENCHMARK["Art"]}))
    assert package.prepare("mdcr", files)[0].record.configs["Music"] == {"test": 1}
    after = shelves(cache)
    assert {path.parent.parent.name for path in after} == {"all", "Music", "corpus"}
    assert not set(before) & set(after)
    assert not list(cache.glob("mdcr/Art"))


def test_all_stays_the_newest(cache, files):
    package.prepare("mdcr", files)
    for path in shelves(cache):
        if "all" not in path.parts:
            (path / "cache-1.arrow").touch()
    assert "all" in max(shelves(cache), key=os.path.getmtime).parts
    for path in shelves(cache):
        os.utime(path)
    package.prepare("mdcr", files)
    assert "all" in max(shelves(cache), key=os.path.getmtime).parts


def test_files_that_cannot_be_read_change_nothing(cache, files):
    package.prepare("mdcr", files)
    before = shelves(cache)
    (files / "mdcr_test_data.jsonl").write_text('{"paper_id": "1"\n')
    with pytest.raises(MdcrDataError, match=r"mdcr_test_data\.jsonl"):
        package.prepare("mdcr", files)
    assert shelves(cache) == before
    assert not (cache / "mdcr" / ".prepare").exists()
    assert status("mdcr")[0].state == "stale"


def test_one_that_is_stopped_while_it_puts_things_in_place_is_not_ready(cache, files, monkeypatch):
    placed = []

    def stopped(source, target):
        placed.append(target)
        if len(placed) > 3:
            raise KeyboardInterrupt
        os.rename(source, target)

    with monkeypatch.context() as patched:
        patched.setattr("scirank.hub.prepare_dataset.os.replace", stopped)
        with pytest.raises(KeyboardInterrupt):
            package.prepare("mdcr", files)
    there = shelves(cache)
    assert there
    assert all((path / "dataset_info.json").is_file() and list(path.glob("*.arrow")) for path in there)
    assert status("mdcr")[0].state == "absent"
    assert package.prepare("mdcr", files) == status("mdcr")


def newer_files(files, cache, monkeypatch):
    os.utime(files / "mdcr_test.json", (1, 1))
    return f"the files in {files} have changed since"


def folder_removed(files, cache, monkeypatch):
    shutil.rmtree(cache / "mdcr" / "Art")
    return "no longer there: Art"


def other_library(files, cache, monkeypatch):
    rewrite(cache, packages={"scirank": "0.1.0", "datasets": "2.0.0"})
    return f"made with datasets 2.0.0, this is {datasets.__version__}"


def other_code(files, cache, monkeypatch):
    rewrite(cache, code="0" * 64)
    return "made by other code than this"


def files_gone(files, cache, monkeypatch):
    shutil.rmtree(files)
    return ""


def rewrite(cache, **changed):
    (path,) = cache.glob("mdcr/all/*/*/scirank.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | changed))


@pytest.mark.parametrize("change", [newer_files, folder_removed, other_library, other_code, files_gone])
def test_the_status_tells_what_is_stale_and_why(cache, files, monkeypatch, change):
    package.prepare("mdcr", files)
    why = change(files, cache, monkeypatch)
    (found,) = status("mdcr")
    assert (found.state, found.why) == ("stale" if why else "ready", why)


def test_the_command_line(cache, files, scirank):
    absent = scirank("prepare", "--status").stdout
    assert [line.split() for line in absent.splitlines()[1:]] == [
        ["mdcr", "absent"],
        ["oagqa", "absent"],
        ["mdcr_metric", "absent"],
    ]
    done = scirank("prepare", "mdcr", "--data-dir", files)
    assert f"mdcr: reading {files}\n" in done.stderr
    assert "mdcr: configs: 3 of 3" in done.stderr
    for part in ("ready", "test 2", f"datasets {datasets.__version__}", str(files), str(cache)):
        assert part in done.stdout
    assert scirank("prepare", "mdcr", "--status").stdout == done.stdout
    assert scirank("prepare", "mdcr", "--data-dir", files).stderr == "mdcr: up to date\n"
    newer_files(files, cache, None)
    told = scirank("prepare", "mdcr", "--status").stderr
    assert told == (
        f"mdcr is stale: the files in {files} have changed since; run scirank prepare mdcr --data-dir {files}\n"
    )
    quiet = scirank("prepare", "mdcr", "--quiet", "--force", MDCR_DATA_DIR=str(files))
    assert (quiet.stdout, quiet.stderr) == ("", "")
    assert "missing what to prepare: mdcr, oagqa, metric, all" in scirank("prepare", expect=2).stderr
    assert "--status prepares nothing" in scirank("prepare", "--status", "--force", expect=2).stderr


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda files: package.prepare("trec"), "unknown part 'trec'; valid are mdcr, oagqa, metric, all"),
        (lambda files: package.prepare("mdcr", files, quotes="literal"), "quotes are for oagqa"),
        (lambda files: package.prepare("metric", files), "data_dir is for mdcr and oagqa"),
        (lambda files: package.prepare("all", files), "for 'all', data_dir has to hold the files of both"),
    ],
)
def test_what_cannot_be_prepared(cache, files, call, message):
    with pytest.raises(ScirankError, match=message):
        call(files)
    assert not cache.exists()


def test_quotes_are_part_of_what_is_prepared(cache, write_oagqa):
    papers = [["1", "text", "Light"], ["2", "text", "Waves"]]
    stray = b'0\t"a stray quote\tA\n1\ttext\tB\n2\tmore "text"\tC\n'
    folder = write_oagqa(stray, [["What?", ["A"]]])
    write_oagqa(papers, [["What is light?", ["Light"]]], topic="photon")
    with pytest.raises(ValueError, match="quotes='literal'"):
        package.prepare("oagqa", folder)
    (found,) = package.prepare("oagqa", folder, quotes="literal")
    assert found.record.configs["optics-corpus"] == {"test": 3}
    assert status("oagqa") == [found]


def test_the_metric_becomes_stale_with_its_code(cache):
    light_evaluate()
    (found,) = package.prepare("metric")
    assert (found.state, status("metric")) == ("ready", [found])
    folder = found.folder / found.record.key
    script = (folder / "mdcr_metric.py").stat()
    assert package.prepare("metric") == [found]
    assert (folder / "mdcr_metric.py").stat().st_ino == script.st_ino

    older = shutil.copytree(folder, folder.with_name("0" * 64))
    (folder / "titles.py").write_text("")
    assert (status("metric")[0].state, status("metric")[0].why) == ("stale", "made by other code than this")
    (again,) = package.prepare("metric")
    assert again.state == "ready"
    assert not older.exists()
    assert sorted(path.name for path in found.folder.iterdir() if path.is_dir()) == [found.record.key]


@pytest.mark.full
def test_a_new_environment_with_the_libraries_only(tmp_path, scirank_process):
    home = {"HF_HOME": str(tmp_path / "hf")}
    for name, data_dir in MINI.items():
        scirank_process("prepare", name, "--data-dir", data_dir, **home)
    scirank_process("prepare", "metric", **home)
    venv.create(tmp_path / "venv", with_pip=True)
    other = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    # The same versions as here: a cache is of one major version of `datasets`.
    names = ("datasets", "evaluate", "pytrec_eval-terrier")
    constraints = ROOT / "constraints.txt"
    installed = subprocess.run(
        [other, "-m", "pip", "install", "--quiet", "--constraint", constraints, *names], capture_output=True, text=True
    )
    if installed.returncode and any(part in installed.stderr for part in ("No matching distribution", "connection")):
        pytest.skip(f"needs a package index: {installed.stderr.strip().splitlines()[-1]}")
    assert installed.returncode == 0, installed.stderr
    code = f"import importlib.util, sys\nassert not any(map(importlib.util.find_spec, {OURS}))\n{USE}"
    empty = tmp_path / "empty"
    empty.mkdir()
    done = subprocess.run(
        [other, "-I", "-c", code, json.dumps(ASKED)], cwd=empty, env=os.environ | home, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == expected()
