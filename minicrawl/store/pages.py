"""Pages, their answers and states, by page number."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Annotated, Any, NamedTuple  # Any: rows

import numpy as np
import numpy.typing as npt

from minicrawl.model import READ, State
from minicrawl.reasons import EITHER, MAX_HOPS, NOT_THERE, OF_HOST, codes, has
from minicrawl.store.database import damaged
from minicrawl.store.declaration import Blob, Commit, FetchId, HostId, PageId, Time, columns, table
from minicrawl.store.hosts import ILL, HostRow
from minicrawl.store.recognised import Fingerprint
from minicrawl.store.tables import Columns, Subject

_CHUNK = 500
MOST_LOOKS = 3
_IS_DEAD = f"(state = 'gone' OR (state IN ('error', 'waiting') AND reason IN {codes(NOT_THERE)}))"


class NewPage(NamedTuple):
    """A URL that became known. Pages are numbered from 0 in that order."""

    id: int
    url: str
    host: HostId
    found_on: Annotated[PageId | None, "whose link (or host's sitemap) made it known; NULL: a seed"]
    reason: Annotated[str, "the code that says why it is in this state"]


class Account(NamedTuple):
    """A page's entry in the book: the part of its row that changes without a fetch."""

    depth: Annotated[int, "fewest links from a seed"]
    inlinks: Annotated[int, "counted links from read pages and aliases to this very URL"]
    visited: Annotated[bool, "the page had its turn at least once"]
    cash: Annotated[int, "C: got and not yet passed on, without its birth cash"]
    forwarded: Annotated[int, "H: all the cash that it has passed on"]
    history: Annotated[float, "the part of H within the window, as of clock"]
    clock: Annotated[float, "G at the last visit, or at discovery"]
    chain_length: Annotated[int, "aliases in the longest chain of them that ends here"]


CREDITED_COLUMNS = ("depth", "inlinks", "cash")
"""The part of an Account that a link to the page changes."""

table(
    "pages",
    "the frontier, and everything known of a URL",
    NewPage,
    Account,
    keys="id",
    indexes=(
        "pages_seeds ON pages (id) WHERE found_on IS NULL",
        "pages_failed ON pages (id) WHERE attempts > 0",
        "pages_aliases ON pages (stands_for) WHERE stands_for IS NOT NULL",
        "pages_alternates ON pages (id) WHERE named_by IS NOT NULL",
        "pages_topics ON pages (id) WHERE topic IS NOT NULL",
    ),
    state=Annotated[str, "waiting fetched alias error disallowed gone elsewhere"],
    stands_for=Annotated[PageId | None, "of an alias: its target"],
    attempts=Annotated[int, "failures in a row"],
    fetch=Annotated[FetchId | None, "what its last turn was answered"],
    named_by=Annotated[PageId | None, "of an alternate: a page that gives it as the same in another form"],
    topic=Annotated[float | None, "factor on its priority, raised by links; see crawler/admission/scope.py"],
    cited=Annotated[int | None, "by links in its site's texts, when births were last shared out, see opic/sites.py"],
)
table(
    "url_hashes",
    "where a URL is found, see `url_hash`; URLs of a host stand together",
    keys="hash page",
    hash=int,
    page=PageId,
)


class Fetch(NamedTuple):
    """The answer to a page's turn."""

    status: Annotated[int, "HTTP status"]
    fetched_at: Time
    seconds: Annotated[float, "how long the server took"]
    bytes: Annotated[int, "of the body, on the network"]
    content_type: str | None
    title: str | None
    canonical: Annotated[str | None, "URL of which it says to be a copy; '': itself; NULL: none, or several"] = None
    robots: Annotated[str | None, "which of noindex, nofollow, noarchive, googlebot: noindex it says"] = None
    hreflang: Annotated[str | None, "its versions in other languages, by its head: en=URL fr=URL"] = None
    validators: Annotated[Blob | None, "of a complete page, see web/http/response_fields.py"] = None
    on_use: Annotated[str | None, "what it says on its use, a line each: 'meta robots: noai'"] = None
    facts: Annotated[str | None, "JSON, by --audit, of HTML: see PageFacts in model.py"] = None


