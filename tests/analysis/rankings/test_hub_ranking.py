"""Hubs, authorities and communities of a store, against networkx and numpy on the same links written down again."""

from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
from support.sites import Site, crawl, crawled_once

from minicrawl.analysis.link_graph import folded_store
from minicrawl.analysis.rankings.hub_ranking import hub_rankings, kept_name, word_counts
from minicrawl.analysis.rankings.options import Options
from minicrawl.errors import SettingError
from minicrawl.store.reader import Store, open_store

A, B, C = "http://a.test/", "http://b.test/", "http://c.test/"
SITE_of_words_near_links: Site = {
    A: [
        f"<p>Fine sails of <a href='{B}'>Sail makers</a>: every SAIL, sail.</p>",
        f"<p>More than fifty characters that say nothing at all, then <a href='{C}'>others</a> and many more words"
        " which go on until nobody could think that the link means a sail.</p>",
        f"<p>Also <a href='{C}old'>a sail</a></p>",
    ],
    B: [f"<p>The <a href='{A}'>home</a> of one sail</p>"],
    C: [f"<p><a href='{B}'>sail</a></p><p>elsewhere a <a href='{B}'>sail loft</a></p>"],
    C + "old": C,
}


def links(store: Store, query: str, pages: list[str] | None = None) -> dict[tuple[str, str], list[float]]:
    """The counts of the links of some pages, by default all, by their ends."""
    folded = folded_store(store)
    urls = list(store.page_table.urls())
    asked = np.arange(len(urls)) if pages is None else np.array([urls.index(page) for page in pages])
    counts = word_counts(query, asked, store, folded)
    found: dict[tuple[str, str], list[float]] = {}
    for source, target, count in zip(folded.graph.sources(), folded.graph.targets, counts, strict=True):
        found.setdefault((urls[source], urls[target]), []).append(float(count))
    return found


def test_words_in_and_around_links_are_counted(tmp_path: Path) -> None:
    """ "sails" is another word; links to an alias are those of its page, and the first of two has the words of both."""
    crawl(SITE_of_words_near_links, tmp_path / "crawl.db", [A], text=True)
    with open_store(tmp_path / "crawl.db") as store:
        found = links(store, "Sail")
        assert found == {(A, B): [3.0], (A, C): [1.0, 0.0], (B, A): [1.0], (C, B): [2.0]}
        assert links(store, "sail others")[A, C] == [2.0, 0.0]
        assert links(store, "sail", [B]) == {ends: [float(ends[0] == B) for _ in of] for ends, of in found.items()}


def test_a_crawl_without_texts_says_what_would_keep_them(tmp_path: Path) -> None:
    crawl(SITE_of_words_near_links, tmp_path / "crawl.db", [A])
    with open_store(tmp_path / "crawl.db") as store, pytest.raises(SettingError, match="go on with --text"):
        links(store, "sail")


A, B, C, D = (f"http://{name}.test/" for name in "abcd")
SITE: Site = {
    A: ["/1", "/2", "/3", B, C, "<p>about boats</p>"],
    A + "1": ["/2", C, D],
    A + "2": ["/2", C],
    A + "3": [C, D, A],
    B: [C, D, "<title>Boats</title>"],
    C: [f"<p>good boats are at <a href='{B}'>boats</a>, {'far ' * 30}<a href='{D}'>away</a></p>"],
    D: [],
}
LINKS = [
    *((A, A + "1"), (A, A + "2"), (A, A + "3"), (A, B), (A, C), (A + "1", A + "2"), (A + "1", C), (A + "1", D)),
    *((A + "2", C), (A + "3", C), (A + "3", D), (A + "3", A), (B, C), (B, D), (C, D), (C, B)),
]
store = crawled_once(SITE, [A], text=True)


