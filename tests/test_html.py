"""The HTML report: its numbers against the statistics, and the page in a real browser."""

import base64
import hashlib
import json
import re
import shlex
from dataclasses import replace
from html.parser import HTMLParser
from types import SimpleNamespace

import pyarrow as pa
import pytest

import scirank as package
from scirank.analysis import compare
from scirank.analysis.queries import view
from scirank.analysis.sources import confusion
from scirank.benchmarks import Corpus, Document
from scirank.errors import ScirankError
from scirank.report.formats import label
from scirank.report.html import write_html
from scirank.report.html.wording import verdict
from scirank.results.result import AVERAGE_NAMES

EVIL = (
    "</script><script>document.title='taken'</script><!-- <img src='https://evil.invalid/x' onerror=alert(1)> "
    "\u2028&amp;"
)
PLOT = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9" onload="alert(1)">
<metadata>http://purl.org/dc</metadata><script>alert(1)</script><foreignObject><p>out</p></foreignObject>
<defs><style type="text/css">*{stroke-linecap: butt}</style><clipPath id="p1a2b"><rect width="9" height="9"/></clipPath>
<path id="m1" d="M 0 0"/></defs>
<g clip-path="url(#p1a2b)" style="fill: url('#p1a2b')"><use xlink:href="#m1"/><use href="https://evil.invalid/x"/>
<text>a &lt; b</text></g></svg>"""


class Page(HTMLParser):
    """Tables by id as rows of cells, elements with their attributes, and the text that is seen."""

    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.html = path.read_text("utf-8")
        self.tables, self.elements, self.text, self.raw = {}, [], "", {}
        self._rows = self._cell = self._raw = None
        self.feed(self.html)
        self.data = json.loads(self.raw["data"])

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.elements.append((tag, found))
        if tag == "table":
            self._rows = self.tables.setdefault(found.get("id"), [])
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            self._rows[-1].append("")
            self._cell = True
        elif tag in ("script", "style"):
            self._raw = found.get("id", tag)

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self._cell = None
        elif tag in ("script", "style"):
            self._raw = None

    def handle_data(self, data):
        if self._raw:
            self.raw[self._raw] = self.raw.get(self._raw, "") + data
            return
        self.text += data
        if self._cell:
            self._rows[-1][-1] += data

    def rows(self, table):
        return {row[0].strip(): row[1:] for row in self.tables[table]}


def number(value):
    return f"{value:.2f}".replace("-", "−")


def with_interval(found):
    return f"{number(found.mean)} [{number(found.low)}, {number(found.high)}]"


def plus(value):
    shown = f"{value:+.2f}".replace("-", "−")
    return shown[1:] if shown[1:] == "0.00" else shown


def ran(name, *models, **options):
    benchmark = package.load_benchmark(name)
    results = [package.run(model, benchmark, quiet=True) for model in models]
    return SimpleNamespace(benchmark=benchmark, results=results, comparison=compare(results, resamples=300, **options))


@pytest.fixture(scope="module")
def mdcr(tmp_path_factory):
    found = ran("mdcr-mini", "bm25", "random")
    found.sources = confusion(found.comparison.results, found.benchmark, resamples=200)
    path = tmp_path_factory.mktemp("html") / "new" / "report.html"
    found.path = write_html(
        path, found.comparison, found.benchmark, confusion=found.sources, figures=[("A plot", PLOT)]
    )
    found.page = Page(found.path)
    return found


@pytest.fixture(scope="module")
def oagqa(tmp_path_factory):
    found = ran("oagqa-mini", "bm25", "random")
    found.path = write_html(tmp_path_factory.mktemp("html") / "oagqa.html", found.comparison, found.benchmark)
    found.page = Page(found.path)
    return found


@pytest.fixture(scope="module")
def hostile(mdcr, tmp_path_factory):
    """Every text that comes from data is an attack, and three models have names of that kind."""
    first = mdcr.benchmark.tasks[0]
    papers = {paper: Document(EVIL + first.corpus[paper].title, EVIL) for paper in first.corpus}
    columns = {"paper_id": list(papers), "title": [p.title for p in papers.values()], "abstract": [EVIL] * len(papers)}
    corpus = Corpus(pa.table(columns))
    tasks = tuple(
        replace(task, corpus=corpus, queries={query: corpus[query] for query in task.queries})
        for task in mdcr.benchmark.tasks
    )
    results = [
        replace(result, model=f"{EVIL}{at}", notes=(EVIL,), provenance={**result.provenance, "model": {"kind": EVIL}})
        for at, result in enumerate((*mdcr.results, mdcr.results[0]))
    ]
    comparison = replace(compare(results, resamples=50), cautions=(EVIL,))
    path = tmp_path_factory.mktemp("html") / "hostile.html"
    write_html(path, comparison, replace(mdcr.benchmark, tasks=tasks), figures=[(EVIL, PLOT)])
    return SimpleNamespace(path=path, page=Page(path), comparison=comparison)


# The page as it is written


def test_averages_are_the_statistics_and_published_rows_stand_beside(mdcr):
    statistics, rows = mdcr.comparison.statistics, mdcr.page.rows("averages-table")
    assert rows["model"] == ["MAP", "nDCG", "R@5"]
    for model in ("bm25", "random"):
        assert rows[model] == [with_interval(statistics.estimate(model, m)) for m in mdcr.comparison.measures]
    assert list(rows)[1] == "bm25"  # the best comes first
    assert rows["SciNCL\u00a02"] == ["32.57", "58.93", "27.27"]
    assert rows["BM25\u00a01"] == ["33.70", "", "28.50"]
    assert "not comparable: mini's papers are invented" in mdcr.page.text
    assert "README of github.com/zoranmedic/mdcr" in mdcr.page.text


def test_groups_and_differences_are_the_statistics(mdcr):
    statistics = mdcr.comparison.statistics
    groups, differences = mdcr.page.rows("groups-table"), mdcr.page.rows("differences-table")
    for group in (*mdcr.comparison.first.groups, None):
        name = group or "average"
        found = [statistics.estimate(model, "map", group) for model in ("bm25", "random")]
        assert groups[name] == [str(found[0].queries), *map(with_interval, found)]
        one = statistics.difference("bm25", "random", "map", group)
        assert differences[name] == [
            plus(one.difference),
            f"[{plus(one.low)}, {plus(one.high)}]",
            "",
            f"{one.p:.4f}",
            f"{one.p_holm:.4f}",
            plus(one.effect),
            *map(str, (one.wins, one.ties, one.losses)),
        ]


def test_sources_are_the_confusion(mdcr):
    rows = mdcr.page.rows("sources-table")
    for source, found in mdcr.sources.items():
        estimates = [found.estimate(model, "above") for model in ("bm25", "random")]
        assert rows[source] == [str(estimates[0].queries), *map(with_interval, estimates)]


def test_the_script_gets_every_measure_of_every_group_pair_and_query(mdcr):
    comparison, data = mdcr.comparison, mdcr.page.data
    for at, measure in enumerate(comparison.measures):
        for place, (model, result) in enumerate(comparison.results.items()):
            found = [comparison.statistics.estimate(model, measure, group) for group in (*data["groups"], None)]
            assert data["estimates"][at][place] == [
                [round(e.mean, 2), round(e.low, 2), round(e.high, 2)] for e in found
            ]
            assert data["queries"]["values"][at][place] == [round(100 * v, 2) for v in result.per_query[measure]]
        found = [
            comparison.statistics.difference("bm25", "random", measure, group) for group in (*data["groups"], None)
        ]
        assert [row[0] for row in data["differences"][0][at]] == [round(one.difference, 2) for one in found]
        assert [row[4:6] for row in data["differences"][0][at]] == [
            [round(one.p_holm, 4), one.p_holm < 0.05] for one in found
        ]
    assert data["queries"]["id"] == comparison.first.per_query["query_id"]
    assert [data["groups"][at] for at in data["queries"]["group"]] == comparison.first.per_query["group"]


@pytest.mark.parametrize("name", ["mdcr", "oagqa"])
def test_what_opens_is_what_analysis_shows(name, request):
    made = request.getfixturevalue(name)
    data, columns = made.page.data, made.comparison.first.per_query
    papers = list(zip(data["papers"]["id"], data["papers"]["title"], strict=True))
    assert len(data["lists"]) == len(columns["query_id"])
    for row in range(0, len(columns["query_id"]), 5):
        group, query = columns["group"][row], columns["query_id"][row]
        shown = view(made.comparison.results, query, group, made.benchmark, top=10)
        entry = data["lists"][str(row)]
        title = shown.document.title or shown.document.text
        assert entry["text"] == shown.document.text
        assert title.startswith(data["queries"]["title"][row].removesuffix(" …"))
        assert tuple(entry["answers"]) == shown.answers
        for model, found in zip(shown.rankings, entry["models"], strict=True):
            first, right = shown.rankings[model], shown.right[model]
            assert [papers[at] for at in found["papers"]] == [(place.paper, place.title) for place in first]
            assert found["scores"] == pytest.approx([place.score for place in first], rel=1e-3, abs=1e-3)
            assert [bool(mark & 1) for mark in found["marks"]] == [place.right for place in first]
            below = [(place.rank, place.paper) for place in right if place.rank > 10]
            assert [(rank, papers[at][0]) for rank, at, _ in found["below"]] == below[:20]
            assert found["counts"][1] == len(below)
            sources = [[s for at, s in enumerate(data["sources"], 1) if mark >> at & 1] for mark in found["marks"]]
            if name == "mdcr":
                assert [{*each} for each in sources] == [{*place.sources} - {"true"} for place in first]


def test_papers_are_stored_once(mdcr):
    papers = mdcr.page.data["papers"]
    assert len(set(papers["id"])) == len(papers["id"]) == len(papers["title"])


def test_a_right_paper_that_was_not_ranked_is_told(oagqa, tmp_path):
    result = oagqa.results[0]
    cut = tuple(
        each._replace(
            run=dict(list(each.run.items())[:1]),
            hits={rule: [rank for rank in ranks if rank < 1] for rule, ranks in each.hits.items()},
        )
        for each in result.lists
    )
    comparison = compare([replace(result, lists=cut)], resamples=10)
    data = Page(write_html(tmp_path / "page.html", comparison, oagqa.benchmark)).data
    row = result.per_query["query_id"].index("deep_learning/1")
    found = data["lists"][str(row)]["models"][0]
    assert [data["papers"]["id"][at] for at in found["papers"] + found["unranked"]] == ["38", "3"]
    assert found["counts"] == [1, 0, 1]


def test_questions_have_rules_disciplines_and_three_averages(oagqa):
    statistics, page = oagqa.comparison.statistics, oagqa.page
    averages = [row for row in page.tables["averages-table"] if row[0] == "bm25"]
    assert [row[1] for row in averages] == ["title_span", "exact_title"]
    measures = [m for m in oagqa.comparison.measures if not m.startswith("exact_")]
    assert page.tables["averages-table"][0][2:] == [label(measure) for measure in measures]
    exact = [m if m.startswith("recall") else f"exact_{m}" for m in measures]
    assert averages[1][2:] == [with_interval(statistics.estimate("bm25", m)) for m in exact]
    assert averages[0][2:5] == [with_interval(statistics.estimate("bm25", m)) for m in measures[:3]]
    assert averages[0][-2:] == ["", ""]  # recall is by the exact rule
    disciplines = page.rows("disciplines-table")
    for name, row in oagqa.results[0].summary["disciplines"].items():
        assert disciplines[name][:2] == [str(row["topics"]), number(row["hit_20"])]
    three = page.tables[None][2]
    summary = oagqa.results[0].summary
    both = [number(summary["averages"][a][m]) for m in ("hit_20", "exact_hit_20") for a in AVERAGE_NAMES]
    assert three == ["bm25", *both, str(summary["false_hits"]["hit_20"]), f"{summary['ece']:.3f}"]
    topics = page.rows("groups-table")
    assert topics["optics"][:2] == ["physics", "5"]
    assert topics["average"][0] == "macro over disciplines"
    assert "none could be checked" in page.text


def test_a_verdict_a_pair(mdcr, oagqa):
    one = mdcr.comparison.statistics.difference("bm25", "random", "map")
    told = verdict(mdcr.comparison, "bm25", "random").replace("\u00a0", " ")
    interval = f"95 % {one.low:.2f} to {one.high:.2f}"
    assert told == f"bm25 is above random by {one.difference:.2f} points MAP ({interval}, p = {one.p:.4f})."
    assert told in mdcr.page.text.replace("\u00a0", " ")
    turned = compare(mdcr.results[::-1], resamples=300)
    one = turned.statistics.difference("random", "bm25", "map")
    assert one.difference < 0
    told = verdict(turned, "random", "bm25").replace("\u00a0", " ")
    assert told.startswith(
        f"bm25 is above random by {-one.difference:.2f} points MAP (95 % {-one.high:.2f} to {-one.low:.2f}"
    )


def test_a_difference_that_cannot_be_shown_says_what_could_be(mdcr):
    other = package.run("random", mdcr.benchmark, quiet=True, seed=3, name="chance")
    comparison = compare([*mdcr.results, other], resamples=300)
    one = comparison.statistics.difference("random", "chance", "map")
    assert one.p_holm > 0.05
    told = verdict(comparison, "random", "chance")
    assert told.startswith("random and chance: no difference could be shown (")
    assert f"{abs(one.difference):.2f} points MAP in favour of {'random' if one.difference > 0 else 'chance'}" in told
    assert told.endswith(f"this benchmark would find differences from {one.detectable:.1f} points on.")
    assert "Holm over 3 pairs" in told
    same = compare([mdcr.results[0], replace(mdcr.results[0], model="again")], resamples=50)
    assert "both are the same" in verdict(same, "bm25", "again")


def test_many_pairs_are_folded_and_have_a_table(mdcr, tmp_path):
    results = [replace(mdcr.results[at % 2], model=f"model {at}") for at in range(5)]
    page = Page(write_html(tmp_path / "page.html", compare(results, resamples=50)))
    assert "5 models on mdcr-mini" in page.text
    assert "4 more pairs" in page.text
    assert len(page.tables["pairs-table"]) == 11


def test_one_model_has_neither_pairs_nor_differences(mdcr, tmp_path):
    page = Page(write_html(tmp_path / "page.html", compare(mdcr.results[:1], resamples=50), mdcr.benchmark))
    assert "bm25 on mdcr-mini" in page.text
    assert not {"differences-table", "pairs-table"} & page.tables.keys()
    assert "difference" not in page.tables["queries-table"][0]
    lowest = min(100 * value for value in mdcr.results[0].per_query["map"])
    assert page.tables["queries-table"][1][-1] == number(lowest)


def test_without_rankings_or_texts_the_page_says_so(mdcr, tmp_path):
    bare = [replace(result, lists=None) for result in mdcr.results]
    page = Page(write_html(tmp_path / "page.html", compare(bare, resamples=50)))
    assert "--save-rankings" in page.text
    assert page.data["lists"] == {}
    assert page.data["queries"]["title"] is None
    assert page.tables["queries-table"][0] == ["field", "id", "bm25", "random", "difference"]
    half = Page(write_html(tmp_path / "page.html", compare([mdcr.results[0], bare[1]], resamples=50)))
    assert "random was saved without ranked lists." in half.text
    assert all(entry["models"][1] is None for entry in half.data["lists"].values())


def test_lists_are_kept_within_the_limit_largest_differences_first(mdcr, tmp_path):
    whole = len(mdcr.path.read_bytes())
    bare = len(write_html(tmp_path / "bare.html", mdcr.comparison, mdcr.benchmark, limit=0).read_bytes())
    limit = (bare + whole) // 2 - 10_000
    path = write_html(tmp_path / "page.html", mdcr.comparison, mdcr.benchmark, limit=limit)
    page = Page(path)
    kept = [int(row) for row in page.data["lists"]]
    assert limit - 8_000 < len(path.read_bytes()) <= limit
    assert f"{len(kept)} of 76 queries open with the papers" in page.text
    a, b = (page.data["queries"]["values"][0][model] for model in (0, 1))
    apart = [abs(one - two) for one, two in zip(a, b, strict=True)]
    left = [far for row, far in enumerate(apart) if row not in kept]
    assert min(apart[row] for row in kept) >= max(left) - 0.01
    named = {at for entry in page.data["lists"].values() for of in entry["models"] for at in of["papers"]}
    assert len(page.data["papers"]["id"]) <= len(named) + 19 * len(kept)
    assert Page(tmp_path / "bare.html").data["lists"] == {}
    assert len(Page(tmp_path / "bare.html").data["queries"]["id"]) == 76


def test_nothing_from_data_is_markup(hostile):
    page = hostile.page
    assert page.html.count("<script") == 2
    assert "<img" not in page.html
    assert not [found for _, found in page.elements if any(name.startswith("on") for name in found)]
    assert page.html.count("<!--") == 0
    assert "\u2028" not in re.search(r'id="data">(.*)</script>', page.html)[1]
    assert all(model.startswith(EVIL) for model in page.data["models"])
    assert all(title.startswith(EVIL) for title in page.data["papers"]["title"])
    assert EVIL in page.text


@pytest.mark.parametrize("name", ["mdcr", "oagqa", "hostile"])
def test_nothing_is_loaded_and_the_policy_forbids_it(name, request):
    page = request.getfixturevalue(name).page
    sources = [found[key] for _, found in page.elements for key in ("src", "href", "srcset", "action") if key in found]
    assert all(source.startswith(("#", "data:")) for source in sources)
    assert not re.search(r"@import|url\(\s*[\"']?\s*(?!#|[\"'])", page.raw["style"])
    policy = next(
        found["content"] for _, found in page.elements if found.get("http-equiv") == "Content-Security-Policy"
    )
    digest = base64.b64encode(hashlib.sha256(page.raw["script"].encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; script-src 'sha256-{digest}'; ")
    assert "http" not in policy
    if name != "hostile":
        assert not re.search(r"https?://", page.html)


def test_figures_have_names_of_their_own_and_nothing_alive(mdcr, tmp_path):
    path = write_html(tmp_path / "page.html", mdcr.comparison, figures=[("One", PLOT), ("Two", PLOT)])
    page = Page(path)
    names = [found["id"] for _, found in page.elements if "id" in found]
    assert len(set(names)) == len(names)
    for figure in ("figure-1", "figure-2"):
        assert {f"{figure}-p1a2b", f"{figure}-m1"} < set(names)
        assert f'clip-path="url(#{figure}-p1a2b)" style="fill: url(#{figure}-p1a2b)"' in page.html
        assert f'<use href="#{figure}-m1">' in page.html
        assert f"#{figure} {{ *{{stroke-linecap: butt}} }}" in page.html
    for gone in ("alert(1)", "evil.invalid", "foreignObject", "purl.org", "onload", "http://"):
        assert gone not in page.html
    assert "a &lt; b" in page.html


@pytest.mark.parametrize("svg", ["<svg", "<svg/>", "<html/>", ""])
def test_a_figure_that_is_no_svg_is_an_error_and_writes_nothing(svg, mdcr, tmp_path):
    with pytest.raises(ScirankError, match="figure 'Bad' is no SVG"):
        write_html(tmp_path / "page.html", mdcr.comparison, figures=[("Bad", svg)])
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_is_refused(mdcr, oagqa, tmp_path):
    with pytest.raises(ScirankError, match="results are of mdcr-mini, the benchmark given is oagqa-mini"):
        write_html(tmp_path / "page.html", mdcr.comparison, oagqa.benchmark)
    with pytest.raises(ScirankError, match="top of at least 1"):
        write_html(tmp_path / "page.html", mdcr.comparison, top=0)


def test_the_same_input_gives_the_same_bytes(mdcr, tmp_path):
    again = write_html(
        tmp_path / "page.html",
        mdcr.comparison,
        mdcr.benchmark,
        confusion=mdcr.sources,
        figures=[("A plot", PLOT)],
    )
    assert again.read_bytes() == mdcr.path.read_bytes()


def test_provenance_is_there_and_its_command_runs(mdcr, tmp_path):
    from typer.testing import CliRunner

    from scirank.cli import app

    text = mdcr.page.text
    for result in mdcr.results:
        assert result.provenance["data_sha256"]["papers"] in text
        assert json.dumps(result.provenance["environment"]["packages"], indent=1).splitlines()[1] in text
        assert result.provenance["environment"]["time"][:10] in text
    assert mdcr.results[0].notes[0] in text
    command = next(line for line in text.splitlines() if line.startswith("scirank run bm25"))
    assert command == "scirank run bm25 --benchmark mdcr-mini --save-rankings --out results"
    arguments = shlex.split(command)[1:-1]
    done = CliRunner().invoke(app, [*arguments, str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert package.Result.load(tmp_path / "bm25").summary == mdcr.results[0].summary


def test_commands_name_what_is_not_the_default(oagqa, mdcr, tmp_path):
    command = next(line for line in oagqa.page.text.splitlines() if line.startswith("scirank run random"))
    assert "--topics deep_learning,reinforcement_learning," in command
    art = package.run("random", "mdcr-mini", quiet=True, groups=["Art"], measures=["map"], ties="expected", seed=4)
    text = Page(write_html(tmp_path / "page.html", compare([art], resamples=10))).text
    expected = "scirank run random --benchmark mdcr-mini --fields Art --ties expected --measures map --seed 4"
    assert expected in text
    given = replace(art, provenance={name: art.provenance[name] for name in ("data_sha256", "settings")})
    text = Page(write_html(tmp_path / "page.html", compare([given], resamples=10))).text
    assert "scirank score" in text


# The page in a browser


@pytest.fixture
def opened(browser):
    """Open a page, and afterwards see that it complained of nothing and loaded nothing."""

    def go(path, place=""):
        browser.get("about:blank")
        browser.get_log("browser")
        browser.get(f"{path.as_uri()}{place}")
        return SimpleNamespace(
            run=browser.execute_script,
            all=lambda selector: browser.find_elements("css selector", selector),
            one=lambda selector: browser.find_element("css selector", selector),
            column=lambda table, at: browser.execute_script(
                f"return [...document.querySelectorAll('#{table} tbody:first-of-type tr:not(.detail)')]"
                f".map((row) => row.cells[{at}].textContent)"
            ),
            press=lambda selector: browser.execute_script(f"document.querySelector({selector!r}).click()"),
            choose=lambda selector, value: browser.execute_script(
                "const node = document.querySelector(arguments[0]); node.value = arguments[1];"
                "for (const kind of ['input', 'change']) node.dispatchEvent(new Event(kind, { bubbles: true }))",
                selector,
                value,
            ),
        )

    yield go
    assert browser.execute_script("return performance.getEntriesByType('resource').map((each) => each.name)") == []
    assert browser.get_log("browser") == []


def in_percent(texts):
    return [float(text.split(" ")[0].replace("−", "-").replace(",", "")) for text in texts]


def test_tables_sort_by_any_column(opened, mdcr):
    page = opened(mdcr.path)
    groups = list(mdcr.comparison.first.groups)
    by_map = sorted(groups, key=lambda group: -round(mdcr.comparison.statistics.estimate("bm25", "map", group).mean, 2))
    assert page.column("groups-table", 0) == groups
    page.press("#groups-table th:nth-child(3) button")
    assert page.column("groups-table", 0) == by_map
    assert page.one("#groups-table th:nth-child(3)").get_attribute("aria-sort") == "descending"
    page.press("#groups-table th:nth-child(3) button")
    assert in_percent(page.column("groups-table", 2)) == sorted(in_percent(page.column("groups-table", 2)))
    page.one("#groups-table th:nth-child(1) button").send_keys("\ue007")  # Enter
    assert page.column("groups-table", 0) == sorted(groups)
    assert page.one("#groups-table th:nth-child(1)").get_attribute("aria-sort") == "ascending"
    assert page.one("#groups-table th:nth-child(3)").get_attribute("aria-sort") is None
    assert page.one("#groups-table tfoot th").text == "average"


def test_other_measures_can_be_chosen(opened, mdcr):
    page, statistics = opened(mdcr.path), mdcr.comparison.statistics
    page.press("#groups-table th:nth-child(4) button")
    page.choose("#groups-measure", "1")
    assert page.one("#groups-table caption").text.startswith("Table 2. nDCG by field")
    shown = dict(zip(page.column("groups-table", 0), page.column("groups-table", 3), strict=True))
    assert shown == {group: with_interval(statistics.estimate("random", "ndcg", group)) for group in shown}
    assert in_percent(shown.values()) == sorted(in_percent(shown.values()), reverse=True)  # it stays sorted
    means = [with_interval(statistics.estimate(model, "ndcg")) for model in ("bm25", "random")]
    foot = page.run("return document.querySelector('#groups-table tfoot tr').innerText")
    assert foot.split("\t") == ["average", "76", *means]
    page.choose("#differences-measure", "2")
    page.press("#differences-table th:nth-child(2) button")
    shown = dict(zip(page.column("differences-table", 0), page.column("differences-table", 1), strict=True))
    found = {group: statistics.difference("bm25", "random", "recall_5", group).difference for group in shown}
    assert shown == {group: plus(value) for group, value in found.items()}
    assert list(shown.values()) == [plus(value) for value in sorted(found.values(), reverse=True)]


def test_queries_are_searched_filtered_and_turned_over(opened, mdcr):
    page = opened(mdcr.path)
    queries = mdcr.page.data["queries"]
    a, b = queries["values"][0]
    apart = sorted((abs(round(one - two, 2)) for one, two in zip(a, b, strict=True)), reverse=True)
    shown = [abs(value) for value in in_percent(page.column("queries-table", 5))]
    assert shown == pytest.approx(apart[:25], abs=0.011)
    assert page.one("#queries-table th:last-child").get_attribute("aria-sort") == "other"
    assert page.one("#queries-status").text == "1–25 of 76"
    page.press("#queries-last")
    assert page.one("#queries-status").text == "76–76 of 76"
    assert page.one("#queries-next").get_attribute("disabled")
    page.press("#queries-table th:nth-child(2) button")
    assert page.column("queries-table", 1) == sorted(queries["id"], key=int)[:25]
    page.choose("#queries-group", str(mdcr.page.data["groups"].index("Biology")))
    assert set(page.column("queries-table", 0)) == {"Biology"}
    assert page.one("#queries-status").text == "1–4 of 4 found, of 76 in all"
    page.choose("#queries-group", "")
    words = queries["title"][7].split()[:3]
    page.one("#queries-search").send_keys(" ".join(words).upper())
    expected = {t for t in queries["title"] if all(w.lower() in t.lower() for w in words)}
    assert set(page.column("queries-table", 2)) == expected
    page.one("#queries-search").clear()
    page.one("#queries-search").send_keys(queries["id"][3])
    assert page.column("queries-table", 1) == [queries["id"][3]]
    page.one("#queries-search").send_keys("nowhere")
    assert page.column("queries-table", 0) == ["Nothing is found."]


def test_a_query_opens_with_what_both_models_ranked(opened, mdcr):
    page = opened(mdcr.path)
    group, query = page.column("queries-table", 0)[0], page.column("queries-table", 1)[0]
    shown = view(mdcr.comparison.results, query, group, mdcr.benchmark)
    first = page.one("#queries-table .open")
    assert first.get_attribute("aria-expanded") == "false"
    first.send_keys("\ue007")  # Enter
    assert first.get_attribute("aria-expanded") == "true"
    assert page.one(".detail h3").text == shown.document.title
    assert page.one(".detail .abstract").text == shown.document.text
    lists = page.all(".detail .rankings > div")
    assert [each.find_element("css selector", "h4").text for each in lists] == ["bm25", "random"]
    for model, part in zip(shown.rankings, lists, strict=True):
        rows = part.find_elements("css selector", "ol:first-of-type li")
        assert [row.find_element("css selector", ".name").text for row in rows] == [
            p.title for p in shown.rankings[model]
        ]
        assert ["✓" in row.text and "cited" in row.text for row in rows] == [p.right for p in shown.rankings[model]]
        below = part.find_elements("css selector", "ol:nth-of-type(2) li .rank")
        assert [int(rank.text) for rank in below] == [p.rank for p in shown.right[model] if p.rank > 10]
    page.press(".query .open")
    assert not page.all(".detail")
    second = page.all("#queries-table tr.query")[1]
    second.find_element("css selector", ".group").click()  # anywhere in the row
    assert page.one(".detail .measures").text.startswith(second.find_element("css selector", ".group").text)


def test_an_address_opens_its_query(opened, oagqa):
    page = opened(oagqa.path, "#query=optics/optics%2F3")
    assert page.one(".detail .measures").text == "optics, optics/3"
    row = oagqa.page.data["queries"]["id"].index("optics/3")
    assert page.one(".detail h3").text == oagqa.page.data["lists"][str(row)]["text"]
    page.choose("#groups-measure", "1")
    assert page.one("#disciplines-table caption").text.startswith("Table 4. Hit@1 exact by discipline")
    assert page.column("disciplines-table", 2) == [
        number(row["exact_hit_1"]) for row in oagqa.results[0].summary["disciplines"].values()
    ]


def test_a_page_of_one_model_without_texts_and_rankings_works(opened, mdcr, tmp_path):
    result = replace(mdcr.results[0], lists=None)
    page = opened(write_html(tmp_path / "page.html", compare([result], resamples=10)))
    lowest = sorted(round(100 * value, 2) for value in result.per_query["map"])
    assert in_percent(page.column("queries-table", 2)) == lowest[:25]
    page.press("#queries-table th:nth-child(3) button")
    assert in_percent(page.column("queries-table", 2)) == lowest[::-1][:25]
    page.press("#queries-table .open")
    assert "This result was saved without its ranked lists." in page.one(".detail").text


def test_hostile_texts_do_nothing(opened, hostile):
    page = opened(hostile.path)
    title = page.run("return document.title")
    page.press("#queries-table .open")
    page.choose("#groups-measure", "1")
    page.choose("#differences-pair", "2")
    page.choose("#differences-measure", "1")
    page.choose("#queries-pair", "1")
    assert page.run("return document.title") == title != "taken"
    assert page.run("return document.images.length") == 0
    assert page.run("return document.scripts.length") == 2
    assert page.run("return document.querySelector('.detail .name').textContent").startswith(EVIL)
    assert page.one("#pairs-table caption").text.startswith("Table 3. Every pair of models, nDCG")


def test_no_request_leaves(browser, mdcr):
    browser.get(mdcr.path.as_uri())
    browser.execute_script(
        "window.refused = [];"
        "addEventListener('securitypolicyviolation', (event) => refused.push(event.effectiveDirective));"
        "document.body.append(Object.assign(new Image(), { src: 'https://evil.invalid/x.png' }));"
        "fetch('https://evil.invalid/x').catch(() => {});"
        "const script = document.createElement('script'); script.textContent = 'document.title = `taken`';"
        "document.body.append(script);"
    )
    browser.execute_async_script("setTimeout(arguments[0], 50)")
    assert {"img-src", "connect-src", "script-src-elem"} <= set(browser.execute_script("return refused"))
    assert browser.title == "bm25 and random on mdcr-mini"
