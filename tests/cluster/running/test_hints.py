"""Canonicals that name dead pages of other partitions, and copies that are merged: as in one process."""

from pathlib import Path

import pytest
from support.literal_webs import assert_same, crawl, page
from support.prose import prose

HOMES = [f"http://h{number}.test/" for number in range(6)]
"""In all of two or three partitions."""


def canonical(url: str) -> str:
    return f"<link rel=canonical href={url}>"


@pytest.mark.parametrize("partitions", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_page_that_names_a_dead_one_elsewhere_stands_for_itself(partitions: int, tmp_path: Path) -> None:
    """One that names a living page goes on standing for that."""
    web = {home: page([f"{home}print", f"{home}kept", *HOMES]) for home in HOMES}
    for number, home in enumerate(HOMES):
        other = HOMES[number - 1]
        web[f"{home}print"] = page([f"{home}behind"], prose(number, 50), canonical(f"{other}missing"))
        web[f"{home}kept"] = page([], prose(number + 10, 50), canonical(f"{other}living"))
        web[f"{home}living"] = page([], prose(number + 20, 50))
        web[f"{home}behind"] = page([f"{home}last"], prose(number + 30, 50))
        web[f"{home}last"] = page([], prose(number + 40, 50))
    for store, count in (("web", partitions), ("one.db", None)):
        crawl(web, HOMES[:1], tmp_path / store, count, max_depth=3)
    reasons = assert_same(tmp_path / "web", tmp_path / "one.db")
    assert {reasons[f"{home}print"] for home in HOMES} == {"canonical-dead"}
    assert {reasons[f"{home}kept"] for home in HOMES} == {"canonical"}


@pytest.mark.slow
def test_a_crawl_that_is_stopped_voids_what_is_known_to_be_dead(tmp_path: Path) -> None:
    """The next run goes on from there."""
    web = {home: page([f"{home}print", *HOMES]) for home in HOMES}
    for number, home in enumerate(HOMES):
        web[f"{home}print"] = page([], prose(number, 50), canonical(f"{HOMES[number - 1]}missing"))
    for pages in (9, None, None):
        crawl(web, HOMES[:1], tmp_path / "web", 2, pages=pages)
    crawl(web, HOMES[:1], tmp_path / "one.db")
    reasons = assert_same(tmp_path / "web", tmp_path / "one.db")
    assert {reasons[f"{home}print"] for home in HOMES} == {"canonical-dead"}


@pytest.mark.slow
@pytest.mark.parametrize("jump", ["pages", "sites"])
def test_the_copy_that_pages_of_all_partitions_link_to_leads(jump: str, tmp_path: Path) -> None:
    """Though it is read last: copies are of one site, and so in one partition."""
    copies = {home: [f"{home}{name}" for name in ("a", "b", "c")] for home in HOMES}
    best = [b for _, b, _ in copies.values()]
    web = {home: page([*copies[home], f"{home}d", f"{home}links", *HOMES], prose(50, 40) + home) for home in HOMES}
    for number, home in enumerate(HOMES):
        web |= {copy: page([f"{home}d"], prose(number, 300)) for copy in copies[home]}
        web[f"{home}d"] = page([], prose(number + 10, 50))
        web[f"{home}links"] = page(best, prose(number + 20, 50))
    for store, count in (("web", 3), ("one.db", None)):
        crawl(web, HOMES[:1], tmp_path / store, count, merge_duplicates=True, jump=jump, strategy="breadth-first")
    reasons = assert_same(tmp_path / "web", tmp_path / "one.db")
    merged = {url for url, reason in reasons.items() if reason == "duplicate"}
    assert merged == {copy for of_home in copies.values() for copy in of_home} - set(best)
