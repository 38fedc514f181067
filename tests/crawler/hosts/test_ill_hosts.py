"""Kinds of hosts that fall ill, and of well ones that look like them, crawled twice, a day apart."""

import itertools
from pathlib import Path

import httpx
import pytest
from support.ill_hosts import ILL, WELL, Figures, Kind, figures
from support.prose import WORDS, prose
from support.sites import HOME, Server, Site, crawl, rows

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


def test_a_host_is_told_to_be_gone_once(store: Path) -> None:
    told = []
    site = {HOME: ["http://b.test/"], "http://b.test/": httpx.ConnectError("refused")}
    with log.following(["host-gone"], lambda *event: told.append(event)):
        for _ in range(5):
            crawl(site, store, [HOME], patience=0)
            rows(store, "UPDATE health SET failed_at = failed_at - 100000")
    assert [keys["host"] for _, _, keys in told] == ["b.test"]


@pytest.mark.parametrize(("failures", "events"), [(2, ["host-back"]), (6, ["crawl-stalled", "host-back"])])
def test_a_crawl_that_waits_for_its_only_host_is_stalled_after_five_minutes(
    failures: int, events: list[str], store: Path
) -> None:
    """It is told once, and not of a host that is well again after a minute and a half."""
    requests = itertools.count()
    pages = [f"{HOME}{number}" for number in range(9)]

    def reply(request: httpx.Request, _: int) -> list[str]:
        if 2 <= next(requests) < 2 + failures:
            raise httpx.ConnectError("refused")
        return [*pages, f"<p>{request.url}"]

    told: list[str] = []
    with log.following(["crawl-stalled", "host-back"], lambda name, *_: told.append(name)):
        crawl(dict.fromkeys([HOME, *pages], reply), store, [HOME], patience=7_200)
    assert told == events
