"""Crawl orders: the compiled ones are held to slow ones, and the experiment to what can be derived."""

from collections.abc import Mapping

import numpy as np
import pytest

from minicrawl.errors import SettingError
from minicrawl.experiment import Result
from minicrawl.lab import frontiers
from minicrawl.lab.orders import ORDERS, Setup, area, collected, compared, draw_seeds, experiment, mass_at
from minicrawl.lab.webs import power_law
from minicrawl.rank import Graph

pytestmark = pytest.mark.slow  # all of them wait for compiled loops


def array(pages: list[int]) -> frontiers.PageArray:
    return np.array(pages, dtype=np.int32)


def test_area_of_equal_pages_is_a_half() -> None:
    order = array([2, 0, 1, 3])
    assert area(order, np.full(5, 0.2)) == pytest.approx(0.5)
    assert mass_at(0.5, order, np.full(5, 0.2)) == pytest.approx(0.5)


def test_area_is_that_under_the_share_of_what_was_reached() -> None:
    """Page 3 is out of reach: its mass does not count."""
    mass = np.array([0.1, 0.3, 0.1, 0.5])
    assert collected(array([1, 0, 2]), mass).tolist() == pytest.approx([0.0, 0.6, 0.8, 1.0])
    assert area(array([1, 0, 2]), mass) == pytest.approx((0.6 / 2 + 0.7 + 0.9) / 3)
    assert area(array([1, 0, 2]), mass) > area(array([0, 1, 2]), mass)


def test_experiment_has_a_row_per_order_and_seed_set_and_curves_that_end_at_one() -> None:
    result = experiment(power_law(1000, np.random.default_rng(1)), setup=Setup(3))
    assert [row[:2] for row in result.rows] == [(name, number) for name in ORDERS for number in (1, 2, 3)]
    for curve in result.panels[0].curves:
        assert (curve.y[0], curve.y[-1]) == pytest.approx((0.0, 1.0), abs=1e-12)
        areas = [row[3] for row in result.rows if row[0] == curve.name]
        assert np.trapezoid(curve.y, curve.x) == pytest.approx(np.mean(areas), abs=0.002)
    truth, virtual, plain = (np.array(curve.y) for curve in result.panels[1].curves)
    assert (plain > 0).all()
    assert (plain <= virtual).all()
    assert (virtual <= truth + 1e-9).all()
    assert result.claims[-1].held
    assert "of 3 seed sets" in result.claims[0].measured


def of_areas(areas: Mapping[str, tuple[float, ...]]) -> Result:
    rows = [(name, number, 9, area, 0.1, 0.2) for name, of in areas.items() for number, area in enumerate(of, start=1)]
    return Result("orders", "", (), rows, [], [])


def test_orders_are_compared_with_greedy_set_by_set() -> None:
    areas = {"greedy": (0.5, 0.7), "opic": (0.4, 0.75), "RankMass": (0.7, 0.9), "random": (0.1, 0.1)}
    best, greedy, opic, random = compared(of_areas(areas))
    assert [one.order for one in (best, greedy, opic, random)] == ["RankMass", "greedy", "opic", "random"]
    assert (opic.area, opic.at_10, opic.at_30) == pytest.approx((0.575, 0.1, 0.2))
    assert (opic.gain, opic.deviation) == pytest.approx((-0.025, 0.075 * 2**0.5))
    assert (opic.better, opic.sets) == (1, 2)
    assert (greedy.gain, greedy.better) == (0.0, 0)


def test_order_that_does_not_exist_is_refused() -> None:
    with pytest.raises(SettingError, match=r"--orders are some of greedy, .*, not 'best'"):
        Setup(orders=("RankMass", "best"))


def test_seeds_that_reach_hardly_anything_are_drawn_again() -> None:
    """Nine of ten pages lead nowhere; one leads to all."""
    graph = Graph.from_links([list(range(1, 40))] + [[]] * 39)
    assert 0 in draw_seeds(graph, 2, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("sets", "seeds", "message"),
    [
        (1, 2, "at least 2 seed sets, not 1"),
        (2, 41, "from 1 to 40, not 41"),
        (2, 0, "from 1 to 40, not 0"),
        (2, 1, "less than a tenth of the graph, 100 times"),
    ],
)
def test_settings_that_cannot_be_are_refused(sets: int, seeds: int, message: str) -> None:
    graph = Graph.from_links([[1]] + [[]] * 39)
    with pytest.raises(SettingError, match=message):
        experiment(graph, setup=Setup(sets, seeds))
