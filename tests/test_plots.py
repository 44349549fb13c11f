"""Plots: what is drawn is what was found, whoever looks at it, on whatever paper."""

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest

import scirank
from mdcr_dataset import FIELDS
from oagqa_dataset import TOPICS
from oagqa_dataset.topics import DISCIPLINES
from scirank.analysis import compare
from scirank.errors import ScirankError
from scirank.results import Result, published_rows
from scirank.results.summary import summary_of
from scirank.statistics import compare_values, strata

pytest.importorskip("matplotlib")

from scirank.plots import (
    PLOTS,
    differences_plot,
    draw,
    groups_plot,
    hits_plot,
    reliability_plot,
    save,
    sources_plot,
    speed_plot,
)
from scirank.plots.saving import as_svg
from scirank.plots.style import COLOURS, look, short_names

NAMES = ["one", "two", "three"]
LONG = [
    "sentence-transformers/a-model-with-a-name-that-goes-on-and-on-v1",
    "sentence-transformers/a-model-with-a-name-that-goes-on-and-off-v1",
    "_of/$dollars$ and_$more",
]


def made(name, per_query, benchmark, split="test", ranking=None):
    provenance = {"data_sha256": {}, "settings": {}, "ranking": ranking or {}}
    return Result(name, benchmark, split, summary_of(per_query), per_query, provenance)


def of_mdcr(name, fields=FIELDS, seed=0, level=0.4, **more):
    groups = [field for field in fields for _ in range(6)]
    values = np.random.default_rng(seed).uniform(level - 0.3, level + 0.3, len(groups)).tolist()
    queries = list(map(str, range(len(groups))))
    columns = {"query_id": queries, "group": groups, "map": values, "ndcg": values, "tied": [False] * len(groups)}
    return made(name, columns, "mdcr", **more)


def of_oagqa(name, topics=tuple(TOPICS), seed=0):
    groups = [topic for topic in topics for _ in range(3)]
    parts = {topic: discipline for discipline, inside in DISCIPLINES.items() for topic in inside}
    columns = {"query_id": list(map(str, range(len(groups)))), "group": groups, "part_of": [parts[g] for g in groups]}
    found = np.random.default_rng(seed).random(len(groups))
    for cutoff, share in ((1, 0.3), (5, 0.5), (20, 0.8), (100, 0.9)):
        columns[f"hit_{cutoff}"] = (found < share).astype(float).tolist()
        columns[f"exact_hit_{cutoff}"] = (found < share / 2).astype(float).tolist()
    return made(name, columns | {"relevant": [1] * len(groups), "ranked": [100] * len(groups)}, "oagqa")


def compared(results):
    return compare(results, resamples=50)


@pytest.fixture(scope="module")
def fields():
    return compared([of_mdcr(name, seed=at, level=0.4 + 0.1 * at) for at, name in enumerate(NAMES)])


@pytest.fixture(scope="module")
def topics():
    return compared([of_oagqa(name, seed=at) for at, name in enumerate(NAMES)])


def confusions(names):
    rng = np.random.default_rng(0)
    return {
        source: compare_values(
            {name: {"above": rng.random(8).tolist()} for name in names}, strata(["a"] * 4 + ["b"] * 4), resamples=50
        )
        for source in ("bm25", "most_cited")
    }


def with_marks(axes):
    return [line for line in axes.lines if line.get_marker() not in (None, "None", "")]


def segments(collection):
    return [np.asarray(each) for each in collection.get_segments()]


def told_apart(lines):
    for key in ("get_marker", "get_color"):
        assert len({getattr(line, key)() for line in lines}) == len(lines)


def test_groups_are_where_their_numbers_say(fields):
    figure = groups_plot(fields)
    (axes,) = figure.axes
    labels = [label.get_text() for label in axes.get_yticklabels()]
    of_one = {field: fields.statistics.estimate("one", "map", field).mean for field in FIELDS}
    assert labels == [*sorted(FIELDS, key=lambda field: -of_one[field]), "average"]
    groups = [*labels[:-1], None]
    *ours, theirs = with_marks(axes)
    assert len(ours) == len(axes.collections) == 3
    for name, line, intervals in zip(NAMES, ours, axes.collections, strict=True):
        found = [fields.statistics.estimate(name, "map", group) for group in groups]
        assert line.get_xdata().tolist() == [each.mean for each in found]
        ends = [[[each.low, y], [each.high, y]] for each, y in zip(found, line.get_ydata(), strict=True)]
        np.testing.assert_array_equal(segments(intervals), ends)
    told_apart([*ours, theirs])
    # Marks of a row stand beneath each other, nearer to their own row than to the next.
    rows = axes.get_yticks()
    apart = np.array([line.get_ydata() - rows for line in (*ours, theirs)])
    assert (np.diff(apart, axis=0) > 0.1).all()
    assert (np.abs(apart) < 0.4).all()
    (published,) = (row for row in published_rows("mdcr") if row.groups)
    assert theirs.get_xdata().tolist() == [*(published.groups[field]["map"] for field in labels[:-1]), 32.5704]
    assert theirs.get_markerfacecolor() == "white"
    shown = [text.get_text() for text in figure.legends[0].get_texts()]
    assert shown == [*NAMES, "SciNCL, published"]
    in_order = groups_plot(fields, "ndcg", by_value=False).axes[0]
    assert [label.get_text() for label in in_order.get_yticklabels()] == [*FIELDS, "average"]


