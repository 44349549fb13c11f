"""Results beside each other: every statement against a plain script, every table against the statements."""

import csv
import inspect
import io
import json
import re
import subprocess
from dataclasses import asdict, replace
from functools import cache
from itertools import combinations
from shutil import which
from statistics import fmean

import numpy as np
import pytest
from conftest import SHARED, pool
from rich.console import Console
from scipy.stats import bootstrap, permutation_test

import mdcr_dataset
import scirank as package
from scirank.analysis import compare
from scirank.analysis.comparison import named
from scirank.analysis.data import benchmark_of, needs_download
from scirank.analysis.queries import changes, view
from scirank.analysis.sources import confusion
from scirank.analysis.subsets import subsets
from scirank.errors import ScirankError
from scirank.report import compared, comparing
from scirank.report.formats import label
from scirank.results import Result

RNG = "rng" if "rng" in inspect.signature(bootstrap).parameters else "random_state"
DRAWS = 4_000
SETS = ["mdcr-mini", "oagqa-mini", "acmcr", "cranfield"]
FEW = {
    "mdcr-mini": ["map", "recall_5"],
    "acmcr": ["map"],
    "oagqa-mini": ["hit_20", "mrr"],
    "cranfield": ["hit_20", "mrr"],
}
TITLES = "{title} [SEP] {text}"


def mini(name):
    benchmark = package.load_benchmark(name)
    return [package.run(model, benchmark, quiet=True) for model in ("bm25", "random")]


def acmcr():
    """Real papers: MiniLM's given scores, and two runs."""
    folder = SHARED / "acmcr"
    minilm = package.score(folder / "mdcr_test.json", folder / "minilm_scores.json")
    benchmark = package.load_benchmark("mdcr", data_dir=folder)
    return [
        replace(minilm, model="minilm"),
        *(package.run(model, benchmark, quiet=True) for model in ("bm25", "random")),
    ]


def cranfield():
    """Real questions: two given rankings, and a run."""
    folder = SHARED / "cranfield"
    files = {model: sorted(folder.glob(f"*-{model}-top100.jsonl")) for model in ("minilm", "bm25")}
    given = [package.score_run(paths, data_dir=folder, name=model) for model, paths in files.items()]
    return [*given, package.run("random", "oagqa", data_dir=folder, quiet=True)]


@pytest.fixture(scope="module")
def results_of():
    """A set's results; one that is not there is skipped."""
    makers = {"acmcr": acmcr, "cranfield": cranfield}

    @cache
    def make(name):
        if name in makers and not (SHARED / name).is_dir():
            pytest.skip(f"needs the shared data set {name} in {SHARED}")
        return makers[name]() if name in makers else mini(name)

    return make


@pytest.fixture(scope="module")
def comparison_of(results_of):
    return cache(lambda name: compare(results_of(name), resamples=DRAWS))


@pytest.fixture(params=SETS)
def compared_set(request, comparison_of):
    return request.param, comparison_of(request.param)


@pytest.fixture(scope="module")
def saved(results_of, tmp_path_factory):
    """Folders of a set's results, with ranked lists."""
    folder = tmp_path_factory.mktemp("saved")
    return cache(lambda name: [result.save(folder / name / result.model, rankings=True) for result in results_of(name)])


# A plain script: nothing of scirank's but what a result's table of queries holds.


class Plain:
    """What can be said of results, from their tables of queries."""

    def __init__(self, results):
        self.results = {result.model: result for result in results}
        first = results[0].per_query
        self.keys = list(zip(first["group"], first["query_id"], strict=True))
        self.rows = {}
        for at, (group, _) in enumerate(self.keys):
            self.rows.setdefault(group, []).append(at)
        self.tables = {}
        for result in results:
            columns = result.per_query
            order = {key: at for at, key in enumerate(zip(columns["group"], columns["query_id"], strict=True))}
            self.tables[result.model] = {
                measure: np.array([columns[measure][order[key]] for key in self.keys]) for measure in result.measures
            }
        # Each field counts the same; of topics, each discipline does, and in it each topic.
        if "part_of" in first:
            discipline = dict(zip(first["group"], first["part_of"], strict=True))
            shared = [list(discipline.values()).count(discipline[group]) for group in self.rows]
            self.shares = {
                group: 1 / len(set(discipline.values())) / topics
                for group, topics in zip(self.rows, shared, strict=True)
            }
        else:
            self.shares = {group: 1 / len(self.rows) for group in self.rows}

    def weights(self, group):
        found = np.zeros(len(self.keys))
        for name, rows in self.rows.items():
            if group in (None, name):
                found[rows] = (self.shares[name] if group is None else 1) / len(rows)
        return found

    def inside(self, group):
        return list(range(len(self.keys))) if group is None else self.rows[group]

    def groups(self):
        return [*self.rows, None]


def by_hand_holm(p):
    """Holm's step-down, a p at a time."""
    adjusted, highest = {}, 0.0
    for left, at in zip(range(len(p), 0, -1), sorted(range(len(p)), key=p.__getitem__), strict=True):
        highest = max(highest, min(1.0, left * p[at]))
        adjusted[at] = highest
    return [adjusted[at] for at in range(len(p))]


def four_errors(p, draws):
    return 4 * (p * (1 - p) / draws) ** 0.5


def test_means_are_those_of_the_summary(compared_set, results_of):
    name, comparison = compared_set
    assert list(comparison.results) == [result.model for result in results_of(name)]
    for result in results_of(name):
        exact = result.summary["unrounded"]
        for measure in comparison.measures:
            found = comparison.statistics.estimate(result.model, measure)
            assert found.mean == pytest.approx(exact[measure], rel=1e-12, abs=1e-12)
            assert round(found.mean, 2) == pytest.approx(result.average[measure], abs=0.0101)
            assert found.queries == result.summary["queries"]
            for group, row in exact["groups"].items():
                found = comparison.statistics.estimate(result.model, measure, group)
                assert found.mean == pytest.approx(row[measure], rel=1e-12, abs=1e-12)
                assert found.queries == result.summary["groups"][group]["queries"]


def test_differences_and_their_counts(compared_set, results_of):
    name, comparison = compared_set
    plain = Plain(results_of(name))
    assert comparison.pairs == list(combinations(plain.results, 2))
    for a, b in comparison.pairs:
        for measure in comparison.measures:
            for group in plain.groups():
                found = comparison.statistics.difference(a, b, measure, group)
                one, other = plain.tables[a][measure], plain.tables[b][measure]
                wins = ties = losses = 0
                for row in plain.inside(group):
                    wins += one[row] > other[row]
                    ties += one[row] == other[row]
                    losses += one[row] < other[row]
                assert (found.wins, found.ties, found.losses) == (wins, ties, losses)
                assert found.queries == wins + ties + losses
                apart = sum(w * (x - y) for w, x, y in zip(plain.weights(group), one, other, strict=True))
                assert found.difference == pytest.approx(100 * apart, abs=1e-9)