def ranked(store: Path, **said: Any) -> dict[str, dict[str, float]]:
    with open_store(store) as reader:
        urls = list(reader.page_table.urls())
        found = hub_rankings(Options(**said), reader, folded_store(reader))
    return {name: dict(zip(urls, values.tolist(), strict=True)) for name, values in found.items()}


def weighed(store: Path, **weights: float) -> "networkx.DiGraph[str]":
    """The links, those inside a host with the weight `inside`, and only the first `cap` of a host to a page."""
    with open_store(store) as reader:
        urls = list(reader.page_table.urls())
    graph: networkx.DiGraph[str] = networkx.DiGraph()
    graph.add_nodes_from(urls)
    votes: dict[tuple[str, str], int] = {}
    for source, target in sorted(LINKS, key=lambda link: urls.index(link[0])):
        host = source[:14]
        votes[host, target] = votes.get((host, target), 0) + 1
        weight = weights.get("inside", 0.0) if target.startswith(host) else 1.0
        if weight and votes[host, target] <= weights.get("cap", 99):
            graph.add_edge(source, target, weight=weight)
    return graph


@pytest.mark.parametrize("said", [{}, {"inside": 0.5, "cap": 2}])
def test_links_weigh_what_is_asked(store: Path, said: dict[str, Any]) -> None:
    hubs, authorities = networkx.hits(weighed(store, **said), tol=1e-14, max_iter=10_000)
    found = ranked(store, **said)
    assert found["hub"] == pytest.approx(hubs, abs=1e-9)
    assert found["authority"] == pytest.approx(authorities, abs=1e-9)


def test_self_links_are_on_the_diagonal(store: Path) -> None:
    graph = weighed(store, inside=1.0)
    left, _, right = np.linalg.svd(networkx.to_numpy_array(graph) + np.eye(len(graph)))
    found = ranked(store, inside=1.0, self_links=True)
    for name, vector in (("hub", left[:, 0]), ("authority", right[0])):
        expected = np.abs(vector) / np.abs(vector).sum()
        assert found[name] == pytest.approx(dict(zip(graph, expected, strict=True)), abs=1e-9)


@pytest.mark.parametrize(("context", "weight"), [(False, 1.0), (True, 3.0)])
def test_context_makes_the_link_heavier_that_has_the_words(store: Path, context: bool, weight: float) -> None:
    """Of the query is B; around it are what links to it and what it links to. C says "good boats are at boats"."""
    graph = weighed(store)
    graph.remove_nodes_from([A + "1", A + "2", A + "3"])
    graph[C][B]["weight"] = weight
    hubs, authorities = networkx.hits(graph, tol=1e-14, max_iter=10_000)
    found = ranked(store, query="boats", context=context)
    for name, oracle in (("hub", hubs), ("authority", authorities)):
        assert found[name] == pytest.approx(dict.fromkeys(found[name], 0.0) | oracle, abs=1e-8)


def test_communities_are_numbered_from_the_one_that_takes_all(store: Path) -> None:
    found = ranked(store, communities=2)
    assert list(found) == ["authority-1", "hub-1", "authority-2", "hub-2", "bridge"]
    whole = ranked(store)
    assert found["authority-1"] == pytest.approx(whole["authority"], abs=1e-8)
    assert found["hub-1"] == pytest.approx(whole["hub"], abs=1e-8)
    assert found["authority-2"] != pytest.approx(whole["authority"], abs=1e-2)


def test_peeling_ends_where_no_link_is_left(store: Path) -> None:
    """All authorities of this web are among the first ten."""
    found = ranked(store, communities=2, peel=True)
    assert list(found) == ["authority-1", "hub-1", "bridge"]
    assert found["authority-1"] == ranked(store)["authority"]


def test_names_of_what_is_kept() -> None:
    kinds = ("authority", "hub", "authority-2", "hub-2", "bridge")
    assert [kept_name("mine", kind) for kind in kinds] == ["mine", "mine-hubs", "mine-2", "mine-hubs-2", "mine-bridges"]