def test_published_numbers_stand_beside_their_like_only():
    for results in ([of_mdcr("one", FIELDS[:5])], [of_mdcr("one", split="validation")]):
        assert len(with_marks(groups_plot(compared(results)).axes[0])) == 1


def test_all_topics_are_readable(topics):
    figure = groups_plot(topics)
    figure.draw_without_rendering()
    assert len(figure.axes) == 2
    labels = [label for axes in figure.axes for label in axes.get_yticklabels()]
    texts = [label.get_text() for label in labels]
    expected = [each.replace("_", " ") for discipline in DISCIPLINES for each in (discipline, *DISCIPLINES[discipline])]
    assert texts == [*expected, "average"]
    for axes in figure.axes:  # no name covers another
        boxes = [label.get_window_extent() for label in axes.get_yticklabels()]
        assert all(above.y0 > below.y1 - 1 for above, below in pairwise(boxes))
    drawn = [with_marks(axes) for axes in figure.axes]
    for at, name in enumerate(NAMES):
        found = [x for lines in drawn for x in lines[at].get_xdata()]
        assert found == [topics.statistics.estimate(name, "hit_20", group).mean for group in (*TOPICS, None)]
    assert max(figure.get_size_inches()) < 11


def test_hits_by_cutoff(topics):
    axes = hits_plot(topics).axes[0]
    assert axes.get_xscale() == "log"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "5", "20", "100"]
    lines = with_marks(axes)
    spans, exact = lines[::2], lines[1::2]
    told_apart(spans)
    for name, span, other, intervals in zip(NAMES, spans, exact, axes.collections, strict=True):
        for prefix, line, style in (("hit", span, "-"), ("exact_hit", other, "--")):
            found = [topics.statistics.estimate(name, f"{prefix}_{cutoff}") for cutoff in (1, 5, 20, 100)]
            assert line.get_ydata().tolist() == [each.mean for each in found]
            assert line.get_linestyle() == style
            np.testing.assert_allclose(line.get_xdata(), [1, 5, 20, 100], rtol=0.05)
        found = [topics.statistics.estimate(name, f"hit_{cutoff}") for cutoff in (1, 5, 20, 100)]
        assert [s[:, 1].tolist() for s in segments(intervals)] == [[each.low, each.high] for each in found]


def test_differences_and_what_is_sure_of_them():
    rng = np.random.default_rng(0)
    one = of_mdcr("one", FIELDS[:4])
    better = [value + 0.01 * rng.random() + (0.2 if at < 6 else 0) for at, value in enumerate(one.per_query["map"])]
    better[-6:] = one.per_query["map"][-6:]
    columns = one.per_query | {"map": better}
    comparison = compare([one, made("two", columns, "mdcr")], resamples=400)
    figure = differences_plot(comparison, "two", "one", "map")
    axes, right = figure.axes
    groups = [label.get_text() for label in axes.get_yticklabels()]
    assert groups[0] == FIELDS[0]
    assert groups[-1] == "average"
    found = [comparison.statistics.difference("one", "two", "map", group) for group in (*groups[:-1], None)]
    marks = with_marks(axes)
    assert [line.get_xdata()[0] for line in marks] == [-each.difference for each in found]
    for mark, intervals, each in zip(marks, axes.collections, found, strict=True):
        assert segments(intervals)[0][:, 0].tolist() == [-each.high, -each.low]
        assert (mark.get_markerfacecolor() == "white") == (each.p_holm >= 0.05)
        assert mark.get_marker() == ("D" if each.group is None else "o")
    assert {mark.get_markerfacecolor() == "white" for mark in marks} == {True, False}
    counts = [label.get_text() for label in right.get_yticklabels()][1:]
    assert counts == [f"{each.losses}/{each.ties}/{each.wins}" for each in found]
    assert "0/6/0" in counts
    forward = with_marks(differences_plot(comparison, "one", "two", "map").axes[0])
    assert forward[-1].get_xdata()[0] == found[-1].difference


