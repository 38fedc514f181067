"""Rules on parts of pages: what is planted is found, and nothing else."""

import random
import re
from pathlib import Path

import pytest
from support.faulty_site import found
from support.sites import crawl

from minicrawl.store.reader import open_store

HOME = "http://a.test/"
Pages = dict[str, list[str] | str | int]


def random_site(rng: random.Random) -> Pages:
    """Pages with parts, and links to parts of pages, of redirects to them, and of pages that are not there."""
    names = [f"{HOME}{number}" for number in range(8)]
    site: Pages = {}
    for url in names:
        parts = [f"<p {rng.choice(['id', 'ID'])}={name}>" for name in rng.sample("abcd", rng.randrange(4))]
        links = [f"{rng.choice(names)}#{rng.choice('abcde')}" for _ in range(rng.randrange(6))]
        site[url] = [*names, *parts, *links]
    for url in rng.sample(names, 2):
        site[url] = 404 if rng.random() < 0.5 else rng.choice([name for name in names if name != url])
    return {HOME: names, **site}


def slowly(site: Pages) -> dict[str, int]:
    """The missing parts with their numbers of sources, by looking at each link."""
    sources: dict[str, set[str]] = {}
    for source, page in site.items():
        for link in page if isinstance(page, list) else []:
            url, _, name = link.partition("#")
            for _ in range(9):
                url = end if isinstance(end := site.get(url), str) else url
            target = site.get(url)
            parts = target if isinstance(target, list) else [f"<p id={name}>"]
            if name and not any(re.fullmatch(f"<p id={name}>", part, re.IGNORECASE) for part in parts):
                sources.setdefault(f"{url}#{name}", set()).add(source)
    return {target: len(pages) for target, pages in sources.items()}


@pytest.mark.parametrize("seed", range(2))
def test_missing_parts_are_those_that_a_slow_look_finds(seed: int, tmp_path: Path) -> None:
    site = random_site(random.Random(seed))
    crawl(site, tmp_path / "crawl.db", [HOME], audit=True)
    with open_store(tmp_path / "crawl.db") as store:
        assert found(store, "anchor-missing") == slowly(site)


def test_pages_of_which_not_all_parts_are_known_have_no_missing_part(tmp_path: Path) -> None:
    many = "".join(f"<p id=p{number}>" for number in range(50_001))
    crawl({HOME: [f"{HOME}x#p0"], f"{HOME}x": [many, f"{HOME}#p1"]}, tmp_path / "crawl.db", [HOME], audit=True)
    with open_store(tmp_path / "crawl.db") as store:
        assert found(store, "anchor-missing") == {f"{HOME}#p1": 1}
