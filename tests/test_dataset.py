"""`load_dataset("mdcr", ...)` with all that users do to it."""

import json
import os

import datasets
import pytest
from conftest import LISTS, pool
from datasets import get_dataset_config_names, get_dataset_split_names, load_dataset, load_dataset_builder

import mdcr_dataset
from mdcr_dataset import FIELDS, MINI, MdcrDataError

PAPERS = [
    {"paper_id": "1", "title": "one", "abstract": "first"},
    {"paper_id": "2", "title": "two", "abstract": None},
    {"paper_id": 3, "title": "three", "abstract": "third", "year": 1999},
    {"paper_id": "1", "title": "again", "abstract": "dropped"},
]
BENCHMARK = {
    "Art": {"1": pool(bm25=[2], true=["3"])},
    "Heraldry": {"2": pool(random=["1"], true=["3", "404"]), "405": pool(true=["1"])},
}


@pytest.fixture
def small(write_mdcr):
    return write_mdcr(BENCHMARK, PAPERS)


def test_a_field_of_mini():
    biology = load_dataset("mdcr", "Biology", split="test", data_dir=MINI)
    assert biology.column_names == ["query_id", "field", "title", "abstract", *LISTS]
    assert set(biology["field"]) == {"Biology"}
    raw = json.loads((MINI / "mdcr_test.json").read_text())["Biology"]
    assert list(biology["query_id"]) == list(raw)
    assert list(biology["true"]) == [lists["true"] for lists in raw.values()]
    assert all(biology["abstract"])


def test_all_is_the_default_and_has_both_splits():
    mdcr = load_dataset("mdcr", data_dir=str(MINI))
    assert list(mdcr) == ["validation", "test"]
    assert list(dict.fromkeys(mdcr["test"]["field"])) == list(FIELDS)


def test_real_papers(acmcr):
    assert len(load_dataset("mdcr", split="test", data_dir=acmcr)) == 47
    assert len(load_dataset("mdcr", "SIGIR", split="test", data_dir=acmcr)) == 19
    corpus = load_dataset("mdcr", "corpus", split="test", data_dir=acmcr)
    assert len(corpus) == 2028
    assert sum(not abstract for abstract in corpus["abstract"]) == 60


def test_liberal_reading_and_what_it_tells(small, caplog):
    corpus = load_dataset("mdcr", "corpus", split="test", data_dir=small)
    assert corpus[:] == {
        "paper_id": ["1", "2", "3"],
        "title": ["one", "two", "three"],
        "abstract": ["first", "", "third"],
    }
    queries = load_dataset("mdcr", "all", split="test", data_dir=small)
    assert [list(queries[name]) for name in ("query_id", "field", "title")] == [
        ["1", "2", "405"],
        ["Art", "Heraldry", "Heraldry"],
        ["one", "two", ""],
    ]
    assert queries[1]["true"] == ["3", "404"]
    assert "2 listed papers have no record: 404, 405" in caplog.text
    assert "1 lines repeat an earlier id" in caplog.text


def test_groups_of_a_folder_become_configs(small, monkeypatch):
    assert get_dataset_config_names("mdcr") == ["all", *FIELDS, "corpus"]
    assert get_dataset_config_names("mdcr", data_dir=small) == ["all", *FIELDS, "Heraldry", "corpus"]
    assert len(load_dataset("mdcr", "Heraldry", split="test", data_dir=small)) == 2
    monkeypatch.setenv("MDCR_DATA_DIR", str(small))
    assert "Heraldry" in get_dataset_config_names("mdcr")
    assert list(load_dataset("mdcr", "Heraldry", split="test")["query_id"]) == ["2", "405"]
    assert get_dataset_split_names("mdcr", "Heraldry") == ["test"]


def test_a_group_whose_name_cannot_be_a_folder_is_part_of_all(write_mdcr):
    folder = write_mdcr({"Art/Music?": {"1": pool(true=["2"])}, "corpus": {"2": pool(true=["1"])}}, PAPERS)
    assert list(load_dataset("mdcr", split="test", data_dir=folder)["field"]) == ["Art/Music?", "corpus"]