def test_sources():
    found = confusions(NAMES)
    axes = sources_plot(found).axes[0]
    assert [label.get_text().split() for label in axes.get_xticklabels()] == [["bm25"], ["most", "cited"]]
    bars = axes.containers
    for name, drawn, intervals in zip(NAMES, bars, axes.collections, strict=True):
        estimates = [statistics.estimate(name, "above") for statistics in found.values()]
        assert [bar.get_height() for bar in drawn] == [each.mean for each in estimates]
        assert [s[:, 1].tolist() for s in segments(intervals)] == [[each.low, each.high] for each in estimates]
        assert [s[0, 0] for s in segments(intervals)] == pytest.approx([bar.get_center()[0] for bar in drawn])
    assert len({drawn[0].get_hatch() for drawn in bars}) == len({drawn[0].get_facecolor() for drawn in bars}) == 3


def spent(seconds, encoded=10):
    return {"wall_seconds": seconds, "texts": {"papers": {"texts": 12, "different": 10, "encoded": encoded}}}


def test_speed_shows_times_that_say_something():
    times = {
        "whole": spent(100.0),
        "words": {"wall_seconds": 2.0},
        "merged": {"merged_from": [spent(30.0), {"merged_from": [spent(40.0)]}]},
        "partly": spent(9.0, 5),
        "stored": spent(1.0, 0),
        "given": {},
    }
    results = [of_mdcr(name, FIELDS[:2], at, ranking=time) for at, (name, time) in enumerate(times.items())]
    axes = speed_plot(results, "ndcg").axes[0]
    assert axes.get_xscale() == "log"
    marks = {line.get_label(): line for line in axes.lines}
    assert {name: mark.get_xdata()[0] for name, mark in marks.items()} == {
        "whole": 100, "words": 2, "merged": 70, "partly": 9
    }  # fmt: skip
    for result in results[:4]:
        assert marks[result.model].get_ydata()[0] == result.average["ndcg"]
    assert [name for name, mark in marks.items() if mark.get_markerfacecolor() == "white"] == ["partly"]
    told_apart(list(marks.values()))
    assert [text.get_text() for text in axes.texts] == list(marks)
    boxes = [text.get_window_extent() for text in axes.texts]
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    note = axes.get_xlabel()
    assert "time not known: given" in note
    assert "vectors kept from before: stored" in note
    with pytest.raises(ScirankError, match=r"no result has a time that says anything.*--no-cache"):
        speed_plot(results[4:])


def every_plot(names):
    mdcr = [of_mdcr(name, FIELDS[:3], at, ranking=spent(2.0**at)) for at, name in enumerate(names)]
    oagqa = [of_oagqa(name, ("optics", "algebra"), at) for at, name in enumerate(names)]
    bins = {"ece": 0.1, "count": [3, 0, 2], "confidence": [0.1, 0.0, 0.8], "accuracy": [0.2, 0.0, 0.7]}
    calibration = {"title_span": bins, "exact_title": bins}
    calibrated = [replace(result, summary=result.summary | {"calibration": calibration}) for result in oagqa]
    of_fields = compared(mdcr)
    return {
        "groups": groups_plot(of_fields),
        "hits": hits_plot(compared(oagqa)),
        "differences": differences_plot(of_fields, *list(of_fields.results)[:2]),
        "sources": sources_plot(confusions(names)),
        "speed": speed_plot(mdcr),
        "calibration": reliability_plot(calibrated),
    }


def test_long_names_stay_inside():
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figures = every_plot(LONG)
    assert figures.keys() == PLOTS.keys()
    for name, figure in figures.items():
        renderer = FigureCanvasAgg(figure).get_renderer()
        figure.draw_without_rendering()
        box, (width, height) = figure.get_tightbbox(renderer), figure.get_size_inches()
        assert box.x0 >= 0, name
        assert box.y0 >= 0, name
        assert box.x1 <= width, name
        assert box.y1 <= height, name
        if name not in ("differences", "speed"):  # they name models elsewhere
            shown = [text.get_text() for text in figure.legends[0].get_texts()]
            assert len({text for text in shown if "…" in text}) == 2, name
    assert "$dollars$" in as_svg(figures["speed"])


def test_names_that_fit_differ():
    assert short_names(["a" * 40, "b"]) == ["a" * 40, "b"]
    first, second = short_names(["x" * 30 + str(at) + "y" * 50 for at in range(2)])
    assert len(first) == 40
    assert second == f"{first} (2)"
    assert short_names(["_a", "$b$"]) == [" _a", r"\$b\$"]


