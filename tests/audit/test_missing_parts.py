"""Links to parts of pages that the pages do not have, in an audit and among broken links."""

import random
import re
from pathlib import Path

import pytest
from support.audits import found_in
from support.command_line import run
from support.sites import Site, crawl, text

HOME = "http://a.test/"


def random_site(rng: random.Random) -> Site:
    """Pages with parts, and links to parts of pages, of redirects to them, and of pages that are not there."""
    names = [f"{HOME}{number}" for number in range(8)]
    site: Site = {}
    for url in names:
        parts = [f"<p {rng.choice(['id', 'ID'])}={name}>" for name in rng.sample("abcd", rng.randrange(4))]
        links = [f"{rng.choice(names)}#{rng.choice('abcde')}" for _ in range(rng.randrange(6))]
        site[url] = [f"<p>words of {url} alone</p>", *names, *parts, *links]
    for url in rng.sample(names, 2):
        site[url] = 404 if rng.random() < 0.5 else rng.choice([name for name in names if name != url])
    return {HOME: names, **site}


def slowly(site: Site) -> dict[str, int]:
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


@pytest.mark.parametrize("seed", range(6))
def test_missing_parts_are_those_that_a_slow_look_finds(seed: int, tmp_path: Path) -> None:
    site = random_site(random.Random(seed))
    crawl(site, tmp_path / "crawl.db", [HOME], audit=True, traps=False)
    assert found_in(tmp_path / "crawl.db", "anchor-missing").get("anchor-missing", {}) == slowly(site)


LINKS = {
    "#gone": True, "#there": False, "#There": True, "#top": False, "#TOP": False, "#": False, "#!state": False,
    "#/route": False, "#a=b": False, "#:~:text=words": False, "#there:~:text=words": False, "#gone:~:text=words": True,
    "#named": False, "#form": True, "#b%20c": False, "#b c": False, "#%C3%A9t%C3%A9": False, "#été": False,
    "#m(java.lang.String)": False, "#m%28java.lang.String%29": False, "/#gone": True, "/moved#there": False,
    "/moved#lost": True, "/file.txt#gone": False, "/missing#gone": False, "http://elsewhere.test/#gone": False,
    "/other#gone": True, "/other?utm_source=x#there": False,
}  # fmt: skip
"""By links on the home page: whether what they name is missing."""


def test_a_link_to_a_part_is_broken_where_the_part_is_known_to_be_missing(tmp_path: Path) -> None:
    parts = "<p id=there><a name=named></a><form name=form></form><p id='b c'><p id=été><p id='m(java.lang.String)'>"
    site: Site = {
        HOME: [parts, *(link.replace(" ", "%20") for link in LINKS)],
        f"{HOME}moved": HOME,
        f"{HOME}other": ["<p id=there>other words"],
        f"{HOME}file.txt": text("no part"),
    }
    for name, is_audit in (("audit", True), ("plain", False)):
        crawl(site, tmp_path / f"{name}.db", [HOME], audit=is_audit, scope="host")
    told = run("links", "--broken", "--json", "--store", tmp_path / "audit.db").stdout
    ends = {f"{HOME}{link.partition(':~:')[0].lstrip('/').replace('moved', '')}" for link in LINKS if LINKS[link]}
    assert set(re.findall(r'"target": ?"([^"]*#[^"]*)"', told)) == ends
    assert set(found_in(tmp_path / "audit.db", "anchor-missing")["anchor-missing"]) == ends
    assert "#" not in run("links", "--broken", "--json", "--store", tmp_path / "plain.db").stdout
    assert run("links", "--fail-on", "anchor-missing", "--store", tmp_path / "audit.db").exit_code == 1
