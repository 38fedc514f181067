"""Crawls stopped early: effect of expected importance of unread pages on the ranking.

A finished crawl is replayed: the pages that had their turn by then, the links of these, the pages these made known. At
every stop two rankings of the pages known by then are compared with the final ranking: importance of the known graph,
and expected importance (opic/expected.py).

p@k       share of the k finally best known pages among the first k of the ranking
whole     share of the 100 best pages of the end, known yet or not, that are among the first 100
tau       Kendall's, over the 1,000 finally best known pages
L1        distance from the final importance, both as shares of the total of the known pages
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minicrawl.errors import StoreError
from minicrawl.experiment import Claim, Curve, Panel, Result
from minicrawl.model import State
from minicrawl.opic.expected import (
    HELD_OUT,
    FloatArray,
    KnownPages,
    Rows,
    estimated_stays,
    expected_importance,
    followed,
    site_votes,
)
from minicrawl.rank.compare import kendall_tau, l1, overlap
from minicrawl.store.links import LinkGraph
from minicrawl.store.reader import Store

STOPS = (0.02, 0.05, 0.1, 0.3, 0.5)
KNOWN_GRAPH, EXPECTED = "known graph", "expected"
_EARLY, _LATER = (0.02, 0.05, 0.1), 0.3
_MANY_SITES = 30
_FEWEST = 100
_COLUMNS = ("answers", "pages known", "ranking", "p@20", "p@100", "p@1,000", "whole, 100", "tau", "L1")

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Replay:
    """A finished crawl, by page. links: one row per page that had its turn.

    turns: number of answers received when a page had its turn; infinite if never. is_alias: it turned out to be one.
    found_on: the page that made it known; -1 for a seed. levels: groups of pages, see opic/expected.py.
    """

    links: LinkGraph
    turns: FloatArray
    is_alias: npt.NDArray[np.bool_]
    found_on: IntArray
    levels: Sequence[IntArray]

    @property
    def answers(self) -> int:
        return int(self.turns.max(where=np.isfinite(self.turns), initial=0))

    def sites(self) -> int:
        """Number of sites with a page that has links."""
        return len(np.unique(self.levels[0][self.links.sources[np.diff(self.links.indptr) > 0]]))

    def at(self, answers: float) -> tuple[Rows, KnownPages]:
        """The links and the pages known after `answers` answers."""
        visited = self.turns <= answers
        read = self.links.rows(np.flatnonzero(visited[self.links.sources]))
        known = visited | (self.found_on < 0) | visited[self.found_on]
        known[read.targets] = True
        stands_for = np.arange(len(visited))
        aliases = np.flatnonzero(self.is_alias[read.sources] & (np.diff(read.indptr) > 0))
        stands_for[read.sources[aliases]] = read.targets[read.indptr[aliases]]
        pages = KnownPages(visited, known.astype(np.float64), self.levels, followed(stands_for))
        return Rows(read.sources, read.indptr, read.targets), pages


def replay_of(store: Store, levels: Sequence[IntArray]) -> Replay:
    """The crawl in a store. levels: groups of its pages. Raises StoreError if there is too little to replay.

    Answers are numbered in the order of pages' first answers. The turn of a page given up without an answer is
    interpolated between failed pages by the clock at its last visit, and never precedes that of the page that made it
    known.
    """
    with store.snapshot():
        links, turns = store.links(), store.page_table.turns()
    answers = np.array([np.nan if turn.fetch is None else turn.fetch for turn in turns])
    if not (answers >= _FEWEST).any():
        raise StoreError(f"{store.path} has too few answers to replay: it takes {_FEWEST} of a finished crawl")
    found_on = np.array([-1 if turn.found_on is None else turn.found_on for turn in turns])
    is_alias = np.array([turn.state == State.ALIAS for turn in turns])
    clock = np.array([turn.clock for turn in turns])
    failed = np.flatnonzero(~np.isnan(answers) & np.array([turn.state == State.ERROR for turn in turns]))
    failed = failed[np.argsort(answers[failed])]
    silent = np.flatnonzero(np.isnan(answers) & np.array([turn.visited for turn in turns], dtype=bool))
    if len(failed):
        nearby = np.interp(
            clock[silent], np.maximum.accumulate(clock[failed]), answers[failed], right=float(np.nanmax(answers))
        )
        answers[silent] = np.fmax(nearby, answers[found_on[silent]])
    return Replay(links, np.where(np.isnan(answers), np.inf, answers), is_alias, found_on, levels)


def rankings_at(rows: Rows, pages: KnownPages, tolerance: float = 1e-7) -> dict[str, FloatArray]:
    """Importance of the known graph and expected importance, each with a value per page."""
    importance = expected_importance(lambda: [rows], pages, np.zeros(pages.size), tolerance=tolerance)
    given = site_votes(pages, importance)
    expected = expected_importance(lambda: [rows], pages, given, tolerance=tolerance, start=importance)
    return {KNOWN_GRAPH: importance, EXPECTED: expected}


def stays(replay: Replay, truth: FloatArray) -> list[tuple[float, float]]:
    """Predicted and actual share of the first hundred that stays, at twenty stops. truth: final importance."""
    found = []
    for stop in np.geomspace(0.02, 0.9, 20):
        answers = stop * replay.answers
        (now, known), (then, known_then) = (_first(replay, upto) for upto in (answers, HELD_OUT * answers))
        stayed = _share_of_best(then, now, known_then)
        visited = float(np.count_nonzero(replay.at(answers)[1].visited)) / np.count_nonzero(now > 0.0)
        found.append((estimated_stays(stayed, min(1.0, visited)), _share_of_best(now, truth, known)))
    return found


def _first(replay: Replay, answers: float) -> tuple[FloatArray, IntArray]:
    """Expected importance after `answers` answers, and the pages known then."""
    links, pages = replay.at(answers)
    ranking = rankings_at(links, pages, tolerance=1e-4)[EXPECTED]
    return ranking, np.flatnonzero((pages.jump > 0.0) & pages.stands_for_itself())


def _share_of_best(ranking: FloatArray, truth: FloatArray, known: IntArray) -> float:
    """Share of the hundred best known pages among the first hundred of a ranking."""
    return overlap(ranking[known], truth[known], 100)


@dataclass(frozen=True)
class Agreement:
    """Agreement of a ranking with the final one; see the module."""

    first_20: float
    first_100: float
    first_1000: float
    whole: float
    tau: float
    l1: float

    @classmethod
    def of(cls, ranking: FloatArray, truth: FloatArray, known: IntArray) -> "Agreement":
        """Compare a ranking with the final importance. known: pages of the ranking."""
        now, final = ranking[known], truth[known]
        found, best = _best(now), _best(final)
        p20, p100, p1000 = (len(np.intersect1d(found[:k], best[:k])) / min(k, len(known)) for k in (20, 100, 1000))
        whole = len(np.intersect1d(known[found[:100]], _best(truth)[:100])) / 100
        tau = kendall_tau(now[best[:1000]], final[best[:1000]])
        return cls(p20, p100, p1000, whole, tau, l1(now / now.sum(), final / final.sum()))


def experiment(replay: Replay) -> Result:
    """Both rankings at every stop."""
    truth = rankings_at(*replay.at(np.inf))[KNOWN_GRAPH]
    rows: list[tuple[str | float, ...]] = []
    found: dict[tuple[float, str], Agreement] = {}
    for stop in STOPS:
        links, pages = replay.at(stop * replay.answers)
        known = np.flatnonzero((pages.jump > 0.0) & pages.stands_for_itself())
        for name, ranking in rankings_at(links, pages).items():
            found[stop, name] = one = Agreement.of(ranking, truth, known)
            agreement = (one.first_20, one.first_100, one.first_1000, one.whole, one.tau, one.l1)
            rows.append((f"{stop:.0%}", len(known), name, *agreement))
    sites = replay.sites()
    title = f"Expected importance: {replay.answers:,} answers, {sites:,} sites"
    claims = [*_claims(found, sites), _claim_of_stays(stays(replay, truth))]
    return Result("expected", title, _COLUMNS, rows, [_panel(found)], claims)


def _claim_of_stays(found: list[tuple[float, float]]) -> Claim:
    off = [estimated - true for estimated, true in found]
    mean, lean = float(np.mean(np.abs(off))), float(np.mean(off))
    sentence = "how many of the first 100 will stay is said to .1, mean of 20 stops"
    return Claim(sentence, mean <= 0.1, f"{mean:.2f} off, {lean:+.2f} in the mean")


def _best(values: FloatArray) -> IntArray:
    return np.argsort(-values, kind="stable")


def _panel(found: dict[tuple[float, str], Agreement]) -> Panel:
    curves = [Curve(name, STOPS, [found[stop, name].first_100 for stop in STOPS]) for name in (KNOWN_GRAPH, EXPECTED)]
    return Panel("first 100", "share of the answers", "share that stays among the first 100", curves)


def _claims(found: dict[tuple[float, str], Agreement], sites: int) -> list[Claim]:
    """The claims for a web of many sites; with few sites, only that nothing gets worse."""

    def measured(stops: Sequence[float]) -> str:
        values = [(found[stop, EXPECTED].first_100, found[stop, KNOWN_GRAPH].first_100) for stop in stops]
        return ", ".join(f"{ours:.2f} and {before:.2f}" for ours, before in values)

    def gains(stops: Sequence[float], times: float) -> bool:
        return all(found[stop, EXPECTED].first_100 >= times * found[stop, KNOWN_GRAPH].first_100 for stop in stops)

    worst = min(found[stop, EXPECTED].first_100 - found[stop, KNOWN_GRAPH].first_100 for stop in STOPS)
    claims = [Claim("no stop has .02 less of the first 100 right", worst >= -0.02, f"{worst:+.2f} at the worst")]
    if sites >= _MANY_SITES:
        claims += [
            Claim("at 2, 5 and 10 % twice as many of the first 100 are right", gains(_EARLY, 2.0), measured(_EARLY)),
            Claim("at 30 % they are 1.4 times as many", gains((_LATER,), 1.4), measured((_LATER,))),
        ]
    return claims
