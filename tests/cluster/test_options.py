"""What options of a crawl do in partitions is what they do in one process."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.cluster_runs import SETTINGS, WEB, folder_at, run_in_parts
from support.live_partitions import Crawled, crawl_together
from support.sites import rows

from minicrawl.api import acrawl
from minicrawl.archive.check import check
from minicrawl.archive.collection import Collection
from minicrawl.cluster.folder import found
from minicrawl.cluster.running.keeper import Keeper
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.demo.resources import Reply
from minicrawl.demo.server import serving, serving_answers
from minicrawl.settings import ConnectTo, CrawlSettings
from minicrawl.store.reader import open_store

COLUMNS = "state, depth, inlinks"


async def alone(store: Path, settings: Mapping[str, Any]) -> None:
    async with serving(WEB) as port:
        rules = (ConnectTo(None, None, "127.0.0.1", port),)
        await acrawl(WEB.seeds, store, connect_to=rules, **{**SETTINGS, **settings})


async def in_parts(folder: Path, settings: Mapping[str, Any]) -> Crawled:
    """A crawl in three partitions."""
    folder.mkdir()
    async with serving(WEB) as port:
        rules = (ConnectTo(None, None, "127.0.0.1", port),)
        crawled = await crawl_together(folder, WEB.seeds, 3, {**SETTINGS, **settings, "connect_to": rules})
    assert crawled.faults() == []
    return crawled


def texts(store: Path) -> dict[str, str]:
    with open_store(store) as reader:
        kept = {page.url: reader.text(page.url) for page in reader.pages()}
    return {url: text.text for url, text in kept.items() if text is not None}


@pytest.mark.parametrize(
    "settings",
    [
        {"max_depth": 3},
        # By trust known so far, partitions choose other pages of a host than one process.
        pytest.param(
            {"host_pages": (f"{WEB.hosts[0]}=20", f"{WEB.hosts[2]}=5"), "jump": "pages"}, marks=pytest.mark.slow
        ),
        pytest.param({"host_max_depth": (f"{WEB.hosts[0]}=1", f"{WEB.hosts[3]}=2")}, marks=pytest.mark.slow),
        pytest.param({"topic": "river stone"}, marks=pytest.mark.slow),
        pytest.param({"strategy": "breadth-first"}, marks=pytest.mark.slow),
    ],
    ids=lambda settings: next(iter(settings)),
)
def test_partitions_know_what_one_process_knows(settings: Mapping[str, Any], tmp_path: Path) -> None:
    asyncio.run(alone(tmp_path / "one.db", settings))
    known = {url: tuple(columns) for url, *columns in rows(tmp_path / "one.db", f"SELECT url, {COLUMNS} FROM pages")}
    crawled = asyncio.run(in_parts(tmp_path / "web", settings))
    assert crawled.pages(COLUMNS) == known
    with open_store(tmp_path / "one.db") as reader:
        importance = {page.url: page.importance for page in reader.pages("importance")}
    assert sum(abs(share - importance[url]) for url, share in crawled.importance().items()) <= 1e-6


@pytest.mark.slow
def test_texts_are_kept_beside_the_store_of_each_partition(tmp_path: Path) -> None:
    asyncio.run(alone(tmp_path / "one.db", {"text": True}))
    asyncio.run(in_parts(tmp_path / "web", {"text": True}))
    kept = [texts(tmp_path / "web" / f"00{number}.db") for number in range(3)]
    assert all(kept)
    together = {url: text for of_one in kept for url, text in of_one.items()}
    assert len(together) == sum(map(len, kept))
    assert together == texts(tmp_path / "one.db")


@pytest.mark.slow
def test_partitions_have_one_archive_with_one_index(tmp_path: Path) -> None:
    """Whatever the processes write there at once; a later run brings what is new into the index."""
    whole, limited = {"archive": tmp_path / "kept"}, {"archive": tmp_path / "kept", "pages": 60}
    for settings in (limited, whole):
        asyncio.run(run_in_parts(tmp_path / "web", 3, {**SETTINGS, **settings}))
        answered = set()
        for store in found(tmp_path / "web").stores:
            answered |= {url for (url,) in rows(store, "SELECT url FROM pages WHERE fetch IS NOT NULL")}
        kept = Collection(tmp_path / "kept")
        assert check(kept, deep=True).wrong == []
        assert answered <= {captured.url for captured in kept}
    asyncio.run(alone(tmp_path / "one.db", {"archive": tmp_path / "one"}))
    assert {captured.url for captured in kept} == {captured.url for captured in Collection(tmp_path / "one")}


@pytest.mark.slow
@pytest.mark.parametrize("pages", [None, 5])
def test_partitions_ask_for_what_their_pages_need(pages: int | None, tmp_path: Path) -> None:
    """From any host, and before a limit of pages ends them."""
    homes = [f"http://h{number}.test/" for number in (0, 1, 4)]
    links = "".join(f"<a href={home}>to</a><a href={home}more>more</a>" for home in homes)
    kept = [*(home + "own.png" for home in homes), homes[1] + "all.css", homes[0] + "deep.png"]

    def respond(url: str, _: Mapping[str, str]) -> Reply:
        if url.endswith(("png", "css", "robots.txt")):
            body = f"a {{ b: url({homes[0]}deep.png) }}" if url.endswith("css") else url
            return Reply(404 if url.endswith("txt") else 200, {"Content-Type": "text/css"}, body.encode())
        page = f"<link rel=stylesheet href={homes[1]}all.css><img src=own.png>{links}{url}"
        return Reply(200, {"Content-Type": "text/html"}, page.encode())

    async def crawl() -> str:
        async with serving_answers(respond) as port:
            rules = (ConnectTo(None, None, "127.0.0.1", port),)
            whole = {"archive": tmp_path / "kept", "requisites": True, "pages": pages, "connect_to": rules}
            keeper = Keeper(folder_at(tmp_path / "web", 3), CrawlSettings.of({**SETTINGS, **whole}), Seeds(homes))
            return (await keeper.crawl()).reason

    assert asyncio.run(crawl()) == ("pages" if pages else "nothing-left")
    with open_store(tmp_path / "web") as store:
        counts = store.requisites.counts()
    assert {(count.state, count.reason) for count in counts} == {("kept", "ok")}
    assert set(kept) <= {captured.url for captured in Collection(tmp_path / "kept")}
