"""minicrawl as a library."""

import asyncio
import inspect
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from support.sites import HOME, Server

import minicrawl
from minicrawl.errors import StoreError
from minicrawl.reading import StoreReading


def test_crawl_and_open_store(tmp_path: Path) -> None:
    server = Server({HOME: ["/b", "/c"], HOME + "b": [HOME], HOME + "c": [HOME]})
    report = minicrawl.crawl([HOME], store=tmp_path / "crawl.db", pages=1000, transport=server, delay=0.0)
    assert isinstance(report, minicrawl.CrawlReport)
    assert (report.fetched, report.reason) == (3, "nothing-left")
    with minicrawl.open_store(tmp_path / "crawl.db") as store:
        assert [page.url for page in store.top(1)] == [HOME]
        assert [page.rank for page in store.pages()] == [1, 2, 3]
        graph = store.links()
    assert (graph.indptr.tolist(), graph.targets.tolist(), graph.size) == ([0, 2, 3, 4], [1, 2, 0, 0], 3)


def test_crawl_works_in_a_cell_of_a_notebook(tmp_path: Path) -> None:
    """Whose event loop runs, and goes on."""
    server = Server({HOME: ["/b"], HOME + "b": []})

    async def cell() -> minicrawl.CrawlReport:
        return minicrawl.crawl([HOME], store=tmp_path / "crawl.db", transport=server, delay=0.0, handle_signals=True)

    assert asyncio.run(cell()).fetched == 2
    with pytest.raises(minicrawl.ConfigError):
        asyncio.run(_failing(tmp_path))


async def _failing(folder: Path) -> None:
    minicrawl.crawl([HOME], store=folder / "other.db", pages="many")


def test_a_store_answers_queries_and_explains_a_url(tmp_path: Path) -> None:
    minicrawl.crawl([HOME], store=tmp_path / "crawl.db", transport=Server({HOME: []}), delay=0.0)
    with minicrawl.open_store(tmp_path / "crawl.db") as store:
        found = store.sql("SELECT url, meaning(reason) AS why FROM page")
        assert found == [{"url": HOME, "why": store.why(HOME).meaning}]
        with pytest.raises(minicrawl.ConfigError, match="does more than read"):
            store.sql("DELETE FROM pages")


def test_top_is_what_the_command_shows(tmp_path: Path) -> None:
    """Pages that were read, with nothing internal."""
    server = Server({HOME: ["/b", "/c", "<title>Home</title>"], HOME + "b": [HOME], HOME + "c": [HOME]})
    minicrawl.crawl([HOME], store=tmp_path / "crawl.db", pages=2, transport=server, delay=0.0)
    with minicrawl.open_store(tmp_path / "crawl.db") as store:
        pages = store.top()
    assert [(page.rank, page.url) for page in pages] == [(1, HOME), (2, pages[1].url)]
    assert pages[0].title == "Home"
    assert pages[0].read_at is not None
    assert pages[0].read_at.tzinfo is not None
    assert pages[0]._fields == ("rank", "importance", "url", "title", "state", "status", "inlinks", "read_at")
    assert sum(page.importance for page in pages) < 1


READINGS: dict[str, Callable[[StoreReading], object]] = {
    "top": lambda store: store.top(1),
    "pages": lambda store: list(store.pages()),
    "links": lambda store: store.links(),
    "broken links": lambda store: store.links(broken=True),
    "why": lambda store: store.why(HOME),
    "sql": lambda store: store.sql("SELECT url FROM page"),
    "where": lambda store: store.questions.where("depth < 2"),
    "audit": lambda store: store.audit(),
    "changes": lambda store: store.changes(),
    "coverage": lambda store: store.coverage(),
    "settings": lambda store: store.settings,
    "text": lambda store: store.text(HOME),
    "page": lambda store: store.page_table.facts(0),
}


@pytest.mark.parametrize("reading", READINGS.values(), ids=READINGS)
def test_a_store_of_another_thread_or_a_closed_one_is_said_to_be_that(
    store: Path, reading: Callable[[StoreReading], object]
) -> None:
    """Nothing is wrong with its file: nobody should think of a backup."""
    minicrawl.crawl([HOME], store=store, transport=Server({HOME: ["/b"], HOME + "b": [HOME]}), delay=0.0)
    with minicrawl.open_store(store) as opened, ThreadPoolExecutor(1) as other:
        raised = other.submit(reading, opened).exception()
        assert isinstance(raised, StoreError), raised
        assert str(raised) == (f"{store} was opened in another thread; open it again in this one")
        assert isinstance(other.submit(opened.close).exception(), StoreError)
        reading(opened)
    with pytest.raises(StoreError) as caught:
        reading(opened)
    assert str(caught.value) == f"{store} is closed; use it inside its 'with' block, or open it again"
    opened.close()


