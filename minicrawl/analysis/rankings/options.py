"""What may be said of how to rank pages: each ranking looks at some of it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """How to rank; each ranking looks at some of these.

    surfer: by whom links are weighed; None: as in the crawl. memory: work on disk, with this much. trusted, root: FILE,
    URL or REGEX; topic: of these with NAME= before them.
    per: links within one of these do not count.
    """

    damping: float = 0.85
    surfer: str | None = None
    memory: str | None = None
    trusted: str | None = None
    trusted_count: int = 50
    topic: tuple[str, ...] = ()
    weights: str | None = None
    query: str | None = None
    root: str | None = None
    per: str | None = None