def test_p_is_that_of_scipys_permutation_test(compared_set, results_of):
    name, comparison = compared_set
    plain, draws = Plain(results_of(name)), 4_000
    for a, b in comparison.pairs:
        for measure in FEW[name]:
            for group in plain.groups() if name in ("acmcr", "cranfield") else [None, next(iter(plain.rows))]:
                weights, rows = plain.weights(group), plain.inside(group)

                def weighted(x, y, axis, kept=weights[rows]):
                    return ((x - y) * kept).sum(axis=axis)

                samples = [plain.tables[model][measure][rows] for model in (a, b)]
                how = {"permutation_type": "samples", "vectorized": True, "n_resamples": draws}
                theirs = permutation_test(samples, weighted, **how, **{RNG: np.random.default_rng(7)}).pvalue
                ours = comparison.statistics.difference(a, b, measure, group).p
                error = four_errors(theirs, DRAWS) + 2 * four_errors(theirs / 2, draws) + 2 / draws
                assert ours == pytest.approx(theirs, abs=error), (a, b, measure, group)


def test_intervals_are_those_of_scipys_bootstrap(compared_set, results_of):
    name, comparison = compared_set
    plain = Plain(results_of(name))
    of_groups = [] if name.endswith("-mini") else list(plain.rows)  # of four queries, quantiles are steps
    for measure in [measure for measure in FEW[name] if measure in ("map", "mrr")]:
        columns = {model: plain.tables[model][measure] for model in plain.results}
        columns |= {(a, b): columns[a] - columns[b] for a, b in comparison.pairs}
        for what, values in columns.items():
            for group in [*of_groups, None]:
                chosen = list(plain.rows) if group is None else [group]
                shares = [plain.shares[each] if group is None else 1.0 for each in chosen]

                samples = [values[plain.rows[each]] for each in chosen]

                def average(*drawn, axis, shares=shares, samples=samples):
                    """Rescaled: n drawn from n vary as if there were n - 1."""
                    total = 0
                    for share, sample, again in zip(shares, samples, drawn, strict=True):
                        wider = (len(sample) / (len(sample) - 1)) ** 0.5
                        total += share * (sample.mean() + wider * (again.mean(axis=axis) - sample.mean()))
                    return total

                how = {"method": "percentile", "n_resamples": DRAWS, "vectorized": True, RNG: np.random.default_rng(3)}
                theirs = bootstrap(samples, average, **how).confidence_interval
                statistics = comparison.statistics
                ours = (
                    statistics.difference(*what, measure, group)
                    if isinstance(what, tuple)
                    else statistics.estimate(what, measure, group)
                )
                # Both ends are drawn; each is known to about 0.045 standard deviations of the mean.
                error = 100 * (theirs.high - theirs.low) / 3.92 * 0.045 * 6
                assert (ours.low, ours.high) == pytest.approx((100 * theirs.low, 100 * theirs.high), abs=error)


def test_holm_by_hand(compared_set):
    _, comparison = compared_set
    statistics, groups = comparison.statistics, list(comparison.first.groups)
    for measure in comparison.measures:
        for a, b in comparison.pairs:
            family = [statistics.difference(a, b, measure, group) for group in groups]
            assert [each.p_holm for each in family] == pytest.approx(by_hand_holm([each.p for each in family]))
        averages = [statistics.difference(a, b, measure) for a, b in comparison.pairs]
        assert [each.p_holm for each in averages] == pytest.approx(by_hand_holm([each.p for each in averages]))


@pytest.mark.parametrize("name", SETS)
def test_saved_results_and_any_order_of_queries_give_the_same(name, results_of, comparison_of, saved):
    found = comparison_of(name)
    assert compare(list(map(str, saved(name))), resamples=DRAWS).statistics == found.statistics
    first, second, *others = results_of(name)
    backwards = {column: values[::-1] for column, values in second.per_query.items()}
    turned = replace(second, per_query=backwards, lists=second.lists[::-1])
    again = compare([first, turned, *others], resamples=DRAWS)
    assert again.statistics == found.statistics
    assert again.results[second.model].per_query == second.per_query
    assert again.results[second.model].lists == second.lists


def test_real_questions_say_what_is_known(comparison_of):
    found = comparison_of("cranfield")
    for model in ("minilm", "bm25"):
        far = found.statistics.difference(model, "random", "hit_20")
        assert far.difference > 10
        assert far.p_holm < 0.001
        assert f"{model} is above random by {far.difference:.2f} points of Hit@20 (p = " in str(found)


# What is asked of a comparison


def test_some_measures_and_some_groups(results_of):
    results = results_of("mdcr-mini")
    found = compare(results, measures="recall_5", groups=["Physics", "Art"], resamples=50)
    alone = [package.run(result.model, "mdcr-mini", groups=["Art", "Physics"], quiet=True) for result in results]
    assert found.statistics == compare(alone, measures=["recall_5"], resamples=50).statistics
    assert (found.measures, found.headline, list(found.first.groups)) == (("recall_5",), "recall_5", ["Art", "Physics"])
    assert [each.lists for each in found.results.values()] == [each.lists for each in alone]
    assert compare(results_of("oagqa-mini"), measures=["mrr"], groups="optics", resamples=5).headline == "mrr"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": "mrr"}, "not all results have mrr; common measures are map, ndcg, recall_5"),
        ({"measures": ["map", "f1"]}, "not all results have f1"),
        ({"measures": []}, "nothing to compare"),
        ({"groups": ["Law"]}, "bm25 has no group Law; it has Art, "),
        ({"groups": []}, "no group was named"),
        ({"resamples": 0}, "at least one resample"),
        ({"confidence": 1.5}, "between 0 and 1"),
    ],
)
def test_what_cannot_be_asked(results_of, options, message):
    with pytest.raises(ScirankError, match=message):
        compare(results_of("mdcr-mini"), **{"resamples": 5, **options})


def test_what_cannot_be_compared(results_of):
    with pytest.raises(ScirankError, match="there is no result to compare"):
        compare([])
    with pytest.raises(ScirankError, match="bm25 and random cannot be compared: one is of mdcr-mini, the other of oag"):
        compare([results_of("mdcr-mini")[0], results_of("oagqa-mini")[1]])


