"""When a crawl works out expected importance, and what becomes of it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.intakes import answer, crawl_all, intake_of, next_page, take_turn
from support.sites import Server, crawl, rows, wide_site

from minicrawl.analysis.top.expected import best_first
from minicrawl.crawler.books.invariants import violations
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.parts.expected_importance import FEWEST_VISITED, LEAST_APART, ExpectedImportance
from minicrawl.sizes import Sizes
from minicrawl.store.reader import open_store


class Cpu:
    """CPU time: every look at it takes a second."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def absorbing(store: Path, visited: int) -> tuple[Intake, dict[str, list[str]]]:
    site, seeds = wide_site(3, 600)
    intake = intake_of(store, discovery=1.0, jump="pages")
    intake.start(seeds, 0.0)
    crawl_all(intake, site, most=visited)
    return intake, site


def visit_more(intake: Intake, site: dict[str, list[str]], turns: int) -> None:
    for _ in range(turns):
        page = next_page(intake.state.frontier, 0.0)
        assert page is not None
        take_turn(intake, page, answer(site, intake.state.urls.url(page)))


def test_it_is_due_when_the_crawl_has_grown_by_a_tenth(tmp_path: Path) -> None:
    intake, site = absorbing(tmp_path / "crawl.db", FEWEST_VISITED - 1)
    expecting = ExpectedImportance(intake.state.accounts, intake.state.writer, cpu=lambda: 0.0)
    assert not expecting.is_due
    visit_more(intake, site, 1)
    intake.commit({})
    assert expecting.is_due
    expecting.after_commit()
    visit_more(intake, site, 9)
    assert not expecting.is_due
    visit_more(intake, site, 1)
    assert expecting.is_due
    intake.state.writer.close()


def test_it_takes_no_more_than_a_two_hundredth_of_the_time(tmp_path: Path) -> None:
    intake, site = absorbing(tmp_path / "crawl.db", FEWEST_VISITED)
    cpu = Cpu()
    expecting = ExpectedImportance(intake.state.accounts, intake.state.writer, cpu)
    expecting.after_commit()  # one second by that clock
    visit_more(intake, site, 30)
    cpu.now += LEAST_APART - 2.0
    assert not expecting.is_due
    assert expecting.is_due
    intake.state.writer.close()


def test_it_waits_for_the_end_where_there_are_too_many_pages(tmp_path: Path) -> None:
    intake, _ = absorbing(tmp_path / "crawl.db", FEWEST_VISITED)
    intake.state.writer.sizes = intake.state.writer._tables.sizes = Sizes(pages=50, expected=60)
    expecting = ExpectedImportance(intake.state.accounts, intake.state.writer)
    assert not expecting.is_due
    expecting.on_settled()
    with intake.state.writer.transaction():
        expecting.save(intake.state.writer)
    assert intake.state.writer.expected.of() is None
    intake.state.writer.close()


def test_the_next_commit_writes_it_and_no_other(tmp_path: Path) -> None:
    """A crawl that is killed before has what the last commit had."""
    path = tmp_path / "crawl.db"
    intake, site = absorbing(path, FEWEST_VISITED)
    intake.parts.after_commit()
    assert rows(path, "SELECT count(*) FROM expected") == [(0,)]
    intake.commit({})
    with open_store(path) as other:
        kept = other.expected.of()
        assert kept is not None
        assert kept.visited == FEWEST_VISITED
        assert kept.known == other.size()
        assert other.expected.shares().sum() == pytest.approx(1.0)
    visit_more(intake, site, 20)
    intake.commit({})
    with open_store(path) as other:
        assert other.expected.of() == kept
        assert np.isnan(other.expected.shares()).sum() == other.size() - kept.known > 0
        assert list(violations(other)) == []
    intake.state.writer.close()


def test_another_run_begins_with_what_was_kept(tmp_path: Path) -> None:
    """So it is not due again at once; and comes to the same as a crawl that never stopped."""
    site, seeds = wide_site(7)
    halves, whole = tmp_path / "halves.db", tmp_path / "whole.db"
    crawl(site, halves, seeds, pages=110, jump="pages")
    intake = intake_of(halves, jump="pages")
    part = intake.parts.find(ExpectedImportance)
    assert part is not None
    assert not part.is_due
    intake.state.writer.close()
    crawl(site, halves, seeds, pages=40, jump="pages")
    crawl(site, whole, seeds, pages=150, jump="pages")
    with open_store(halves) as one, open_store(whole) as other:
        found, expected = one.expected.of(), other.expected.of()
        assert found is not None
        assert expected is not None
        assert found.coverage == pytest.approx(expected.coverage, abs=1e-4)
        assert found == expected._replace(coverage=found.coverage)
        assert one.expected.shares() == pytest.approx(other.expected.shares(), abs=1e-5)


def test_a_running_crawl_keeps_it_up(tmp_path: Path) -> None:
    """Another shell sees it, as the last commit has it, long before the end."""
    site, seeds = wide_site(1, 1200)
    path, seen = tmp_path / "crawl.db", []

    class Peeking(dict[str, Any]):
        """Looks into the store at every fortieth page that is asked for."""

        asked = 0

        def get(self, url: str, default: object = None) -> object:
            self.asked += 1
            if self.asked % 40 == 0:
                with open_store(path) as store:
                    seen.append(store.expected.of())
            return dict.get(self, url, default)

    server = Server(site)
    server.site = Peeking(site)
    crawl(server, path, seeds, pages=900, traps=False, jump="pages")
    kept = [of.visited for of in seen if of is not None]
    assert kept
    assert kept == sorted(kept)
    assert kept[0] >= FEWEST_VISITED


def test_where_walkers_jump_to_sites_it_goes_and_importance_is_the_order(tmp_path: Path) -> None:
    """It is of walkers who jump to all pages alike."""
    store = tmp_path / "crawl.db"
    site, seeds = wide_site(3)
    crawl(site, store, seeds, pages=40, jump="pages")
    assert rows(store, "SELECT count(expected) > 0 FROM ranks") == [(1,)]
    crawl(site, store, seeds, pages=10, jump="sites")
    with open_store(store) as reader:
        assert reader.expected.of() is None
        order, ranked = best_first(reader, None)
        assert (order.by, order.has_unread) == ("importance", True)
        assert [page for _, page, _ in ranked] == list(reader.pages())
    assert rows(store, "SELECT count(expected) FROM ranks") == [(0,)]
