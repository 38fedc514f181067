"""Pages ranked by their links in other ways than the crawl's."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import networkx as nx
import numpy as np
import pytest
from support.sites import Site, canonical, crawl, crawled_once, random_site

from minicrawl.analysis.link_graph import folded_store
from minicrawl.analysis.rankings.options import Found, Options
from minicrawl.analysis.rankings.ranking import RANKERS, check_name, rankings, topic_ranking
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
    assert found[0]["topic"] == pytest.approx(pagerank(folded.graph, preference=jump), abs=1e-10)
    assert found[1] == (f"by the words of 'Boats': boats {share:.1%}, cars {1 - share:.1%}",)


def test_without_a_query_nothing_is_said(stores: dict[bool, Path]) -> None:
    assert ranked(stores[True])[1] == ()


def test_query_without_words_is_refused(stores: dict[bool, Path]) -> None:
    with pytest.raises(SettingError, match="--query needs words"):
        ranked(stores[True], query=" - ")


store = crawled_once(*random_site(3))


@pytest.mark.parametrize("by", sorted(RANKERS))
def test_every_ranking_has_a_value_per_page_and_ranks_no_alias(store: Path, by: str) -> None:
    options = Options(per="page", topic=("all=.",))
    with open_store(store) as reader:
        found = rankings(reader, by, options)
        best = found.best(reader, 5)
        assert all(len(values) == reader.size() for values in found.values.values())
    for pages, values in best.values():
        assert values == sorted(values, reverse=True)
        assert all(page.state != "alias" for page in pages)


@pytest.mark.parametrize("name", ["", "1st", "a b", "x" * 41, "importance", "url"])
def test_a_ranking_is_kept_by_a_name_that_no_column_has(name: str) -> None:
    with pytest.raises(SettingError, match="--save"):
        check_name(name)


# Inverse PageRank, counted again from the site and the addresses alone.


def web_with_aliases(seed: int) -> tuple[Site, list[str]]:
    """A web in which pages link to themselves and to others by several addresses: redirects, canonicals and chains."""
    web, seeds = random_site(seed, 40)
    pages, draw = list(web), Random(seed)
    moved = {f"{pages[n]}-old": pages[draw.randrange(20)] for n in range(12)}
    moved |= {f"{pages[n]}-older": f"{pages[n]}-old" for n in range(4)}
    copies = {f"{pages[n]}-copy": [canonical(pages[n]), pages[39]] for n in range(6)}
    addresses = [*moved, *copies, *moved.values()]
    linked: Site = {page: [*links, *draw.sample(addresses, 5)] for page, links in web.items()}
    return linked | moved | copies | {pages[39]: 410}, [*seeds, *pages[:3]]


def counted_reach(web: Site, known: set[str], damping: float = 0.85, steps: int = 300) -> dict[str, float]:
    """Power iteration over a dict: of every page, the visits of walkers who follow links backwards."""

    def page_at(url: str) -> str:
        answer = web[url]
        if isinstance(answer, list):
            told = [link for link in answer if link.startswith("<")]
            return page_at(told[0].split('"')[3]) if told else url
        return page_at(answer) if isinstance(answer, str) else url

    pages = {url for url in known if page_at(url) == url}
    back: dict[str, set[str]] = {page: set() for page in pages}
    for page in pages:
        for link in web[page] if isinstance(web[page], list) else []:
            if page_at(link) != page:
                back[page_at(link)].add(page)
    reach = dict.fromkeys(pages, 1 / len(pages))
    for _ in range(steps):
        after = dict.fromkeys(pages, 0.0)
        for page, sources in back.items():
            for source in sources:
                after[source] += damping * reach[page] / len(sources)
        jumps = (1 - sum(after.values())) / len(pages)
        reach = {page: value + jumps for page, value in after.items()}
    return reach


def test_inverse_pagerank_of_pages_with_aliases_is_that_of_a_slow_count(tmp_path: Path) -> None:
    """Each link counts once and none to the page itself, by whatever address; an alias brings its page no jumps."""
    web, seeds = web_with_aliases(1)
    crawl(web, tmp_path / "crawl.db", seeds)
    with open_store(tmp_path / "crawl.db") as reader:
        best, values = rankings(reader, "inverse", Options()).best(reader, 1000)["inverse"]
        known = set(reader.page_table.urls())
        trust = rankings(reader, "trustrank", Options(trusted_count=1000)).values["trust"]
        states = [page.state for page in reader.ranks.numbered()]
    assert [value > 0.0 for value in trust] == [state != "alias" for state in states], "no alias is trusted"
    assert len(known) - len(best) > 10
    assert dict(zip((page.url for page in best), values, strict=True)) == pytest.approx(
        counted_reach(web, known), abs=1e-10
    )


# Whatever the method, links weigh what the surfer gives their place.

PLACES = {"text": 8, "list": 2, "nav": 1}
HTML = {"text": "<div>beside some words {} and some more</div>", "list": "<ul><li>{}</li></ul>", "nav": "<nav>{}</nav>"}


def placed_web(seed: int) -> tuple[Site, dict[str, dict[str, str]]]:
    """A web of 40 pages on 8 sites, and the place of each link, by source and target."""
    random = Random(seed)
    urls = [f"http://h{number % 8}.test/{number}" for number in range(40)]
    links = {
        url: {
            other: random.choice(list(PLACES))
            for other in random.sample([other for other in urls if other != url], random.randrange(1, 7))
        }
        for url in urls
    }
    for number, url in enumerate(urls):
        links[url][urls[(number + 1) % 40]] = "text"
    site: Site = {
        url: [HTML[place].format(f'<a href="{to}">to</a>') for to, place in placed.items()]
        for url, placed in links.items()
    }
    return site, links


@pytest.fixture(scope="module")
def placed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, dict[str, str]]]:
    path = tmp_path_factory.mktemp("placed") / "crawl.db"
    site, links = placed_web(1)
    crawl(site, path, [next(iter(site))], jump="pages")
    return path, links


def weighed(links: dict[str, dict[str, str]], weights: dict[str, int]) -> "nx.DiGraph[str]":
    """The links, with weights that are 1 on average over those of a page."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    for source, placed in links.items():
        mean = sum(weights[place] for place in placed.values()) / len(placed)
        for target, place in placed.items():
            graph.add_edge(source, target, weight=weights[place] / mean)
    return graph