@pytest.mark.parametrize("streaming", [False, True])
def test_what_load_dataset_offers(small, streaming, tmp_path):
    options = {"data_dir": small, "cache_dir": tmp_path / "cache"}
    rows = load_dataset("mdcr", "all", split="test", streaming=streaming, **options)
    plain = load_dataset("mdcr", split="test", data_dir=small, cache_dir=tmp_path / "plain")
    assert list(rows) == list(plain)
    builder = load_dataset_builder("mdcr", "corpus", **options)
    assert list(builder.info.features) == ["paper_id", "title", "abstract"]
    if not streaming:
        assert load_dataset("mdcr", split="test[:2]", num_proc=2, **options)[:] == rows[:2]
        again = load_dataset("mdcr", split="test", download_mode="force_redownload", **options)
        assert again[:] == load_dataset("mdcr", split="test", keep_in_memory=True, **options)[:]


def test_several_processes_give_the_same_rows(small, tmp_path):
    alone = load_dataset("mdcr", split="test", data_dir=small, cache_dir=tmp_path / "a")
    shared = load_dataset("mdcr", split="test", data_dir=small, cache_dir=tmp_path / "b", num_proc=2)
    assert alone[:] == shared[:]
    assert len(load_dataset("mdcr", "corpus", split="test", data_dir=small, cache_dir=tmp_path / "c", num_proc=2)) == 3


def test_changed_files_are_read_anew(write_mdcr):
    folder = write_mdcr({"Art": {"1": pool(true=["2"])}}, PAPERS)
    assert list(load_dataset("mdcr", split="test", data_dir=folder)["query_id"]) == ["1"]
    write_mdcr({"Art": {"2": pool(true=["3"]), "3": pool(true=["1"])}}, PAPERS)
    assert list(load_dataset("mdcr", split="test", data_dir=folder)["query_id"]) == ["2", "3"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("Music",), "'Music' not found. Available: .*'Art'.*'Heraldry'"),
        (("Biology",), "field 'Biology' is in none of the files: test has Art, Heraldry"),
    ],
)
def test_a_field_that_is_not_there(small, arguments, message):
    with pytest.raises(ValueError, match=message):
        load_dataset("mdcr", *arguments, split="test", data_dir=small)


def test_a_split_that_is_not_there(small):
    with pytest.raises(ValueError, match=r'Unknown split "validation". Should be one of \[.test.\]'):
        load_dataset("mdcr", "Art", split="validation", data_dir=small)


def test_data_files_are_refused(small):
    with pytest.raises(MdcrDataError, match="takes no data_files; pass the folder of upstream's files"):
        load_dataset("mdcr", data_files=str(small / "mdcr_test.json"))


def test_a_folder_without_the_data(tmp_path):
    with pytest.raises(MdcrDataError, match="expected a folder with MDCR's files, found nothing"):
        load_dataset("mdcr", data_dir=tmp_path / "nowhere")
    (tmp_path / "mdcr_test.json").write_text("{}")
    with pytest.raises(MdcrDataError, match=r"expected mdcr_val.json and .* found mdcr_test.json"):
        load_dataset("mdcr", data_dir=tmp_path)


def test_a_bad_file_is_one_clear_error_and_leaves_no_cache(write_mdcr, tmp_path):
    folder = write_mdcr(BENCHMARK, [PAPERS[0], '{"paper_id": "2", "title": "cut'])
    for _ in range(2):
        with pytest.raises(MdcrDataError, match=r"mdcr_test_data.jsonl, line 2: not valid JSON"):
            load_dataset("mdcr", split="test", data_dir=folder, cache_dir=tmp_path / "cache")
    write_mdcr(BENCHMARK, PAPERS)
    assert len(load_dataset("mdcr", split="test", data_dir=folder, cache_dir=tmp_path / "cache")) == 3


@pytest.mark.parametrize("broken", ["dead link", "proxy page", "truncated", "empty"])
def test_downloading(upstream, broken, tmp_path):
    name = "mdcr_test_data.jsonl" if broken in ("truncated", "empty") else "mdcr_test.json"
    for path in MINI.glob("mdcr_*"):
        (upstream / path.name).write_bytes(path.read_bytes())
    good = (upstream / name).read_bytes()
    bad = {"proxy page": b"<html>Please sign in</html>", "truncated": good[:-100], "empty": b""}.get(broken)
    (upstream / name).unlink() if bad is None else (upstream / name).write_bytes(bad)
    download = datasets.DownloadConfig(cache_dir=tmp_path / "downloads", max_retries=0)
    options = {"split": "test", "cache_dir": tmp_path / "cache", "download_config": download}
    with pytest.raises(
        MdcrDataError, match=r"(?s)https://takelab.fer.hr/data/mdcr/mdcr_test.json.*pass that folder as"
    ):
        load_dataset("mdcr", "Art", **options)
    (upstream / name).write_bytes(good)
    assert len(load_dataset("mdcr", "Art", **options)) == 4


