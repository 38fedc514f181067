"""How many connections a crawl may have, by how many files the system lets a process open."""

import errno
from dataclasses import dataclass
from functools import partial

from minicrawl.errors import SettingError
from minicrawl.system import OUT_OF_FILES, is_out_of_files

try:
    import resource
except ImportError:  # Windows, where files and sockets have no such limit
    resource = None  # type: ignore[assignment]

_WANTED = 8192
RESERVED = 24
"""The store, the name server, the lines to workers, the log ... and what whoever calls us has open."""
LEAST = RESERVED + 8
ATTEMPTS_PER_REQUEST = 16
MOST_IDLE = 500
"""Connections that nobody uses. One over TLS takes 62 kB with its session, so they take 31 MB at most."""
OWN_TROUBLE = OUT_OF_FILES | {errno.ENOBUFS}
"""Errors that say that it is us who have too much open."""

OPEN_FILES = "open-files"
"""The reason why a request came to nothing then. No page carries it: the request is put back untried."""


@dataclass(frozen=True, slots=True)
class Room:
    """`requests`: in flight at hosts that answered the last time; `attempts`: at others; `idle`: connections kept."""

    requests: int
    attempts: int
    idle: int


def room(limit: int | None, concurrency: int) -> Room:
    """How a crawl that may have `limit` files open (None: any number) shares them.

    A quarter each for requests, attempts and idle connections. The last one is for a host's second address, which is
    tried beside its first one (RFC 8305). Look-ups need none: c-ares has two sockets for all of them.
    """
    if limit is None:
        return Room(concurrency, ATTEMPTS_PER_REQUEST * concurrency, MOST_IDLE)
    quarter = max((limit - RESERVED) // 4, 1)
    return Room(min(concurrency, quarter), min(ATTEMPTS_PER_REQUEST * concurrency, quarter), min(MOST_IDLE, quarter))


UNLIMITED = partial(room, None)
"""The room of a crawl that may have any number of files open."""


def is_full() -> bool:
    """Whether not one more file can be opened just now: what a library took for somebody else's failure may be that."""
    return is_out_of_files(1)


def raised_limit() -> int | None:
    """Files this process may open, once it has asked for as many as a crawl can use. None: any number.

    Raises SettingError if they are too few.
    """
    if resource is None:
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return None
    wanted = _WANTED if hard == resource.RLIM_INFINITY else min(_WANTED, hard)
    if wanted > soft:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
        except (ValueError, OSError):  # macOS has a limit below the hard one
            pass
    if soft < LEAST:
        raise SettingError(f"only {soft} files may be open, and a crawl needs {LEAST}; run 'ulimit -n 1024' before it")
    return soft
