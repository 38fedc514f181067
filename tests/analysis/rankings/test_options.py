"""Links by the hosts at their ends: PageRank without the votes that a host gives a page too often."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.sites import HOME, Site, crawl, crawled_once, rows

from minicrawl.analysis.link_graph import folded_pages, folded_store
from minicrawl.analysis.rankings.options import Options, jump_of, named_pages, pages_with_words, site_weights
from minicrawl.analysis.rankings.pagerank_ranking import METHODS, pagerank_ranking
from minicrawl.errors import SettingError
from minicrawl.opic.arrays import FloatArray
from minicrawl.store.reader import Store, open_store


def pagerank_of(store: Path, options: Options) -> FloatArray:
    with open_store(store) as reader:
        return pagerank_ranking(options, reader, folded_store(reader))[0]["pagerank"]


CLIQUE = [f"http://farm.test/{page}" for page in range(6)]


@pytest.mark.parametrize(("inside", "cap"), [(1.0, 2), (None, 3)])
def test_links_of_a_host_to_a_page_count_up_to_a_cap(tmp_path: Path, inside: float | None, cap: int) -> None:
    """Colluding pages of a host link to one of them and to another host; a slow walk keeps count of the votes."""
    site: Site = {page: [CLIQUE[page == CLIQUE[0]], f"http://b.test/{page[-1]}", "http://b.test/"] for page in CLIQUE}
    site |= {"http://b.test/": [CLIQUE[1]]} | {f"http://b.test/{page}": ["http://b.test/"] for page in range(6)}
    crawl(site, tmp_path / "crawl.db", [*CLIQUE, "http://b.test/"], jump="pages")
    with open_store(tmp_path / "crawl.db") as reader:
        urls = list(reader.page_table.urls())
    votes, weights = Counter[tuple[str, str]](), dict[tuple[str, str], float]()
    for page in filter(site.__contains__, urls):
        for target in sorted(site[page], key=urls.index):
            host = page.split("/")[2]
            votes[host, target] += 1
            weight = (inside or 0.0) if target.split("/")[2] == host else 1.0
            weights[page, target] = weight if votes[host, target] <= cap else 0.0
    ranks = dict.fromkeys(urls, 1 / len(urls))
    for _ in range(300):
        after = dict.fromkeys(urls, 0.0)
        for (page, target), weight in weights.items():
            if weight:
                whole = sum(each for (source, _), each in weights.items() if source == page)
                after[target] += 0.85 * ranks[page] * weight / whole
        ranks = {page: value + (1 - sum(after.values())) / len(urls) for page, value in after.items()}
    for method in METHODS:
        found = pagerank_of(tmp_path / "crawl.db", Options(method=method, per="host", inside=inside, cap=cap))
        assert dict(zip(urls, found.tolist(), strict=True)) == pytest.approx(ranks, abs=1e-9)


def test_a_page_has_no_links_inside_to_weigh(tmp_path: Path) -> None:
    crawl({"http://a.test/": []}, tmp_path / "crawl.db", ["http://a.test/"])
    with (
        open_store(tmp_path / "crawl.db") as reader,
        pytest.raises(SettingError, match="give --per host or --per site"),
    ):
        site_weights(Options(per="page", cap=2), reader, folded_store(reader))


A = "http://a.test/"
SITE_of_jumps: Site = {A: ["/new", "/old", "/alias", "/gone"], A + "new": [A], A + "old": [A], A + "alias": A + "old"}
DAY = 86_400.0


@pytest.fixture
def store_of_jumps(tmp_path: Path) -> Iterator[Store]:
    path = tmp_path / "crawl.db"
    crawl(SITE_of_jumps, path, [A], pages=4)
    ages = {A: 2.0, A + "new": 0.0, A + "old": 3.0}
    for url, days in ages.items():
        at = 1e9 - days * DAY
        rows(path, "UPDATE fetches SET fetched_at = ? WHERE page = (SELECT id FROM pages WHERE url = ?)", at, url)
    rows(path, "UPDATE fetches SET fetched_at = ? WHERE page = (SELECT id FROM pages WHERE url = ?)", 0.0, A + "alias")
    with open_store(path) as reader:
        yield reader


def jump(store_of_jumps: Store, given: str | None) -> dict[str, float]:
    values = jump_of(given, store_of_jumps, folded_pages(store_of_jumps)).tolist()
    return {url: value for url, value in zip(store_of_jumps.page_table.urls(), values, strict=True) if value}


def test_pages_of_a_file_weigh_what_it_says(store_of_jumps: Store, tmp_path: Path) -> None:
    """Unknown pages are left out; an alias is the page it stands for."""
    file = tmp_path / "mine.txt"
    file.write_text(f"# mine\n\nHTTP://a.test:80/ 2.5\n{A}alias 3\n{A}old\nhttp://b.test/ 9\n{A}new 0\n")
    assert jump(store_of_jumps, str(file)) == {A: 2.5, A + "old": 4.0}


def test_newer_pages_are_jumped_to_more(store_of_jumps: Store) -> None:
    """By halves for every day; the alias of "old", which is of long ago, adds nothing."""
    assert jump(store_of_jumps, "recent:1d") == pytest.approx({A: 0.25, A + "new": 1.0, A + "old": 0.125})
    assert jump(store_of_jumps, "recent:2d")[A] == pytest.approx(0.5)


def test_what_changed_later_than_it_was_read_is_as_new_as_that(store_of_jumps: Store) -> None:
    page = store_of_jumps.page_table.find([A + "old"])[A + "old"]
    rows(
        store_of_jumps.path,
        "INSERT INTO refresh (page, fetched_at, due, rate, information, fetches, changes, changed_at, hashes, memory,"
        " answers)"
        " VALUES (?, 1e9, 0, 0, 0, 2, 1, ?, x'', x'', '')",
        page,
        1e9 - DAY,
    )
    assert jump(store_of_jumps, "recent:1d") == pytest.approx({A: 0.25, A + "new": 1.0, A + "old": 0.5})


@pytest.mark.parametrize("by", ["pages", "sites"])
def test_without_a_word_of_it_walkers_jump_as_in_the_crawl(tmp_path: Path, by: str) -> None:
    """An alias gives its chance to its page; /gone is known, not read. A site alone gives half of its jump to its
    front, and half by 1 + 4 log2(1 + links), rounded: 7 to pages with two links, 5 to those with one."""
    crawl(SITE_of_jumps, tmp_path / "crawl.db", [A], pages=4, jump=by)
    with open_store(tmp_path / "crawl.db") as reader:
        found = jump(reader, None)
    births = [found[A + name] / found[A + "new"] for name in ("", "new", "old", "gone")]
    assert births == pytest.approx([1, 1, 2, 1] if by == "pages" else [(24 + 7) / 5, 1, 7 / 5, 1])


@pytest.mark.parametrize(
    ("text", "message"),
    [(f"{A} -1\n", "line 1: a weight is a number of at least 0, not '-1'"), (f"{A} 0\n", "knows no page of")],
)
def test_file_that_weighs_nothing_is_refused(store_of_jumps: Store, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "mine.txt").write_text(text)
    with pytest.raises(SettingError, match=message):
        jump(store_of_jumps, str(tmp_path / "mine.txt"))


SITE: Site = {
    HOME: ["/shop", "/old", "<title>Home of Things</title>"],
    HOME + "shop": [HOME, "<title>All THINGS</title>"],
    HOME + "old": HOME + "shop",
}
store = crawled_once(SITE, [HOME])


def named(store: Path, given: str) -> set[str]:
    with open_store(store) as reader:
        pages = named_pages(given, "trusted", reader, folded_pages(reader))
        return set(map(reader.page_table.url, pages.tolist()))


def test_pages_are_named_by_url_pattern_or_file(store: Path, tmp_path: Path) -> None:
    (tmp_path / "pages.txt").write_text(f"{HOME}\nhttp://unknown.test/\n")
    assert named(store, "http://A.test") == {HOME}
    assert named(store, "sh.p$") == {HOME + "shop"}
    assert named(store, str(tmp_path / "pages.txt")) == {HOME}
    assert named(store, HOME + "old") == {HOME + "shop"}, "an alias means the page that it stands for"


def test_names_of_nothing_are_told(store: Path, tmp_path: Path) -> None:
    (tmp_path / "pages.txt").write_text("http://unknown.test/\n")
    with pytest.raises(SettingError, match="--trusted 'nothing' is not a file, and matches no URL in"):
        named(store, "nothing")
    with pytest.raises(SettingError, match=r"--trusted: no page of .* is known in"):
        named(store, str(tmp_path / "pages.txt"))


def test_words_are_looked_for_in_url_and_title_whatever_their_case(store: Path) -> None:
    with open_store(store) as reader:
        folded = folded_pages(reader)
        found = [reader.page_table.url(page) for page in pages_with_words("things HOME", 5, reader, folded).tolist()]
        assert found == [HOME]
        assert len(pages_with_words("things", 5, reader, folded)) == 2
        assert len(pages_with_words("things", 1, reader, folded)) == 1
        with pytest.raises(SettingError, match="no page has 'nonsense' in its URL or title"):
            pages_with_words("nonsense", 5, reader, folded)
