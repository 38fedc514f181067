"""TrustRank by its paper: candidates for a person to judge, and trust and spam mass from the judgement.

Sources: Z. Gyöngyi, H. Garcia-Molina, J. Pedersen, "Combating Web Spam with TrustRank", VLDB 2004; and with P. Berkhin,
"Link Spam Detection Based on Mass Estimation", VLDB 2006, which examines pages of at least ten times the rank of a page
without in-links.
"""

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from minicrawl.analysis.link_graph import FloatArray, folded_store
from minicrawl.analysis.rankings.page_sets import IntArray
from minicrawl.analysis.rankings.ranking import Rankings
from minicrawl.errors import SettingError
from minicrawl.model import State
from minicrawl.opic.surfer import REASONABLE
from minicrawl.rank import pagerank
from minicrawl.rank.trust import inverse_pagerank, relative_trust, spam_mass, trustrank
from minicrawl.store.reader import Store
from minicrawl.store.rows import RankedPage

_WORDS = {"yes": True, "y": True, "1": True, "true": True, "good": True}
_WORDS |= {"no": False, "n": False, "0": False, "false": False, "bad": False, "spam": False}
LEAST_RANK = 10.0
"""Least rank of a suspect, in multiples of the mean rank."""


class Candidate(NamedTuple):
    """A page to be judged. inverse: its inverse PageRank, the reach of trust in it."""

    url: str
    title: str | None
    inverse: float


class Suspect(NamedTuple):
    """A page of high rank. mass: the share of its rank that is not from good pages. relative: see `relative_trust`.
    rank: in multiples of the mean."""

    page: RankedPage
    mass: float
    relative: float
    rank: float


@dataclass(frozen=True, eq=False)
class Judged:
    """Results of a judgement. good, bad: numbers of pages judged so that are in the store.

    rankings: trust, relative trust and spam mass of every page.
    """

    rankings: Rankings
    suspects: list[Suspect]
    good: int
    bad: int


def candidates(store: Store, count: int, damping: float = 0.85) -> list[Candidate]:
    """The fetched pages with most inverse PageRank, the first `count`. Raises StoreError."""
    folded = folded_store(store).simple()
    weights = folded.weights(REASONABLE)
    inverse = inverse_pagerank(folded.graph, damping, folded.all_alike, weights=weights)
    fetched = np.flatnonzero(folded.states == State.FETCHED)
    best = fetched[np.argsort(-inverse[fetched], kind="stable")[:count]]
    pages = store.ranks.of(best.tolist())
    return [Candidate(page.url, page.title, value) for page, value in zip(pages, inverse[best].tolist(), strict=True)]


def read_judgement(path: Path) -> dict[str, bool]:
    """Judgements by URL, True for good, from a CSV file with the columns url and good. Raises SettingError.

    Pages with an empty column good have not been judged, and are left out.
    """
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            rows = list(csv.DictReader(file))
    except OSError as error:
        raise SettingError(f"--good {path} cannot be read: {error.strerror}; name another file") from error
    except csv.Error as error:
        raise SettingError(f"--good {path} is no CSV file: {error}") from error
    if rows and not {"url", "good"} <= rows[0].keys():
        raise SettingError(f"--good {path} lacks the column url or good; 'rank trust --candidates' writes such a file")
    judged = {}
    for number, row in enumerate(rows, start=2):
        word = (row["good"] or "").strip().lower()
        if word and word not in _WORDS:
            raise SettingError(f"--good {path}, line {number}: good is yes or no, or empty, not {row['good']!r}")
        if word and row["url"]:
            judged[row["url"]] = _WORDS[word]
    return judged


def judged_trust(  # noqa: PLR0913 - parameters of the methods, with defaults
    store: Store,
    judgement: dict[str, bool],
    n: int,
    *,
    good_share: float = 0.85,
    damping: float = 0.85,
    least_rank: float = LEAST_RANK,
) -> Judged:
    """Trust that spreads from the good pages, and the n pages of high rank that owe least to them.

    good_share: estimate of the share of all pages that are good, see `spam_mass`. least_rank: of suspects, in multiples
    of the mean. Raises SettingError, StoreError.
    """
    folded = folded_store(store).simple()
    known = store.page_table.find(list(judgement))
    good = sorted({int(folded.stands_for[page]) for url, page in known.items() if judgement[url]})
    bad = {int(folded.stands_for[page]) for url, page in known.items() if not judgement[url]}
    if not good:
        raise SettingError(f"no page that was judged good is known in {store.path}; put yes into the column good")
    weights = folded.weights(REASONABLE)
    ranks = pagerank(folded.graph, damping, folded.all_alike, weights=weights)
    trust = trustrank(folded.graph, good, damping, weights=weights)
    values = {
        "trust": trust,
        "relative": relative_trust(trust, ranks),
        "mass": spam_mass(folded.graph, good, good_share, damping, preference=folded.all_alike, weights=weights),
    }
    rankings = Rankings(values, folded.is_alias)
    times = ranks * np.count_nonzero(~folded.is_alias)
    high = np.flatnonzero((times >= least_rank) & ~folded.is_alias)
    return Judged(rankings, _suspects(store, rankings, times, high, n), len(good), len(bad))


def _suspects(store: Store, rankings: Rankings, times: FloatArray, high: IntArray, n: int) -> list[Suspect]:
    mass, relative = rankings.values["mass"], rankings.values["relative"]
    first = high[np.argsort(-mass[high], kind="stable")[:n]]
    pages = store.ranks.of(first.tolist())
    figures = (values[first].tolist() for values in (mass, relative, times))
    placed = [page._replace(rank=place) for place, page in enumerate(pages, start=1)]
    return [Suspect(page, *each) for page, each in zip(placed, zip(*figures, strict=True), strict=True)]