def test_looks_differ_by_each_of_their_parts():
    for part in zip(*map(look, range(8)), strict=True):
        assert len(set(part)) == 8
    assert len({look(at)[:2] for at in range(64)}) == 64

    def lightness(colour):
        linear = [(v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4) for v in
                  (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))]  # fmt: skip
        y = linear[0] * 0.2126 + linear[1] * 0.7152 + linear[2] * 0.0722
        return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y

    greys = list(map(lightness, COLOURS))
    assert max(greys) < 75  # to be seen on white paper
    assert all(abs(one - other) > 9 for one, other in combinations(greys[:4], 2))


def test_the_same_figure_gives_the_same_bytes(tmp_path):
    import matplotlib

    before = dict(matplotlib.rcParams)
    results = [of_mdcr("one", FIELDS[:2], ranking=spent(2.0)), of_mdcr("two", FIELDS[:2], 1, ranking=spent(3.0))]
    figure = speed_plot(results)
    kept = {}
    for ending in ("svg", "pdf", "png"):
        kept[ending] = save(figure, tmp_path / f"a.{ending}").read_bytes()
        assert save(figure, str(tmp_path / "new" / f"b.{ending.upper()}")).read_bytes() == kept[ending], ending
        assert save(speed_plot(results), tmp_path / f"c.{ending}").read_bytes() == kept[ending], ending
    assert as_svg(figure).encode() == kept["svg"]
    assert b"<text" in kept["svg"]
    assert b"/FontFile2" in kept["pdf"]
    assert b"/Type3" not in kept["pdf"]
    assert kept["png"].startswith(b"\x89PNG")
    assert dict(matplotlib.rcParams) == before


def test_a_file_is_whole_or_not_there(tmp_path, monkeypatch):
    figure = hits_plot(compared([of_oagqa("one", ("optics",))]))
    monkeypatch.setattr(figure, "savefig", lambda path, **_: path.write_bytes(b"half") and 1 / 0)
    with pytest.raises(ZeroDivisionError):
        save(figure, tmp_path / "a.png")
    assert not list(tmp_path.iterdir())
    with pytest.raises(ScirankError, match=r"plot '.*a.gif': expected a name that ends in .png, .pdf or .svg"):
        save(figure, tmp_path / "a.gif")


def test_plots_by_name(tmp_path):
    run = {"groups": ["Art", "Biology"], "quiet": True, "out": tmp_path, "save_rankings": True}
    folders = []
    for model in ("bm25", "random"):
        scirank.run(model, "mdcr-mini", **run)
        folders.append(tmp_path / model)
    drawn = {name: draw(name, folders, resamples=50) for name in ("groups", "differences", "sources")}
    drawn["speed"] = draw("speed", folders, measure="ndcg")
    assert drawn["sources"].axes[0].get_xticklabels()[0].get_text().split() == ["bm25"]
    assert with_marks(drawn["groups"].axes[0])[0].get_xdata()[-1] == pytest.approx(
        Result.load(folders[0]).average["map"], abs=1e-4
    )
    turned = draw("differences", folders, pair=["random", "bm25"], measure="ndcg", resamples=50)
    assert turned.get_supxlabel().startswith("random − bm25\npoints of nDCG")
    for name, results, options, message in (
        ("pie", folders, {}, "there is no plot 'pie'; choose one of groups, hits, differences"),
        ("groups", folders, {"pair": ["a", "b"]}, "plot groups has no use for pair; it takes measure, resamples"),
        ("groups", [], {}, "there is no result to plot"),
        ("groups", folders, {"measure": "hit_20"}, "not all results have hit_20; common measures are map, ndcg"),
        ("differences", folders[:1], {}, r"a difference is of two models; choose them \(pair=, --pair\) of bm25"),
        ("differences", folders, {"pair": ["bm25", "e5"]}, "there is no model 'e5' in this comparison; choose of bm25"),
        ("differences", folders, {"pair": ["bm25", "bm25"]}, "a difference is of two models; found 'bm25' twice"),
        (
            "hits",
            folders,
            {},
            "this plot is of Hit@K, which OAG-QA has; these results are of mdcr-mini, with map",
        ),
        ("calibration", folders, {}, "bm25: no calibration; it is for OAG-QA"),
        ("speed", folders, {"measure": "hit_20"}, "there is no hit_20 of bm25, random; choose one that all have: map"),
    ):
        with pytest.raises(ScirankError, match=message):
            draw(name, results, **options)
    with pytest.raises(ScirankError, match=r"there is no measure 'x' to plot; choose one that was compared: map, ndcg"):
        groups_plot(compared([of_mdcr("one", FIELDS[:2])]), "x")
    with pytest.raises(ScirankError, match="there is no source to plot"):
        sources_plot({})
