"""The number of connections a crawl may have, by the system's limit of open files."""

import errno

from msgspec import Struct

from minicrawl.errors import SettingError
from minicrawl.system import OUT_OF_FILES, raise_open_files

_WANTED = 8192
RESERVED = 24
"""Files for the store, the name server, workers, the log, and those of the calling program."""
LEAST = RESERVED + 8
_OF_A_RUN = 8
"""Files for each further run in this process: its store with log and locks, its sockets."""
ATTEMPTS_PER_REQUEST = 16
MOST_IDLE = 500
"""Idle connections. One with TLS takes 62 kB with its session, so they take 31 MB at most."""
OWN_TROUBLE = OUT_OF_FILES | {errno.ENOBUFS}
"""Error numbers for too many open files on this machine."""

OPEN_FILES = "open-files"
"""The reason of a request that failed by that. No page has it, as the request is put back untried."""


class Room(Struct, frozen=True):
    """Maximum numbers: `requests` to hosts that answered last time; `attempts` at other hosts; `idle` connections."""

    requests: int
    attempts: int
    idle: int


def room(limit: int | None, concurrency: int) -> Room:
    """Divide `limit` open files (None: unlimited).

    A quarter each for requests, attempts and idle connections, and one for connections to a host's second address,
    which is tried beside the first (RFC 8305). Look-ups need none: c-ares has two sockets in all.
    """
    if limit is None:
        return Room(concurrency, ATTEMPTS_PER_REQUEST * concurrency, MOST_IDLE)
    quarter = max((limit - RESERVED) // 4, 1)
    return Room(min(concurrency, quarter), min(ATTEMPTS_PER_REQUEST * concurrency, quarter), min(MOST_IDLE, quarter))


def raised_limit(runs: int = 1) -> int | None:
    """Raise the limit of open files as far as a crawl can use it. Returns the number that `runs` crawls in this process
    have for their requests, and for one of them; None: unlimited.

    Raises SettingError if it is too low.
    """
    if (soft := raise_open_files(_WANTED)) is None:
        return None
    others = _OF_A_RUN * (runs - 1)
    if soft < LEAST + others:
        what = "a crawl needs" if runs == 1 else f"{runs} partitions in a process need"
        least = LEAST + others
        raise SettingError(
            f"only {soft} files may be open, and {what} {least}; run 'ulimit -n {max(1024, 2 * least)}' before it"
        )
    return soft - others
