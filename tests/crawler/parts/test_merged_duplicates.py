"""Copies that are one page: which are merged, which of them leads, and what becomes of it when that dies."""

from pathlib import Path

import pytest
from support.prose import prose
from support.sites import Site, crawl, rows

from minicrawl.crawler.books.invariants import violations
from minicrawl.store.reader import open_store

HOME = "http://a.test/"
A, B, C = (f"http://a.test/{name}" for name in "abc")
MORE = [prose(1, 400), f"<a href={HOME}d>more</a>"]
WEB: Site = {HOME: [A, B, C], A: MORE, B: MORE, C: [prose(1, 400)], HOME + "d": []}
"""A page, a copy of it, and one that says the same but links to nothing."""


def merged(store: Path, web: Site, **settings: object) -> dict[str, str | None]:
    """By URL, what it stands for in a crawl that merges duplicates."""
    crawl(web, store, [HOME], strategy="breadth-first", merge_duplicates=True, **settings)
    with open_store(store) as reader:
        assert list(violations(reader)) == []
        aliases = dict(rows(store, "SELECT url, id FROM pages WHERE reason = 'duplicate'"))
        return {url: reader.page_table.url(reader.link_table.outlinks(page)[0].item()) for url, page in aliases.items()}


@pytest.mark.parametrize("pages", [None, 2], ids=["in one run", "in several"])
def test_copy_that_others_link_to_leads_though_it_was_read_last(tmp_path: Path, pages: int | None) -> None:
    store, plain = tmp_path / "crawl.db", tmp_path / "plain.db"
    copies = [A, B, C]
    links = [f"{HOME}{number}" for number in range(6)]
    web: Site = {HOME: [*copies, *links]} | {url: [prose(1, 400), HOME + "d"] for url in copies} | {HOME + "d": []}
    web |= {url: [B] for url in links}
    for _ in range(8 if pages else 1):
        found = merged(store, web, pages=pages)
    assert found == {A: B, C: B}
    crawl(web | {A: B, C: B, B: [prose(1, 400), HOME + "d"]}, plain, [HOME])  # as if they were redirects
    query = "SELECT url, importance FROM ranks"
    assert dict(rows(store, query)) == pytest.approx(dict(rows(plain, query)), abs=3e-6)


def test_nothing_is_merged_with_a_page_of_another_domain_or_with_other_links(tmp_path: Path) -> None:
    """A copy read first gets nothing of what it copies, nor does one of many default pages."""
    said = prose(1, 400)
    victim, copy, docs = "http://victim.test/", "http://copy.test/", "http://docs.victim.test/"
    defaults = [f"http://d{number}.test/" for number in range(10)]
    web: Site = {HOME: [copy, victim, docs, *defaults, A, f"{HOME}folder/a"]}
    web |= {url: [said] for url in (victim, copy, docs)}
    web |= {url: ["<h1>It works!</h1>" + prose(2, 300)] for url in defaults}
    web |= {url: [prose(3, 400), "<a href=next>next</a>"] for url in (A, f"{HOME}folder/a")}
    assert merged(tmp_path / "crawl.db", web) == {docs: victim}


def test_users_of_a_shared_domain_are_not_merged(tmp_path: Path) -> None:
    """However many links a copy has: that is all that it takes to lead."""
    victim, copy = "http://victim.github.io/", "http://copy.github.io/"
    farm = [f"http://copy.github.io/{number}" for number in range(9)]
    web: Site = {HOME: [victim, copy, *farm]} | {url: [prose(1, 400)] for url in (victim, copy)}
    web |= {url: [copy] for url in farm}
    assert merged(tmp_path / "crawl.db", web) == {}


@pytest.mark.parametrize("pages", [None, 2])
def test_copies_are_merged_alike_wherever_the_crawl_was_interrupted(tmp_path: Path, pages: int | None) -> None:
    """Also those of which another owner has one, or the same domain one with other links, that were read before."""
    web: Site = {HOME: ["http://other.test/", A, B, C, HOME + "d"], "http://other.test/": [prose(1, 400), HOME]}
    web |= {url: [prose(1, 400), HOME] for url in (A, B, C, HOME + "d")}
    for _ in range(9 // pages + 1 if pages else 1):
        found = merged(tmp_path / "crawl.db", web, pages=pages)
    assert found == {B: A, C: A, HOME + "d": A}


def test_merged_exact_duplicate_stands_for_its_leader_and_keeps_what_it_links_to(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    assert merged(store, WEB) == {B: A}
    with open_store(store) as reader:
        pages = reader.page_table.find([B, f"{HOME}d"])
        assert [own.targets.tolist() for alias, own in reader.link_table.own() if alias == pages[B]] == [
            [pages[f"{HOME}d"]]
        ]