def test_one_result_has_intervals_only(results_of):
    found = compare(results_of("mdcr-mini")[:1], resamples=50)
    assert found.pairs == []
    assert found.statistics.differences == ()
    assert "MAP" in str(found)
    assert "randomisation" not in str(found)


def test_questions_without_a_ranking(results_of, tmp_path):
    """Two such: lists stay with their queries on disk, in another order, and in some topics."""
    bm25, random = results_of("oagqa-mini")
    path = tmp_path / "mine.jsonl"
    lists = [each for each in bm25.lists if each.query_id not in ("optics/0", "physiology/2")]
    path.write_text(
        "".join(
            json.dumps({"question": each.query_id, "ids": list(each.run), "scores": list(each.run.values())}) + "\n"
            for each in lists
        )
    )
    mine = package.score_run(path, "oagqa-mini", missing="lowest")
    loaded = Result.load(mine.save(tmp_path / "mine", rankings=True), rankings=True)
    for groups in (None, ["optics", "physiology"]):
        found = compare([random, loaded], groups=groups, resamples=20).results["mine"]
        keys = list(zip(found.per_query["group"], found.per_query["query_id"], strict=True))
        assert [each[:2] for each in found.lists] == keys
        assert {each.query_id for each in found.lists if not each.run} == {"optics/0", "physiology/2"}
    shown = view({"mine": loaded, "random": random}, "optics/0", benchmark=package.load_benchmark("oagqa-mini"))
    assert (shown.rankings["mine"], shown.right["mine"], shown.measures["mine"]["mrr"]) == ((), (), 0)
    assert shown.rankings["random"]


def test_two_results_of_one_name(results_of, tmp_path, scirank):
    bm25, _ = results_of("mdcr-mini")
    titles = package.run("bm25", "mdcr-mini", template="{title}", quiet=True)
    found = compare([bm25, titles], resamples=500)
    assert list(found.results) == ["bm25 #1", "bm25 #2"]
    assert found.pairs == [("bm25 #1", "bm25 #2")]
    assert found.cautions == ("text template differs: bm25 #1 '{title}. {abstract}', bm25 #2 '{title}'",)
    for number, result in enumerate((bm25, titles), 1):
        exact = result.summary["unrounded"]["map"]
        assert found.statistics.estimate(f"bm25 #{number}", "map").mean == pytest.approx(exact)
        result.save(tmp_path / str(number), rankings=True)
    for text in (str(found), compared.as_csv(found), compared.as_json(found), compared.as_markdown(found)):
        assert "bm25 #1" in text
        assert "bm25 #2" in text
    assert r"\multicolumn{3}{c}{bm25 \#2}" in compared.as_latex(found)
    query = titles.per_query["query_id"][0]
    assert re.findall("^bm25 #.$", scirank("show", "1", "2", "--query", query).stdout, re.M) == ["bm25 #1", "bm25 #2"]
    assert list(named([bm25, bm25, bm25])) == ["bm25 #1", "bm25 #2", "bm25 #3"]
    same = compare([bm25, bm25], resamples=50).statistics.difference("bm25 #1", "bm25 #2", "map")
    assert (same.difference, same.p, same.ties) == (0, 1, 76)


# Queries


@pytest.mark.parametrize("name", SETS)
def test_changes_are_the_largest_differences(name, results_of, comparison_of):
    comparison = comparison_of(name)
    for a, b in comparison.pairs:
        for measure in (None, comparison.measures[-1]):
            plain = Plain([comparison.results[a], comparison.results[b]])
            one, other = (100 * plain.tables[model][measure or comparison.headline] for model in (a, b))
            apart = sorted(np.abs(one - other)[one != other], reverse=True)
            for most in (3, 10_000):
                found = changes(comparison, a, b, measure, most)
                assert [abs(each.a - each.b) for each in found] == pytest.approx(apart[:most])
                assert len({(each.group, each.query_id) for each in found}) == len(found)
                for each in found:
                    row = plain.keys.index((each.group, each.query_id))
                    assert (each.a, each.b) == pytest.approx((one[row], other[row]))


@pytest.mark.parametrize("name", SETS)
def test_a_querys_view(name, results_of):
    results = {result.model: result for result in results_of(name)}
    first = next(iter(results.values()))
    benchmark = benchmark_of(first, None if name.endswith("-mini") else SHARED / name)
    tasks = {task.group: task for task in benchmark.tasks}
    for row in range(0, first.summary["queries"], 13):
        group, query = first.per_query["group"][row], first.per_query["query_id"][row]
        task = tasks[group]
        shown = view(results, query, group, benchmark, top=4)
        assert (shown.group, shown.query_id, shown.document) == (group, query, task.queries[query])
        assert shown.answers == (task.answers[query] if task.answers else ())
        for model, result in results.items():
            columns = result.per_query
            at = list(zip(columns["group"], columns["query_id"], strict=True)).index((group, query))
            assert shown.measures[model] == {m: 100 * columns[m][at] for m in result.measures}
            run = result.scores[group][query]
            places = shown.rankings[model]
            if task.answers is None:  # in OAG-QA a file's order counts where scores are equal
                best = sorted(run, key=lambda paper: (np.float32(run[paper]), paper.encode()), reverse=True)
                assert [place.paper for place in places] == best[:4]
            assert [place.rank for place in places] == [1, 2, 3, 4]
            for place in (*places, *shown.right[model]):
                assert place.score == run[place.paper]
                assert place.title == task.corpus[place.paper].title
                if task.sources:
                    lists = task.sources[query]
                    assert place.sources == tuple(source for source in lists if place.paper in lists[source])
                    assert place.right == (place.paper in lists["true"])
            if task.answers is None:
                assert {place.paper for place in shown.right[model]} == set(task.relevant[query])
            elif shown.right[model]:
                assert shown.measures[model]["mrr"] == pytest.approx(100 / shown.right[model][0].rank)
            assert [place for place in shown.right[model] if place.rank <= 4] == [p for p in places if p.right]


def test_what_cannot_be_viewed(results_of):
    bm25, random = results_of("mdcr-mini")
    query = bm25.per_query["query_id"][0]
    both = {"bm25": bm25, "random": random}
    for arguments, message in [
        ((both, "x"), r"no query 'x'; ids look like \d+, \d+, \d+, \.\.\."),
        ((both, query, "Physics"), f"no query '{query}' in Physics; ids look like"),
        (
            ({"bm25": bm25, "random": replace(random, lists=None)}, query),
            "random: .* without its ranked lists; .*--save-r",
        ),
        (({"bm25": bm25, "q": results_of("oagqa-mini")[0]}, query), f"q has no query '{query}' in Art"),
    ]:
        with pytest.raises(ScirankError, match=message):
            view(*arguments)


