"""Options of a ranking, and its outcome."""

from dataclasses import dataclass

from minicrawl.analysis.link_graph import FloatArray


@dataclass(frozen=True, eq=False)
class Found:
    """The outcome of a ranking. values: per page, by the name of the ranking; notes: a sentence each."""

    values: dict[str, FloatArray]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Options:
    """Options of a ranking; each ranking uses some of these.

    memory: compute on disk, in this much memory. method: one of METHODS. dangling: keep
    pages without links, or prune them. jump: the jump distribution. trusted, root: FILE, URL or REGEX; topic: the same
    with NAME= before. per: "page", "host" or "site"; links within one weigh `inside`, None: 0. cap: most links of one
    to a page that count; None: all. PageRank knows no hosts unless one of the three is given. context: weigh links by
    query words near them. self_links: count every page as linked to itself. log: access logs. site: a URL of the host
    that they are of. blend: weight of visits beside importance; None: 1. communities: their number, found by `peel` or
    by singular vectors; None: hubs and authorities of the whole graph.
    """

    damping: float = 0.85
    memory: str | None = None
    method: str = "power"
    dangling: str = "keep"
    jump: str | None = None
    trusted: str | None = None
    trusted_count: int = 50
    topic: tuple[str, ...] = ()
    weights: str | None = None
    query: str | None = None
    root: str | None = None
    per: str | None = None
    inside: float | None = None
    cap: int | None = None
    context: bool = False
    self_links: bool = False
    communities: int | None = None
    peel: bool = False
    log: tuple[str, ...] = ()
    site: str | None = None
    blend: float | None = None
