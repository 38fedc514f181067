"""Options of a ranking, and its outcome."""

from dataclasses import dataclass

from minicrawl.analysis.link_graph import FloatArray
from minicrawl.rank.pagerank import MOST_STEPS


@dataclass(frozen=True, eq=False)
class Found:
    """Values per page, by the name of their ranking; notes: a sentence each."""

    values: dict[str, FloatArray]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Options:
    """How to rank; each ranking looks at some of these.

    surfer: weighs links by place; None: the crawl's own. memory: work on disk, with this much. method: one of
    METHODS; iterations: its rounds at most. dangling: keep pages without links, or prune them. jump: where walkers jump
    to. trusted, root: FILE,
    URL or REGEX; topic: of these with NAME= before them.
    per: links within one of these weigh `inside`. cap: so many links of one of these to a page count; None: all.
    context: links weigh more by the words of the query near them. self_links: every page counts as linked to itself.
    communities: so many of them, by `peel` or by singular vectors; None: only hubs and authorities of the whole.
    """

    damping: float = 0.85
    surfer: str | None = None
    memory: str | None = None
    method: str = "power"
    iterations: int = MOST_STEPS
    dangling: str = "keep"
    jump: str | None = None
    trusted: str | None = None
    trusted_count: int = 50
    topic: tuple[str, ...] = ()
    weights: str | None = None
    query: str | None = None
    root: str | None = None
    per: str | None = None
    inside: float = 0.0
    cap: int | None = None
    context: bool = False
    self_links: bool = False
    communities: int | None = None
    peel: bool = False
