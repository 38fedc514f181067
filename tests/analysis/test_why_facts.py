"""When a crawl says that it fetches a page again, and why."""

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.command_line import run
from support.intakes import PATIENT
from support.sites import Server, Site, crawl, rows, web_of_sites

from minicrawl.analysis.explain import explain
from minicrawl.analysis.why_facts import PageJump, PageRefresh, units_sent
from minicrawl.crawler.frontier.schedules import ByWorth
from minicrawl.store.links import from_bytes
from minicrawl.store.reader import open_store
from minicrawl.web.urls.keys import site_of

HOME = "http://a.test/"
PAGES = [HOME + str(number) for number in range(6)]
SITE: Site = {HOME: PAGES, **{page: [HOME] for page in PAGES}, PAGES[5]: HOME}
DAY = 86_400.0


def refreshed(store: Path, pages: int = 20, **more: Any) -> None:
    crawl(SITE, store, [HOME], **{"refresh": True, "pages": pages, "traps": False, "timing": PATIENT} | more)


def refresh_of(store: Path, url: str) -> PageRefresh:
    with open_store(store) as reader:
        found = explain(reader, url).page
    assert found is not None
    assert found.refresh is not None
    return found.refresh


def test_a_page_says_its_rate_its_answers_and_why_it_is_due(store: Path) -> None:
    refreshed(store)
    rows(store, "UPDATE refresh SET rate = 4e-6, information = 2.0, fetches = 5, changes = 2, answers = '==#=',"
                " fetched_at = 1e9 WHERE page = 1")  # fmt: skip
    rows(store, "UPDATE meta SET value = 1e5 WHERE key = 'refresh_price'")
    with open_store(store) as reader:
        worth = reader.ranks.importance().item(1) * reader.size()
    page = refresh_of(store, PAGES[0])
    assert (page.rate, page.is_learned, page.fetches, page.changes, page.answers) == (4e-6, True, 5, 2, "==#=")
    assert page.due == pytest.approx(1e9 + ByWorth(3600.0, 90 * DAY).interval(1e5, worth, 4e-6))
    text = run("why", PAGES[0], "--store", store).output
    assert "  changes     about every 3 days, learned over 5 answers, 2 of them changed\n" in text
    assert "  answers     = = ≠ =, the latest on the right\n" in text
    assert ", overdue for " in text


DUE = {
    "not found": ("answers = '==?', due = 7.0", "missing", 7.0),
    "failed": ("answers = '==!', due = 8.0", "failed", 8.0),
    "often": ("rate = 9.0, information = 1.0", "least", 1e9 + 3600.0),
    "never": ("rate = 1e-15, information = 1.0", "most", 1e9 + 90 * DAY),
    "by other pages": ("information = 0.0, fetches = 1", "worth", None),
}


@pytest.mark.parametrize(("row", "why", "due"), DUE.values(), ids=DUE.keys())
def test_due_follows_from_what_happened(store: Path, row: str, why: str, due: float | None) -> None:
    refreshed(store, 9)
    rows(store, "UPDATE meta SET value = 1000.0 WHERE key = 'refresh_price'")
    rows(store, "UPDATE group_rates SET rate = ?", 1 / (7 * DAY))
    rows(store, f"UPDATE refresh SET fetched_at = 1e9, answers = '==', {row} WHERE page = 1")
    page = refresh_of(store, PAGES[0])
    assert page.why_due == why
    assert due is None or page.due == pytest.approx(due)
    if due is None:
        assert not page.is_learned
        assert page.rate == pytest.approx(1 / (7 * DAY))
        assert "about every 7 days, like other pages" in run("why", PAGES[0], "--store", store).output


def test_by_the_simple_rule_all_pages_are_due_after_the_same_time(store: Path) -> None:
    crawl(Server(SITE), store, [HOME], recrawl_after="30d", timing=PATIENT)
    page = refresh_of(store, HOME)
    assert page.why_due == "fixed"
    assert page.due is not None
    assert page.due - page.fetched_at == pytest.approx(30 * DAY)


def jumps(store: Path) -> dict[str, tuple[float, PageJump]]:
    """Importance of every page, and where it comes from, by URL."""
    found = {}
    with open_store(store) as reader:
        for url in reader.page_table.urls():
            page = explain(reader, url).page
            assert page is not None
            assert page.jump is not None
            found[url] = page.ranked.importance, page.jump
    return found


