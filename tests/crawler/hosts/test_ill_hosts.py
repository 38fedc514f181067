"""Kinds of hosts that fall ill, and of well ones that look like them, crawled twice, a day apart."""

from pathlib import Path

import pytest
from support.ill_hosts import ILL, WELL, Figures, Kind, figures

WAYS = [
    pytest.param("mixed", 1.0, id="mixed"),
    *(
        pytest.param(order, delay, id=f"{order}-{delay:.0f}", marks=pytest.mark.slow)
        for order, delay in (("folders", 1.0), ("mixed", 0.0), ("folders", 0.0))
    ),
]
"""Order of the links to pages, and delay."""


@pytest.mark.parametrize(("order", "delay"), WAYS)
@pytest.mark.parametrize("kind", [pytest.param(kind, id=name) for name, kind in ILL.items()])
def test_an_ill_host_loses_no_page_and_is_left_alone(kind: Kind, order: str, delay: float, store: Path) -> None:
    found = figures(kind, store, order=order, delay=delay)
    wrong = {
        "lost": len(found.lost) > kind.lost,
        "asked before a Retry-After was over": found.early > 0,
        "asked too often within ten minutes": found.soon > kind.soon,
    }
    assert _said(wrong, found) == ""


@pytest.mark.parametrize(("order", "delay"), WAYS)
@pytest.mark.parametrize("kind", [pytest.param(kind, id=name) for name, kind in WELL.items()])
def test_a_well_host_is_read_as_if_nobody_doubted_it(kind: Kind, order: str, delay: float, store: Path) -> None:
    found = figures(kind, store, order=order, delay=delay)
    wrong = {
        "lost": len(found.lost) > kind.lost,
        "left to rest": found.rests > kind.rests,
        "asked too often": found.asked > found.most,
    }
    assert _said(wrong, found) == ""


def _said(wrong: dict[str, bool], found: Figures) -> str:
    return "; ".join(f"{what}: {found}" for what, is_so in wrong.items() if is_so)
