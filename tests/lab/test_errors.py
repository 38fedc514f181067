"""Other errors, and other costs than visits."""

from itertools import combinations

import numpy as np
import pytest

from minicrawl.lab.errors import course, experiment, measured
from minicrawl.lab.generate import power_law
from minicrawl.lab.methods import H_BY_G, POWER, X
from minicrawl.rank import Graph, pagerank


@pytest.mark.parametrize("seed", range(3))
def test_errors_are_those_of_loops_over_pages(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.random(200)
    truth /= truth.sum()
    estimate = truth * rng.lognormal(0, 0.3, 200)
    x = estimate / estimate.sum()
    relative = [abs(a - b) / b for a, b in zip(x, truth, strict=True)]
    best = sorted(range(200), key=lambda page: -truth[page])[:20]
    wrong = sum((truth[a] - truth[b]) * (x[a] - x[b]) < 0 for a, b in combinations(best, 2))
    found = measured(17 * estimate, truth)
    assert found.mean == pytest.approx(100 * sum(relative) / 200)
    assert found.weighted == pytest.approx(100 * sum(r * b for r, b in zip(relative, truth, strict=True)))
    assert found.order == pytest.approx(100 * wrong / (20 * 19 / 2))
    assert found.spread == pytest.approx(100 * np.std(relative))


@pytest.mark.slow
def test_course_counts_the_links_that_visits_follow() -> None:
    """In turn every page is visited once in N visits, off-line every link is followed once."""
    graph = power_law(300, np.random.default_rng(0))
    points = course(graph, 0, seed=0, turns=3)
    for method in ("cycle", "off-line"):
        assert [point.passes for point in points if point.method == method] == [1, 2, 3]
    star = Graph.from_links([list(range(1, 40)), *[[0]] * 39])
    greedy = [point.passes for point in course(star, 0, seed=0, turns=2) if point.method == "greedy"]
    assert greedy[1] > 2.0  # the centre has half of the cash and half of the links


@pytest.mark.slow
def test_experiment_claims_what_its_rows_say() -> None:
    graphs = [power_law(600, np.random.default_rng(seed)) for seed in (0, 1)]
    result = experiment(graphs, seed=0, turns=4, smaller=[power_law(200, np.random.default_rng(0))])
    rows = [dict(zip(result.columns, row, strict=True)) for row in result.rows]
    assert {row["pages"] for row in rows} == {600, 200}

    def mean(method: str, estimator: str, column: str, pages: int = 600) -> float:
        return float(
            np.mean(
                [
                    row[column]
                    for row in rows
                    if (row["method"], row["estimator"], row["visits in N"], row["pages"])
                    == (method, estimator, 4, pages)
                ]
            )
        )

    by_words = {claim.sentence.split(",")[0]: claim for claim in result.claims}
    off_line = mean("off-line", POWER, "weighted error in %")
    assert f"off-line {off_line:.3g} %" in by_words["weighted by importance"].measured
    spreads = [mean(method, H_BY_G, "spread in %") for method in ("greedy", "cycle", "random")]
    assert by_words["with greedy the errors of pages differ the least"].held == (spreads == sorted(spreads))
    sizes = [mean("greedy", X, "mean error in %", pages) for pages in (200, 600)]
    size = next(claim for claim in result.claims if claim.sentence.startswith("the error does not depend on the size"))
    assert f"X {sizes[0]:.3g} and {sizes[1]:.3g} %" in size.measured
    assert [panel.title for panel in result.panels] == ["weighted", "order", "at the same cost"]


@pytest.mark.slow
def test_weighted_error_is_the_distance_from_pagerank() -> None:
    graph = power_law(300, np.random.default_rng(3))
    last = [point for point in course(graph, 0, 0, 30) if point.method == "off-line"][-1]
    assert last.errors[POWER].weighted < 0.5
    assert measured(pagerank(graph), pagerank(graph)).order == pytest.approx(0.0, abs=1e-9)
