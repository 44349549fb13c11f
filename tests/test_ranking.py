"""The first k of many scores, against sorting all of them."""

import numpy as np
import plain
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from scirank import ranking
from scirank.errors import ScirankError
from scirank.ranking import by_tie_rule, first, rank_block, ranked, search

# Beside ASCII, what sorts otherwise by code point, in UTF-16, in a locale, or by signed bytes.
IDS = st.text("aBb019-éßz\u0301日\uffee🚀", max_size=3) | st.text(st.characters(exclude_categories=["Cs"]), max_size=2)
SCORES = st.sampled_from([0.0, -0.0, 1.0, 1 + 1e-12, 1 + 1e-6, 0.1, -2.5, 3e38, -3e38, 1e-45])


@st.composite
def rows(draw):
    """Papers in any order, some rows of scores, and a depth below, at, or above the number of papers."""
    papers = draw(st.lists(IDS, min_size=1, max_size=9, unique=True))
    few = draw(st.lists(SCORES, min_size=1, max_size=3))
    row = st.lists(st.sampled_from(few), min_size=len(papers), max_size=len(papers))
    return papers, draw(st.lists(row, min_size=1, max_size=4)), draw(st.integers(1, len(papers) + 2) | st.none())


def sorted_whole(papers, scores, depth):
    """What `Ranked` should hold, as a list of pairs, and whether the cut is between equals."""
    order = plain.ranked_labels(scores, range(len(papers)), papers)
    pairs = [(papers[at], float(np.float32(scores[at]))) for at in order]
    return pairs[:depth], depth is not None and depth < len(pairs) and pairs[depth - 1][1] == pairs[depth][1]


def as_pairs(found):
    return [(list(best.run.items()), best.cut_in_tie) for best in found]


def in_tie_order(papers, scores):
    """The same rows, their columns in the order that `first` and `rank_block` ask for."""
    order = by_tie_rule(papers)
    return order, np.array([[row[papers.index(paper)] for paper in order] for row in scores], dtype=np.float64)


@given(rows())
def test_equals_sorting_the_whole(drawn):
    papers, scores, depth = drawn
    expected = [sorted_whole(papers, row, depth) for row in scores]
    assert as_pairs(ranked(dict(zip(papers, row, strict=True)), depth) for row in scores) == expected
    order, columns = in_tie_order(papers, scores)
    assert as_pairs(rank_block(columns, order, depth)) == expected
    exact = columns.astype(np.float32)
    places, cut = first(exact, min(depth or len(papers), len(papers)))
    assert [[order[place] for place in row] for row in places.tolist()] == [
        [p for p, _ in pairs] for pairs, _ in expected
    ]
    assert cut.tolist() == [tied for _, tied in expected]
    assert np.array_equal(exact, columns.astype(np.float32))


@pytest.mark.parametrize("values", [1, 2, 10, 10**6])
def test_many_papers(values):
    scores = np.random.default_rng(values).integers(0, values, (30, 400)).astype(np.float32)
    papers = by_tie_rule(map(str, range(400)))
    for depth in (1, 2, 100, 399, 400, 401, None):
        expected = [sorted_whole(papers, row, depth) for row in scores.tolist()]
        assert as_pairs(rank_block(scores, papers, depth)) == expected


# Scores of papers d, c, b, a; depth -> which are first, and whether equals were cut apart.
BOUNDARY = {
    "equals inside": ([1, 3, 3, 1], 2, "cb", False),
    "equals outside": ([1, 3, 2, 1], 2, "cb", False),
    "equals across": ([1, 2, 3, 2], 2, "bc", True),
    "all but one of the equals": ([2, 2, 2, 1], 2, "dc", True),
    "all equal": ([5, 5, 5, 5], 3, "dcb", True),
    "all equal, all in": ([5, 5, 5, 5], 4, "dcba", False),
    "all equal, more than all": ([5, 5, 5, 5], 9, "dcba", False),
    "both zeros": ([-0.0, 0.0, -0.0, -1], 2, "dc", True),
    "equal in single precision": ([1, 1 + 1e-12, 0, 0], 1, "d", True),
    "not equal in single precision": ([1, 1 + 1e-6, 0, 0], 1, "c", False),
    "the smallest difference": ([0, 1e-45, 0, 0], 1, "c", False),
}


@pytest.mark.parametrize("case", BOUNDARY)
def test_equals_at_the_boundary(case):
    scores, depth, papers, cut = BOUNDARY[case]
    (found,) = rank_block(np.array([scores], dtype=np.float64), "dcba", depth)
    assert ("".join(found.run), found.cut_in_tie) == (papers, cut)
    found = ranked(dict(zip("abcd", scores[::-1], strict=True)), depth)
    assert ("".join(found.run), found.cut_in_tie) == (papers, cut)


def test_no_queries_and_no_papers():
    assert list(rank_block(np.zeros((0, 3)), "cba", 2)) == []
    assert as_pairs(rank_block(np.zeros((2, 0)), [], 5)) == [([], False)] * 2
    assert as_pairs([ranked({}, 5), ranked({}, None)]) == [([], False)] * 2
    assert list(search(np.zeros((0, 2), np.float32), np.ones((3, 2), np.float32), "cba", "dot", 2)) == []


