"""What became of a URL, in sentences."""

from pathlib import Path

import pytest
from command_line import HOME, answer, run
from sites import Server, Site, crawl

SITE: Site = {
    HOME: [HOME + name for name in ("a", "b", "private", "out", "moved", "gone", "meta")],
    HOME + "a": [HOME + "b", HOME + "late"],
    HOME + "b": [],
    HOME + "out": "http://b.test/x",
    HOME + "moved": HOME + "a",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("why") / "crawl.db"
    server = Server(SITE, robots="User-agent: *\nDisallow: /p")
    crawl(server, store, [HOME], scope="host", pages=6, strategy="breadth-first")
    return store


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("private", "Refused by robots.txt: 'Disallow: /p' of http://a.test/robots.txt. That is asked for again after"),
        ("out", "it redirects, but of that: it is on none of the seeds' hosts (--scope host)"),
        ("out", "It leads to http://b.test/x."),
        ("moved", "It stands for http://a.test/a: it redirects to another page (301 Moved Permanently)."),
        ("gone", "Given up: the answer was 404 Not Found."),
        ("b", "it leads to 0 pages, and 2 pages link to it."),
        ("late", "It waits: a page that was read links to it, and it has had no turn yet."),
        ("late", "Pages with more cash that wait, too: "),
        ("late", "Its host is asked for nothing before "),
    ],
)
def test_why_says_it_in_sentences(store: Path, path: str, said: str) -> None:
    assert said in run("why", HOME + path, "--store", store).output


def test_how_many_are_before_a_page_is_counted(store: Path) -> None:
    waiting = [page for page in answer("top", "--by", "cash", "--store", store) if page["state"] == "waiting"]
    assert len(waiting) >= 2
    for page in waiting:
        queue = answer("why", page["url"], "--store", store)["queue"]
        before = [other for other in waiting if other["cash"] > page["cash"]]
        assert queue == {
            "all": len(waiting),
            "before": len(before),
            "on_host": len(waiting),
            "before_on_host": len(before),
        }
    assert answer("why", HOME, "--store", store)["queue"] is None


def test_a_ban_is_told(store: Path) -> None:
    assert run("control", "ban", "a.test", "--store", store).exit_code == 0
    text = run("why", HOME + "late", "--store", store).output
    assert "It waits: its host is banned" in text
    assert "is asked for nothing before" not in text
    run("control", "unban", "a.test", "--store", store)