# A table of its own: a row of pages that had to take this in would outgrow its place in the file.
table(
    "fetches",
    "answers, numbered in the order in which pages got their first",
    Fetch,
    Fingerprint,
    keys="id",
    indexes=(
        "fetches_duplicates ON fetches (leader, distance) WHERE leader IS NOT NULL",
        "fetches_payloads ON fetches (payload, page) "
        "WHERE payload IS NOT NULL AND (leader IS NULL OR distance IS NOT NULL)",
    ),
    id=int,
    digest=Annotated[int | None, "64-bit digest of what the body shows, without its own path"],
    payload=Annotated[int | None, "64-bit digest of what the body shows"],
    changed=Commit,
)


class Turn(NamedTuple):
    """The outcome of a page's turn, with or without a fetch."""

    id: int
    state: str
    reason: str
    attempts: int
    fetch: Fetch | None


# With these, and `best`, no look at all pages is needed to tell how many there are and which come first.
table(
    "tallies",
    "number of pages by state and reason; a trigger counts pages that change",
    keys="state reason",
    state=str,
    reason=str,
    pages=int,
)


class Totals(NamedTuple):
    """Numbers of pages of a store, without those that have their home in another partition."""

    known: int
    read: int
    waiting: int


class Answer(NamedTuple):
    """The outcome of a page's last turn. status: of HTTP; None without an answer. title: as last read."""

    url: str
    state: str
    reason: str
    status: int | None
    title: str | None


def url_hash(url: str, key: bytes) -> int:
    """The keyed hash under which the store finds a URL: a signed integer of 48 bits, which SQLite keeps in 6 bytes.

    Its first 16 bits hash the origin, the other 32 the URL. So the hashes of a host are adjacent, as are those of most
    links of a page, known or new: a look-up or a commit touches few pages of the file.

    Keyed with a secret of the store, so that nobody can write a site whose URLs all collide. Every hit is compared in
    full, so 48 bits suffice: among ten million URLs of one host, one look-up in 400 compares one URL too many.
    """
    of_url = blake2b(url.encode(), digest_size=4, key=key).digest()
    return int.from_bytes(_of_origin(url[: url.find("/", 8)], key) + of_url, "big", signed=True)


@lru_cache(maxsize=10_000)
def _of_origin(origin: str, key: bytes) -> bytes:
    return blake2b(origin.encode(), digest_size=2, key=key).digest()


