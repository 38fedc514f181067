"""Coverage at the stops of one crawl, against the share of the final importance that the pages read by then hold."""

import random
from pathlib import Path

import pytest
from support.intakes import DAYS_LATER
from support.prose import WORDS
from support.sites import HOME, Site, crawl, ranks, rows

from minicrawl.model import CrawlReport

STOPS = (1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90)
"""Percent of the requests of the whole crawl."""


def told_apart(site: Site) -> Site:
    """With a text of its own on each page."""
    words = {url: " ".join(random.Random(url).choices(WORDS, k=40)) for url in site}
    return {url: [f"<title>{words[url][:20]}</title><p>{words[url]}</p>", *links] for url, links in site.items()}


def lists() -> Site:
    """Lists of four items, each with a link to the next one; items lead home."""
    site: Site = {HOME: ["/list/0"]}
    for at in range(30):
        site[f"{HOME}list/{at}"] = [HOME, f"/list/{at + 1}", *(f"/item/{4 * at + item}" for item in range(4))]
        site |= {f"{HOME}item/{4 * at + item}": [HOME] for item in range(4)}
    return site


def tree() -> Site:
    names = ["", *(f"page{number}" for number in range(1, 150))]
    urls = [HOME + name for name in names]
    return {url: [HOME, *urls[4 * at + 1 : 4 * at + 5]] for at, url in enumerate(urls)}


def wiki() -> Site:
    """Pages that are linked to more or less, and one link in six to a page that nobody has written."""
    draw = random.Random(1)
    urls = [HOME, *(f"{HOME}x{draw.randbytes(4).hex()}" for _ in range(120))]
    site: Site = {}
    for at, url in enumerate(urls):
        known = [urls[min(int(draw.paretovariate(0.6)) - 1, 120)] for _ in range(5)]
        site[url] = [HOME, *known, *urls[at + 1 : at + 2], *([f"{url}-missing"] if at % 2 else [])]
    return site


def sites() -> Site:
    """Twelve sites of lists, known ones linked to more."""
    draw = random.Random(2)
    web: Site = {}
    for site in range(12):
        home = f"http://s{site}.test/"
        web[home] = [f"{home}{page}" for page in range(0, 20, 4)]
        for page in range(20):
            away = f"http://s{min(int(draw.paretovariate(1)) - 1, 11)}.test/"
            web[f"{home}{page}"] = [home, f"{home}{page + 1}", away, f"{away}{draw.randrange(20)}"]
    return web


def at_stops(site: Site, seeds: list[str], folder: Path) -> list[tuple[CrawlReport, float]]:
    """The reports of one crawl in steps, each with the truth at its end."""
    total = crawl(site, folder / "whole.db", seeds)[0].fetched
    store, stops, done = folder / "crawl.db", list[tuple[CrawlReport, set[str]]](), 0
    for percent in STOPS:
        if (pages := max(total * percent // 100, 1) - done) > 0:
            report, _ = crawl(site, store, seeds, pages=pages)
            done += report.fetched
            stops.append((report, {url for (url,) in rows(store, "SELECT url FROM pages WHERE state = 'fetched'")}))
    last, _ = crawl(site, store, seeds)
    assert last.reason == "nothing-left"
    assert last.coverage == pytest.approx(1.0)
    final = ranks(store)
    return [(report, sum(final[url] for url in read)) for report, read in stops]


SLOW = {"delay": 0.5}
WEBS: dict[str, tuple[Site, list[str]]] = {
    **{make.__name__: (told_apart(make()), [HOME]) for make in (lists, tree, wiki)},
    "sites": (told_apart(sites()), [f"http://s{site}.test/" for site in range(12)]),
    "sites of four seeds": (told_apart(sites()), [f"http://s{site}.test/" for site in range(0, 12, 3)]),
}


@pytest.mark.parametrize("web", WEBS)
def test_the_share_of_the_final_importance_is_between_both_figures_at_every_stop(web: str, tmp_path: Path) -> None:
    """And `low` never falls; the figures are of use: the middle is not far off."""
    stops = at_stops(*WEBS[web], tmp_path)
    assert len(stops) >= 8
    for (report, truth), (later, _) in zip(stops, [*stops[1:], stops[-1]], strict=True):
        assert report.coverage <= truth + 1e-6
        assert truth - 1e-6 <= report.coverage_shown
        assert report.coverage <= later.coverage
        assert report.coverage <= report.coverage_about <= report.coverage_shown
    off = [abs(report.coverage_about - truth) for report, truth in stops]
    assert sum(off) / len(off) < 0.11


def test_what_a_crawl_said_holds_until_it_is_asked_for_more(tmp_path: Path) -> None:
    """New seeds, another scope, another jump: the same pages may have less then. A delay asks for nothing."""
    site = {HOME: [f"/{page}" for page in range(9)], **{f"{HOME}{page}": [HOME] for page in range(9)}}
    more = {"http://b.test/": [f"/{page}" for page in range(30)]}
    store = tmp_path / "crawl.db"
    said, later = (
        crawl(site, store, [HOME], pages=pages, **named)[0].coverage for pages, named in ((9, {}), (1, SLOW))
    )
    assert 0.5 < said < later
    seeded = crawl(site | more, store, ["http://b.test/"], pages=1)[0].coverage
    assert seeded < later
    assert crawl(site | more, store, [], pages=1)[0].coverage >= seeded
    assert crawl(site | more, store, [], pages=1, jump="pages")[0].coverage < seeded


def test_a_refresh_forgets_what_was_said_if_the_web_has_changed_and_else_not(tmp_path: Path) -> None:
    site = {HOME: [f"/{page}" for page in range(9)], **{f"{HOME}{page}": [HOME] for page in range(9)}}
    changed = {**site, HOME: ["/0", *(f"/other/{page}" for page in range(9))]}
    for served in (site, changed):
        store = tmp_path / f"{len(served[HOME])}.db"
        assert crawl({**site, **{f"{HOME}{page}": 403 for page in range(5)}}, store, [HOME])[0].coverage > 0.5
        before = crawl(site, store, [HOME], retry=["all"])[0].coverage
        assert before == pytest.approx(1.0)
        after = crawl({**served, f"{HOME}other/1": 403, f"{HOME}other/2": 403}, store, [HOME], **DAYS_LATER)[0].coverage
        assert (after < before - 0.01) == (served is changed)
