"""Exported datasets and the metric's Space to the Hub, against a small Hub in this process."""

import io
import json
import re
import sys

import pytest

from scirank.errors import ScirankError
from scirank.hub.export.exporting import MARK
from scirank.hub.push import plan_dataset, plan_metric, push

REPO = "lab/mdcr"
KEY, SPACE = f"datasets/{REPO}", "spaces/lab/mdcr_metric"
CONFIGS = "configs: [{config_name: all, data_files: [{split: test, path: data/*/test.parquet}]}]"
CARD = f"---\ntags: [synthetic]\n{CONFIGS}\n---\n# MDCR mini\n{MARK}\n"
THEIRS = CARD.replace("tags: [synthetic]", "tags: [mteb]")
MAY = {"may_redistribute": True}


def parquet(text="rows"):
    return b"PAR1" + text.encode() + b"PAR1"


@pytest.fixture
def write(tmp_path):
    """Write files into a folder, by their paths; None takes one away."""

    def write(files, folder="exported"):
        for name, content in files.items():
            path = tmp_path / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if content is None:
                path.unlink()
            else:
                path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path / folder

    return write


@pytest.fixture
def exported(write):
    """A small folder in the form of an export of mini."""
    return write({"README.md": CARD, "data/Art/test.parquet": parquet("art"), "data/Law/test.parquet": parquet("law")})


@pytest.fixture
def space(write):
    """A small folder in the form of the metric's Space, among files that are no part of it."""
    return write(
        {
            "README.md": "---\nsdk: gradio\napp_file: app.py\n---\n",
            "app.py": "import gradio\nfrom page import rows\n",
            "page.py": "",
            "requirements.txt": "evaluate\n",
            "mdcr_metric.py": "import datasets\nfrom .checks import REQUIRED\nfrom . import ties\n",
            "checks.py": "from .titles import title_key\n",
            "titles.py": "",
            "ties.py": "",
            "other.py": "",
            "__init__.py": "from scirank.huggingface import registration\n",
            "py.typed": "",
            "__pycache__/mdcr_metric.cpython-311.pyc": b"\0",
            ".env": "HF_TOKEN=hf_" + "a" * 34,
        },
        "space",
    )


def test_a_dataset_is_shown_and_nothing_is_sent(hub, exported, scirank):
    done = scirank("push", "dataset", exported, REPO, expect=1)
    assert done.stdout.splitlines() == [
        f"{hub.url}/datasets/{REPO} (a new repository, public, unless the organisation's default is private)",
        f"  README.md              {len(CARD):>3}  new",
        "  data/Art/test.parquet   11  new",
        "  data/Law/test.parquet   11  new",
        f"3 files to send, {len(CARD) + 22} bytes; 0 to delete; 0 there already",
    ]
    assert done.stderr == "error: nothing was pushed: there is nobody to ask; with --yes this is sent\n"
    assert (hub.sent, hub.repos) == ([], {})


