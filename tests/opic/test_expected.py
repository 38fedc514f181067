"""Expected importance against the averages written out as a dense matrix, and where a formula gives the answer."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.opic import Ledger
from minicrawl.opic.expected import MOST_VOTES, OWN, SITE_OWN, estimated_stays, from_unvisited
from minicrawl.rank import Graph, KnownPages, Rows, expected_importance, pagerank, site_votes


def rows_of(links: dict[int, list[int]]) -> Rows:
    """{page: its outlinks} as a link table."""
    sources = sorted(links)
    ends = np.cumsum([0, *(len(links[page]) for page in sources)])
    targets = np.array([target for page in sources for target in links[page]], dtype=np.int32)
    return Rows(np.array(sources, dtype=np.int64), ends, targets)


def known(
    visited: npt.ArrayLike,
    levels: Sequence[npt.ArrayLike] = (),
    jump: npt.ArrayLike | None = None,
    stands_for: npt.NDArray[np.int64] | None = None,
) -> KnownPages:
    read = np.asarray(visited, dtype=bool)
    jumps = np.ones(len(read)) if jump is None else np.asarray(jump, dtype=float)
    return KnownPages(read, jumps, [np.asarray(level) for level in levels], stands_for)


def shares_of(
    links: dict[int, list[int]], pages: KnownPages, given: npt.NDArray[Any] | None = None, **options: Any
) -> npt.NDArray[Any]:
    return expected_importance(lambda: [rows_of(links)], pages, given, **{"tolerance": 1e-12} | options)


def rows_written_out(
    links: dict[int, list[int]], pages: KnownPages, given: npt.NDArray[Any] | None = None
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Every page's row of the transition matrix, averages included, in two parts: along links, and by jumps."""
    size, stands_for = pages.size, pages.stands_for if pages.stands_for is not None else np.arange(pages.size)
    p = np.bincount(stands_for, pages.jump, minlength=size) / pages.jump.sum()
    examples = [page for page in range(size) if pages.visited[page] and stands_for[page] == page]

    def own(page: int) -> npt.NDArray[Any]:
        row = np.zeros(size)
        for target in links.get(page, ()):
            row[stands_for[target]] += 1 / len(links[page])
        return row

    def average(page: int, level: int) -> npt.NDArray[Any]:
        alike = [own(each) for each in examples if pages.levels[level][each] == pages.levels[level][page]]
        share = len(alike) / (len(alike) + (OWN if level else SITE_OWN))
        row = share * np.mean(alike, axis=0) if alike else np.zeros(size)
        return row + (1 - share) * average(page, level - 1) if level else row

    def row(page: int) -> npt.NDArray[Any]:
        if pages.visited[page]:
            return own(page)
        vote = 1.0 if given is None else given[page]
        return vote * average(page, len(pages.levels) - 1) if len(pages.levels) else np.zeros(size)

    along = np.array([row(page) for page in range(size)])
    return along, np.outer(1 - along.sum(axis=1), p)


def oracle(
    links: dict[int, list[int]], pages: KnownPages, given: npt.NDArray[Any] | None = None, damping: float = 0.85
) -> npt.NDArray[Any]:
    """The linear equations solved."""
    size, stands_for = pages.size, pages.stands_for if pages.stands_for is not None else np.arange(pages.size)
    p = np.bincount(stands_for, pages.jump, minlength=size) / pages.jump.sum()
    along, rest = rows_written_out(links, pages, given)
    x: npt.NDArray[np.float64] = np.linalg.solve(np.eye(size) - damping * (along + rest).T, (1 - damping) * p)
    x[stands_for != np.arange(size)] = 0.0
    shares: npt.NDArray[np.float64] = x / x.sum()
    return shares


