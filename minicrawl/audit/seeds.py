"""Seeds that could not be read."""

from collections.abc import Iterator

import numpy as np

from minicrawl.audit.crawled import Crawled
from minicrawl.audit.findings import Fault, Severity, rule
from minicrawl.model import READ, State

_NO_TURN = ("seed", "link", "sitemap", "alternate")
"""Reasons of pages that were not asked for yet."""


@rule(
    "seed-dead",
    Severity.ERROR,
    why="The crawl could not begin there, so that what lies behind it was not audited.",
    how="Correct the seed, or crawl again once it answers; 'minicrawl why URL' tells more.",
)
def seed_dead(crawled: Crawled) -> Iterator[Fault]:
    """All importance is at stake: other findings come behind."""
    reason, end, is_read = crawled.columns.reason, crawled.web.end, crawled.are(*READ)
    is_early = crawled.are(State.WAITING) & crawled.are_for(*_NO_TURN) & is_read.any()
    is_dead = ~is_read & ~is_early
    for page in np.flatnonzero(crawled.columns.is_seed & is_dead[end]).tolist():
        said = "it has had no turn yet" if reason[end[page]] in _NO_TURN else str(reason[end[page]])
        yield Fault(page, said, importance=1.0)
