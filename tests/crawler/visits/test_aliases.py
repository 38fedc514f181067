"""Aliases by redirects, meta refresh and rel=canonical; chains and loops of them; both URLs are kept."""

from pathlib import Path

import pytest
from support.sites import HOME, Server, Site, canonical, crawl, faults_in, page, rows, states

from minicrawl.reasons import MAX_HOPS
from minicrawl.store.reader import open_store

A, B, C = (f"http://a.test/{name}" for name in "abc")


def refresh(content: str) -> str:
    return f"<meta http-equiv=refresh content={content!r}>"


def crawled(tmp_path: Path, site: Site | Server, seeds: list[str], **settings: object) -> dict[str, str]:
    """State and reason of every URL that a crawl of one page at a time knows in the end."""
    store = tmp_path / "crawl.db"
    crawl(site, store, seeds, **settings)
    assert faults_in(store) == []
    return states(store)


@pytest.mark.parametrize("scope", ["host", "prefix", "site"])
@pytest.mark.parametrize(
    "target", ["https://a.test/d/", "http://www.a.test/d/", "http://docs.a.test/en/", HOME + "en/"]
)
def test_the_scope_of_a_seed_is_that_of_where_it_leads_within_its_site(tmp_path: Path, target: str, scope: str) -> None:
    site: Site = {HOME + "d/": target, target: [f"{target}x", "http://shop.a.test/"], f"{target}x": [f"{target}y"]}
    for pages in (2, None):  # a crawl that goes on knows it still
        states = crawled(tmp_path, site | {f"{target}y": []}, [HOME + "d/"], scope=scope, pages=pages)
    known = {HOME + "d/": "alias redirect-301", **dict.fromkeys((target, f"{target}x", f"{target}y"), "fetched ok")}
    assert states == known | ({"http://shop.a.test/": "error http-404"} if scope == "site" else {})


def test_a_seed_that_leads_to_another_site_widens_nothing(tmp_path: Path) -> None:
    site: Site = {HOME: "http://b.test/", "http://b.test/": []}
    assert crawled(tmp_path, site, [HOME], scope="host") == {HOME: "error redirect-scope-host"}


@pytest.mark.parametrize("strategy", ["greedy", "breadth-first"])
@pytest.mark.parametrize("hops", [1, MAX_HOPS])
def test_a_chain_of_ten_redirects_is_followed(tmp_path: Path, hops: int, strategy: str) -> None:
    chain: Site = {f"{HOME}{hop}": f"{HOME}{hop + 1}" for hop in range(hops)}
    states = crawled(tmp_path, chain | {f"{HOME}{hops}": []}, [HOME + "0"], strategy=strategy)
    assert states[f"{HOME}{hops - 1}"] == "alias redirect-301"
    assert states[f"{HOME}{hops}"] == "fetched ok"
    query = "SELECT depth, chain_length FROM pages WHERE url = ?"
    assert rows(tmp_path / "crawl.db", query, f"{HOME}{hops}") == [(0, hops)]


def test_the_eleventh_redirect_is_not(tmp_path: Path) -> None:
    chain: Site = {f"{HOME}{hop}": f"{HOME}{hop + 1}" for hop in range(MAX_HOPS + 1)}
    states = crawled(tmp_path, chain | {f"{HOME}{MAX_HOPS + 1}": []}, [HOME + "0"])
    assert states.popitem() == (f"{HOME}{MAX_HOPS}", "error redirect-chain")
    assert set(states.values()) == {"alias redirect-301"}


@pytest.mark.parametrize(
    ("site", "expected"),
    [
        pytest.param({HOME: [A], A: B, B: A}, {A: "alias redirect-301", B: "error redirect-loop"}, id="of two"),
        pytest.param(
            {HOME: [A], A: B, B: C, C: A},
            {A: "alias redirect-301", B: "alias redirect-301", C: "error redirect-loop"},
            id="of three",
        ),
        pytest.param(
            {HOME: [A], A: "http://b.test/", "http://b.test/": A},
            {A: "alias redirect-301", "http://b.test/": "error redirect-loop"},
            id="over two hosts",
        ),
        pytest.param({HOME: [A], A: A + "#top"}, {A: "error redirect-loop"}, id="to itself"),
        pytest.param(
            {HOME: [A], A: [refresh(f"0;{B}")], B: [refresh(f"0;{A}"), C]},
            {A: "alias meta-refresh", B: "fetched meta-refresh-loop", C: "error http-404"},
            id="of meta refreshes, the last page is kept",
        ),
    ],
)
def test_a_loop_ends_where_it_closes(tmp_path: Path, site: Site, expected: dict[str, str]) -> None:
    assert crawled(tmp_path, site, [HOME]) == {HOME: "fetched ok"} | expected


def test_a_refresh_to_no_page_is_a_link_to_it(tmp_path: Path) -> None:
    assert crawled(tmp_path, {HOME: [A], A: [refresh(f"0;{B}")]}, [HOME])[A] == "fetched canonical-dead"
    with open_store(tmp_path / "crawl.db") as store:
        page, target = (store.page_table.find([url])[url] for url in (A, B))
        assert store.link_table.outlinks(page).tolist() == [target]


@pytest.mark.parametrize(
    ("element", "state"),
    [
        (canonical("b"), "alias canonical"),
        (canonical("http://b.test/"), "alias canonical"),
        (canonical("#part"), "fetched ok"),
        (canonical("/a"), "fetched ok"),
        (canonical("http://["), "fetched ok"),
        (canonical("mailto:a@b"), "fetched ok"),
        (canonical("b") + canonical("c"), "fetched ok"),  # two that differ are none
        (canonical("b") + canonical("b#part"), "alias canonical"),
        ("<p>" + canonical("b"), "fetched ok"),
        (canonical("#part") + canonical("c"), "fetched ok"),
        (refresh("0; url=b"), "alias meta-refresh"),
        (refresh('0; url="b"'), "alias meta-refresh"),
        (refresh("0;b"), "alias meta-refresh"),
        (refresh("5; URL = 'b' and more"), "alias meta-refresh"),
        (refresh("30"), "fetched ok"),
        (refresh("0; url=#part"), "fetched ok"),
        (refresh("0; url=/a"), "fetched ok"),
        (refresh("url=b"), "fetched ok"),
    ],
)
def test_what_a_page_says_it_stands_for(tmp_path: Path, element: str, state: str) -> None:
    states = crawled(tmp_path, {A: [element], B: [], "http://b.test/": []}, [A], pages=1)
    assert states[A] == state
    if state.startswith("alias"):
        with open_store(tmp_path / "crawl.db") as store:
            assert store.page_table.url(store.link_table.outlinks(0)[0].item()) in (B, "http://b.test/")


def test_header_link_names_the_canonical_as_well(tmp_path: Path) -> None:
    link = {"Link": f'<{C}>; rel="canonical"'}
    site: Site = {HOME: [A, B], A: page(headers=link), B: page(canonical("c-too"), headers=link), C: []}
    states = crawled(tmp_path, site, [HOME])
    assert (states[A], states[B]) == ("alias canonical", "fetched ok")  # B names two that differ
