"""Coverage, site trust and status of all partitions: never more than is true, and what one process has."""

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.gathered import gathered
from support.opic_webs import exact_importance, final, pages, random_web
from support.partitions import Partitions, crawled_alone
from support.sites import named_sites, rows

from minicrawl.analysis.verify import verify
from minicrawl.cluster.combined import Covered, coverage_of, look_of, shares_of_all
from minicrawl.cluster.exchange import home_of, shared_out, site_links
from minicrawl.opic import Book, Coverage
from minicrawl.opic.coverage import PageKind
from minicrawl.opic.sites import ALL_BIRTHS, UNIT
from minicrawl.store.reader import open_store
from minicrawl.store.transfers import NeighbourRow

ROUNDING = 1e-7
"""Birth cash of a page is 2^24 units, of which links carry whole ones."""


class Books:
    """Several books of one web: each page has its home in one of them. What is handed over waits in `mail`."""

    def __init__(self, draw: random.Random, n: int, count: int) -> None:
        self.n, self.draw = n, draw
        self.home = [draw.randrange(count) for _ in range(n)]
        self.books = [Book() for _ in range(count)]
        self.coverages = [Coverage(book) for book in self.books]
        self.mail: list[tuple[int, int, int]] = []
        self.sent, self.taken = Counter[tuple[int, int, bool]](), Counter[tuple[int, int, bool]]()
        for number, (book, coverage) in enumerate(zip(self.books, self.coverages, strict=True)):
            book.discover(n)
            coverage.grow(n)
            book.mirror(pages(page for page in range(n) if self.home[page] != number))

    def visit(self, page: int, links: Sequence[int], old: Sequence[int], *, alias: bool) -> None:
        self.books[self.home[page]].visit(page, pages(links), pages(old), alias=alias)
        self.coverages[self.home[page]].note(page, PageKind.ALIAS if alias else PageKind.PAGE, leads=len(links) > 0)

    def hand_over(self) -> None:
        """One book hands some of its mirrors over; what is on its way may arrive late."""
        number = self.draw.randrange(len(self.books))
        mirrors = [page for page in range(self.n) if self.home[page] != number and self.draw.random() < 0.7]
        units = self.books[number].hand_over(pages(mirrors))
        for page, count in zip(mirrors, units.tolist(), strict=True):
            self.mail.append((number, page, count))
            self.sent[number, self.home[page], count > 0] += abs(count)

    def arrive(self) -> None:
        """The first of some message on its way arrives."""
        if self.mail:
            source, page, units = self.mail.pop(0)
            self.books[self.home[page]].take_over(pages([page]), pages([units]))
            self.taken[source, self.home[page], units > 0] += abs(units)

    def said(self, number: int) -> Covered:
        carried = {
            other: NeighbourRow(
                *(other, 0, 0),
                *(self.sent[number, other, is_credit] for is_credit in (True, False)),
                *(self.taken[other, number, is_credit] for is_credit in (True, False)),
            )
            for other in range(len(self.books))
            if other != number
        }
        return Covered(self.coverages[number].sums(), carried)


@pytest.mark.parametrize("changes", [False, True], ids=["same-links", "new-links"])
@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("seed", range(5))
def test_stale_sums_of_several_books_never_exceed_the_truth(seed: int, count: int, changes: bool) -> None:
    """Each says how far it is at moments of its own, whatever is on its way from one to another.

    Where links change, what went along them is taken back from pages of other books, by mail; all say how far they
    are at one moment then, as the truth itself may have fallen since one has said it.
    """
    draw = random.Random(f"{seed} {count} {changes}")
    n = draw.randrange(2, 14)
    web = random_web(draw, n, draw.choice([0.1, 0.25, 0.6]), 0.2)
    aliases: set[int] = set()
    for page in range(n):
        target = draw.randrange(n)
        if not changes and draw.random() < 0.2 and final(target, web, aliases) != page:
            web[page] = [target]
            aliases.add(page)
    books = Books(draw, n, count)
    said = {number: books.said(number) for number in range(count)}
    read: set[int] = set()
    for _ in range(12 * n):
        page = draw.randrange(n)
        old = list(web[page]) if page in read else []
        if changes and draw.random() < 0.3:
            web[page] = draw.sample([other for other in range(n) if other != page], draw.randrange(min(n - 1, 4) + 1))
        books.visit(page, web[page], old, alias=page in aliases)
        read.add(page)
        for step in (books.hand_over, books.arrive, books.arrive):
            if draw.random() < 0.6:
                step()
        if changes:
            said = {number: books.said(number) for number in range(count)}
        elif draw.random() < 0.5:
            reporter = draw.randrange(count)
            said[reporter] = books.said(reporter)
        known = [web[page] if page in read else [] for page in range(n)]
        importance = exact_importance(known, [UNIT] * n, aliases & read)
        assert 0.0 <= coverage_of(said).low <= sum(importance[page] for page in read) + ROUNDING


def exact(path: Path) -> dict[str, float]:
    """Importance by URL of a store, or of a folder that has settled, checked against exact PageRank."""
    with gathered(path) if path.is_dir() else open_store(path) as crawl:
        found = verify(crawl)
        assert max(found.stored.l1, found.settled.l1) < 1e-6
        return {page.url: page.importance for page in crawl.pages()}