def test_whoever_is_asked_decides(hub, exported, scirank, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    for answer, expect, said in (("n\n", 1, "nothing was pushed"), ("y\n", 0, f"pushed {hub.url}/{KEY}/commit/x")):
        monkeypatch.setattr(sys, "stdin", Terminal(answer))
        done = scirank("push", "dataset", exported, REPO, expect=expect)
        assert "Send it?" in done.stderr
        assert done.stderr.endswith(f"{said}\n")
        assert (KEY in hub.repos) == (expect == 0)


def test_a_dataset_becomes_the_folder(hub, exported, scirank, write):
    scirank("push", "dataset", exported, REPO, "--yes", "--private")
    files = {"README.md": CARD, "data/Art/test.parquet": parquet("art"), "data/Law/test.parquet": parquet("law")}
    assert hub.repos[KEY] == files | {".gitattributes": "*.parquet filter=lfs\n"}
    assert KEY in hub.private
    again = scirank("push", "dataset", exported, REPO, "--yes")
    assert again.stdout.splitlines()[0] == f"{hub.url}/{KEY} (private)"
    assert f"nothing to push: {hub.url}/{KEY} has all of it already" in again.stderr
    assert sum("/commit/" in path for path in hub.sent) == 1

    write({"data/Art/test.parquet": parquet("tra"), "data/Law/test.parquet": None, "eval.yaml": "name: x\n"})
    hub.repos[KEY]["notes/by hand.txt"] = "x"
    done = scirank("push", "dataset", exported, REPO, "--yes")
    assert [line.split() for line in done.stdout.splitlines()[1:-1]] == [
        ["data/Art/test.parquet", "11", "changed"],
        ["data/Law/test.parquet", "deleted"],
        ["eval.yaml", "8", "new"],
        ["notes/by", "hand.txt", "deleted"],
    ]
    assert done.stdout.splitlines()[-1] == "2 files to send, 19 bytes; 2 to delete; 1 there already"
    changed = {"README.md": CARD, "data/Art/test.parquet": parquet("tra"), "eval.yaml": "name: x\n"}
    assert hub.repos[KEY] == changed | {".gitattributes": "*.parquet filter=lfs\n"}
    assert sum("/commit/" in path for path in hub.sent) == 2


def test_texts_of_others_need_a_word(hub, exported, write, scirank):
    stranger = CARD.replace(MARK, "")  # whose tag may mean anything
    for card in (THEIRS, stranger, THEIRS.replace("[mteb]", "synthetic")):
        write({"README.md": card})
        refused = scirank("push", "dataset", exported, REPO, "--yes", "--private", expect=1)
        assert "whether you may give them to others, and then say so (--i-may-redistribute)" in refused.stderr
        assert hub.sent == []
        assert plan_dataset(exported, REPO, **MAY).is_needed
    scirank("push", "dataset", exported, REPO, "--yes", "--i-may-redistribute")
    assert hub.repos[KEY]["README.md"] == THEIRS.replace("[mteb]", "synthetic")


@pytest.mark.parametrize(
    ("files", "match"),
    [
        ({"README.md": None}, r"has no README\.md, .*scirank export"),
        ({"README.md": "# MDCR\n"}, "no metadata; expected YAML between two lines of ---"),
        ({"README.md": "---\na: [\n---\n"}, r"README\.md: its metadata are no YAML: "),
        ({"README.md": "---\n- a\n---\n"}, "no mapping"),
        ({"README.md": b"---\na: \xff\n---\n"}, "not UTF-8 at byte 7"),
        ({"README.md": CARD.replace("data/*/", "date/")}, r"configs name 'date/test\.parquet', which is no file here"),
        ({"README.md": CARD.replace("data/*", "'https://a.b")[:-4].replace("test.parquet", "t.parquet'")}, "no file"),
        ({"README.md": CARD + "x" * 1_000_000}, r"1,000,\d+ bytes; expected at most 1,000,000"),
        ({"README.md": CARD + "hf_" + "aB" * 17}, r"looks like an access token \(hf_aBa\.\.\.\): take it out"),
        ({".env": "A=1"}, r"holds \.env, which is no part of a dataset repository .* move it away"),
        ({"data/.cache/x.parquet": parquet()}, r"holds data/\.cache/x\.parquet"),
        ({"data/a.pyc": b"\0", "b.zip": b"PK"}, r"holds b\.zip, data/a\.pyc, which are no part"),
        ({"data/Art/test.parquet": parquet()[:-1]}, r"Art/test\.parquet is no whole Parquet file"),
        ({"data/Art/test.parquet": "version https://git-lfs"}, "no whole Parquet file"),
        ({"data/Art/test.parquet": ""}, r"test\.parquet is empty"),
        ({"data/Art/test.parquet": None, "data/Law/test.parquet": None}, "holds no data"),
    ],
)
def test_a_folder_is_looked_at_first(exported, write, files, match):
    write(files)
    with pytest.raises(ScirankError, match=match):
        plan_dataset(exported, REPO, **MAY)


def test_links_do_not_lead_out(exported, tmp_path):
    write_to = tmp_path / "elsewhere"
    write_to.mkdir()
    for name, target in (("data/x.parquet", exported / "data/Art/test.parquet"), ("data/more", write_to)):
        (exported / name).symlink_to(target)
        with pytest.raises(ScirankError, match=f"holds {name}, which is no part"):
            plan_dataset(exported, REPO, **MAY)
        (exported / name).unlink()


def test_names_are_those_of_the_hub(exported, tmp_path):
    for name in ("mdcr", "a/b/c", "lab/", "lab/md cr", "https://huggingface.co/lab/mdcr"):
        with pytest.raises(ScirankError, match="expected ORG/NAME"):
            plan_dataset(exported, name)
        with pytest.raises(ScirankError, match="expected ORG/NAME"):
            plan_metric(name)
    with pytest.raises(ScirankError, match="there is no folder"):
        plan_dataset(tmp_path / "none", REPO)


def test_the_space_gets_its_own_files_only(hub, space, scirank):
    hub.repos[SPACE] = {"README.md": "old", "kept.txt": "x"}
    scirank("push", "metric", space, "lab/mdcr_metric", "--yes")
    sent = ["README.md", "app.py", "checks.py", "mdcr_metric.py", "page.py", "requirements.txt", "ties.py", "titles.py"]
    assert sorted(hub.repos[SPACE]) == sorted([*sent, "kept.txt"])
    assert all(hub.repos[SPACE][name] == (space / name).read_text() for name in sent)
    assert "found 3 names" in scirank("push", "metric", space, space, "lab/mdcr_metric", expect=2).stderr


@pytest.mark.parametrize(
    ("files", "match"),
    [
        ({"README.md": "---\nsdk: docker\n---\n"}, "sdk is 'docker'"),
        ({"README.md": "---\nsdk: gradio\napp_file: a.py\n---\n"}, r"has no a\.py, which the metric's Space needs"),
        ({"README.md": "---\nsdk: gradio\napp_file: ../other.py\n---\n", "../other.py": ""}, "beside the card"),
        ({"requirements.txt": None}, r"has no requirements\.txt"),
        ({"titles.py": "def"}, r"titles\.py is no Python"),
        ({"app.py": "KEY = 'hf_" + "b" * 34 + "'"}, "access token"),
    ],
)
def test_a_space_is_looked_at_first(space, write, files, match):
    write(files, "space")
    with pytest.raises(ScirankError, match=match):
        plan_metric("lab/mdcr_metric", space)


def test_what_goes_wrong_is_one_line(hub, at_hub, exported, scirank, monkeypatch):
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", lambda _: None)  # between its attempts

    def fails(match, *options, repo=REPO):
        done = scirank("push", "dataset", exported, repo, "--yes", *options, expect=1)
        # Before it stand the library's own remarks on its attempts.
        assert re.fullmatch(f"error: {match}", done.stderr.splitlines()[-1]), done.stderr
        assert "scirank/" not in done.stderr  # of a traceback

    monkeypatch.setenv("HF_TOKEN", "hf_wrong")
    fails(f"nothing was pushed: {hub.url} does not accept the token: log in again .*")
    monkeypatch.setenv("HF_TOKEN", "hf_right")
    fails("nothing was pushed: .* no dataset can be created in nowhere: name yourself, or .*", repo="nowhere/mdcr")
    assert hub.repos == {}

    # The repository is made, and its first commit fails.
    refusal = {"errors": [{"message": '"license" must be one of'}], "warnings": []}
    hub.refused["validate-yaml"] = 400, refusal
    made = rf" \({hub.url}/{KEY} itself was created\)"
    fails(rf'nothing was pushed: {REPO}: .*"license" must be one of.*{made}')
    hub.refused.clear()
    before = {".gitattributes": "*.parquet filter=lfs\n"}
    assert hub.repos == {KEY: before}
    broke = f"the connection to {hub.url} broke off .*; a commit is there whole or not at all: run this again"
    for step in ("large", "commit"):
        hub.broken = {step}
        fails(broke)
        assert hub.repos == {KEY: before}
    hub.broken = set()
    hub.refused["commit"] = 403, {"error": "no"}
    fails(f"nothing was pushed: the token may not write to {REPO}: use one that may")
    hub.refused["commit"] = 418, {"error": "no"}
    fails(f"nothing was pushed: {hub.url} answered 418 about {REPO}: .*")
    hub.refused.clear()
    hub.newer = True
    fails(f"nothing was pushed: {REPO} was changed meanwhile; run this again")
    hub.newer = False
    fails(f"nothing was pushed: {hub.url}/{KEY} is public already; --private is .*", "--private")
    assert hub.repos == {KEY: before}
    scirank("push", "dataset", exported, REPO, "--yes")  # as each of them says
    assert hub.repos[KEY].keys() == before.keys() | {"README.md", "data/Art/test.parquet", "data/Law/test.parquet"}
    at_hub("http://127.0.0.1:9")
    fails("nothing was pushed: http://127.0.0.1:9 cannot be reached .*")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    fails("nothing was pushed: huggingface_hub is offline .*")


def test_what_changes_between_is_noticed(hub, exported, write):
    plan = plan_dataset(exported, REPO)
    hub.repos[KEY] = {"README.md": "of another"}
    with pytest.raises(ScirankError, match="was changed meanwhile; run this again"):
        push(plan)
    plan = plan_dataset(exported, REPO)
    assert [file.path for file in plan.changed] == ["README.md"]
    hub.repos[KEY]["more"] = "x"
    with pytest.raises(ScirankError, match="was changed meanwhile; run this again"):
        push(plan)
    plan = plan_dataset(exported, REPO)
    write({"data/Law/test.parquet": None})
    with pytest.raises(ScirankError, match=r"Law/test\.parquet"):
        push(plan)
    assert hub.repos[KEY] == {"README.md": "of another", "more": "x"}


READ_BACK = """
import json, sys
from datasets import get_dataset_config_names, load_dataset
for repo in sys.argv[1:]:
    rows = load_dataset(repo, "Biology", split="test", verification_mode="all_checks")
    streamed = load_dataset(repo, "Biology", split="test", streaming=True)
    papers = load_dataset(repo, "corpus", split="test")
    print(json.dumps([get_dataset_config_names(repo), rows.to_list(), list(streamed), len(papers)]))
"""


@pytest.mark.full
def test_a_pushed_dataset_is_read_back(hub, tmp_path, python):
    """Whole: mini is exported and pushed, and another time replaced by a part of it; both are loaded and streamed."""
    from datasets import load_dataset

    import mdcr_dataset
    from scirank.hub.export import export_dataset

    folder, part = tmp_path / "exported", "lab/part"
    export_dataset("mdcr-mini", folder)
    for repo in (REPO, part):
        push(plan_dataset(folder, repo))
    export_dataset("mdcr-mini", folder, groups="Biology", overwrite=True)
    plan = plan_dataset(folder, part)
    assert any(path.startswith("data/Art/") for path in plan.deleted)
    push(plan)
    here = {path.relative_to(folder).as_posix() for path in folder.rglob("*.*")}
    assert hub.repos[f"datasets/{part}"].keys() == here | {".gitattributes"}

    done = python(READ_BACK, REPO, part, HF_ENDPOINT=hub.url, HF_HUB_OFFLINE="0", HF_DATASETS_OFFLINE="0")
    whole, less = map(json.loads, done.stdout.splitlines()[-2:])
    expected = load_dataset("mdcr", "Biology", split="test", data_dir=str(mdcr_dataset.MINI)).to_list()
    for names, rows, streamed, _ in (whole, less):
        assert rows == streamed == expected
        assert {"all", "Biology", "corpus"} <= set(names)
    assert ("Art" in whole[0], "Art" in less[0]) == (True, False)
    assert whole[3] > less[3]


def test_the_installed_metric_is_a_space(hub):
    push(plan_metric("lab/mdcr_metric"))
    sent = hub.repos[SPACE]
    assert {"README.md", "app.py", "requirements.txt", "mdcr_metric.py", "checks.py"} <= sent.keys()
    assert not {"__init__.py", "py.typed"} & sent.keys()
    assert not any("/" in name for name in sent)