def test_each_thread_may_open_a_store_of_its_own(store: Path) -> None:
    minicrawl.crawl([HOME], store=store, transport=Server({HOME: ["/b"], HOME + "b": [HOME]}), delay=0.0)

    def best() -> str:
        with minicrawl.open_store(store) as opened:
            return opened.top(1)[0].url

    with minicrawl.open_store(store) as opened, ThreadPoolExecutor(2) as others:
        found = [others.submit(best) for _ in range(4)]
        assert {one.result() for one in found} == {opened.top(1)[0].url}


def test_acrawl_is_the_same_inside_a_loop(tmp_path: Path) -> None:
    server = Server({HOME: []})
    report = asyncio.run(minicrawl.acrawl(HOME, tmp_path / "crawl.db", transport=server, delay=0.0))
    assert server.asked == [HOME]
    assert report.read == 1


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'spider'"):
        minicrawl.spider  # noqa: B018


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("pages", "many", "--pages: write a whole number as 500, 10k or 1.5M, not 'many'"),
        ("traps", "no", "--traps must be True or False, not 'no'"),
        ("deny", 7, "--deny must be text or a list of texts, not 7"),
    ],
)
def test_wrong_settings_are_one_sentence_and_make_no_store(
    tmp_path: Path, name: str, value: Any, sentence: str
) -> None:
    with pytest.raises(minicrawl.ConfigError) as caught:
        minicrawl.crawl([HOME], store=tmp_path / "crawl.db", **{name: value})
    assert sentence in str(caught.value)
    assert not (tmp_path / "crawl.db").exists()


def test_settings_that_are_not_given_are_those_of_the_store(store: Path) -> None:
    server = Server({HOME: ["/b", "http://b.test/"], HOME + "b": ["/c", "http://c.test/"]})
    minicrawl.crawl([HOME], store, transport=server, delay=0, scope="prefix", pages=1)
    minicrawl.crawl([], store, transport=server)
    assert server.asked == [HOME, HOME + "b", HOME + "c"]
    minicrawl.crawl([], store, transport=server, scope="any")
    with minicrawl.open_store(store) as reader:
        assert reader.meta_json("settings")["scope"] == "any"


def test_both_calls_take_the_same_and_explain_the_rest() -> None:
    assert inspect.signature(minicrawl.crawl).parameters == inspect.signature(minicrawl.acrawl).parameters
    explained = inspect.getdoc(minicrawl.crawl) or ""
    names = list(inspect.signature(minicrawl.crawl).parameters)
    assert all(f"    {name}: " in explained for name in names)


def test_pages_links_and_items_are_tables_of_pandas_in_one_line_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The block of docs/python.md runs as it stands."""
    page = (Path(__file__).parent.parent / "docs" / "python.md").read_text("utf-8")
    (block,) = [block.split("```")[0] for block in page.split("```python\n") if "import pandas" in block]
    monkeypatch.chdir(tmp_path)
    site = {"http://a.test/": ["http://a.test/x", "http://a.test/gone", "<p>words</p>"], "http://a.test/x": ["/"]}
    settings: dict[str, Any] = {"extract": ["words=p"], "items": "data/items.jsonl", "delay": 0}
    minicrawl.crawl(["http://a.test/"], store="data/crawl.db", transport=Server(site), **settings)
    found: dict[str, Any] = {"minicrawl": minicrawl}
    exec(block + next(span for span in page.split("`") if span.startswith("items = ")), found)
    pages, links, broken, items = (found[name] for name in ("pages", "links", "broken", "items"))
    assert pages["url"].tolist()[0] == "http://a.test/"
    assert pages["importance"].sum() == pytest.approx(1.0)
    assert links[["source", "target"]].to_numpy().tolist() == [[0, 1], [0, 2], [1, 0]]
    assert broken[["source", "target", "status"]].to_numpy().tolist() == [["http://a.test/", "http://a.test/gone", 404]]
    assert "words" in items.columns