def heard(partitions: Partitions) -> dict[str, int]:
    """The voices for each page that has any, by what its home counts itself and has heard of others."""
    found: Counter[str] = Counter()
    query = """SELECT url, CASE site WHEN 0 THEN links ELSE voice * CASE links WHEN 1 THEN 4 ELSE 16 END / 16 END
               FROM voices JOIN pages ON pages.id = page LEFT JOIN sites ON sites.id = voices.site
               WHERE state <> 'elsewhere'"""
    for store in partitions.stores:
        for url, count in rows(store, query):
            found[url] += count
    return dict(+found)


@pytest.mark.parametrize("seed", range(2))
def test_partitions_find_what_one_process_finds(seed: int, tmp_path: Path) -> None:
    web, seeds = named_sites(seed)
    crawled_alone(tmp_path / "one.db", web, seeds, 1e-6, jump="sites")
    expected = exact(tmp_path / "one.db")
    for count in (1, 2, 4):
        with Partitions(folder := tmp_path / str(count), web, seeds, count, jump="sites") as partitions:
            partitions.crawl()
            partitions.share_births_out()
            partitions.settle()
            assert partitions.faults() == []
        found = exact(folder)
        assert found.keys() == expected.keys()
        assert sum(abs(found[url] - share) for url, share in expected.items()) < 1e-6, f"{count} partitions"


def test_link_that_goes_takes_its_voice_from_another_partition(tmp_path: Path) -> None:
    web: dict[str, list[str]] = {"http://a.test/": [f"http://b{at}.test/x" for at in range(8)]}
    web |= {f"http://b{at}.test/x": [] for at in range(8)}
    with Partitions(tmp_path, web, ["http://a.test/"], 2, discovery=0.5, jump="sites") as partitions:
        for _ in range(20):
            partitions.turn(home_of("http://a.test/", partitions.folder))
        partitions.share_births_out()
        assert heard(partitions) == dict.fromkeys(web.keys() - {"http://a.test/"}, 64)
        web["http://a.test/"] = web["http://a.test/"][:4]
        for _ in range(40):
            for number in partitions.numbers:
                partitions.turn(number)
        partitions.share_births_out()
        assert heard(partitions) == {f"http://b{at}.test/x": 64 for at in range(4)}
        assert partitions.faults() == []


def test_pages_and_hosts_of_all_partitions_count_once() -> None:
    """A partition knows hosts of others by links to them, and asks them for nothing."""
    counts: dict[str, Any] = {name: {} for name in ("errors", "failed", "work", "histograms")}
    counts |= {"statuses": {"2xx": 3}, "took": 0}
    look = {**counts, "earlier": {"runs": 2, "fetched": 9, "bytes": 5, "seconds": 8.0}, "silence": None}
    look |= {"doing": {"asked": 1, "idle": 1}, "host_states": {"idle": 4}, "pages": {"fetched/ok": 3, "elsewhere/": 9}}
    hosts = [{"host": name, "doing": doing} for name, doing in (("a.test", "asked"), ("b.test", "idle"))]
    here = {**look, "requests": [{"url": "http://a.test/", "seconds": 2.0}], "hosts": hosts}
    there = {**look, "requests": [{"url": "http://b.test/", "seconds": 3.0}]}
    there |= {"hosts": [{"host": "b.test", "doing": "banned"}, {"host": "a.test", "doing": "idle"}]}
    for looks in ([here, there], [there, here], [here, {"state": "starting"}, there]):
        whole = look_of(looks, hosts=2)
        assert {host["host"]: host["doing"] for host in whole["hosts"]} == {"a.test": "asked", "b.test": "banned"}
        assert (whole["doing"], whole["pages"], whole["statuses"]) == ({"asked": 2}, {"fetched/ok": 6}, {"2xx": 6})
        assert whole["earlier"] == {"runs": 2, "fetched": 18, "bytes": 10, "seconds": 8.0}
        assert [request["url"] for request in whole["requests"]] == ["http://b.test/", "http://a.test/"]


@pytest.mark.parametrize("seed", range(4))
def test_births_of_a_partition_stay_within_bounds_when_shares_come_late(seed: int, tmp_path: Path) -> None:
    """Shares are worked out from few pages, and are applied once most are known; partitions die in between."""
    urls = [f"http://s{site}.test/{page or ''}" for site in range(40) for page in range(3)]
    web, seeds, draw = dict.fromkeys(urls, urls), urls[:9:3], random.Random(seed)  # each page links to all
    with Partitions(tmp_path, web, seeds, 3, jump="sites") as partitions:
        for _ in range(12):
            told = [site_links(partitions.open[number]) for number in partitions.numbers]
            for number in partitions.numbers:
                for _ in range(draw.randrange(60)):
                    partitions.turn(number)
            if draw.random() < 0.5:
                partitions.exchange()
            for number, shares in zip(partitions.numbers, shares_of_all([one.links for one in told]), strict=True):
                shared_out(shares, {}, partitions.open[number])
                partitions.commit(number)
                if draw.random() < 0.3:
                    partitions.kill(number)
                    partitions.start(number)
                book = partitions.open[number].state.accounts.book
                assert book.births <= 2 * ALL_BIRTHS
        partitions.crawl()
        partitions.share_births_out()
        partitions.settle()
        assert partitions.faults() == []
