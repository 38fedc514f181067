"""Topics blended by the words of a query, against the shares worked out by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.sites import Site, crawl

from minicrawl.analysis.link_graph import folded_store
from minicrawl.analysis.rankings.options import Found, Options
from minicrawl.analysis.rankings.topic_ranking import topic_ranking
from minicrawl.errors import SettingError
from minicrawl.rank import pagerank
from minicrawl.store.reader import open_store

A, B = "http://boats.test/", "http://cars.test/"
SITE: Site = {
    A: [B, "/sails", "<title>Boats</title>"],
    A + "sails": [A, "<title>Sails</title>"],
    B: [A, "<title>Cars</title>"],
}


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, Path]:
    """With texts and without."""
    paths = {text: tmp_path_factory.mktemp("topics") / "crawl.db" for text in (False, True)}
    for text, path in paths.items():
        crawl(SITE, path, [A], text=text)
    return paths


def ranked(store: Path, **asked: Any) -> Found:
    with open_store(store) as reader:
        options = Options(topic=("boats=boats", "cars=cars"), **asked)
        return topic_ranking(options, reader, folded_store(reader))


@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize(("weights", "prior"), [(None, 1.0), ("boats=1,cars=3", 3.0)])
def test_shares_are_those_of_the_words(stores: dict[bool, Path], text: bool, weights: str | None, prior: float) -> None:
    """Of boats: http and test on both pages, boats in both URLs and a title, sails in a URL and a title, and as
    texts "toto" of two links and "to". Of cars: http, test, cars in URL and title, and "to"."""
    boats, cars = 2 + 2 + 3 + 2 + 2 * text, 1 + 1 + 2 + text
    vocabulary = 5 + 2 * text + 1
    likely = (3 + 1) / (boats + vocabulary), prior * (0 + 1) / (cars + vocabulary)
    share = likely[0] / sum(likely)
    with open_store(stores[text]) as reader:
        urls, folded = list(reader.page_table.urls()), folded_store(reader)
    jump = np.array([share / 2 if url.startswith(A) else 1 - share for url in urls])
    found = ranked(stores[text], query="Boats", weights=weights)
    assert found.values["topic"] == pytest.approx(pagerank(folded.graph, preference=jump), abs=1e-10)
    assert found.notes == (f"by the words of 'Boats': boats {share:.1%}, cars {1 - share:.1%}",)


def test_without_a_query_nothing_is_said(stores: dict[bool, Path]) -> None:
    assert ranked(stores[True]).notes == ()


def test_query_without_words_is_refused(stores: dict[bool, Path]) -> None:
    with pytest.raises(SettingError, match="there are none"):
        ranked(stores[True], query=" - ")
