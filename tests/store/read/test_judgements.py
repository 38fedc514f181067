"""Judgements, read as they were written."""

from pathlib import Path

from support.sites import crawl

from minicrawl.store.rows import Judgement
from minicrawl.store.writer import Writer

A = "http://a.test/"
SAME = ["<p>The same words on three pages, as many as it takes to be told.</p>"]


def test_last_judgement_of_a_page_for_a_query_counts(tmp_path: Path) -> None:
    with Writer(tmp_path / "crawl.db") as writer:
        with writer.transaction():
            writer.save_judgements([Judgement("a b", 7, True, 1.0), Judgement("c", 7, False, 3.0)])
            writer.save_judgements([Judgement("a b", 7, False, 2.0)])
        assert writer.judgements.all() == [Judgement("a b", 7, False, 2.0), Judgement("c", 7, False, 3.0)]


def test_copies_of_a_page_are_known(tmp_path: Path) -> None:
    site = {A: ['<a href="/x"><a href="/y"><a href="/z">'], f"{A}x": SAME, f"{A}y": SAME, f"{A}z": ["other"]}
    crawl(site, tmp_path / "crawl.db", [A])
    with Writer(tmp_path / "crawl.db") as writer:
        page = writer.page_table.find([A, f"{A}x", f"{A}y", f"{A}z"])
        x, y, z = (page[f"{A}{name}"] for name in "xyz")
        assert writer.judgements.copies_of([x]) == {x: x, y: x}
        assert writer.judgements.copies_of([y, z]) == {x: y, y: y, z: z}
        assert writer.judgements.copies_of([]) == {}
