"""Windows read off a log of visits against the cash book that had them all along."""

import numpy as np
import pytest

from minicrawl.lab.visits import LAB_TOTAL, in_order, links_of, paper_book
from minicrawl.lab.webs import power_law
from minicrawl.lab.windows import Past, figure_4, figure_5, figure_6, remember, run
from minicrawl.opic import Adaptive
from minicrawl.opic.units import all_interpolated
from minicrawl.rank import Graph, l1


def logged(book: Adaptive, graph: Graph, pages: np.ndarray) -> Past:
    """The book after visits of `pages`, and all of them."""
    clock = [book.clock for _ in in_order(book, links_of(graph), pages.tolist())]
    return Past(pages, np.array(clock), graph.size)


@pytest.mark.parametrize("window", [2.0, 50.0])
@pytest.mark.parametrize("visits", [5, 60, 400])
def test_window_read_off_the_log_is_that_of_the_book(window: float, visits: int) -> None:
    graph = power_law(30, np.random.default_rng(1))
    pages = np.random.default_rng(visits).integers(0, graph.size, visits, dtype=np.int32)
    plain = Adaptive(window, total=LAB_TOTAL)
    plain.discover([LAB_TOTAL // graph.size] * graph.size)
    logged(plain, graph, pages)
    without = paper_book(graph.size)
    importance, _ = remember(window, without, logged(without, graph, pages))
    elapsed = plain.clock - plain.last[: graph.size]
    now = all_interpolated(plain.history[: graph.size], plain.cashes(), elapsed, window * plain.in_hand())
    assert importance == pytest.approx(now / now.sum(), rel=1e-9)


@pytest.mark.parametrize("window", [(0.0, 1), (0.0, 3), (0.5, 3), (3.0, 1)], ids=repr)
@pytest.mark.parametrize("visits", [5, 60, 400])
def test_window_of_visits_is_what_a_full_diary_says(window: tuple[float, int], visits: int) -> None:
    """The visits of the last T, at least the last `count` of a page, and the rate since the oldest of them."""
    graph = power_law(30, np.random.default_rng(1))
    pages = np.random.default_rng(visits).integers(0, graph.size, visits, dtype=np.int32)
    book = paper_book(graph.size)
    past = logged(book, graph, pages)
    diary: dict[int, list[tuple[int, int, int]]] = {page: [] for page in range(graph.size)}
    clock = 0
    for page, cash in zip(*(column.tolist() for column in past.log), strict=True):
        clock += cash
        diary[page].append((diary[page][-1][1] if diary[page] else 0, clock, cash))
    rates, measures = [], 0
    for of_page in diary.values():
        within = [visit for visit in of_page if visit[1] > clock - window[0] * book.in_hand()]
        counted = of_page[-max(window[1], len(within)) :]
        measures += len(counted)
        rates.append(sum(cash for *_, cash in counted) / (clock - counted[0][0]) if counted else 0.0)
    importance, kept = past.kept(*window, book.in_hand())
    assert importance == pytest.approx(np.array(rates) / sum(rates), rel=1e-9)
    assert kept == pytest.approx(measures / graph.size)


@pytest.mark.parametrize("window", [(0.0, 5), (3.0, 1), (0.5, 3)], ids=repr)
def test_compressed_visits_are_merged_two_by_two(window: tuple[float, int]) -> None:
    """The slow way: of three measures of a size the older two become one; those that do not count go."""
    graph = power_law(30, np.random.default_rng(1))
    book = paper_book(graph.size)
    pages = np.random.default_rng(2).choice(graph.size, 700, p=np.arange(1, 31) / 465).astype(np.int32)
    past = logged(book, graph, pages)
    counts = (past.end > past.clock[-1] - window[0] * book.in_hand()) | (past.newer < window[1])
    rates, measures = np.zeros(graph.size), 0
    for page in range(graph.size):
        kept: list[list[int]] = []
        for visit in np.flatnonzero(past.pages == page).tolist():
            kept.append([visit])
            size = 1
            while sum(len(one) == size for one in kept) == 3:
                at = next(place for place, one in enumerate(kept) if len(one) == size)
                kept[at : at + 2] = [kept[at] + kept[at + 1]]
                size *= 2
        kept = [one for one in kept if counts[one].any()]
        measures += len(kept)
        rates[page] = past.cash[np.concatenate(kept)].sum() / (past.clock[-1] - past.start[kept[0][0]])
    importance, mean = past.kept(*window, book.in_hand(), compressed=True)
    assert importance == pytest.approx(rates / rates.sum(), rel=1e-12)
    assert mean == pytest.approx(measures / graph.size)


def test_book_is_exact_for_the_links_as_last_read() -> None:
    """With half of the pages changing the links as last read are not those of the end; the book knows the former."""
    graph = power_law(200, np.random.default_rng(2))
    done = run(graph, rate=0.5, seed=3, months=3, with_book=True)
    assert l1(done.floor, done.truth) > 0.05
    assert l1(done.book, done.floor) < 0.3 * l1(done.book, done.truth)


def test_figures_have_a_row_per_rate_and_policy() -> None:
    graphs = [power_law(200, np.random.default_rng(seed)) for seed in range(2)]
    rates = (0.0, 0.05)
    for figure, policies in ((figure_4, 6), (figure_5, 6), (figure_6, 6)):
        result = figure(graphs, 0, rates, 4)
        assert len(result.rows) == policies * len(rates)
        assert {row[0] for row in result.rows} == set(rates)
        drawn = 4 if figure is figure_5 else len(rates)  # figure 5 is a table of four windows
        assert all(len(curve.x) == len(curve.y) == drawn for panel in result.panels for curve in panel.curves)
