"""A store that cannot be ranked says so in a sentence."""

from pathlib import Path

import pytest
from support.sites import HOME, crawl, rows

from minicrawl.analysis.link_graph import check_is_rankable, rankable
from minicrawl.errors import StoreError
from minicrawl.store.reader import open_store


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        ("waiting", "has been read yet; run 'minicrawl crawl SEEDS --store"),
        ("gone", "is there any more, so there is nothing to rank"),
        ("fetched", None),
        ("error", None),
    ],
)
def test_pages_of_these_states_can_be_ranked_or_not(state: str, sentence: str | None, store: Path) -> None:
    crawl({HOME: []}, store, [HOME])
    rows(store, "UPDATE tallies SET state = ?", state)
    with open_store(store) as reader:
        if sentence is None:
            check_is_rankable(reader)
        else:
            with pytest.raises(StoreError, match=sentence):
                check_is_rankable(reader)


def test_links_that_lead_nowhere_are_an_error_of_the_store(tmp_path: Path) -> None:
    crawl({HOME: []}, tmp_path / "crawl.db", [HOME])
    with (
        open_store(tmp_path / "crawl.db") as reader,
        pytest.raises(StoreError, match="cannot be ranked: it is odd"),
        rankable(reader),
    ):
        raise ValueError("it is odd")
