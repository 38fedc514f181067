"""The discovery experiment says honestly what the steered crawls hold."""

import numpy as np
import pytest

from minicrawl.errors import SettingError
from minicrawl.lab.discovery import SHARES, crawled, experiment, largest_deviation, on_graph
from minicrawl.lab.steering import METHODS, Log
from minicrawl.lab.webs import power_law
from minicrawl.rank import Graph


def log_of(text: str) -> Log:
    """A log in which d is a discovery, r a refresh; in capitals when the other kind was not on offer."""
    letters = np.array(list(text), dtype=np.str_)
    contested = np.char.islower(letters)
    return Log(np.zeros(len(text), np.int32), np.char.lower(letters) == "d", contested)


@pytest.mark.parametrize(
    ("log", "share", "deviation"),
    [
        ("drdr", 0.5, 0.5),
        ("ddrr", 0.5, 1.0),
        ("rrrrd", 0.2, 0.8),
        ("DDDDdr", 0.5, 0.5),  # what had to be discovered does not count
        ("rrDrr", 0.5, 1.0),  # two stretches of two
        ("rrrr", 0.5, 2.0),
        ("DRDR", 0.5, 0.0),
        ("", 0.5, 0.0),
    ],
)
def test_deviation_is_the_largest_in_any_stretch(log: str, share: float, deviation: float) -> None:
    assert largest_deviation(log_of(log), share) == pytest.approx(deviation)


@pytest.mark.slow
def test_experiment_says_what_it_measured() -> None:
    result = experiment(8000, seed=1)
    asked = [(share, method.name) for share in SHARES for method in METHODS]
    assert [(row[0], row[1]) for row in result.rows] == asked
    assert all(type(value) in {float, str} for row in result.rows for value in row)
    assert {len(row) for row in result.rows} == {len(result.columns)}
    by_name = {row[:2]: row[2:] for row in result.rows}
    for share in SHARES:
        reached, sd, deviation, mass = by_name[share, "credit"]
        assert reached == pytest.approx(share, abs=0.01)
        assert sd < 0.05
        assert deviation <= 2
        assert 0 < mass < 1
        assert by_name[share, "no control"][0] == by_name[0.2, "no control"][0]
    assert [len(panel.curves) for panel in result.panels] == [len(METHODS)] * 3
    assert [claim.held for claim in result.claims[:2]] == [True, True]
    assert result == experiment(8000, seed=1, fetches=4000)


@pytest.mark.parametrize(
    ("nodes", "fetches", "needed"), [(8000, 999, "1000 fetches, not 999"), (99, 1000, "100 nodes, not 99")]
)
def test_experiment_refuses_too_little(nodes: int, fetches: int, needed: str) -> None:
    with pytest.raises(SettingError, match=f"needs at least {needed}"):
        experiment(nodes, seed=1, fetches=fetches)


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
    result = on_graph(web(300, 3), seed=1, seed_sets=2, seeds=20)
    rows = [dict(zip(result.columns, row, strict=True)) for row in result.rows]
    assert len(rows) == 2 * 11
    assert {(row["discovery by"], row["seed set"]) for row in rows} == {
        (rule, number) for rule in ("credit", "income", "edges") for number in (1, 2)
    }
    assert all(0.0 < row["area"] < row["read"] <= 1.0 + 1e-9 for row in rows)
    areas = [row["area"] for row in rows if (row["discovery by"], row["share asked for"]) == ("income", 0.5)]
    claim = next(one for one in result.claims if one.sentence.startswith("income") and one.sentence.endswith("for 0.5"))
    assert f"area {np.mean(areas):.4f} against" in claim.measured
    assert on_graph(web(300, 3), seed=1, seed_sets=2, seeds=20) == result
