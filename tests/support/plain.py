"""A crawl as a plain loop: what the live crawl and the lab's compiled one are held to."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

from minicrawl.opic import GRANT, SEED_GRANTS, STRATEGIES, Adaptive, Ledger, PageQueue
from minicrawl.opic.strategy import packed, unpacked

Name = TypeVar("Name", str, int)


def plain_loop(
    links: Mapping[Name, Sequence[Name]], seeds: list[Name], strategy_name: str, grant: int = GRANT
) -> tuple[list[Name], dict[Name, int], Ledger]:
    """Visit every page once with one queue, no hosts and no network: visits, cash by page, ledger.

    links: the links of every page, by its URL or number. grant: at birth.
    """
    strategy, book, ledger = STRATEGIES[strategy_name], Adaptive(), Ledger()
    names: list[Name] = []
    number: dict[Name, int] = {}
    queued: set[int] = set()

    def entry(page: int) -> int:
        return packed(page, strategy.priority(page, book))

    queue = PageQueue(lambda old: unpacked(old) in queued and entry(unpacked(old)) == old)

    def discover(new: list[Name], units: int) -> None:
        number.update(zip(new, book.discover([units] * len(new)), strict=True))
        ledger.discover(len(new))
        names.extend(new)

    def enqueue(new: list[Name]) -> None:
        for name in new:
            queued.add(number[name])
            queue.add(entry(number[name]))

    discover(seeds, SEED_GRANTS * GRANT)
    enqueue(seeds)
    visits: list[Name] = []
    while (page := queue.pop()) is not None:
        queued.discard(page)
        visits.append(names[page])
        targets = list(dict.fromkeys(links[names[page]]))
        new = [name for name in targets if name not in number]
        discover(new, grant)
        outlinks = np.array([number[name] for name in targets if name != names[page]], dtype=np.int32)
        ledger.visit(page, outlinks)
        book.visit(page, outlinks)
        for credited in outlinks.tolist():
            if strategy.follows_cash and credited in queued:
                queue.rise(entry(credited))
        enqueue(new)
    return visits, {name: book.cash(number[name]) for name in names}, ledger
