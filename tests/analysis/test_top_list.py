"""The first pages of a ranking: those that can be opened, each but once."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from support.prose import prose
from support.sites import HOME, Site, crawl, crawled_once, text

from minicrawl.analysis.top import TopList, best_wanted, lines_per_site, top_list, whole_list
from minicrawl.settings import RANKINGS
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer
from minicrawl.web.urls.keys import site_of

PAGES = ("intro", "sql", "setup", "faq")
TEXT = " ".join(f"word{number}" for number in range(80))


def manual(version: str) -> Site:
    """Pages in English and German, each of which links to all of its own version and to the other's first."""
    return {
        f"{HOME}{language}/{version}/{page}": [
            f"<title>{page} {version}</title><p>{language} {version} {page} {TEXT[9 * number :]}",
            *(f"/{language}/{version}/{each}" for each in PAGES),
            *("/en/2.0/intro", "/de/2.0/intro", "/en/1.0/intro", "/de/1.0/intro"),
        ]
        for language in ("en", "de")
        for number, page in enumerate(PAGES)
    }


SITE: Site = {
    HOME: ["/en/2.0/intro", "/gone", "/moved", "/copy", "/copied", "/2023/", "/2024/"],
    **manual("2.0"),
    **manual("1.0"),
    HOME + "moved": HOME + "copy",
    HOME + "copy": ["<title>Copy</title>" + TEXT, HOME],
    HOME + "copied": ["<title>Copy</title>" + TEXT, HOME],
    HOME + "2023/": ["<title>Archive</title><p>first " + TEXT[9:], HOME],
    HOME + "2024/": ["<title>Archive</title><p>other " + TEXT[60:], HOME],
}
store = crawled_once(SITE, [HOME])


def listed(store: Path, n: int, by: str = "importance") -> TopList:
    with open_store(store) as reader:
        return top_list(reader, by, n)


def test_each_page_that_can_be_opened_is_listed_or_counted_once(store: Path) -> None:
    found = listed(store, 1000)
    with open_store(store) as reader:
        pages = list(reader.pages())
    shown = [page.url for line in found.lines for page in (line.page, *line.alike)]
    assert sorted(shown) == sorted(page.url for page in pages if page.state == "fetched")
    assert found.unread == Counter(page.state for page in pages if page.state != "fetched") == {"error": 1, "alias": 1}
    assert found.alike == len(shown) - len(found.lines)


def test_the_best_wanted_pages_have_their_ranks_among_all(store: Path) -> None:
    with open_store(store) as reader:
        ranked = [page for page in reader.pages("importance") if page.depth == 1]
        count, found = best_wanted(reader, "depth = 1", 3)
    assert count == len(ranked) > 3
    assert found == ranked[:3]


@pytest.mark.parametrize("by", RANKINGS)
def test_list_is_a_part_of_the_whole_in_its_order(store: Path, by: str) -> None:
    with open_store(store) as reader:
        whole = [line.page for line in whole_list(reader, by, 1000).lines]
        assert [page.url for page in whole] == [page.url for page in reader.pages(by, 1000)]
    shown = [line.page for line in listed(store, 1000, by).lines]
    assert [page.url for page in shown] == [page.url for page in whole if page.url in {page.url for page in shown}]
    for pages in (whole, shown):
        assert [page.rank for page in pages] == list(range(1, len(pages) + 1))


def test_near_duplicates_of_one_folder_are_lines_of_their_own(tmp_path: Path) -> None:
    """A reference of commands: one template, a word of its own on each."""
    text = " ".join(f"w{number}" for number in range(300))
    site: Site = {HOME: ["/attach", "/detach"]}
    site |= {HOME + name: [f"<title>{name}</title><p>{text} {name}", HOME] for name in ("attach", "detach")}
    crawl(site, tmp_path / "crawl.db", [HOME])
    with open_store(tmp_path / "crawl.db") as reader:
        assert reader.recognised.duplicate_counts() == (0, 1)
        assert len(top_list(reader, "importance", 9).lines) == 3


@pytest.mark.parametrize("differ", [False, True])
def test_exact_twins_are_one_line_also_if_they_resemble_another_page(tmp_path: Path, differ: bool) -> None:
    """And near-duplicates that are no twins are two."""
    says = prose(1, 600).replace("</body>", "")
    site: Site = {HOME: [says, "/a", "/b", "/c"], HOME + "c": [prose(2)]}
    site |= {f"{HOME}{name}": [says, f"<p>{name if differ else 'a'} {'more ' * 9}"] for name in "ab"}
    crawl(site, tmp_path / "crawl.db", [HOME])
    lines = listed(tmp_path / "crawl.db", 9).lines
    assert sorted(len(line.alike) for line in lines) == ([0, 0, 0, 0] if differ else [0, 0, 1])


@pytest.mark.parametrize(
    ("kind", "is_page"),
    [
        ("application/rss+xml", False),
        ("Application/Atom+XML; charset=utf-8", False),
        ("text/xml", False),
        ("text/css", False),
        ("image/svg+xml", False),
        ("text/javascript", False),
        ("font/woff2", False),
        ("application/pdf", True),
        ("text/plain", True),
        ("application/zip", True),
        ("application/vnd.oasis.opendocument.text", True),
    ],
)
def test_files_that_only_programs_read_are_no_lines(tmp_path: Path, kind: str, is_page: bool) -> None:
    crawl({HOME: ["/file"], HOME + "file": text("x", kind)}, tmp_path / "crawl.db", [HOME])
    found = listed(tmp_path / "crawl.db", 9)
    assert (len(found.lines), found.files) == ((2, 0) if is_page else (1, 1))
    with open_store(tmp_path / "crawl.db") as reader:
        assert len(whole_list(reader, RANKINGS[0], 9).lines) == 2


def test_kept_ranking_has_its_values(store: Path) -> None:
    with open_store(store) as reader:
        size = reader.size()
    with Writer(store) as writer, writer.transaction():
        writer.save_ranking("mine", np.arange(float(size)))
    lines = listed(store, 1000, "mine").lines
    assert [line.value for line in lines] == sorted((float(line.number) for line in lines), reverse=True)


@pytest.mark.parametrize(("sites", "expected"), [(9, None), (10, 3)])
def test_sites_of_a_crawl_of_many_have_three_lines_each(tmp_path: Path, sites: int, expected: int | None) -> None:
    """Hosts of one site count together, and ranks number the lines."""
    homes = [f"http://s{site}.test/" for site in range(sites)]
    site: Site = {}
    for home in homes:
        pages = [home + word for word in ("one", "two", "three")] + [home.replace("//", "//www.") + "four"]
        site |= {url: [f"<title>{url}</title><p>{url}", home] for url in pages}
        site[home] = [f"<title>{home}</title>", *homes, *pages]
    path = tmp_path / "crawl.db"
    crawl(site, path, homes)
    with open_store(path) as reader:
        assert lines_per_site(reader) == expected
        whole = top_list(reader, "importance", 1_000)
        few = top_list(reader, "importance", 1_000, per_site=3)
        assert (len(whole.lines), len(few.lines)) == (5 * sites, 3 * sites)
        assert (whole.of_full_sites, few.of_full_sites) == (0, 2 * sites)
        of_site: Counter[str] = Counter()
        for line in whole.lines:
            site_name = site_of(line.page.url)
            of_site[site_name] += 1
            assert (line.page.url in [shown.page.url for shown in few.lines]) == (of_site[site_name] <= 3)
        assert [line.page.rank for line in few.lines] == list(range(1, 3 * sites + 1))