# Sources and subsets


def plain_confusion(path, scores):
    """Source -> average over fields of the mean share of pairs in which a negative stands above a citation."""
    found = {}
    for group, queries in json.loads(path.read_text()).items():
        for query, lists in queries.items():
            for source in lists:
                above = of = 0
                for wrong in set(lists[source]) - set(lists["true"]):
                    for right in set(lists["true"]):
                        one, other = (np.float32(scores[group][query][paper]) for paper in (wrong, right))
                        above += 1.0 if one > other else 0.5 if one == other else 0.0
                        of += 1
                if of:
                    found.setdefault(source, {}).setdefault(group, []).append(above / of)
    return {
        source: (100 * fmean(map(fmean, groups.values())), sum(map(len, groups.values())))
        for source, groups in found.items()
    }


@pytest.mark.parametrize("name", ["mdcr-mini", "acmcr"])
def test_confusion_by_plain_loops(name, results_of, comparison_of):
    folder = mdcr_dataset.MINI if name == "mdcr-mini" else SHARED / name
    results = comparison_of(name).results
    benchmark = benchmark_of(comparison_of(name).first, None if name == "mdcr-mini" else folder)
    found = confusion(results, benchmark, resamples=200, confidence=0.9, seed=3)
    for model, result in results.items():
        plain = plain_confusion(folder / "mdcr_test.json", result.scores)
        assert list(found) == [source for source in mdcr_dataset.SOURCES if source in plain]
        for source, (mean, queries) in plain.items():
            estimate = found[source].estimate(model, "above")
            assert estimate.mean == pytest.approx(mean)
            assert estimate.queries == queries
            assert estimate.low <= estimate.mean <= estimate.high
    statistics = found["random"]
    assert (statistics.resamples, statistics.confidence, statistics.seed) == (200, 0.9, 3)
    assert statistics.estimate("random", "above").mean == pytest.approx(50, abs=10)
    pair = statistics.difference(*list(results)[:2], "above")
    assert pair.difference == pytest.approx(
        statistics.estimate(pair.a, "above").mean - statistics.estimate(pair.b, "above").mean
    )


def test_ties_in_confusion_count_half(write_mdcr):
    papers = [{"paper_id": str(n), "title": f"t{n}", "abstract": None} for n in range(1, 7)]
    lists = pool(bm25=["2", "4"], graph=["4"], random=["5", "6"], true=["3", "4"])
    folder = write_mdcr({"Art": {"1": lists, "2": pool(bm25=["3"], true=["4"])}}, papers)
    scores = {"1_2": 1, "1_3": 1, "1_4": 3, "1_5": 3 + 1e-9, "1_6": 0, "2_3": 5, "2_4": 4}
    result = package.score(folder / "mdcr_test.json", scores)
    found = confusion({"mine": result}, benchmark_of(result, folder), resamples=5)
    # Of bm25 in query 1: 2 beside 3 is a tie, below 4; 4 is itself cited. Of query 2: above.
    assert {source: statistics.estimate("mine", "above").mean for source, statistics in found.items()} == {
        "bm25": pytest.approx(100 * (0.25 + 1) / 2), "random": pytest.approx(100 * (1 + 0.5) / 4),
    }  # fmt: skip


def test_what_has_no_sources(results_of, comparison_of):
    results = comparison_of("oagqa-mini").results
    with pytest.raises(ScirankError, match="oagqa-mini does not say which list a candidate comes from; MDCR does"):
        confusion(results, package.load_benchmark("oagqa-mini"))
    bare = {"bm25": replace(results_of("mdcr-mini")[0], lists=None)}
    with pytest.raises(ScirankError, match="--save-rankings"):
        confusion(bare, package.load_benchmark("mdcr-mini"))


@pytest.mark.parametrize("name", ["mdcr-mini", "acmcr"])
def test_subsets_by_plain_loops(name, results_of, comparison_of):
    folder = mdcr_dataset.MINI if name == "mdcr-mini" else SHARED / name
    comparison = comparison_of(name)
    benchmark = benchmark_of(comparison.first, None if name == "mdcr-mini" else folder)
    papers = [json.loads(line) for line in (folder / "mdcr_test_data.jsonl").read_text("utf-8").splitlines()]
    abstracts = {paper["paper_id"]: bool(paper["abstract"]) for paper in papers}
    columns = comparison.first.per_query
    lists = json.loads((folder / "mdcr_test.json").read_text())
    found = {subset.name: subset for subset in subsets(comparison, benchmark)}
    for row, (query, group) in enumerate(zip(columns["query_id"], columns["group"], strict=True)):
        tied = any(result.per_query["tied"][row] for result in comparison.results.values())
        expected = {
            "equal scores that could change a measure, in any": tied,
            "none": not tied,
            "the query has an abstract": abstracts[query],
            "the query has none": not abstracts[query],
            "a cited paper has none": not all(abstracts[paper] for paper in lists[group][query]["true"]),
        }
        for subset, inside in expected.items():
            members = PLAIN_SUBSETS.setdefault((name, subset), [])
            members += [row] * inside
    expected = {
        subset: rows
        for (of, subset), rows in PLAIN_SUBSETS.items()
        if of == name and 0 < len(rows) < len(columns["group"])
    }
    assert list(found) == list(expected)
    for subset, rows in expected.items():
        assert found[subset].queries == len(rows)
        for model, result in comparison.results.items():
            for measure in comparison.measures:
                estimate = found[subset].statistics.estimate(model, measure)
                assert estimate.mean == pytest.approx(100 * fmean(result.per_query[measure][row] for row in rows))
                assert estimate.queries == len(rows)
    without = [subset.name for subset in subsets(comparison)]
    assert without == [subset for subset in found if subset.startswith(("equal", "none"))]


PLAIN_SUBSETS = {}


def test_questions_have_subsets_by_ties_only(comparison_of):
    found = subsets(comparison_of("oagqa-mini"), package.load_benchmark("oagqa-mini"))
    assert [subset.name for subset in found] == ["equal scores that could change a measure, in any", "none"]
    assert sum(subset.queries for subset in found) == 40


# The data that results are of


