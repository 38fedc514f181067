"""Which pages a user's words select, against the same in plain Python."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.sites import Server, Site, crawl, rows

from minicrawl.analysis.top import PageFilter, best_wanted, wanted
from minicrawl.errors import SettingError
from minicrawl.store.reader import open_store

HOME = "http://a.test/"
SITE: Site = {
    HOME: ["/on", "/gone", "/moved", "http://www.b.test:8000/", "/broken", "/secret"],
    HOME + "on": [HOME, "/deep"],
    HOME + "deep": ["/deeper"],
    HOME + "moved": HOME + "on",
    HOME + "broken": 500,
    "http://www.b.test:8000/": [HOME],
}
Facts = dict[str, object]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("filter") / "crawl.db"
    crawl(Server(SITE, robots="User-agent: *\nDisallow: /secret"), path, [HOME])
    return path


def selected(store: Path, asked: PageFilter) -> set[str]:
    urls = dict(rows(store, "SELECT id, url FROM pages"))
    with open_store(store) as reader:
        return {urls[number] for number, is_so in enumerate(wanted(reader, asked)) if is_so}


@pytest.mark.parametrize(
    ("asked", "holds"),
    [
        (PageFilter(site="www.b.test:8000,a.test"), lambda page: True),
        (PageFilter(where="depth = 1 AND status = 200"), lambda page: page["depth"] == 1 and page["status"] == 200),
        (PageFilter(where="state IN ('alias', 'error')"), lambda page: page["state"] in ("alias", "error")),
        (PageFilter(where="status IS NULL OR reason GLOB 'redirect-*'"), lambda page: page["status"] in (None, 301)),
        (PageFilter(where="content_type LIKE 'TEXT/html%'"), lambda page: page["content_type"] is not None),
        (PageFilter(where="state = 'fetched' AND depth = 1", site="a.test"), lambda page: page["url"] == HOME + "on"),
        (PageFilter(words="DEEP test/"), lambda page: "deep" in page["url"]),
        (PageFilter(), lambda page: True),
    ],
)
def test_pages_are_those_that_every_word_holds_for(
    store: Path, asked: PageFilter, holds: Callable[[Facts], bool]
) -> None:
    names = ("url", "state", "reason", "depth", "status", "content_type")
    query = f"SELECT {', '.join(names)} FROM pages LEFT JOIN fetches ON fetches.id = fetch"
    facts = [dict(zip(names, row, strict=True)) for row in rows(store, query)]
    expected = {page["url"] for page in facts if holds(page)}
    assert selected(store, asked) == expected
    assert expected


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (PageFilter(site="c.test"), "--site takes a domain or a host .*, not 'c.test'"),
        (PageFilter(site="a.test,x' OR '1"), "--site takes a domain"),
        (PageFilter(where="1; DROP TABLE pages"), "--where .* cannot be used: it has a semicolon in it"),
    ],
)
def test_mistake_and_attack_get_a_sentence(store: Path, asked: PageFilter, sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        selected(store, asked)
    assert rows(store, "SELECT count(*) FROM pages")[0][0] > 5


def test_a_word_is_no_pattern(store: Path) -> None:
    for words in ("d%p", "d_ep", "d\\eep"):
        assert not selected(store, PageFilter(words=words))


def test_the_best_wanted_pages_have_their_ranks_among_all(store: Path) -> None:
    with open_store(store) as reader:
        ranked = [page for page in reader.pages("importance") if page.depth == 1]
        count, found = best_wanted(reader, PageFilter(where="depth = 1"), 3)
    assert count == len(ranked) > 3
    assert found == ranked[:3]
