"""The same small crawl in one store and in a folder of three partitions, made without a network."""

from pathlib import Path

from support.intakes import Web
from support.partitions import Partitions, crawled_alone

A, B, C = (f"http://{name}.test/" for name in "abc")
THREE: Web = {A: [B, C, f"{A}x"], f"{A}x": [A], B: [A, f"{A}x"], C: B}
ERROR = 1e-9


def twins(path: Path, web: Web) -> tuple[Path, Path]:
    """The crawls of a web from its first page on: a file, and a folder."""
    seeds = list(web)[:1]
    file, folder = path / "one.db", path / "three"
    with Partitions(folder, web, seeds, 3) as partitions:
        partitions.crawl()
        partitions.settle(ERROR)
        for number in partitions.numbers:
            partitions.commit(number)
    crawled_alone(file, web, seeds, ERROR)
    return file, folder
