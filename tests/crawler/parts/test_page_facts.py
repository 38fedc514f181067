"""Facts that a crawl keeps of pages for an audit: of which, and what becomes of them when pages are read again."""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from support.faulty_site import FAULTS, OTHER, found, served
from support.faulty_site import HOME as FAULTY
from support.killing_web import killing_web
from support.origins import PEM
from support.sites import Site, canonical, crawl, rows

from minicrawl.analysis.explain import explain
from minicrawl.crawler.html.facts import MAX_NAMES
from minicrawl.settings import ConnectTo
from minicrawl.store.reader import open_store

HOME = "http://a.test/"
ABOUT = f"{HOME}about"


def facts(store: Path, *columns: str) -> dict[str, tuple[Any, ...]]:
    found = rows(store, f"SELECT url, {', '.join(columns)} FROM page_facts JOIN pages ON pages.id = page")
    return {url.removeprefix(HOME): tuple(values) for url, *values in found}


def links_to_parts(store: Path, url: str) -> list[tuple[str, str]]:
    with open_store(store) as reader:
        page = reader.page_table.find([url])[url]
        return [(reader.page_table.url(target), name) for target, name in reader.facts.links_to_parts(page)]


def test_facts_are_kept_of_html_pages(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    site: Site = {
        HOME: ["<h1>Home</h1>", "/moved", "/missing", "/copy", "/about#us", "#own", "http://b.test/#out"],
        f"{HOME}moved": ABOUT,
        ABOUT: ["<h1 id=us>Us</h1><h1>x</h1>"],
        f"{HOME}copy": [canonical(HOME), "<img src=x>", "/about#we"],
    }
    crawl(site, store, [HOME], scope="site", audit=True)
    assert facts(store, "h1", "h1s", "images") == {"": ("Home", 1, 0), "about": ("Us", 2, 0), "copy": (None, 0, 1)}
    assert links_to_parts(store, HOME) == [(ABOUT, "us"), (HOME, "own")], "b.test is out of scope"
    assert links_to_parts(store, f"{HOME}copy") == [(ABOUT, "we")]


def test_without_the_option_nothing_is_kept(tmp_path: Path) -> None:
    crawl({HOME: ["<h1>Home</h1>"]}, tmp_path / "crawl.db", [HOME])
    assert facts(tmp_path / "crawl.db", "h1") == {}


def test_facts_are_those_of_the_last_answer(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    names = ("stays", "changes", "goes", "moves")
    site: Site = {HOME: [f"/{name}" for name in names]} | {f"{HOME}{name}": [f"<h1>{name}</h1>"] for name in names}
    crawl(site, store, [HOME], audit=True)
    assert facts(store, "h1") == {"": (None,)} | {name: (name,) for name in names}
    site |= {f"{HOME}changes": ["<h1>other</h1>"], f"{HOME}goes": 410, f"{HOME}moves": HOME}
    crawl(site, store, [], discovery=0.5, pages=12)
    assert facts(store, "h1") == {"": (None,), "stays": ("stays",), "changes": ("other",)}
    crawl(site, store, [], discovery=0.5, pages=12, audit=False)
    assert facts(store, "h1") == {}, "the answers of these pages are no more those that the facts were of"


def test_signs_of_deceit_are_those_of_the_last_answer(tmp_path: Path) -> None:
    store, spam = tmp_path / "crawl.db", f"<p>{'cheap red shoes ' * 30}</p>"
    site: Site = {HOME: ["/about", spam], ABOUT: [spam]}
    signs = "SELECT url, sign FROM spam_signs JOIN pages ON pages.id = page"
    crawl(site, store, [HOME], audit=True)
    assert sorted(rows(store, signs)) == [(HOME, "stuffed"), (ABOUT, "stuffed")]
    with open_store(store) as reader:
        assert explain(reader, ABOUT).notes[0].startswith('spam sign   stuffed: "cheap" 30 times')
    site |= {HOME: ["/about"], ABOUT: 410}
    crawl(site, store, [], discovery=0.5, pages=6)
    assert rows(store, signs) == []


def test_links_to_parts_lead_to_pages_without_session_and_tracking_parameters(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    site: Site = {HOME: ["/about?utm_source=x#us"], ABOUT: ["<p id=us>us</p>"]}
    crawl(site, store, [HOME], audit=True)
    assert links_to_parts(store, HOME) == [(ABOUT, "us")]


def test_a_page_of_more_names_than_are_kept_is_told(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    many = "".join(f"<p id=p{number}>" for number in range(MAX_NAMES + 1))
    crawl({HOME: ["/about", many], ABOUT: ["<p id=x>"]}, store, [HOME], audit=True)
    assert facts(store, "is_cut", "length(ids)") == {"": (1, 4 * MAX_NAMES), "about": (0, 4)}
    with open_store(store) as reader:
        told = [any(note.startswith("audit") for note in explain(reader, url).notes) for url in (HOME, ABOUT)]
    assert told == [True, False]


def command(store: Path, connect_to: Iterable[ConnectTo], *words: str) -> list[str]:
    """A crawl of the site with planted faults, as a user types it."""
    places = [f":{place.port or ''}:{place.address}:{place.to_port}" for place in connect_to]
    return [
        *(sys.executable, "-m", "minicrawl", "crawl", FAULTY, OTHER, "--store", str(store), "--profile", "audit"),
        *("--check-cloaking", "--delay", "0", "--allow-private", "--ca-file", str(PEM), "--quiet", *words),
        *(word for place in places for word in ("--connect-to", place)),
    ]


def in_step(store: Path) -> bool:
    """True if exactly the HTML pages that were read have facts."""
    is_read = "status = 200 AND content_type LIKE 'text/html%'"
    pages = rows(store, f"SELECT pages.id FROM pages JOIN fetches ON fetches.id = fetch WHERE {is_read} ORDER BY 1")
    return pages == rows(store, "SELECT page FROM page_facts ORDER BY 1")


def audit_of(store: Path) -> dict[str, dict[str, int]]:
    """The findings of the rules for which faults are planted, but for that on parts of pages."""
    with open_store(store) as reader:
        return {rule: found(reader, rule) for rule in FAULTS if rule != "image-heavy"}


@pytest.mark.slow
def test_facts_are_in_step_with_pages_through_kills(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    with killing_web() as web:
        seeds = [f"http://h{host}.test/" for host in range(20)]
        asked = [sys.executable, "-m", "minicrawl", "crawl", *seeds, "--store", str(store), "--quiet", "--audit"]
        asked += ["--delay", "0", "--allow-private", "--connect-to", f"::127.0.0.1:{web.server_port}"]
        for requests in (20, 45, 70):
            assert web.kill(asked, requests)
            assert in_step(store)
        subprocess.run(asked, stdout=subprocess.DEVNULL, check=True)
    assert in_step(store)


@pytest.mark.slow
def test_workers_find_the_planted_faults_as_well(tmp_path: Path) -> None:
    audits = []
    with served() as connect_to:
        for workers in ("0", "2"):
            store = tmp_path / f"{workers}.db"
            asked = command(store, connect_to, "--workers", workers)
            subprocess.run(asked, stdout=subprocess.DEVNULL, check=True)
            assert in_step(store)
            audits.append(audit_of(store))
    assert audits == [{rule: targets for rule, targets in FAULTS.items() if rule != "image-heavy"}] * 2
