"""Links that are broken, redirected or lead elsewhere, against a slow count over the pages that are served."""

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.sites import HOME, Site, canonical, crawl

from minicrawl.analysis.page_links import Asked, PageLink, page_links
from minicrawl.store.reader import Store, open_store


@contextmanager
def opened(path: Path) -> Iterator[Store]:
    with open_store(path) as reader, reader.snapshot():
        yield reader


def links(path: Path, asked: Asked) -> list[PageLink]:
    with opened(path) as store:
        return list(page_links(store, asked).rows())


def odd_site(seed: int) -> Site:
    """A seeded site on two domains: pages, redirects in chains, pages that are not there, and no word for some."""
    rng = random.Random(seed)
    hosts = ["a.test", "www.a.test", "b.test"]
    words = ["".join(rng.choices("abcdefghijklmnop", k=8)) for _ in range(90)]
    urls = [HOME, *(f"http://{hosts[number % 3]}/{word}" for number, word in enumerate(words))]
    site: Site = {}
    for number, url in enumerate(urls):
        kind = rng.random() if number else 1.0
        if kind < 0.15:
            site[url] = rng.choice([404, 410, 403])
        elif kind < 0.35:
            site[url] = urls[rng.randrange(number)]  # an earlier one: no loops
        else:
            site[url] = [rng.choice(urls) for _ in range(rng.randrange(9))]
    site[HOME] = urls[1:60]
    return site


def end(site: Site, url: str) -> tuple[str, int]:
    """Where a person comes to who follows a link, and its status."""
    while isinstance(site.get(url), str):
        url = site[url]
    reply = site.get(url, 404)
    return url, reply if isinstance(reply, int) else 200


def domain(url: str) -> str:
    return ".".join(url.split("/")[2].split(".")[-2:])


def counted(site: Site, read: set[str]) -> list[tuple[str, str, int, str | None]]:
    """Every link of the pages that were read: source, target, status, where it leads if that is elsewhere."""
    found = []
    for url in read:
        if isinstance(site.get(url), list):
            for target in dict.fromkeys(site[url]):
                last, status = end(site, target)
                found.append((url, target, status, None if last == target else last))
    return found


def test_pairs_are_those_of_a_slow_count(tmp_path: Path) -> None:
    site, path = odd_site(1), tmp_path / "crawl.db"
    crawl(site, path, [HOME])
    with opened(path) as store:
        known = set(store.page_table.urls())
    every = counted(site, known)
    wanted = {
        Asked(broken=True): [link for link in every if link[2] >= 400],
        Asked(redirected=True): [link for link in every if isinstance(site.get(link[1]), str)],
        Asked(external=True): [link for link in every if domain(link[0]) != domain(link[1])],
        Asked(to=HOME): [link for link in every if link[1] == HOME],
        Asked(broken=True, external=True): [
            link for link in every if link[2] >= 400 and domain(link[0]) != domain(link[1])
        ],
    }
    for asked, pairs in wanted.items():
        found = links(path, asked)
        assert Counter((each.source, each.target, each.status, each.leads_to) for each in found) == Counter(pairs)
        assert [each.importance for each in found] == sorted((each.importance for each in found), reverse=True)
        with opened(path) as store:
            assert page_links(store, asked).codes() == Counter((each.status, each.reason) for each in found)
    assert all(wanted.values())


def test_links_of_a_copy_stand_on_the_copy(tmp_path: Path) -> None:
    """A page that names another as canonical is an alias; whoever opens it still finds its links."""
    site: Site = {
        HOME: ["/copy", "/whole"],
        HOME + "copy": [canonical(HOME + "whole"), "/lost"],
        HOME + "whole": [HOME],
    }
    crawl(site, tmp_path / "crawl.db", [HOME])
    assert [(link.source, link.target) for link in links(tmp_path / "crawl.db", Asked(broken=True))] == [
        (HOME + "copy", HOME + "lost")
    ]


def test_anchors_are_told_where_texts_are_kept(tmp_path: Path) -> None:
    said = (
        '<a href="/lost"><img src="/x"></a><p>see <a href="/lost#part"> the\n lost </a> one <a href="/lost">again</a>'
    )
    site: Site = {HOME: [said, '<a href="/away"><img src="/x"></a>', "/silent"]}
    site[HOME + "silent"] = ["<meta name=robots content=noarchive>", "/lost"]
    crawl(site, tmp_path / "kept.db", [HOME], text=True)
    found = {(link.source, link.target): link.anchor for link in links(tmp_path / "kept.db", Asked(broken=True))}
    assert found == {
        (HOME, HOME + "lost"): "the lost",
        (HOME, HOME + "away"): "",
        (HOME + "silent", HOME + "lost"): None,
    }
    crawl(site, tmp_path / "plain.db", [HOME])
    assert {link.anchor for link in links(tmp_path / "plain.db", Asked(broken=True))} == {None}


def test_only_so_many_are_written_however_many_there_are(tmp_path: Path) -> None:
    site: Site = {HOME: [f"http://b{number}.test/" for number in range(1100)]}
    crawl(site, tmp_path / "crawl.db", [HOME], pages=1)
    with opened(tmp_path / "crawl.db") as store:
        found = page_links(store, Asked(external=True))
        assert [link.target for link in found.rows()] == site[HOME]
        assert [link.target for link in found.rows(600)] == site[HOME][:600]
        assert found.codes() == {(None, "link"): 1100}
