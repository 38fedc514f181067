"""Rules that hold a share, on a given graph."""

import numpy as np
import pytest

from minicrawl.lab.generate import power_law
from minicrawl.lab.held_shares import crawled, experiment
from minicrawl.rank import Graph


def web(pages: int, seed: int) -> Graph:
    return power_law(pages, np.random.default_rng(seed))


@pytest.mark.parametrize("name", ["credit", "income"])
def test_asked_for_all_no_page_is_read_again(name: str) -> None:
    log = crawled(web(300, 1), name, 1.0, np.arange(40, dtype=np.int32), 300)
    assert len(set(log.pages.tolist())) == len(log.pages)
    assert log.discovers.all()


def test_small_edges_hold_a_share_that_pay_outs_cannot() -> None:
    seeds = np.arange(20, dtype=np.int32)
    later = {
        name: crawled(web(4000, 2), name, 0.8, seeds, 2400).discovers[1200:].mean()
        for name in ("credit", "income", "edges")
    }
    assert later["credit"] == pytest.approx(0.8, abs=0.01)
    assert later["edges"] == pytest.approx(0.8, abs=0.06)
    assert later["income"] < 0.7


def test_rules_are_compared_on_the_same_seeds() -> None:
    result = experiment(web(300, 3), seed=1, seed_sets=2, seeds=20)
    rows = [dict(zip(result.columns, row, strict=True)) for row in result.rows]
    assert len(rows) == 2 * 11
    assert {(row["discovery by"], row["seed set"]) for row in rows} == {
        (rule, number) for rule in ("credit", "income", "edges") for number in (1, 2)
    }
    assert all(0.0 < row["area"] < row["read"] <= 1.0 + 1e-9 for row in rows)
    areas = [row["area"] for row in rows if (row["discovery by"], row["share asked for"]) == ("income", 0.5)]
    claim = next(one for one in result.claims if one.sentence.startswith("income") and one.sentence.endswith("for 0.5"))
    assert f"area {np.mean(areas):.4f} against" in claim.measured
    assert experiment(web(300, 3), seed=1, seed_sets=2, seeds=20) == result