def test_the_data_of_scores_is_found_in_either_split(write_mdcr, tmp_path):
    papers = [{"paper_id": str(n), "title": f"t{n}", "abstract": "a"} for n in (1, 2, 3)]
    test, validation = ({"Art": {"1": pool(bm25=[a], true=[b])}} for a, b in (("2", "3"), ("3", "2")))
    write_mdcr(test, papers)
    folder = write_mdcr(validation, papers, split="val")
    scores = {"1_2": 1, "1_3": 2}
    for split, spelling in (("test", "test"), ("validation", "val")):
        result = package.score(folder / f"mdcr_{spelling}.json", scores)
        assert benchmark_of(result, folder).split == split
    other = write_mdcr({"Art": {"1": pool(bm25=["2"], true=["3"]), "2": pool(true=["1"])}}, papers, "other")
    for made in (result, package.run("bm25", data_dir=folder, split="validation", quiet=True)):
        with pytest.raises(ValueError, match=r"not the files that the result is of|no split 'validation' there"):
            benchmark_of(made, other)
    assert not needs_download(result, folder)
    assert needs_download(result, None)


def test_scores_of_papers_without_a_text(write_mdcr):
    """Of scores no text is asked, so none has to be there."""
    lists = {"Art": {"1": pool(bm25=["404"], true=["2"]), "405": pool(random=["1"], true=["2"])}}
    folder = write_mdcr(lists, [{"paper_id": str(n), "title": f"t{n}", "abstract": "a"} for n in (1, 2)])
    result = package.score(folder / "mdcr_test.json", {"1_404": 1, "1_2": 2, "405_1": 1, "405_2": 0})
    benchmark = benchmark_of(result, folder)
    comparison = compare([result], resamples=5)
    assert {s.name: s.queries for s in subsets(comparison, benchmark)} == {
        "the query has an abstract": 1, "the query has none": 1,
    }  # fmt: skip
    assert confusion({"a": result}, benchmark, resamples=5)["bm25"].estimate("a", "above").mean == 0
    assert view({"a": result}, "405", benchmark=benchmark).document == ("", "")
    skipping = package.run("random", data_dir=folder, missing_text="skip", quiet=True)
    assert [len(task.queries) for task in benchmark_of(skipping, folder).tasks] == [1]


def test_where_data_is_looked_for(results_of, monkeypatch):
    for result in (results_of("mdcr-mini")[0], results_of("oagqa-mini")[0]):
        assert not needs_download(result, None)
        of_files = replace(result, benchmark=result.benchmark.removesuffix("-mini"))
        assert needs_download(of_files, None)
        assert not needs_download(of_files, "anywhere")
        monkeypatch.setenv("OAGQA_DATA_DIR" if result.asks_questions else "MDCR_DATA_DIR", "somewhere")
        assert not needs_download(of_files, None)


# Tables


def numbers_of(found):
    interval = f" ({found.low:.2f} to {found.high:.2f})"
    return f"{found.mean:.2f}{interval}"


def test_the_text_holds_every_model_group_and_interval(compared_set):
    _, comparison = compared_set
    text = str(comparison)
    assert text.startswith(comparison.first.title + "\n")
    assert "…" not in text
    assert max(map(len, text.splitlines()[1:-1])) <= 200
    for model in comparison.results:
        for measure in comparison.measures:
            assert numbers_of(comparison.statistics.estimate(model, measure)) in text
    sections = re.split(r"\n(?=\S.* by group\n)", text)[1:]
    assert len(sections) == len(comparison.pairs)
    for (a, b), section in zip(comparison.pairs, sections, strict=True):
        for group in (*comparison.first.groups, None):
            found = comparison.statistics.difference(a, b, comparison.headline, group)
            (line,) = [line for line in section.splitlines() if line.startswith(f" {group or 'AVG'}  ")]
            means = [comparison.statistics.estimate(model, comparison.headline, group).mean for model in (a, b)]
            cells = re.split(r" {2,}", line.strip())
            assert cells[1:5] == [
                *(f"{mean:.2f}" for mean in means),
                f"{found.difference:+.2f}",
                f"{found.low:+.2f} to {found.high:+.2f}",
            ]
            assert cells[-3:] == [f"{found.wins}", f"{found.ties}", f"{found.losses}"]
        for measure in comparison.measures:
            found = comparison.statistics.difference(a, b, measure)
            start = rf"^ {re.escape(label(measure))} +{re.escape(f'{found.difference:+.2f}')} "
            assert re.search(rf"{start}+{re.escape(f'{found.low:+.2f} to {found.high:+.2f}')} ", text, re.M)


def test_many_models_stand_in_several_tables(results_of):
    first, _ = results_of("oagqa-mini")
    models = [replace(first, model=f"a/model-of-a-long-name-{number}") for number in range(7)]
    comparison = compare(models, measures=["hit_20", "mrr"], resamples=20)
    text = str(comparison)
    interval = numbers_of(comparison.statistics.estimate(models[0].model, "mrr"))
    assert text.count(interval) == 7
    assert all(model.model in text.split(" is above ")[0].split(": no difference")[0] for model in models)
    assert max(map(len, text.splitlines()[:-1])) <= 200


def test_what_the_sentence_says(comparison_of, results_of):
    apart = comparison_of("mdcr-mini")
    found = apart.statistics.difference("bm25", "random", "map")
    assert comparing.verdict(apart, "bm25", "random") == (
        f"bm25 is above random by {found.difference:.2f} points of MAP (p = {found.p_holm:.4f})"
    )
    turned = compare(results_of("mdcr-mini")[::-1], measures="map", resamples=200)
    assert comparing.verdict(turned, "random", "bm25").startswith("bm25 is above random by ")
    few = compare(results_of("mdcr-mini"), groups=["Physics"], resamples=200)
    found = few.statistics.difference("bm25", "random", "map")
    assert comparing.verdict(few, "bm25", "random") == (
        f"bm25 and random: no difference could be shown ({found.difference:.2f} points of MAP in favour of bm25, "
        f"p = {found.p_holm:.4f}); with these queries, differences from {found.detectable:.1f} points on would be seen"
    )
    assert [comparing.p_value(p) for p in (1, 0.04999, 0.00009, 0.00004)] == ["1.0000", "0.0500", "0.0001", "4e-05"]


