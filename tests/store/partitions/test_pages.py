"""Readers of pages and links over all partitions answer as those of one store do."""

from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from support.partition_twins import A, B, C

from minicrawl.errors import SettingError
from minicrawl.store.ranks import Ranks
from minicrawl.store.reader import Store, open_store
from minicrawl.store.selection import Condition


def said(store: Store) -> dict[str, object]:
    """What readers say, by URL."""
    urls = list(store.page_table.urls())
    pages = range(store.size())
    marked = store.selection.by([Condition("state = ?", ["fetched"])])
    return {
        "answers": {answer.url: answer for answer in store.page_table.answers(pages).values()},
        "targets": {
            urls[page]: facts.target is not None and urls[facts.target]
            for page, facts in store.page_table.more_facts(pages).items()
        },
        "outlinks": {url: [urls[end] for end in store.link_table.outlinks(page)] for page, url in enumerate(urls)},
        "sources": {
            url: sorted(urls[one] for one in store.link_table.some_sources(page, 9)) for page, url in enumerate(urls)
        },
        "redirects": {urls[row[0]]: row[1:3] for row in store.page_table.redirects_and_failures()},
        "states": {url: store.page_table.state(page) for page, url in enumerate(urls)},
        "read": sorted(urls[page] for page in store.page_table.first_answers().page),
        "fetched": sorted(np.array(urls)[marked].tolist()),
        "hosts": sorted(host.known for host in store.hosts.pages(9)),
        "changes": sorted(page.url for page in store.changes()),
        "schedule": sorted(urls[page] for page in store.refreshes.schedule().page),
    }


def test_they_say_the_same(three: tuple[Path, Path]) -> None:
    with open_store(three[0]) as one, open_store(three[1]) as all_of_them:
        here, there = said(one), said(all_of_them)
        for name, value in here.items():
            assert there[name] == value, name
    assert here["targets"] == {A: False, f"{A}x": False, B: False, C: B}


def test_graphs_of_some_pages_are_parts_of_the_whole(three: tuple[Path, Path]) -> None:
    with open_store(three[1]) as store:
        whole = store.links()
        for page in range(store.size()):
            part = store.link_table.graph_of([page])
            assert part.targets.tolist() == whole.targets[whole.link_sources() == page].tolist()
        assert sum(len(block.targets) for block in store.link_table.on_pages()) == store.link_table.count()


def test_the_most_important_come_without_a_sort_of_rows(
    three: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(three[1]) as store:
        every = list(store.ranks.best_first("importance"))
        sort = Counter[str]()
        monkeypatch.setattr(Ranks, "best_first", lambda *_: sort.update(["partition"]))
        assert list(islice(store.ranks.best_first("importance"), 3)) == every[:3]
    assert not sort


@pytest.mark.parametrize("expression", ["rank < 3", "length(url) > 1 AND id = 0"])
def test_numbers_of_partitions_cannot_be_asked_for(three: tuple[Path, Path], expression: str) -> None:
    with open_store(three[1]) as store:
        with pytest.raises(SettingError, match="over partitions"):
            store.selection.where(expression)
        assert store.selection.where("url = 'rank' OR importance > 0").sum() == 3
