"""Which pages a user's words select, against the same in plain Python."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.sites import Server, Site, crawl, rows

from minicrawl.analysis.top import best_wanted
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


def selected(store: Path, where: str) -> set[str]:
    urls = dict(rows(store, "SELECT id, url FROM pages"))
    with open_store(store) as reader:
        return {urls[number] for number, is_so in enumerate(reader.selection.where(where)) if is_so}


@pytest.mark.parametrize(
    ("where", "holds"),
    [
        ("host LIKE '%.b.test:8000' OR site = 'a.test'", lambda page: True),
        ("depth = 1 AND status = 200", lambda page: page["depth"] == 1 and page["status"] == 200),
        ("state IN ('alias', 'error')", lambda page: page["state"] in ("alias", "error")),
        ("status IS NULL OR reason GLOB 'redirect-*'", lambda page: page["status"] in (None, 301)),
        ("content_type LIKE 'TEXT/html%'", lambda page: page["content_type"] is not None),
        ("state = 'fetched' AND depth = 1 AND host = 'a.test'", lambda page: page["url"] == HOME + "on"),
        ("url LIKE '%DEEP%' AND url LIKE '%test/%'", lambda page: "deep" in page["url"]),
        ("1", lambda page: True),
    ],
)
def test_pages_are_those_that_every_word_holds_for(store: Path, where: str, holds: Callable[[Facts], bool]) -> None:
    names = ("url", "state", "reason", "depth", "status", "content_type")
    query = f"SELECT {', '.join(names)} FROM pages LEFT JOIN fetches ON fetches.id = fetch"
    facts = [dict(zip(names, row, strict=True)) for row in rows(store, query)]
    expected = {page["url"] for page in facts if holds(page)}
    assert selected(store, where) == expected
    assert expected


@pytest.mark.parametrize(
    ("where", "sentence"),
    [
        ("hots = 'c.test'", "no such column: hots, did you mean host"),
        ("1; DROP TABLE pages", "--where .* cannot be used: it has a semicolon in it"),
    ],
)
def test_mistake_and_attack_get_a_sentence(store: Path, where: str, sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        selected(store, where)
    assert rows(store, "SELECT count(*) FROM pages")[0][0] > 5


def test_the_best_wanted_pages_have_their_ranks_among_all(store: Path) -> None:
    with open_store(store) as reader:
        ranked = [page for page in reader.pages("importance") if page.depth == 1]
        count, found = best_wanted(reader, "depth = 1", 3)
    assert count == len(ranked) > 3
    assert found == ranked[:3]
