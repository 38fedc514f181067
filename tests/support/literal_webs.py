"""A literal web over HTTP on loopback, crawled in one process or in partitions, and compared."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from support.cluster_runs import SETTINGS, folder_at, ranked_pages
from support.sites import rows

from minicrawl.analysis.consistency import all_violations
from minicrawl.api import acrawl
from minicrawl.cluster.folder import found
from minicrawl.demo.resources import Reply
from minicrawl.demo.server import serving_answers
from minicrawl.model import CrawlReport
from minicrawl.store.reader import open_store

LiteralWeb = Mapping[str, str]
"""Documents by URL; whatever is not in it is a 404."""
COLUMNS = "state, reason, depth, inlinks"


def page(links: Sequence[str], text: str = "", head: str = "") -> str:
    return f"<html><head>{head}</head><body><p>{text}</p>{''.join(f'<a href={link}>to</a>' for link in links)}"


def crawl(
    web: LiteralWeb, seeds: Sequence[str], store: Path, partitions: int | None = None, **given: Any
) -> CrawlReport:
    """Crawl, in a file, or in a folder of so many partitions, or go on with one."""

    def respond(url: str, _: Mapping[str, str]) -> Reply:
        found_there = web.get(url)
        return Reply(200 if found_there else 404, {"Content-Type": "text/html"}, (found_there or "").encode())

    async def run() -> CrawlReport:
        async with serving_answers(respond) as port:
            if partitions is not None:
                folder_at(store, partitions)
            return await acrawl(seeds, store, **{**SETTINGS, "connect_to": f"::127.0.0.1:{port}", **given})

    return asyncio.run(run())


def assert_same(folder: Path, file: Path) -> dict[str, str]:
    """Assert that partitions have found what one process has, and return the reason of every URL."""
    with found(folder).opened() as stores:
        assert list(all_violations(stores)) == []
        importance = {one.url: one.importance for one in ranked_pages(stores)}
    query = f"SELECT url, {COLUMNS} FROM pages WHERE state <> 'elsewhere'"
    parts = {url: tuple(row) for store in found(folder).stores for url, *row in rows(store, query)}
    alone = {url: tuple(row) for url, *row in rows(file, query)}
    assert parts == alone
    with open_store(file) as reader:
        expected = {one.url: one.importance for one in reader.pages("importance")}
    assert sum(abs(importance[url] - share) for url, share in expected.items()) <= 1e-6
    return {url: reason for url, (_, reason, *_) in alone.items()}
