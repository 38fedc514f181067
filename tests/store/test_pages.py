"""What is kept of pages, asked for by their numbers and URLs."""

from pathlib import Path

import pytest
from support.sites import rows
from support.stored_pages import NEWCOMER, accounts_of, add_pages, answer, turn

from minicrawl.errors import StoreError
from minicrawl.sizes import Sizes
from minicrawl.store.pages import LastTurn
from minicrawl.store.writer import Writer

URLS = [f"http://a.test/{number}" for number in range(1203)]


def test_urls_are_found_however_many_and_unknown_ones_are_not(tmp_path: Path) -> None:
    with Writer(tmp_path / "crawl.db") as writer:
        add_pages(writer, URLS)
        wanted = [*URLS[::-1], "http://a.test/1203", "http://A.test/0", URLS[3]]
        assert writer.page_table.find(wanted) == {url: number for number, url in enumerate(URLS)}
        assert writer.page_table.find([]) == {}
        assert list(writer.page_table.urls()) == URLS


def test_urls_come_by_number_and_numbers_of_no_page_are_left_out(tmp_path: Path) -> None:
    with Writer(tmp_path / "crawl.db") as store:
        add_pages(store, ["http://a.test/", "http://a.test/b", "http://b.test/"])
        assert store.page_table.urls_of([2, 0, 99]) == {0: "http://a.test/", 2: "http://b.test/"}
        assert store.page_table.urls_of([]) == {}


def test_pages_of_a_reason_are_found(tmp_path: Path) -> None:
    with Writer(tmp_path / "crawl.db") as writer:
        add_pages(writer, URLS[:4])
        rows(writer.path, "UPDATE pages SET reason = 'not-html' WHERE id IN (1, 3)")
        assert writer.page_table.with_reason("not-html") == [1, 3]
        assert writer.page_table.with_reason("robots") == []


def test_what_the_last_turn_of_a_page_brought(tmp_path: Path) -> None:
    with Writer(tmp_path / "crawl.db") as writer:
        add_pages(writer, URLS[:2])
        add_pages(writer, URLS[2:4], first=2, found_on=1)
        with writer.transaction():
            writer.page_rows.save_turns(
                [
                    turn(1, fetch=answer("One", at=9.0)),
                    turn(2, "error", "http-404", answer(status=404, at=3.0)),
                    turn(3, "disallowed", "robots"),
                ]
            )
        table = writer.page_table
        assert table.seeds() == URLS[:2]
        assert [table.state(page) for page in range(5)] == ["waiting", "fetched", "error", "disallowed", "waiting"]
        assert table.last_turn(1) == LastTurn("ok", "One")
        assert table.last_turn(3) == LastTurn("robots", None)
        assert table.fetch_order() == [URLS[2], URLS[1]]
        assert table.given_up() == [(2, "http-404"), (3, "robots")]
        facts = table.facts(2)
        assert [facts[name] for name in ("id", "url", "state", "status", "found_on")] == [2, URLS[2], "error", 404, 1]
        assert (facts["host"].name, facts["nofollow"], facts["refused"]) == ("a.test", 0, 0)
        assert table.facts(3)["status"] is None


def test_a_page_whose_host_is_lost_is_damage(tmp_path: Path) -> None:
    with Writer(tmp_path / "crawl.db") as writer:
        add_pages(writer, URLS[:1])
        rows(writer.path, "DELETE FROM hosts")
        with pytest.raises(StoreError, match="the host of page 0 is not in it"):
            writer.page_table.facts(0)


@pytest.mark.parametrize("at_once", [1, 2, 7, 100])
def test_columns_are_the_rows_however_many_come_at_once(tmp_path: Path, at_once: int) -> None:
    with Writer(tmp_path / "crawl.db", Sizes(rows=at_once)) as writer:
        add_pages(writer, URLS[:7])
        with writer.transaction():
            writer.page_rows.save_turns([turn(3, fetch=answer()), turn(5, "error", "dns")])
            writer.page_rows.save_accounts(accounts_of([4], NEWCOMER._replace(history=2.5, cash=-3)))
        blocks = list(writer.page_table.columns())
        assert [len(block.id) for block in blocks] == [at_once] * (7 // at_once) + [7 % at_once] * (7 % at_once > 0)
        assert [page for block in blocks for page in block.id.tolist()] == list(range(7))
        assert [page for block in blocks for page in block.is_answered.tolist()] == [page == 3 for page in range(7)]
        assert [state for block in blocks for state in block.are("error")] == [page == 5 for page in range(7)]
        histories = [value for block in blocks for value in block.account.history.tolist()]
        cashes = [value for block in blocks for value in block.account.cash.tolist()]
        assert (histories, cashes) == ([0, 0, 0, 0, 2.5, 0, 0], [100, 100, 100, 100, -3, 100, 100])