@given(rows())
def test_pytrec_eval_orders_the_same(drawn):
    papers, scores, _ = drawn
    names = {f"{paper}-".replace("\0", "0"): row for paper, row in zip(papers, zip(*scores, strict=True), strict=True)}
    for at in range(len(scores)):
        run = {paper: row[at] for paper, row in names.items()}
        qrels = {str(number): {paper: 1} for number, paper in enumerate(run)}
        found = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(dict.fromkeys(qrels, run))
        ranks = {paper: round(1 / found[str(number)]["recip_rank"]) for number, paper in enumerate(run)}
        assert ranks == {paper: rank for rank, paper in enumerate(ranked(run, None).run, 1)}


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize("score", [np.nan, np.inf, -np.inf, 1e39])
@pytest.mark.parametrize("depth", [1, 3, None])
def test_a_score_that_is_not_finite(score, depth):
    scores = np.zeros((2, 3))
    scores[1, 2] = score
    with pytest.raises(ScirankError, match=r"the score of paper a is (nan|-?inf); expected a finite number"):
        list(rank_block(scores, "cba", depth))


SIMILARITIES = pytest.mark.parametrize("similarity", ["cosine", "dot", "euclidean", "manhattan"])


@SIMILARITIES
@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_a_vector_that_is_not_finite(similarity, number):
    queries, corpus = np.ones((1, 4), np.float32), np.ones((3, 4), np.float32)
    corpus[1, 2] = number
    with pytest.raises(ScirankError, match=r"the score of paper b is (nan|-?inf)"):
        list(search(queries, corpus, "cba", similarity, 2))


def plain_similarity(similarity, queries, corpus):
    queries, corpus = queries.astype(np.float64), corpus.astype(np.float64)
    if similarity in ("dot", "cosine"):
        lengths = [np.maximum(np.linalg.norm(side, axis=1), 1e-12) for side in (queries, corpus)]
        return queries @ corpus.T / (np.outer(*lengths) if similarity == "cosine" else 1)
    apart = queries[:, None] - corpus[None]
    return -np.abs(apart).sum(2) if similarity == "manhattan" else -np.sqrt((apart**2).sum(2))


def papers_named(number):
    return by_tie_rule(f"é{at}" if at % 3 else f"{at}" for at in range(number))


@SIMILARITIES
@pytest.mark.parametrize("depth", [1, 7, 60, 100, None])
def test_search_is_exact_where_arithmetic_is(similarity, depth):
    """Sixteen times 1 or -1 and else 0: of length 4, and all scores but roots are exact."""
    made = np.random.default_rng(7)
    vectors = np.zeros((80, 20), np.float32)
    for vector in vectors:
        vector[made.permutation(20)[:16]] = made.choice([-1, 1], 16)
    papers = papers_named(60)
    scores = plain_similarity(similarity, vectors[60:], vectors[:60])
    expected = [sorted_whole(papers, row, depth) for row in scores.tolist()]
    assert as_pairs(search(vectors[60:], vectors[:60], papers, similarity, depth)) == expected
    assert depth in (60, 100, None) or any(cut for _, cut in expected)


@SIMILARITIES
@given(st.integers(0, 10**6), st.integers(1, 70), st.integers(1, 9), st.integers(1, 40), st.integers(1, 80))
@settings(max_examples=40)
def test_search_is_near_the_plain_implementation(similarity, seed, papers, queries, dimensions, depth):
    made = np.random.default_rng(seed)
    left, right = (made.standard_normal((rows, dimensions)).astype(np.float32) for rows in (queries, papers))
    left[0] = 0
    names = papers_named(papers)
    found = list(search(left, right, names, similarity, depth))
    assert len(found) == queries
    for row, best in zip(plain_similarity(similarity, left, right), found, strict=True):
        expected = dict(zip(names, row.tolist(), strict=True))
        assert len(best.run) == min(depth, papers)
        assert best.run == pytest.approx({paper: expected[paper] for paper in best.run}, rel=1e-5, abs=1e-5)
        assert list(best.run) == list(ranked(best.run, None).run)
        assert max((expected[p] for p in names if p not in best.run), default=-np.inf) <= min(best.run.values()) + 1e-4


@SIMILARITIES
def test_search_gives_the_same_whatever_the_size_of_a_block(similarity, monkeypatch):
    made = np.random.default_rng(3)
    queries, corpus = (made.standard_normal((rows, 100)).astype(np.float32) for rows in (23, 77))
    papers = papers_named(77)
    whole = list(search(queries, corpus, papers, similarity, 20))
    for block in (1, 77, 2 * 77, 7 * 77 + 5, 23 * 77):
        monkeypatch.setattr(ranking, "BLOCK", block)
        assert list(search(queries, corpus, papers, similarity, 20)) == whole, block


@SIMILARITIES
def test_papers_with_the_same_vector_are_equals(similarity):
    """Wherever they stand, so that the tie rule orders them, and a cut between them is noticed."""
    made = np.random.default_rng(1)
    for papers, dimensions in ((5, 5), (17, 5), (33, 100), (257, 384), (1000, 768)):
        queries = made.standard_normal((50, dimensions)).astype(np.float32)
        corpus = np.tile(made.standard_normal(dimensions).astype(np.float32), (papers, 1))
        names = papers_named(papers)
        for best in search(queries, corpus, names, similarity, papers - 1):
            assert len(set(best.run.values())) == 1
            assert list(best.run) == names[:-1]
            assert best.cut_in_tie
