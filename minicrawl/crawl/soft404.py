"""Which hosts answer for pages they do not have, and with what (soft 404s).

When a page turns out to be a duplicate of another page of its host, this may be the host's way to say "not found". So
a page beside it that cannot exist is asked for, once (Bar-Yossef et al., Sic transit gloria telae, WWW 2004), in a turn
of the host. Hosts without duplicates are not bothered, others once, and twice more if in other folders pages say what
pages beside them said. If the answer is a page with status 200, that is what the host's soft 404s look like: pages of
the host that say the same are errors, and those that nearly do under the same title. (Without a look at the title, so
would be pages of a template with little text of their own.)

Not so if a seed, or a folder above, says the same: then the host has one page for many names, such as an application
that draws everything in the browser, and that page is no error.

verdict of a probe    the answer was
not-found             an error, a redirect, not HTML, or a page that says nothing
soft-404              a page that says something
catch-all             the same, but so do pages that are surely there
"""

from collections.abc import Iterable, Iterator
from hashlib import blake2b

from minicrawl.crawl.duplicates import ALIKE
from minicrawl.crawl.sketch import distance
from minicrawl.crawl.urls import origin
from minicrawl.model import Fetched
from minicrawl.store.rows import Fingerprint, Probe

MOST_PROBES = 3
"""Per origin."""
_LETTERS = str.maketrans("0123456789abcdef", "abcdefghijklmnop")


class Soft404s:
    """The probes of all hosts, and what followed. secret: of the store, so that nobody can guess what is asked for."""

    def __init__(self, rows: Iterable[Probe], secret: bytes) -> None:
        self._secret = secret
        self._probes: dict[str, dict[str, Probe | None]] = {}  # by origin and folder; None: wanted, or on its way
        self._wanted: dict[str, str] = {}
        self._suspects: dict[str, set[int]] = {}
        self._changed: dict[str, Probe] = {}
        for row in rows:
            self._probes.setdefault(origin(row.folder), {})[row.folder] = row

    def suspect(self, url: str, leader: str, pages: Iterable[int]) -> None:
        """Take in that the page at `url` says what another of its host, `leader`, said. pages: the numbers of both."""
        folder = folder_of(url)
        probes = self._probes.setdefault(origin(url), {})
        is_wanted = not probes or (folder == folder_of(leader) and len(probes) < MOST_PROBES)
        if folder not in probes and is_wanted:
            probes[folder] = None
            self._wanted[origin(url)] = probe_url(url, self._secret)
        if folder in probes and probes[folder] is None:
            self._suspects.setdefault(folder, set()).update(pages)

    def take_due(self, site: str) -> str | None:
        """The URL to ask an origin for now, once; or None."""
        return self._wanted.pop(site, None)

    def put_back(self, url: str) -> None:
        """Let a URL that was taken be due again: nothing came of asking for it."""
        self._wanted.setdefault(origin(url), url)

    def take_in(self, fetched: Fetched, title: str | None, verdict: str, now: float) -> set[int]:
        """Note what a probe was answered, and what that means. Returns the pages that gave rise to it."""
        folder = folder_of(fetched.url)
        said = (fetched.digest, fetched.payload, fetched.sketch, title)
        self._note(Probe(folder, fetched.url, now, verdict, fetched.status, *said))
        return self._suspects.pop(folder, set())

    def match(self, fetched: Fetched, title: str | None) -> Probe | None:
        """The probe whose answer shows that what a page says is an error, or None."""
        for probe in self._probes.get(origin(fetched.url), {}).values():
            if probe is None or probe.verdict != "soft-404":
                continue
            if is_error_like(probe, probe.title, fetched, title):
                return probe
        return None

    def absolve(self, probe: Probe) -> None:
        """A page that is surely there says what a probe was answered."""
        self._note(probe._replace(verdict="catch-all"))

    def take_rows(self) -> list[Probe]:
        """Probes that were answered or judged anew since the last call."""
        rows, self._changed = list(self._changed.values()), {}
        return rows

    def _note(self, probe: Probe) -> None:
        self._probes.setdefault(origin(probe.folder), {})[probe.folder] = self._changed[probe.folder] = probe


def says_the_same(answer: Probe | Fetched | Fingerprint, other: Fetched | Fingerprint) -> bool:
    """Whether two pages, one of which may be the answer to a probe, say the same, or nearly."""
    if other.digest is not None and other.digest == answer.digest:
        return True
    if other.payload is not None and other.payload == answer.payload:
        return True
    if other.sketch is None or answer.sketch is None:
        return False
    return distance(other.sketch, answer.sketch) <= ALIKE


def is_error_like(
    answer: Probe | Fetched, answer_title: str | None, other: Fetched | Fingerprint, other_title: str | None
) -> bool:
    """Whether a page says just what a probe was answered, or nearly under the same title."""
    is_exact = other.digest is not None and other.digest == answer.digest
    return is_exact or (answer_title == other_title and says_the_same(answer, other))


def folder_of(url: str) -> str:
    """What a URL and the pages beside it have in common: of http://a/b/c.html and http://a/b/c/, http://a/b/."""
    stem = url.partition("?")[0]
    head = stem[: stem.rindex("/", 0, len(stem) - 1) + 1]
    return stem if head.endswith("//") else head


def probe_url(url: str, secret: bytes) -> str:
    """A page beside that of `url` that cannot exist, always the same one."""
    folder = folder_of(url)
    last = url.partition("?")[0][len(folder) :]
    ending = "/" if last.endswith("/") else last[last.rfind(".") :] if "." in last else ""
    return f"{folder}{blake2b(folder.encode(), digest_size=8, key=secret).hexdigest().translate(_LETTERS)}{ending}"


def above(url: str) -> Iterator[str]:
    """The folders that a page is in, with and without slash at the end, up to its site's home page."""
    folder = folder_of(url)
    while True:
        yield folder
        if folder == origin(url) + "/":
            return
        yield folder[:-1]
        folder = folder[: folder.rindex("/", 0, -1) + 1]