class PageTable(Subject):
    """Reads the tables `pages`, `fetches` and `tallies`."""

    def find(self, urls: Sequence[str]) -> dict[str, int]:
        """Page numbers of the URLs that are known."""
        found: dict[str, int] = {}
        for start in range(0, len(urls), _CHUNK):
            wanted = set(urls[start : start + _CHUNK])
            hashes = [url_hash(url, self._tables.hash_key) for url in wanted]
            marks = ",".join("?" * len(hashes))
            query = f"SELECT id, url FROM url_hashes JOIN pages ON id = page WHERE hash IN ({marks})"
            found.update((url, page) for page, url in self._tables.rows(query, hashes) if url in wanted)
        return found

    def url(self, page: int) -> str:
        return str(self._tables.row("SELECT url FROM pages WHERE id = ?", page)[0])

    def urls_of(self, pages: Iterable[int]) -> dict[int, str]:
        query = "SELECT pages.id, url FROM json_each(?) CROSS JOIN pages ON pages.id = value"
        return dict(self._tables.rows(query, (json.dumps(list(pages)),)))

    def urls(self, first: int = 0) -> Iterator[str]:
        """URLs of all pages by number, or of those from `first` on."""
        return (url for (url,) in self._tables.each("SELECT url FROM pages WHERE id >= ? ORDER BY id", first))

    def seeds(self) -> list[str]:
        return [url for (url,) in self._tables.rows("SELECT url FROM pages WHERE found_on IS NULL ORDER BY id")]

    def roots(self) -> list[str]:
        """URLs of the seeds, and of the pages that these stand for."""
        query = """
            WITH RECURSIVE roots (page) AS (
                SELECT id FROM pages WHERE found_on IS NULL
                UNION SELECT stands_for FROM roots JOIN pages ON id = page WHERE stands_for IS NOT NULL
            )
            SELECT url FROM roots JOIN pages ON id = page"""
        return [url for (url,) in self._tables.rows(query)]

    def stands_for(self, size: int, elsewhere: Mapping[int, int]) -> npt.NDArray[np.int64]:
        """The page that each of the first pages stands for at the end of its chain of aliases; itself if it is none.
        Shape (size,). elsewhere: aliases of other partitions, with what they stand for."""
        found = np.arange(size)
        query = "SELECT id, stands_for FROM pages WHERE stands_for IS NOT NULL"
        aliases = self._tables.array(query, np.int64).reshape(-1, 2)
        found[aliases[:, 0]] = aliases[:, 1]
        found[list(elsewhere)] = list(elsewhere.values())
        for _ in range(MAX_HOPS.bit_length()):
            found = found[found]
        return found

    def fetch_order(self) -> list[str]:
        """URLs of the pages that have an answer, in the order of their last answers."""
        query = "SELECT url FROM pages JOIN fetches ON fetches.id = fetch ORDER BY fetched_at, pages.id"
        return [url for (url,) in self._tables.rows(query)]

    def turn(self, page: int) -> Turn:
        """The last turn of a page, with its last answer but for those that said it was unchanged; of a page that is not
        committed, a waiting one."""
        query = f"SELECT state, reason, attempts, {columns(Fetch)} FROM pages LEFT JOIN fetches ON fetches.id = fetch"
        state, reason, attempts, *answer = self._tables.row(f"{query} WHERE pages.id = ?", page) or ("waiting", "", 0)
        return Turn(page, state, reason, attempts, Fetch._make(answer) if any(answer) else None)

    def facts(self, page: int) -> dict[str, Any]:
        """A page's row by the names of its columns, with its host's row."""
        query = "SELECT fetches.*, pages.* FROM pages LEFT JOIN fetches ON fetches.id = fetch WHERE pages.id = ?"
        with self._tables.errors:
            cursor = self._tables.db.execute(query, (page,))
            facts = dict(zip((column[0] for column in cursor.description), cursor.fetchone(), strict=True))
        host = self._tables.record(HostRow, "hosts WHERE id = ?", facts["host"])
        if host is None:
            raise damaged(self._tables.path, f"the host of page {page} is not in it")
        facts["host"] = host
        left_out = self._tables.row("SELECT nofollow, refused FROM links WHERE source = ?", page)
        facts["nofollow"], facts["refused"] = left_out or (0, 0)
        return facts

    def nofollow_counts(self) -> tuple[int, int]:
        """The number of pages whose links are not followed, as they ask of robots, and of these links."""
        query = """
            SELECT count(*), coalesce(sum(nofollow), 0) FROM pages JOIN fetches ON fetches.id = fetch
            JOIN links ON source = pages.id
            WHERE robots GLOB '*nofollow*' AND nofollow > 0 AND reason NOT IN ('ok', 'noindex')"""
        pages, links = self._tables.row(query)
        return pages, links

    def named_by(self, page: int) -> str | None:
        """URL of the earlier read page that names this one as its alternate."""
        query = "SELECT url FROM pages WHERE id = (SELECT named_by FROM pages WHERE id = ?)"
        url: str | None = self._tables.value(query, page)
        return url

    def given_up(self) -> list[tuple[int, str]]:
        """Pages that were given up or forbidden, each with its reason; scans all pages."""
        return list(self._tables.rows("SELECT id, reason FROM pages WHERE state IN ('error', 'disallowed')"))

    def given_up_at_ill_hosts(self) -> dict[int, str]:
        """Pages that were given up on hosts that are ill, for a reason that may have been the host, by number."""
        query = f"""
            SELECT pages.id, pages.reason FROM health JOIN pages ON pages.host = health.host
            WHERE health.state IN {ILL} AND pages.state = 'error'"""
        return {page: reason for page, reason in self._tables.rows(query) if has(reason, EITHER | OF_HOST)}

    def one_of_each_look(self, before: float) -> list[int]:
        """The first soft 404 of each title of a host, of `MOST_LOOKS` at most, if none of it was asked for since
        `before`."""
        query = """
            SELECT page FROM (
                SELECT min(pages.id) AS page, max(fetched_at) AS asked_at,
                    row_number() OVER (PARTITION BY host ORDER BY min(pages.id)) AS look
                FROM pages JOIN fetches ON fetches.id = fetch
                WHERE state = 'error' AND reason = 'soft-404' GROUP BY host, title
            ) WHERE asked_at < ? AND look <= ?"""
        return [page for (page,) in self._tables.rows(query, (before, MOST_LOOKS))]

    def soft_404s(self, host: int) -> list[int]:
        """The soft 404s of a host, by number."""
        query = "SELECT id FROM pages WHERE host = ? AND state = 'error' AND reason = 'soft-404'"
        return [page for (page,) in self._tables.rows(query, (host,))]

    def answers(self, pages: Iterable[int]) -> dict[int, Answer]:
        """Outcomes of some pages' last turns, by number."""
        query = f"""
            SELECT pages.id, {columns(Answer)} FROM json_each(?) CROSS JOIN pages ON pages.id = json_each.value
            LEFT JOIN fetches ON fetches.id = fetch"""
        rows = self._tables.rows(query, (json.dumps(list(pages)),))
        return {page: Answer._make(row) for page, *row in rows}

    def on_use(self, pages: Iterable[int]) -> dict[int, str]:
        """What pages say on their use, as of their last answers, see minicrawl.web.robots.preferences. Pages that
        say nothing are left out."""
        query = """SELECT pages.id, on_use FROM json_each(?) CROSS JOIN pages ON pages.id = value
            JOIN fetches ON fetches.id = fetch WHERE on_use IS NOT NULL"""
        return dict(self._tables.rows(query, (json.dumps(list(pages)),)))

    def hosts(self) -> npt.NDArray[np.int64]:
        """hosts.id of every page by number, shape (size,)."""
        return self._tables.array("SELECT host FROM pages ORDER BY id", np.int64)

    def counts(self) -> dict[tuple[str, str], int]:
        query = "SELECT state, reason, pages FROM tallies WHERE pages > 0 ORDER BY pages DESC"
        return {(state, reason): count for state, reason, count in self._tables.rows(query)}

    def totals(self) -> Totals:
        """Numbers of pages, as of the last commit."""
        query = "SELECT state, sum(pages) FROM tallies WHERE state <> ? GROUP BY state"
        pages: Counter[str] = Counter(dict(self._tables.rows(query, [State.ELSEWHERE])))
        return Totals(pages.total(), sum(pages[state] for state in READ), pages[State.WAITING])

    def miscounted(self) -> list[tuple[str, str, int, int]]:
        """Each (state, reason) with a wrong count: that count, and the true one."""
        query = """
            SELECT state, reason, sum(kept), sum(there) FROM (
                SELECT state, reason, pages AS kept, 0 AS there FROM tallies
                UNION ALL SELECT state, reason, 0, count(*) FROM pages GROUP BY 1, 2
            ) GROUP BY 1, 2 HAVING sum(kept) <> sum(there) ORDER BY 1, 2"""
        return list(self._tables.rows(query))

    def columns(self) -> Iterator[Columns]:
        """Pages by number, as columns: id, host, state, is_answered (its last turn was), is_dead (it has gone, or is
        NOT_THERE), cited, and the fields of its account."""
        return self._tables.columns(f"""
            SELECT id, host, state, fetch IS NOT NULL AS is_answered, {_IS_DEAD} AS is_dead,
                coalesce(cited, 0) AS cited, {columns(Account)}
            FROM pages ORDER BY id""")