def test_streaming_from_upstream(upstream):
    for path in MINI.glob("mdcr_*"):
        (upstream / path.name).write_bytes(path.read_bytes())
    rows = load_dataset("mdcr", "corpus", split="test", streaming=True)
    assert next(iter(rows))["abstract"]
    (upstream / "mdcr_test.json").unlink()
    with pytest.raises(MdcrDataError, match=r"(?s)could not be read: .*pass that folder as"):
        load_dataset("mdcr", "Art", split="test", streaming=True)


def test_choosing_wrongly_forgets_no_download(upstream, tmp_path):
    for path in MINI.glob("mdcr_*"):
        (upstream / path.name).write_bytes(path.read_bytes())
    from scirank import load_benchmark

    with pytest.raises(MdcrDataError, match="no field 'art'; it has Art"):
        load_benchmark("mdcr", groups=["art"])
    kept = {path.stat().st_size for path in (tmp_path / "downloads").iterdir()}
    assert {(MINI / name).stat().st_size for name in ("mdcr_test.json", "mdcr_test_data.jsonl")} <= kept


ORDERS = {
    "datasets first": "from datasets import load_dataset; import mdcr_dataset",
    "datasets last": "import mdcr_dataset; from datasets import load_dataset",
    "twice": "import mdcr_dataset, importlib; importlib.reload(mdcr_dataset); from datasets import load_dataset",
}


@pytest.mark.parametrize(
    "imports",
    [pytest.param(imports, id=name, marks=[pytest.mark.full] * (name != "twice")) for name, imports in ORDERS.items()],
)
def test_import_order_does_not_matter(python, imports):
    """The other orders are those of both benchmarks, in test_oagqa_dataset.py."""
    done = python(f"{imports}\nprint(len(load_dataset('mdcr', 'Art', split='test', data_dir=mdcr_dataset.MINI)))")
    assert done.stdout.split() == ["4"]


def test_importing_is_light(python):
    code = "import sys, mdcr_dataset; print([m for m in ('datasets', 'pyarrow', 'torch', 'numpy') if m in sys.modules])"
    assert python(code).stdout.strip() == "[]"


def test_other_names_and_a_data_folder_of_that_name_are_left_alone(python, tmp_path):
    (tmp_path / "mdcr").mkdir()
    (tmp_path / "other.jsonl").write_text('{"x": 1}\n{"x": 2}\n')
    done = python(
        "import mdcr_dataset; from datasets import Dataset, load_dataset\n"
        "print(len(load_dataset('json', data_files='other.jsonl')['train']))\n"
        "print(len(load_dataset('mdcr', 'Art', split='test', data_dir=mdcr_dataset.MINI)))\n"
        "Dataset.from_dict({'x': [1, 2, 3]}).to_parquet('mdcr/train.parquet')\n"
        "print(len(load_dataset('mdcr', split='train')))\n"
        "print(len(load_dataset('mdcr', 'Art', split='test', data_dir=mdcr_dataset.MINI)))\n"
    )
    assert done.stdout.split() == ["2", "4", "3", "4"]


@pytest.mark.skipif(datasets.__version__ >= "4", reason="needs datasets < 4, which still has loading scripts")
@pytest.mark.parametrize("config", ["Biology", "corpus", None])
def test_the_builder_is_a_loading_script_too(python, config):
    folder = os.path.dirname(mdcr_dataset.__file__)
    # Without the project on the path: the script has to stand alone.
    options = {"split": "test", "data_dir": str(MINI), "trust_remote_code": True}
    code = (
        "import sys; sys.modules['mdcr_dataset'] = None\n"
        "from datasets import load_dataset\n"
        f"print(len(load_dataset({folder!r}, {config!r}, **{options})))"
    )
    assert python(code).stdout.split() == [{"Biology": "4", "corpus": "341", None: "76"}[config]]