def test_csv_and_json_hold_the_same_numbers_in_full(compared_set):
    _, comparison = compared_set
    statistics = comparison.statistics
    rows = list(csv.DictReader(io.StringIO(compared.as_csv(comparison))))
    means = [row for row in rows if row["kind"] == "mean"]
    differences = [row for row in rows if row["kind"] == "difference"]
    assert rows == means + differences
    assert len(means) == len(statistics.estimates)
    assert len(differences) == len(statistics.differences)
    for row, found in zip(means, statistics.estimates, strict=True):
        assert (row["a"], row["b"], row["measure"]) == (found.model, "", found.measure)
        assert row["group"] == (found.group or "AVG")
        assert [read(row[name]) for name in ("queries", "value", "low", "high")] == [
            found.queries, found.mean, found.low, found.high,
        ]  # fmt: skip
    for row, found in zip(differences, statistics.differences, strict=True):
        assert (row["a"], row["b"], row["measure"]) == (found.a, found.b, found.measure)
        assert row["group"] == (found.group or "AVG")
        given = asdict(found)
        numbers = [name for name in given if name not in ("a", "b", "measure", "group", "difference")]
        assert [read(row[name]) for name in ("value", *numbers)] == [given[name] for name in ("difference", *numbers)]
    parsed = json.loads(compared.as_json(comparison))
    assert parsed["estimates"] == [asdict(found) for found in statistics.estimates]
    assert parsed["differences"] == [asdict(found) for found in statistics.differences]
    assert (parsed["resamples"], parsed["confidence"], parsed["seed"]) == (DRAWS, 0.95, 0)
    assert parsed["cautions"] == list(comparison.cautions)
    assert {name: found["summary"] for name, found in parsed["results"].items()} == {
        name: result.summary for name, result in comparison.results.items()
    }


def read(text):
    return float(text) if text else None


def cells_of(text, form):
    """Rows of numbers of a table in LaTeX or Markdown: a name, and cells."""
    rows = []
    for line in text.splitlines():
        if form == "latex" and re.search(r" & .*\d\.\d\d.* \\\\$", line):
            rows.append(line.removesuffix(r" \\").split(" & "))
        if form == "markdown" and re.match(r"\| .*\d\.\d\d", line):
            rows.append(line.removeprefix("| ").removesuffix(" |").split(" | "))
    return rows


MARKED = {
    "latex": (r"\textbf{%s}", r"%s$^{*}$"),
    "markdown": ("**%s**", "%s*"),
}


@pytest.mark.parametrize("form", MARKED)
def test_the_best_is_bold_and_what_is_surely_best_has_a_star(compared_set, form):
    of, comparison = compared_set
    best, star = MARKED[form]
    names, statistics = list(comparison.results), comparison.statistics
    rows = cells_of(compared.FORMATS[form](comparison), form)
    expected, marks = [], {"bold": 0, "star": 0}
    for section in comparison.first.sections:
        for name in section.rows:
            row = []
            for model in names:
                for measure in comparison.measures:
                    values = {
                        other: dict(comparison.results[other].sections)[section.kind][name][measure] for other in names
                    }
                    shown = {other: f"{value:.2f}" for other, value in values.items()}
                    highest = max(shown.values(), key=float)
                    cell = shown[model]
                    if cell == highest:
                        cell = best % cell
                        marks["bold"] += 1
                        tested = section.kind in ("field", "topic") or name in ("AVG", "macro over disciplines")
                        group = name if section.kind in ("field", "topic") else None
                        holm = [
                            found.p_holm
                            for found in statistics.differences
                            if found.measure == measure and found.group == group and model in (found.a, found.b)
                        ]
                        assert len(holm) == len(names) - 1
                        if tested and list(shown.values()).count(highest) == 1 and all(p < 0.05 for p in holm):
                            cell = star % cell
                            marks["star"] += 1
                    row.append(cell)
            expected.append(row)
    assert [row[1:] for row in rows] == expected
    assert 0 < marks["bold"] > marks["star"]
    assert marks["star"] or of == "acmcr"  # 47 queries show no model above both others
    assert "above every other, p < 0.05 after Holm's correction" in compared.FORMATS[form](comparison)


def odd_results(tmp_path, names=("a_b & 50%", "c^~\\{#$}|d")):
    """Results whose names and fields hold what LaTeX and Markdown take for their own."""
    path = tmp_path / "odd.json"
    lists = {str(n): pool(bm25=["a", "b"], true=["c"]) for n in range(12)}
    path.write_text(json.dumps({"Art & 100%": lists, "Law_#|1": lists}))
    pairs = {f"{query}_{paper}": at for query in lists for at, paper in enumerate("abc")}
    good, bad = (package.score(path, {pair: sign * at for pair, at in pairs.items()}) for sign in (1, -1))
    return [replace(result, model=name) for result, name in zip((good, bad), names, strict=True)]


def test_special_characters(tmp_path):
    comparison = compare(odd_results(tmp_path), resamples=200)
    latex = compared.as_latex(comparison)
    assert r"\multicolumn{3}{c}{a\_b \& 50\%} & \multicolumn{3}{c}{c\textasciicircum{}\textasciitilde{}" in latex
    assert r"\textbackslash{}\{\#\$\}|d}" in latex
    assert r"Art \& 100\% & \textbf{100.00}$^{*}$ & " in latex
    assert r"Law\_\#|1 & " in latex
    markdown = compared.as_markdown(comparison)
    assert r"| c^~\{#$}\|d MAP |" in markdown
    assert r"| Law_#\|1 | **100.00*** |" in markdown
    assert len({line.replace(r"\|", "").count("|") for line in markdown.splitlines() if line.startswith("|")}) == 1
    assert all(name in str(comparison) for name in ("a_b & 50%", "c^~\\{#$}|d", "Art & 100%", "Law_#|1"))
    rows = list(csv.DictReader(io.StringIO(compared.as_csv(comparison))))
    assert {row["group"] for row in rows} == {"Art & 100%", "Law_#|1", "AVG"}


def test_one_result_has_no_marks(results_of):
    for form in MARKED:
        table = "".join(cell for row in cells_of(one_table(results_of, form), form) for cell in row)
        assert "*" not in table
        assert "textbf" not in table


def one_table(results_of, form):
    return compared.FORMATS[form](compare(results_of("mdcr-mini")[:1], resamples=5))


def test_a_chosen_measure_is_all_that_tables_have(results_of):
    comparison = compare(results_of("oagqa-mini"), measures=["mrr"], resamples=200)
    assert r"\begin{tabular}{lrr}" in compared.as_latex(comparison)
    assert "Hit" not in "".join(make(comparison) for name, make in compared.FORMATS.items() if name != "json")
    assert "Hit" not in str(comparison)


