"""Surfers compared on sites of which every figure can be derived."""

from dataclasses import replace

import numpy as np
import pytest

from minicrawl.lab.surfer import FEWEST, by_front_pages, by_other_sites
from minicrawl.opic.surfer import parse_surfer
from minicrawl.rank import Graph
from minicrawl.rank.endorsement import EndorsedSite

SURFERS = {name: parse_surfer(name) for name in ("uniform", "reasonable")}
TEXT, LIST, NAVIGATION = 0, 1, 2
A, B = 0, 1
IN_TEXT, IN_BOTH, IN_MENU = range(2, 7), range(7, 12), range(12, 17)


def site(name: str, endorsed: range, front: tuple[int, ...] = ()) -> EndorsedSite:
    """Page A links to five pages in its text and five in its menu; page B to these five and five others in its menu.

    A and B are linked by nobody, and so are equal. Taking links alike, a walker passes 1/10 along each: the five in
    both menus get 2/10. With 8 to 1 A passes 8/45 along each link in the text and 1/45 along one in the menu: the
    five of the text have 16/90, those in both menus 2/90 + 9/90, those in the menu of B 9/90.
    """
    rows = [[*IN_TEXT, *IN_BOTH], [*IN_BOTH, *IN_MENU]] + [[]] * 15
    places = np.array([TEXT] * 5 + [NAVIGATION] * 15, dtype=np.uint8)
    linking = np.zeros(17, dtype=np.int64)
    linking[list(endorsed)] = 1
    return EndorsedSite(name, ("/",) * 17, Graph.from_links(rows), places, linking, np.array(front, dtype=np.int64))


def test_links_in_the_text_win_where_people_cite_what_they_lead_to() -> None:
    """Alike: above A and B, tied with the five in the menu of B, below the five in both. Reasonable: above all."""
    found = by_other_sites([site("a.test", IN_TEXT)], SURFERS)
    assert found is not None
    assert found.sites[0].figures["uniform"].area == pytest.approx((2 + 5 / 2) / 12)
    assert found.sites[0].figures["reasonable"].area == 1.0
    assert found.sites[0].figures["reasonable"].ndcg == pytest.approx(1.0)
    assert found.sites[0].figures["reasonable"].precision == pytest.approx(5 / 17)
    assert found.surfers[1].area_gain == pytest.approx((0.625, 0.625, 0.625))
    assert (found.surfers[1].better, found.surfers[1].worse) == (1, 0)
    assert found.losers("reasonable") == []


def test_means_are_over_sites_and_those_that_lose_are_named() -> None:
    """At b.test people cite what is in both menus: alike above all, with 8 to 1 below the five in the text."""
    found = by_other_sites([site("a.test", IN_TEXT), site("b.test", IN_BOTH)], SURFERS, seed=3)
    assert found is not None
    uniform, reasonable, *_ = found.surfers
    assert uniform.mean.area == pytest.approx((0.375 + 1.0) / 2)
    assert reasonable.mean.area == pytest.approx((1.0 + 7 / 12) / 2)
    assert uniform.area_gain == (0.0, 0.0, 0.0)
    # Two draws of two sites: both the one, one of each, both the other.
    assert reasonable.area_gain == pytest.approx(((0.625 - 5 / 12) / 2, -5 / 12, 0.625))
    assert (reasonable.better, reasonable.worse) == (1, 1)
    ((loser, gain),) = found.losers("reasonable")
    assert loser == "b.test"
    assert gain == pytest.approx(-5 / 12)
    assert found.losers("reasonable", more_than=0.5) == []


def test_front_pages_are_taken_out_and_what_they_link_to_is_to_be_found() -> None:
    """Without A only B's ten links are left, all alike: five of these are linked from A, and five not."""
    found = by_front_pages([site("a.test", IN_TEXT, front=(A,)), site("b.test", IN_TEXT)], SURFERS)
    assert found is not None
    assert [each.site for each in found.sites] == ["a.test"]  # the other one has no front page
    assert (found.sites[0].pages, found.sites[0].wanted) == (16, 10)
    # Five wanted ones are tied with the five in the menu of B above the rest; the other five, and B, have no links.
    area = (5 * (5 / 2 + 1) + 5 * (1 / 2)) / (10 * 6)
    assert [each.mean.area for each in found.surfers] == pytest.approx([area] * 5)


@pytest.mark.parametrize("path", ["?page=2", "genindex.html", "py-modindex", "index-files/a", "tag/x"])
def test_links_of_generated_pages_weigh_less(path: str) -> None:
    """Half of what A has: the five of its text get 1/20, those in both menus 3/20, those in B's 2/20. Nothing: 0, 2/20,
    2/20, and the five are tied with A and B."""
    made = replace(site("a.test", IN_TEXT), urls=(f"https://tags.test/{path}", *("https://tags.test/a/stages",) * 16))
    found = by_other_sites([made], SURFERS)
    assert found is not None
    areas = {one.surfer: one.mean.area for one in found.surfers[2:]}
    assert areas == pytest.approx(
        {"uniform, generated 0.5": 2 / 12, "uniform, generated 0.25": 2 / 12, "uniform, generated 0": 1 / 12}
    )
    authored = by_other_sites([site("a.test", IN_TEXT)], SURFERS)
    assert authored is not None
    assert {one.area_gain for one in authored.surfers[2:]} == {(0.0, 0.0, 0.0)}


@pytest.mark.parametrize("endorsed", [range(2, 2 + FEWEST - 1), range(17), range(FEWEST - 1, 17)])
def test_a_site_where_too_few_pages_or_all_are_wanted_is_not_judged(endorsed: range) -> None:
    assert by_other_sites([site("a.test", endorsed)], SURFERS) is None
    assert by_front_pages([site("a.test", endorsed)], SURFERS) is None
