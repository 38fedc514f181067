"""The truth about the changing web, for benchmarks: served over HTTP at a host of its own.

    http://truth.test/                   every URL as it is now
    http://truth.test/?since=1767225600  the same, and all its changes after that time
    http://truth.test/?at=1767225600     every URL as it was, or will be, at a time

Times are seconds since 1970. No page links there.
"""

import json
from collections.abc import Callable, Mapping
from urllib.parse import parse_qs, urlsplit

from minicrawl.demo.changing.versions import BEGINNING, LIARS
from minicrawl.demo.changing.web import NOISES, ChangingWeb
from minicrawl.demo.resources import Redirect, Reply, Resource

HOST = "truth.test"
LONGEST = 86400.0
"""Longest span before `at`, in seconds, whose changes are listed."""
_LAST_DAY = 32_503_680_000.0
"""The year 3000."""


def answering(web: ChangingWeb, clock: Callable[[], float]) -> Callable[[str, Mapping[str, str]], Reply]:
    """The function that answers a GET of a URL with header fields: the web, and its truth."""
    prefix = f"http://{HOST}/"

    def answer(url: str, asked: Mapping[str, str]) -> Reply:
        return _truth(web, url, clock()) if url.startswith(prefix) else web.respond(url, asked, clock())

    return answer


def truth(web: ChangingWeb, at: float, since: float | None = None) -> dict[str, object]:
    """The truth at a time, as JSON; `pages` by their URL.

    importance: exact, by the links at that time. rate: changes per second. kind: plain, bursts, goes, moves, constant,
    or the kind of noise. changed_at: the last change of the answer to a GET, noise apart. status: of that answer.
    manner: the host's use of ETag and Last-Modified; lies: it is wrong. changes: all times after `since`.
    """
    pages = {}
    for url, importance in web.importance(at).items():
        life, manner = web.life(url), web.manner(url)
        pages[url] = {
            "importance": importance,
            "rate": life.rate,
            "kind": life.kind,
            "is_noisy": life.kind in NOISES,
            "changed_at": life.last_change(at),
            "status": _status(web.resource(url, at)),
            "manner": manner,
            "lies": manner in LIARS,
            **({} if since is None else {"changes": life.changes(since, at)}),
        }
    return {"at": at, "speed": web.speed, "seed": web.seed, "mean_rate": web.mean_rate, "pages": pages}


def _truth(web: ChangingWeb, url: str, now: float) -> Reply:
    parts = urlsplit(url)
    if parts.path != "/":
        return _text(404, "There is no such page.")
    try:
        asked = {name: float(values[-1]) for name, values in parse_qs(parts.query).items()}
    except ValueError as error:
        return _text(400, f"A time is in seconds since 1970: {error}.")
    at, since = asked.pop("at", now), asked.pop("since", None)
    if asked:
        return _text(400, f"There is at= and since=, but no {min(asked)}=.")
    if not BEGINNING <= at <= _LAST_DAY:
        return _text(400, f"The web is known from {BEGINNING} to {_LAST_DAY:.0f}, not at {at:g}.")
    if since is not None and not at - LONGEST <= since <= at:
        return _text(400, f"Changes are listed for {LONGEST:.0f} seconds at most: from {at - LONGEST:.0f} to {at:.0f}.")
    return Reply(200, {"Content-Type": "application/json"}, json.dumps(truth(web, at, since)).encode())


def _text(status: int, text: str) -> Reply:
    return Reply(status, {"Content-Type": "text/plain; charset=utf-8"}, f"{text}\n".encode())


def _status(resource: Resource | None) -> int:
    match resource:
        case None:
            return 404
        case Redirect(status=status):
            return status
    return 200
