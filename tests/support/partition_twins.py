"""The same small crawl in one store and in a folder of three partitions, made without a network."""

import itertools
from pathlib import Path

from support.intakes import next_page
from support.partitions import Partitions, Web, answer, plain_intake, settle

from minicrawl.settings import CrawlSettings
from minicrawl.store.partitions.folder import Folder

A, B, C = (f"http://{name}.test/" for name in "abc")
THREE: Web = {A: [B, C, f"{A}x"], f"{A}x": [A], B: [A, f"{A}x"], C: B}
ERROR = 1e-9


def twins(path: Path, web: Web, count: int = 3) -> tuple[Path, Path]:
    """The crawls of a web from its first page on: a file, and a folder."""
    seeds = list(web)[:1]
    file, folder = path / "one.db", path / "three"
    folder.mkdir(parents=True)
    crawl = Partitions(folder, web, seeds, count)
    crawl.is_told_all = count == 3
    with crawl as partitions:
        if web:
            partitions.crawl()
            partitions.settle(ERROR)
        for number in partitions.numbers:
            partitions.commit(number)
        secret = partitions.homes.secret
    Folder(folder, "a crawl", secret, count, {}).keep_settings(CrawlSettings())
    alone, clock = plain_intake(file), itertools.count(1.0)
    alone.start(seeds, 0.0)
    while web and (page := next_page(alone.state.frontier, next(clock))) is not None:
        alone.visits.absorb(page, *answer(web, alone.state.urls.url(page)), next(clock))
    alone.commit({})
    if web:
        settle(alone, ERROR)
        alone.commit({})
    alone.state.writer.close()
    return file, folder