@pytest.mark.full
def test_latex_compiles(comparison_of, tmp_path):
    if which("pdflatex") is None:
        pytest.skip("needs pdflatex")
    of = [comparison_of(name) for name in ("mdcr-mini", "oagqa-mini")]
    of += [compare(odd_results(tmp_path), resamples=200)]
    of += [compare(of[0].first and list(of[0].results.values())[:1], resamples=20)]
    tables = "\n\\par\\tiny\n".join(map(compared.as_latex, of))
    (tmp_path / "all.tex").write_text(
        "\\documentclass{article}\n\\usepackage[a0paper,landscape]{geometry}\n\\usepackage{booktabs}\n"
        f"\\begin{{document}}\n{tables}\n\\end{{document}}\n"
    )
    how = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(how, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:]
    assert (tmp_path / "all.pdf").read_bytes().startswith(b"%PDF")
    assert "Misplaced" not in done.stdout


# Commands


def test_compare_on_the_command_line(saved, comparison_of, scirank):
    folders = saved("mdcr-mini")
    done = scirank("compare", *folders, "--resamples", str(DRAWS), "--queries", "7")
    comparison = comparison_of("mdcr-mini")
    assert done.stdout.startswith(str(comparison))
    assert done.stderr == ""
    after = done.stdout.removeprefix(str(comparison))
    benchmark = package.load_benchmark("mdcr-mini")
    for subset in subsets(comparison, benchmark):
        assert subset.name in after
        assert numbers_of(subset.statistics.estimate("bm25", "map")) in after
    for source, statistics in confusion(comparison.results, benchmark, resamples=DRAWS).items():
        (line,) = [line for line in after.splitlines() if line.startswith(f" {source} ")]
        assert all(numbers_of(statistics.estimate(model, "above")) in line for model in ("bm25", "random"))
    assert "The 7 queries that changed most" in after
    titles = {query: paper.title for task in benchmark.tasks for query, paper in task.queries.items()}
    lines = after.splitlines()
    for change in changes(comparison, "bm25", "random", most=7):
        at = lines.index(f"query {change.query_id}, {change.group}: {titles[change.query_id]}")
        assert all(
            f"{name}, {value:.2f}" in lines[at + 2] for name, value in (("bm25", change.a), ("random", change.b))
        )
        seen = view(comparison.results, change.query_id, change.group, benchmark, top=3)
        for rank, both in enumerate(zip(*seen.rankings.values(), strict=True), 1):
            for place in both:
                assert f"{rank}{', right' * place.right} " in lines[at + 3 + rank]
                assert place.title[:40] in lines[at + 3 + rank]
        late = [places[0] for places in seen.right.values() if places[0].rank > 3]
        assert all(part in lines[at + 7] for place in late for part in (f"{place.rank}, right ", place.title[:40]))


def test_compare_without_lists_and_without_data(results_of, scirank, tmp_path):
    """As of upstream's files, which are not here."""
    for result in results_of("mdcr-mini"):
        replace(result, benchmark="mdcr").save(tmp_path / result.model)
    done = scirank("compare", "bm25", "random", "--resamples", "20", "--queries", "1", "--groups", "Art, Physics")
    assert "mdcr test, 8 queries in 2 fields, percent" in done.stdout
    assert "stands above a true citation" not in done.stdout
    assert "The 1 query that changed most" in done.stdout
    assert done.stderr == (
        "without the benchmark's files (--data-dir) there are no titles, abstracts and sources of candidates\n"
    )
    with_data = scirank(
        "compare", "bm25", "random", "--resamples", "20", "--data-dir", mdcr_dataset.MINI, "--queries", "1"
    )
    (change,) = changes(compare(results_of("mdcr-mini"), resamples=20), "bm25", "random", most=1)
    (line,) = [
        line for line in with_data.stdout.splitlines() if "Grammar-Aware Mutation with Coverage Feedback" in line
    ]
    assert line.split()[0] in change.group
    assert all(text in line for text in (change.query_id, f"{change.a:.2f}", f"{change.b:.2f}"))
    assert with_data.stderr == ""
    assert "stands above a true citation" not in with_data.stdout  # no ranked lists


@pytest.mark.parametrize("name", ["mdcr-mini", "oagqa-mini"])
@pytest.mark.parametrize("form", compared.FORMATS)
def test_compare_in_other_formats(name, form, saved, comparison_of, scirank):
    done = scirank("compare", *saved(name), "--resamples", str(DRAWS), "--format", form)
    expected = compared.FORMATS[form](comparison_of(name))
    if form == "json":
        assert json.loads(done.stdout) == json.loads(expected)
    else:
        assert done.stdout == expected
    assert done.stderr == ""


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
def test_no_number_is_cut_in_a_narrow_terminal(width, comparison_of):
    """What does not fit is left out as a column; the difference, its interval and the corrected p stay longest."""
    comparison, out = comparison_of("mdcr-mini"), io.StringIO()
    comparing.print_comparison(comparison, Console(file=out, width=width, no_color=True, markup=False, emoji=False))
    difference = comparison.statistics.difference("bm25", "random", "map")
    lines = [
        line for line in out.getvalue().splitlines() if line.startswith((" MAP ", " AVG ", " Biology ", " group "))
    ]
    assert not any("…" in line for line in lines)
    assert all(len(line) <= width for line in lines)
    (average,) = [line for line in lines if line.startswith(" AVG ")]
    shown = [f"{difference.difference:+.2f}"]
    if width >= 80:
        shown.append(f"{difference.low:+.2f} to {difference.high:+.2f}")
    if width >= 100:
        shown.append(comparing.p_value(difference.p_holm))
    if width >= 120:
        shown += [f"{difference.wins}", f"{difference.ties}", f"{difference.losses}"]
    assert all(text in average for text in shown)


def test_other_treatment_of_what_is_missing_is_told(results_of):
    bm25, random = results_of("mdcr-mini")
    settings = {**random.provenance["settings"], "missing": "drop"}
    other = replace(random, provenance={**random.provenance, "settings": settings})
    lowest = replace(bm25, provenance={**bm25.provenance, "settings": {**settings, "missing": "lowest"}})
    told = "candidates without a score were treated otherwise: bm25 lowest, random drop"
    assert told in compare([lowest, other], resamples=10).cautions
    assert not any("treated otherwise" in each for each in compare([bm25, random], resamples=10).cautions)


