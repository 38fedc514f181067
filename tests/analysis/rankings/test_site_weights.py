"""Links by the hosts at their ends: PageRank without the votes that a host gives a page too often."""

from collections import Counter
from pathlib import Path

import pytest
from support.sites import Site, crawl

from minicrawl.analysis.link_graph import FloatArray, folded_store
from minicrawl.analysis.rankings.options import Options
from minicrawl.analysis.rankings.pagerank_ranking import METHODS, pagerank_ranking
from minicrawl.analysis.rankings.site_weights import site_weights
from minicrawl.errors import SettingError
from minicrawl.store.reader import open_store


def pagerank_of(store: Path, options: Options) -> FloatArray:
    with open_store(store) as reader:
        return pagerank_ranking(options, reader, folded_store(reader)).values["pagerank"]


CLIQUE = [f"http://farm.test/{page}" for page in range(6)]


@pytest.mark.parametrize(("inside", "cap"), [(1.0, 2), (None, 3)])
def test_links_of_a_host_to_a_page_count_up_to_a_cap(tmp_path: Path, inside: float | None, cap: int) -> None:
    """Colluding pages of a host link to one of them and to another host; a slow walk keeps count of the votes."""
    site: Site = {page: [CLIQUE[page == CLIQUE[0]], f"http://b.test/{page[-1]}", "http://b.test/"] for page in CLIQUE}
    site |= {"http://b.test/": [CLIQUE[1]]} | {f"http://b.test/{page}": ["http://b.test/"] for page in range(6)}
    crawl(site, tmp_path / "crawl.db", [*CLIQUE, "http://b.test/"], jump="pages")
    with open_store(tmp_path / "crawl.db") as reader:
        urls = list(reader.page_table.urls())
    votes, weights = Counter[tuple[str, str]](), dict[tuple[str, str], float]()
    for page in filter(site.__contains__, urls):
        for target in sorted(site[page], key=urls.index):
            host = page.split("/")[2]
            votes[host, target] += 1
            weight = (inside or 0.0) if target.split("/")[2] == host else 1.0
            weights[page, target] = weight if votes[host, target] <= cap else 0.0
    ranks = dict.fromkeys(urls, 1 / len(urls))
    for _ in range(300):
        after = dict.fromkeys(urls, 0.0)
        for (page, target), weight in weights.items():
            if weight:
                whole = sum(each for (source, _), each in weights.items() if source == page)
                after[target] += 0.85 * ranks[page] * weight / whole
        ranks = {page: value + (1 - sum(after.values())) / len(urls) for page, value in after.items()}
    for method in METHODS:
        found = pagerank_of(tmp_path / "crawl.db", Options(method=method, per="host", inside=inside, cap=cap))
        assert dict(zip(urls, found.tolist(), strict=True)) == pytest.approx(ranks, abs=1e-9)


def test_a_page_has_no_links_inside_to_weigh(tmp_path: Path) -> None:
    crawl({"http://a.test/": []}, tmp_path / "crawl.db", ["http://a.test/"])
    with open_store(tmp_path / "crawl.db") as reader, pytest.raises(SettingError, match="say --per host or --per site"):
        site_weights(Options(per="page", cap=2), reader, folded_store(reader))
