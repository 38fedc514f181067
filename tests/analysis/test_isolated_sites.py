"""Sites apart from the web: their own links, who else links to them, and several crawls as one."""

from contextlib import ExitStack
from pathlib import Path

import pytest
from support.sites import Site, crawl

from minicrawl.analysis.isolated_sites import Generated, HeldOut, held_out
from minicrawl.rank.endorsement import EndorsedSite
from minicrawl.store.reader import open_store

A, B, C = "http://www.a.test/", "http://b.test/", "http://me.github.io/"
ALL: Site = {
    A: [A + "x", A + "old", B, A + "dead"],
    A + "x": [A, A + "x", B + "y", C],
    A + "old": A + "x",
    B: [B + "y", A + "old", A + "dead"],
    B + "y": [B, A + "x"],
    C: [A + "x", B, "http://you.github.io/"],
    "http://you.github.io/": [C],
}


def of(*stores: Path, most: int = 100) -> HeldOut:
    with ExitStack() as stack:
        return held_out([stack.enter_context(open_store(store)) for store in stores], most)


def by_name(found: HeldOut) -> dict[str, EndorsedSite]:
    return {site.name: site for site in found.sites}


def links(site: EndorsedSite) -> list[tuple[int, int]]:
    return list(zip(site.graph.sources().tolist(), site.graph.targets.tolist(), strict=True))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("isolated") / "all.db"
    crawl(ALL, path, [A])
    return path


def test_a_site_has_its_own_links_and_other_sites_that_link_to_its_pages(whole: Path) -> None:
    """Links to an alias lead to what it stands for; a page that was not read is not there."""
    found = of(whole)
    sites = by_name(found)
    assert sites.keys() == {"a.test", "b.test", "me.github.io", "you.github.io"}
    assert [site.graph.size for site in found.sites] == [2, 2, 1, 1]
    front, page = 0, 1
    assert sites["a.test"].urls == (A, A + "x")
    assert links(sites["a.test"]) == [(front, page), (front, page), (page, front)]
    assert sites["a.test"].linking.tolist() == [0, 2]  # b.test does from both its pages, and by the alias
    assert sites["b.test"].linking.tolist() == [2, 1]
    assert sites["me.github.io"].linking.tolist() == [2]  # of one domain, and yet of two owners
    assert [site.fronts.tolist() for site in found.sites] == [[0]] * 4
    assert found.links == 9


def test_a_site_that_links_to_many_pages_of_another_does_not_count_there(whole: Path) -> None:
    found = of(whole, most=1)
    assert found.generated == (Generated("a.test", "b.test", 2),)
    assert by_name(found)["b.test"].linking.tolist() == [1, 0]
    assert by_name(found)["a.test"].linking.tolist() == [0, 2]


def test_crawls_of_a_web_in_parts_say_what_one_of_all_says(tmp_path: Path, whole: Path) -> None:
    """Each knows the pages of the others from outside only, such as the alias that only one has looked up."""
    stores = [tmp_path / f"{number}.db" for number in range(3)]
    for store, seeds in zip(stores, ([A], [B], [C, "http://you.github.io/"]), strict=True):
        crawl({url: reply for url, reply in ALL.items() if url.startswith(tuple(seeds))}, store, seeds)
    one, joined, reverse = of(whole), of(*stores), of(*reversed(stores))
    assert joined.links == reverse.links == one.links
    assert by_name(joined).keys() == by_name(reverse).keys() == by_name(one).keys()
    for name, site in by_name(one).items():
        assert links(by_name(joined)[name]) == links(site)
        assert by_name(joined)[name].linking.tolist() == site.linking.tolist()
        assert by_name(joined)[name].urls == site.urls
        assert by_name(joined)[name].fronts.tolist() == site.fronts.tolist()
        # Pages are numbered as they became known, so in another order here.
        assert sorted(by_name(reverse)[name].linking) == sorted(site.linking)
        assert len(links(by_name(reverse)[name])) == len(links(site))


def test_a_link_keeps_its_place(tmp_path: Path) -> None:
    """Whichever site it is on, and however many links between sites go."""
    words = "a sentence of more than a few characters"
    for site, other in ((A, B), (B, A)):
        page = f"<nav><a href='{site}n'>n</a></nav> <p>{words} <a href='{site}t'>t</a></p> <a href='{other}'>o</a>"
        pages = {site: [page, f"<ul><li><a href='{site}l'>l</a></ul>"], site + "n": [], site + "t": [], site + "l": []}
        crawl(pages, tmp_path / f"{len(site)}.db", [site])
    for found in of(tmp_path / f"{len(A)}.db", tmp_path / f"{len(B)}.db").sites:
        navigation, text, item = found.places.tolist()
        assert (text, item, navigation) == (0, 1, 2)