def random_web(seed: int, size: int = 40) -> tuple[dict[int, list[int]], KnownPages, np.random.Generator]:
    """Links of visited pages and the pages: sites, hosts of them and folders; aliases; pages that have gone."""
    rng = np.random.default_rng(seed)
    visited = rng.random(size) < rng.choice([0.1, 0.5, 0.9])
    visited[0] = True
    folder = rng.integers(0, 12, size)
    levels = [folder // 4, folder // 2, folder]
    stands_for = np.arange(size)
    for alias in np.flatnonzero(visited & (rng.random(size) < 0.1)):
        if stands_for[0] == 0 and alias:
            stands_for[alias] = 0
    links = {
        int(page): sorted(set(rng.integers(0, size, rng.integers(0, 6)).tolist()))
        for page in np.flatnonzero(visited & (stands_for == np.arange(size)))
    }
    jump = (rng.random(size) > 0.1).astype(float)
    return links, KnownPages(visited, jump, levels, stands_for), rng


@pytest.mark.parametrize("seed", range(5))
def test_shares_are_those_of_the_averages_written_out(seed: int) -> None:
    links, pages, rng = random_web(seed)
    given = rng.random(pages.size)
    for damping in (0.5, 0.85, 0.99):
        shares = shares_of(links, pages, given, damping=damping)
        assert shares == pytest.approx(oracle(links, pages, given, damping), abs=1e-11)


@pytest.mark.parametrize("seed", range(5))
def test_result_is_within_the_tolerance(seed: int) -> None:
    """Also from a start that is far off, and in parts of a few links."""
    links, pages, rng = random_web(seed, 60)
    exact = oracle(links, pages)
    for tolerance in (1e-1, 1e-3, 1e-6):
        options: dict[str, Any] = {"tolerance": tolerance, "start": rng.random(pages.size) ** 8, "links_at_once": 3}
        assert np.abs(shares_of(links, pages, **options) - exact).sum() <= tolerance


def test_page_not_visited_links_as_the_visited_page_of_its_site() -> None:
    """A site of a page 0 that links to page 2, and a page 1 that was not visited: 1 is expected to link to 2, too.

    It does so with 1 / (1 + SITE_OWN): only one page of its site was visited. x0 = x1 = j, x2 = j + d j + d j / (1 +
    SITE_OWN), and the cash of 2, which has no links, is evenly everybody's: j the same for all three.
    """
    shares = shares_of({0: [2], 2: []}, known([True, False, True], [[0, 0, 1]]))
    more = 0.85 * (1 + 1 / (1 + SITE_OWN))
    assert shares == pytest.approx(np.array([1, 1, 1 + more]) / (3 + more), abs=1e-12)


def test_group_with_few_visited_pages_is_as_much_itself_as_they_are() -> None:
    """Host 1 of a site has one visited page, which links to 3, of six; the five on host 0 link to 4.

    The page of host 1 that was not visited links to 3 with 1/6, and as the site does (1/6 to 3, 5/6 to 4) with 5/6 of
    what the site's six visited pages are good for.
    """
    links = {0: [3], 1: [4], **{page: [4] for page in range(5, 9)}, 3: [], 4: []}
    visited = [True, True, False, True, True, True, True, True, True]
    pages = known(visited, [[0, 0, 0, 1, 1, 0, 0, 0, 0], [1, 0, 1, 2, 2, 0, 0, 0, 0]])
    j, d = 1.0, 0.85
    as_site = OWN / (1 + OWN) * 6 / (6 + SITE_OWN)
    to_3, to_4 = 1 / (1 + OWN) + as_site / 6, as_site * 5 / 6
    x = np.full(9, j)
    x[3], x[4] = j + d * (j + to_3 * j), j + d * (5 * j + to_4 * j)
    assert shares_of(links, pages) == pytest.approx(x / x.sum(), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_what_comes_from_unvisited_pages_is_what_their_expected_links_bring(seed: int) -> None:
    """By the averages written out: d times the sum over unvisited pages of their rows, without what is jumps."""
    links, pages, rng = random_web(seed)
    given = rng.random(pages.size)
    shares = shares_of(links, pages, given)
    part = from_unvisited(lambda: [rows_of(links)], pages, given, shares)
    own, _ = rows_written_out(links, pages, given)
    brought = 0.85 * np.where(pages.visited, 0.0, shares) @ own
    assert part == pytest.approx(brought, abs=1e-11)


def test_site_nothing_of_was_visited_sends_to_all_alike() -> None:
    links, levels = {0: [1], 1: [0]}, [[0, 0, 1, 1]]
    visited = [True, True, False, False]
    assert shares_of(links, known(visited, levels)) == pytest.approx(shares_of(links, known(visited)), abs=1e-13)


@pytest.mark.parametrize("seed", range(5))
def test_without_votes_it_is_the_importance_of_the_known_graph(seed: int) -> None:
    links, pages, _ = random_web(seed)
    pages = KnownPages(pages.visited, pages.jump, pages.levels)
    expected = pagerank(Graph.from_links(links, pages.size), preference=pages.jump)
    assert shares_of(links, pages, np.zeros(pages.size)) == pytest.approx(expected, abs=1e-11)
    assert shares_of(links, KnownPages(pages.visited, pages.jump)) == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("seed", range(4))
def test_when_nothing_is_unvisited_it_is_the_importance_of_the_ledger(seed: int) -> None:
    """To 1e-9, the ledger counting in units so small that what it rounds off is less."""
    rng = np.random.default_rng(seed)
    size = 50
    links = {page: np.unique(rng.integers(0, size, 5)) for page in range(size)}
    links = {page: targets[targets != page] for page, targets in links.items()}
    ledger = Ledger(unit=2**44)
    ledger.discover(size)
    stands_for = np.arange(size)
    for page in range(40, 45):
        links[page], stands_for[page] = np.array([page - 40]), page - 40
    for _ in range(250):
        for page, targets in links.items():
            ledger.visit(page, targets, targets if ledger.forwarded[page] else None, alias=40 <= page < 45)
    levels = [np.arange(size) % 3, np.arange(size) % 6]
    pages = KnownPages(np.ones(size, dtype=bool), np.ones(size), levels, stands_for)
    of_pages = {page: targets.tolist() for page, targets in links.items() if stands_for[page] == page}
    shares = shares_of(of_pages, pages, site_votes(pages, ledger.importance()))
    assert np.abs(shares - ledger.importance()).sum() <= 1e-9


def test_weights_say_how_much_of_a_page_goes_along_a_link() -> None:
    links = Rows(np.array([0, 3]), np.array([0, 2, 3]), np.array([1, 2, 1]), np.array([3.0, 1.0, 0.0]))
    shares = expected_importance(lambda: [links], known([True] * 4), tolerance=1e-12)
    x = np.array([1.0, 1 + 0.85 * 3 / 4, 1 + 0.85 / 4, 1.0])
    assert shares == pytest.approx(x / x.sum(), abs=1e-12)


@given(st.integers(0, 10_000), st.integers(1, 25))
def test_shares_are_a_distribution_and_begin_anywhere(seed: int, size: int) -> None:
    links, pages, rng = random_web(seed, size)
    if not pages.jump.any():
        pages.jump[0] = 1.0
    shares = shares_of(links, pages)
    assert shares.sum() == pytest.approx(1.0)
    assert (shares >= 0.0).all()
    start = rng.random(size) + 1e-9
    assert shares_of(links, pages, start=start) == pytest.approx(shares, abs=1e-10)


@given(st.integers(0, 10_000))
def test_page_that_a_visited_page_links_to_more_has_no_less(seed: int) -> None:
    """One link more to a page, from a page without: what it gains is not taken from it elsewhere."""
    links, pages, rng = random_web(seed, 20)
    bare = [page for page, targets in links.items() if not targets]
    if not bare:
        return
    target = int(rng.integers(0, 20))
    assert pages.stands_for is not None
    target = int(pages.stands_for[target])
    before = shares_of(links, pages)[target]
    assert shares_of(links | {bare[0]: [target]}, pages)[target] >= before - 1e-10


class TestVotes:
    """The effect of a site's unvisited pages is bounded by the cash of its visited pages without them."""

    def test_votes_are_bounded_by_the_share_of_the_visited(self) -> None:
        """Two sites whose visited pages have the same: one knows 2 pages more, the other 98.

        The unvisited have .6, so .1 * 100 of it are the first's, which it has not, and 10 * .6 / 2 the second's.
        """
        site = np.array([0, 1] + [0] * 2 + [1] * 98)
        visited = np.arange(100) < 2
        visited = np.concatenate([visited[:2], np.zeros(100, dtype=bool)])
        importance = np.concatenate([[0.2, 0.2], np.full(2, 0.001), np.full(98, 0.598 / 98)])
        given = site_votes(KnownPages(visited, np.ones(102), [site]), importance, most=1.0)
        assert given[:2].tolist() == [0.0, 0.0]
        assert given[2:4].tolist() == [1.0, 1.0]
        assert given[4:] == pytest.approx(0.3 / 0.598)

    def test_site_without_a_visited_page_has_no_vote(self) -> None:
        pages = known([True, False, False], [[0, 0, 1]])
        assert site_votes(pages, np.array([0.5, 0.3, 0.2])).tolist() == [0.0, 1.0, 0.0]


FIRST = 10_000
"""The pages before are an honest web, of which a tenth was visited."""


def farm(unvisited: int) -> tuple[dict[int, list[int]], npt.NDArray[Any]]:
    """Nine pages link to the one that is to gain, a tenth to all pages that were not visited."""
    goal, first = FIRST, FIRST + 1
    size = first + 10 + unvisited
    links = {page: [goal] for page in range(first, first + 9)} | {goal: [], first + 9: list(range(first + 10, size))}
    return links, np.zeros(11 + unvisited, dtype=int)


def wildcard(unvisited: int) -> tuple[dict[int, list[int]], npt.NDArray[Any]]:
    """The same, every page on a host of its own."""
    links, hosts = farm(unvisited)
    return links, np.arange(len(hosts))


def calendar(unvisited: int) -> tuple[dict[int, list[int]], npt.NDArray[Any]]:
    """Twenty months, each of which links to the one that is to gain and to as many months to come."""
    goal, first = FIRST, FIRST + 1
    size = first + 20 + unvisited
    months = np.array_split(np.arange(first + 20, size), 20)
    return {goal: []} | {first + k: [goal, *months[k].tolist()] for k in range(20)}, np.zeros(21 + unvisited, dtype=int)


def front_matter(unvisited: int) -> tuple[dict[int, list[int]], npt.NDArray[Any]]:
    """Of a site that has many pages just tables of contents were visited, which link to its home page first of all."""
    goal, first = FIRST, FIRST + 1
    contents = np.array_split(np.arange(first + 5, first + 5 + unvisited), 5)
    return {goal: []} | {first + k: [goal, *contents[k].tolist()] for k in range(5)}, np.zeros(6 + unvisited, dtype=int)


@pytest.mark.parametrize("attack", [farm, wildcard, calendar, front_matter])
def test_site_gains_no_more_than_a_multiple_of_what_its_visited_pages_have(attack: Callable[..., Any]) -> None:
    """However many pages a site makes known, on as many hosts.

    s: its share of what visited pages have; U: what the unvisited have, without votes; d = .85. Its unvisited pages
    send K s U at most of what they have then, K = MOST_VOTES. What that brings can be sent on, d of it each time; so in
    all they send no more than K s U / (1 - d), and no page gains more than d / (1 - d) times K s U.
    """
    rng = np.random.default_rng(1)
    web = {page: rng.integers(0, FIRST, 8).tolist() for page in range(FIRST // 10)}
    for unvisited in (20, 1_000, 20_000):
        own_links, own_hosts = attack(unvisited)
        links = web | own_links
        size = FIRST + len(own_hosts)
        own = np.arange(size) >= FIRST
        visited = np.isin(np.arange(size), list(links))
        pages = known(visited, [own.astype(int), np.concatenate([np.zeros(FIRST, dtype=int), 1 + own_hosts])])
        before = shares_of(links, pages, np.zeros(size), tolerance=1e-9)
        given = site_votes(pages, before)
        after = shares_of(links, pages, given, tolerance=1e-9)
        share = before[own & visited].sum() / before[visited].sum()
        most = MOST_VOTES * share * before[~visited].sum()
        assert (given * before)[own].sum() <= most * (1 + 1e-9)
        assert (given * after)[own].sum() <= most / 0.15
        assert after[FIRST] - before[FIRST] <= 0.85 / 0.15 * most
        if unvisited == 20_000 and attack is not front_matter:
            unbounded = shares_of(links, pages, tolerance=1e-9)
            assert after[FIRST] - before[FIRST] < 0.5 * (unbounded[FIRST] - before[FIRST])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"damping": 1.0}, "damping must be at least 0 and below 1, not 1.0"),
        ({"tolerance": 0.0}, "tolerance must be more than 0, not 0.0"),
        ({"start": np.zeros(2)}, "jump and start must be numbers per page, none negative, not all 0; the sum is 0.0"),
    ],
)
def test_what_cannot_be_is_an_error(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        shares_of({0: [1]}, known([True, False]), **options)


def test_arrays_of_other_lengths_are_an_error() -> None:
    with pytest.raises(ValueError, match="there must be 2 numbers in every array"):
        shares_of({0: [1]}, known([True, False], [[0]]))


def test_no_pages_have_no_shares() -> None:
    assert len(shares_of({}, known([]))) == 0


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_as_many_stay_as_stayed_if_nothing_is_left_to_read(stayed: float, visited: float) -> None:
    assert estimated_stays(stayed, 1.0) == estimated_stays(1.0, visited) == 1.0
    assert 0.0 <= estimated_stays(stayed, visited) <= 1.0
    assert estimated_stays(stayed, visited) <= estimated_stays((1.0 + stayed) / 2, (1.0 + visited) / 2)
