"""Requisites of a store: each URL once, with the page that needed it first."""

from contextlib import closing
from pathlib import Path

import numpy as np

from minicrawl.store.links import from_bytes, to_bytes
from minicrawl.store.requisites import RequisiteCount, RequisiteRow
from minicrawl.store.writer import Writer

A, B = (RequisiteRow(f"http://a.test/{name}", 1, "file", 0, "waiting", "page") for name in "ab")


def test_a_requisite_keeps_the_page_that_needed_it_first(tmp_path: Path) -> None:
    with closing(Writer(tmp_path / "crawl.db")) as writer:
        with writer.transaction():
            writer.add(RequisiteRow, [A, B, A._replace(page=2)], if_new=True)
            writer.save_requisites([B._replace(page=2, state="kept", reason="ok", bytes=7)])
        found = writer.requisites
        assert found.waiting(0, 9) == [(1, A)]
        assert found.waiting(1, 9) == []
        assert found.of(A.url) == A
        assert (found.number_of(1), found.number_of(2)) == (2, 0)
        assert found.counts() == [RequisiteCount("kept", "ok", 1, 7), RequisiteCount("waiting", "page", 1, 0)]


def test_failed_requisites_wait_again(tmp_path: Path) -> None:
    failed = A._replace(state="failed", reason="timeout")
    with closing(Writer(tmp_path / "crawl.db")) as writer, writer.transaction():
        writer.save_requisites([failed, B._replace(state="failed", reason="http-404")])
        writer.ask_for_requisites_again(["timeout"])
        assert [row for _, row in writer.requisites.waiting(0, 9)] == [A._replace(reason="timeout")]


def test_nine_further_pages_that_need_it_are_kept_whatever_their_numbers(tmp_path: Path) -> None:
    pages = [0, 10, 255, 256, 0xC3, 65_536, 2**31 - 1, *range(20, 30)]
    with closing(Writer(tmp_path / "crawl.db")) as writer:
        with writer.transaction():
            writer.add(RequisiteRow, [A], if_new=True)
            for page in pages:
                writer.add_needing([(to_bytes(np.array([page])), A.url)])
            writer.save_requisites([A._replace(state="failed")])
        found = writer.requisites.of(A.url)
        assert found is not None
        assert (found.state, from_bytes(found.others).tolist()) == ("failed", pages[:9])