def test_jumps_and_links_add_up_to_importance(tmp_path: Path) -> None:
    web, seeds = web_of_sites(1, redirects=0.1)
    crawl(web, tmp_path / "crawl.db", seeds, jump="sites")
    found = jumps(tmp_path / "crawl.db")
    assert sum(importance for importance, _ in found.values()) == pytest.approx(1.0)
    for importance, parts in found.values():
        assert parts.by_jumps + parts.by_links == pytest.approx(importance, abs=1e-9)
        assert parts.by_jumps >= 0.0 <= parts.by_links


def test_parts_are_those_of_slow_sums(store: Path) -> None:
    """Jumps go by birth cash, links bring half of what the pages have that they stand on."""
    web, seeds = web_of_sites(1)
    crawl(web, store, seeds, jump="sites")
    found = jumps(store)
    urls, names = list(found), dict(rows(store, "SELECT name, id FROM sites"))
    site = np.array([names[site_of(url)] for url in urls])
    trust = {names[name]: share for name, share in rows(store, "SELECT name, trust FROM sites")}
    links = [
        (source, target)
        for source, targets in rows(store, "SELECT source, targets FROM links")
        for target in from_bytes(targets).tolist()
    ]
    linking = [{site[source] for source, target in links if target == page} - {site[page]} for page in range(len(urls))]
    births = np.array(rows(store, "SELECT birth FROM born ORDER BY id"), dtype=float)[:, 0]
    by_jumps = np.array([parts.by_jumps for _, parts in found.values()])
    assert by_jumps / by_jumps.sum() == pytest.approx(births / births.sum())
    outlinks, sent = Counter(source for source, _ in links), defaultdict[str, float](float)
    most: defaultdict[str, float] = defaultdict(float)
    for source, target in links:
        share = 0.5 * found[urls[source]][0] / outlinks[source]
        sent[urls[target]] += share
        most[urls[target]] = max(most[urls[target]], share)
    for url, (_, parts) in found.items():
        assert parts.by_links == pytest.approx(sent[url], abs=1e-6)
        assert parts.most_share * parts.by_links == pytest.approx(most[url], abs=1e-6)
        others = linking[urls.index(url)]
        assert parts.linked_by == len(others)
        assert parts.linked_first == (
            max(names, key=lambda name: trust[names[name]] if names[name] in others else -1) if others else None
        )


def test_where_walkers_jump_to_all_pages_alike_there_is_nothing_to_say(tmp_path: Path) -> None:
    web, seeds = web_of_sites(0)
    crawl(web, tmp_path / "crawl.db", seeds, jump="pages")
    with open_store(tmp_path / "crawl.db") as reader:
        assert explain(reader, seeds[0]).as_json()["jump"] is None


def test_what_its_links_brought_a_page_is_what_the_books_have(tmp_path: Path) -> None:
    """To the unit, whatever a link's place is worth to the book; also through aliases."""
    words, home = "some words that stand beside a link", "http://a.test/"
    site = {
        f"{home}{page}": [
            f'<nav><a href="/{page + 1}">next</a></nav><p>{words} <a href="/{page * 7 % 20}">more</a> {words}'
            f'<ul><li><a href="/{page * 3 % 20}">x</a></ul>'
        ]
        for page in range(20)
    }
    web, seeds = web_of_sites(1, redirects=0.1)
    crawl(web | site, tmp_path / "crawl.db", [*seeds, home + "0"])
    pages = dict(
        enumerate(rows(tmp_path / "crawl.db", "SELECT cash + forwarded, forwarded, stands_for FROM pages ORDER BY id"))
    )

    def end(page: int) -> int:
        return page if pages[page][2] is None else end(pages[page][2])

    linking = defaultdict[int, set[int]](set)
    for source, targets in rows(tmp_path / "crawl.db", "SELECT source, targets FROM links ORDER BY source"):
        for target in from_bytes(targets).tolist() if end(source) == source else ():
            linking[end(target)].add(source)
    with open_store(tmp_path / "crawl.db") as reader:
        for page in filter(lambda page: end(page) == page, pages):
            sent = sum(units_sent(reader, page, sorted(linking[page])).values()) if linking[page] else 0
            born = sum(pages[alias][1] - pages[alias][0] for alias in pages if alias != page and end(alias) == page)
            assert pages[page][0] == sent + born