def _pagerank(graph: "nx.DiGraph[str]", start: dict[str, float] | None = None) -> dict[str, float]:
    found: dict[str, float] = nx.pagerank(graph, 0.85, personalization=start, max_iter=1_000, tol=1e-14)
    return found


TRUSTED, TOPIC = "http://h3.test/3", "http://h5.test/"
Oracle = Callable[["nx.DiGraph[str]"], dict[str, float]]
ORACLES: dict[str, tuple[str, Oracle, dict[str, Any]]] = {
    "pagerank": ("pagerank", _pagerank, {}),
    "pagerank on disk": ("pagerank", _pagerank, {"memory": "1500"}),
    "trustrank": ("trust", lambda graph: _pagerank(graph, {TRUSTED: 1.0}), {"trusted": TRUSTED}),
    "topic": (
        "topic",
        lambda graph: _pagerank(graph, {url: 1.0 for url in graph if url.startswith(TOPIC)}),
        {"topic": (f"one=^{TOPIC}",)},
    ),
    "inverse": ("inverse", lambda graph: _pagerank(graph.reverse()), {}),
    "hits": ("authority", lambda graph: nx.hits(graph, max_iter=10_000, tol=1e-13)[1], {"per": "page"}),
}


@pytest.mark.parametrize("method", ORACLES)
def test_links_weigh_in_every_ranking_what_the_surfer_gives_their_place(
    placed: tuple[Path, dict[str, dict[str, str]]], method: str
) -> None:
    path, links = placed
    name, oracle, asked = ORACLES[method]
    with open_store(path) as reader:
        found = rankings(reader, method.split(maxsplit=1)[0], Options(**asked))
        values = dict(zip(reader.page_table.urls(), found.values[name].tolist(), strict=True))
    assert values == pytest.approx(oracle(weighed(links, PLACES)), abs=1e-9)
