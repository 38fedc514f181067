"""Traps make pages without end, the same each time, and nothing else."""

import pytest

from minicrawl.demo.traps import ENTRANCES, trap_page


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_every_page_of_a_trap_leads_to_more_of_it(entrance: str) -> None:
    path = entrance
    for _ in range(5):
        found = trap_page(path)
        assert found is not None
        path = list(found[2])[-1]
        assert path.split("/")[0].split("?")[0] == entrance.split("/", maxsplit=1)[0].split("?", maxsplit=1)[0]


def test_shop_says_the_same_under_every_session() -> None:
    one, other = trap_page("shop/aa/boots"), trap_page("shop/bb/boots")
    assert one is not None
    assert other is not None
    assert one[:2] == other[:2]
    assert set(one[2]).isdisjoint(other[2])


@pytest.mark.parametrize("path", ["", "elsewhere", "about/team"])
def test_other_paths_are_no_pages(path: str) -> None:
    assert trap_page(path) is None