def test_options_and_cautions_of_compare(results_of, scirank, tmp_path):
    bm25, random = results_of("oagqa-mini")
    noted = replace(random, notes=("3 of 40 queries were trained on: optics/1",))
    for result in (bm25, noted):
        result.save(tmp_path / result.model)
    options = {
        "measures": ["mrr", "hit_1"],
        "groups": ["optics", "physiology"],
        "resamples": 30,
        "confidence": 0.5,
        "seed": 4,
    }
    given = [(f"--{k}", ",".join(v) if isinstance(v, list) else str(v)) for k, v in options.items()]
    done = scirank("compare", "bm25", "random", "--format", "csv", *(part for each in given for part in each))
    assert done.stdout == compared.as_csv(compare([bm25, noted], **options))
    assert done.stderr == "random: 3 of 40 queries were trained on: optics/1\n"
    table = scirank("compare", "bm25", "random", "--resamples", "20")
    assert "note: random: 3 of 40 queries were trained on: optics/1\n" in table.stdout


def test_compare_refuses(saved, results_of, scirank, tmp_path):
    mdcr, oagqa = saved("mdcr-mini"), saved("oagqa-mini")
    results_of("mdcr-mini")[0].save(tmp_path / "mdcr")
    for arguments, message in [
        ((mdcr[0], oagqa[1]), "error: bm25 and random cannot be compared: one is of mdcr-mini"),
        ((*mdcr, "--measures", "mrr"), "error: not all results have mrr; common measures are map, ndcg, recall_5"),
        ((*mdcr, "--groups", ","), "error: no group was named"),
        ((*mdcr, "--data-dir", tmp_path), "error: mdcr-mini comes with the package and takes no data_dir"),
        ((mdcr[0], "nowhere"), "error: nowhere/result.json is absent; expected a folder that"),
    ]:
        done = scirank("compare", *arguments, "--resamples", "5", expect=1)
        assert done.stderr.startswith(message)
        assert done.stdout == ""


SHARED_ID = {
    "Food": {"1": pool(bm25=["3", "4"], true=["2"]), "2": pool(bm25=["3"], true=["1"])},
    "Roads": {"1": pool(random=["2", "5"], most_cited=["2"], true=["4"])},
}
TEXTS = [
    {"paper_id": "1", "title": "[red] apples", "abstract": "apples are " + "very " * 200 + "red"},
    {"paper_id": "2", "title": "green apples", "abstract": "apples may be green fruit"},
    {"paper_id": "3", "title": "old bridges", "abstract": None},
    {"paper_id": "4", "title": "", "abstract": "stone bridges over rivers"},
    {"paper_id": "5", "title": "empty", "abstract": ""},
]


def test_show(write_mdcr, scirank, tmp_path):
    folder = write_mdcr(SHARED_ID, TEXTS)
    for model in ("bm25", "random"):
        package.run(model, data_dir=folder, out=tmp_path / "out", save_rankings=True, quiet=True)
    both = ("show", "out/bm25", "out/random")
    done = scirank(*both, "--query", "1", "--group", "Food", "--data-dir", folder)
    lines = done.stdout.splitlines()
    assert lines[:2] == ["query 1, Food", "[red] apples"]
    assert lines[2].startswith("apples are very ")
    assert lines[2].endswith("…")
    assert [line for line in lines if line in ("bm25", "random")] == ["bm25", "random"]
    (best,) = [line for line in lines if re.search(r"^ +1 +yes ", line)][:1]
    assert "green apples" in best
    assert best.rstrip().endswith("true")
    values = Result.load(tmp_path / "out" / "bm25").per_query
    assert f"MAP {100 * values['map'][0]:.2f}, nDCG {100 * values['ndcg'][0]:.2f}, R@5 100.00" in done.stdout
    bare = scirank(*both, "--query", "1", "--group", "Food").stdout
    assert not any(text in bare for text in ("apples", "bm25 ", "true"))
    assert "MAP" in bare
    assert "yes" in bare
    alone = scirank(*both, "--query", "2", "--data-dir", folder).stdout  # in one group only
    assert alone.startswith("query 2, Food\ngreen apples\napples may be green fruit\n")
    roads = (*both, "--query", "1", "--group", "Roads", "--top")
    assert "most_cited, random" in scirank(*roads, "3", MDCR_DATA_DIR=str(folder)).stdout
    by_environment = scirank(*roads, "1", MDCR_DATA_DIR=str(folder)).stdout
    right = Result.load(tmp_path / "out" / "random", rankings=True).lists[2]
    rank = right.best_first().index("4") + 1
    shown = by_environment.split("\nrandom\n")[1]
    assert (f"right papers further down: {rank} (4)" in shown) == (rank > 1)
    for arguments, message in [
        (("--query", "1"), "error: query '1' is in Food, Roads; choose a group (--group)"),
        (("--query", "9"), "error: no query '9'; ids look like 1, 2, 1"),
        (("--query", "2", "--group", "Roads"), "error: no query '2' in Roads; ids look like "),
    ]:
        assert scirank(*both, *arguments, expect=1).stderr.startswith(message)
    package.run("bm25", data_dir=folder, out=tmp_path / "bare", quiet=True)
    refused = scirank("show", "bare/bm25", "--query", "2", expect=1)
    assert refused.stderr.startswith(
        "error: bare/bm25/rankings.parquet is absent: ranked lists are saved on request (--save-r"
    )
    other = write_mdcr({"Food": SHARED_ID["Food"]}, TEXTS, folder="other")
    wrong = scirank(*both, "--query", "2", "--data-dir", other, expect=1).stderr
    assert re.match(r"error: .*(no field 'Roads'|not the files that the result is of)", wrong)
    changed = write_mdcr(SHARED_ID, [*TEXTS[:-1], {"paper_id": "5", "title": "new"}], folder="changed")
    wrong = scirank(*both, "--query", "2", "--data-dir", changed, expect=1).stderr
    assert "SHA-256 of papers is another than when bm25 was evaluated (test)" in wrong


def test_show_a_question(saved, results_of, scirank):
    bm25, random = results_of("oagqa-mini")
    task = next(task for task in package.load_benchmark("oagqa-mini").tasks if task.group == "optics")
    done = scirank("show", *saved("oagqa-mini"), "--query", "optics/2", "--top", "3").stdout
    assert done.startswith(f"query optics/2, optics\n{task.queries['optics/2'].text}\n")
    assert all(f"answer: {answer}\n" in done for answer in task.answers["optics/2"])
    for result, part in zip((bm25, random), re.split(r"\n(?:bm25|random)\n", done)[1:], strict=True):
        first, *_ = result.scores["optics"]["optics/2"].items()
        paper, score = first
        assert re.search(rf"^ +1 .*{score:.4f} +{paper} +{re.escape(task.corpus[paper].title[:40])}", part, re.M)
        at = result.per_query["query_id"].index("optics/2")
        assert f"Hit@20 {100 * result.per_query['hit_20'][at]:.2f}, " in part
