"""Kinds of hosts that fall ill, and of well ones that look like them, crawled twice, a day apart."""

from pathlib import Path

import pytest
from support.ill_hosts import ILL, WELL, Figures, Kind, figures
from support.prose import WORDS, prose
from support.sites import HOME, Server, Site, crawl

from minicrawl import log

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


@pytest.mark.parametrize("view", ["/index.php?a=edit&p={}", "/secret{}", "/item{}/edit", "/w/edit-{}"])
def test_a_host_is_well_whose_views_are_forbidden_at_the_end(view: str, tmp_path: Path) -> None:
    """In the folder of its pages, or in a folder each: nothing else is new that could tell of a host that refuses."""
    page = {"/item{}/edit": "/item{}/", "/w/edit-{}": "/w/{}"}.get(view, "/page{}")
    keys = [f"{word}x" if "w/" in view else str(number) for number, word in enumerate(WORDS[:40])]
    site: Site = {HOME: [HOME[:-1] + page.format(key) for key in keys]}
    for key in keys:
        secret = HOME[:-1] + view.format(key)
        site[HOME[:-1] + page.format(key)] = [f"<title>{key}</title>", prose(int.from_bytes(key.encode()), 60), secret]
        site[secret] = 403
    ill: list[str] = []
    with log.following(["host-ill"], lambda name, *_: ill.append(name)):
        _, server = crawl(Server(site), tmp_path / "crawl.db", [HOME])
    assert (ill, {*site[HOME]} - {*server.asked}) == ([], set())
    assert sum(site.get(url) == 403 for url in server.asked) > 5
