"""The refresh schedule, and changes of pages."""

from collections.abc import Iterator
from typing import Annotated, NamedTuple

from minicrawl.model import KINDS
from minicrawl.store.declaration import HostId, PageId, Time, table
from minicrawl.store.tables import Columns, Subject

# A page without a row was read by a crawl that fetched nothing again, and became new then.
_CHANGES = """
    SELECT page, what, max(at) AS at, count(*) AS times, sum(added) AS added, sum(removed) AS removed,
        group_concat(nullif(kinds, '')) AS kinds
    FROM changes WHERE at >= :since GROUP BY page, what
    UNION ALL SELECT pages.id, 'new', fetched_at, 1, 0, 0, NULL FROM pages JOIN fetches ON fetches.id = fetch
    WHERE state = 'fetched' AND fetched_at >= :since
        AND pages.id NOT IN (SELECT page FROM changes WHERE what = 'new')"""
_THEN = """
    SELECT page AS risen, coalesce(max(CASE WHEN at <= :since THEN at END), min(at)) AS noted_at
    FROM importances GROUP BY page"""


class RefreshRow(NamedTuple):
    """A page that is fetched again; see crawler/frontier/due_pages.py."""

    page: PageId
    fetched_at: Annotated[Time, "the last answer"]
    due: Time
    rate: Annotated[float, "changes per second, as learned; as it was taken where information is 0"]
    information: Annotated[float, "the shape of its distribution, see opic/refresh.py; 0: nothing learned"] = 0.0
    fetches: Annotated[int, "answers"] = 0
    changes: Annotated[int, "of these, answers that had changed"] = 0
    changed_at: Annotated[Time | None, "the last of them"] = None
    hashes: Annotated[bytes, "of the lines that it is compared to, see web/compare/hashes.py"] = b""
    memory: Annotated[bytes, "what is known of its changes: JSON of Memory of web/compare/comparing.py"] = b""
    answers: Annotated[str, "the last eight: = as before, # changed, ? not found, ! failed"] = ""
    importance: Annotated[float, "of the page, the last one in importances; 0: none"] = 0.0
    lastmod: Annotated[Time | None, "by its sitemap it changed then, after the last answer"] = None
    doubt: Annotated[int, "1: its validators have lied, see crawler/recognise/validators.py"] = 0


class RefreshHost(NamedTuple):
    """What is known of the pages of a host together, where they are fetched again."""

    host: HostId
    doubt: Annotated[int, "of its validators, see crawler/recognise/validators.py"] = 0
    dates: Annotated[int, "how far its Last-Modified is believed, see crawler/frontier/schedules.py"] = 0
    lastmods: Annotated[int, "the same of lastmod in its sitemaps"] = 0


class GroupRate(NamedTuple):
    """The change rate assumed of pages fetched once, by host and folder; see crawler/frontier/schedules.py."""

    host: Annotated[HostId, "-1: all"]
    folder: Annotated[str, "first folder of the path, after the media type of other than HTML; '': all"]
    rate: Annotated[float, "changes per second"]
    information: Annotated[float, "the shape of its distribution, see opic/refresh.py"]
    fetched_twice: Annotated[float, "pages; one with a date counts for a part"]


class Change(NamedTuple):
    """What has become of a page that is fetched again."""

    page: PageId
    at: Time
    what: Annotated[str, "new changed gone"]
    added: Annotated[int, "lines"]
    removed: int
    kinds: Annotated[str, "what they are, see KINDS in model.py, with commas; '': not known"] = ""


class NotedImportance(NamedTuple):
    """Importance of a page at a fetch, noted if it differs by a tenth from the one noted before."""

    page: PageId
    at: Time
    importance: Annotated[float, "share of all"]


# A table of its own: crawls that read every page once have no use for it.
table("refresh", "pages that are fetched again", RefreshRow, keys="page")
table(
    "refresh_hosts",
    "what is known of the pages of a host together",
    RefreshHost,
    keys="host",
    blocks=Annotated[bytes | None, "those its pages repeat, see store/texts/repeated_blocks.py"],
)
table("group_rates", "change rates assumed for pages fetched once", GroupRate, keys="host folder")
table(
    "changes",
    "changes of pages that are fetched again",
    Change,
    keys="id",
    indexes=("changes_by_time ON changes (at)",),
    id=int,
)
table("importances", "importance of pages that are fetched again", NotedImportance, keys="page at")


class ChangedPage(NamedTuple):
    """A page that was new, changed or gone in a period.

    at: Unix seconds, of the last time. times: number of times. added, removed: blocks of its text and values of fields,
    in all; kinds: what they are, of `minicrawl.model.KINDS`.
    """

    url: str
    what: str
    at: float
    importance: float
    times: int
    added: int
    removed: int
    title: str | None
    kinds: tuple[str, ...] = ()


class RisenPage(NamedTuple):
    """A page whose importance has risen. before: its importance at `since`, Unix seconds."""

    url: str
    importance: float
    before: float
    since: float
    title: str | None


def kinds_of(text: str | None) -> tuple[str, ...]:
    """The kinds of changes in a text with commas, each once."""
    found = (text or "").split(",")
    return tuple(kind for kind in KINDS if kind in found)


class Refreshes(Subject):
    """Reads the tables `refresh`, `refresh_hosts`, `changes` and `importances`."""

    def row(self, page: int) -> RefreshRow | None:
        return self._tables.record(RefreshRow, "refresh WHERE page = ?", page)

    def has_memory(self) -> bool:
        """True if something was kept of pages that their next answers can be compared with."""
        query = "SELECT EXISTS (SELECT 1 FROM refresh WHERE hashes != x'') OR EXISTS (SELECT 1 FROM texts)"
        return bool(self._tables.rows(query)[0][0])

    def hosts(self) -> list[RefreshHost]:
        return self._tables.records(RefreshHost, "refresh_hosts ORDER BY host")

    def changed(self, belief: int) -> set[int]:
        """Pages changed since their fetch, by the sitemaps of hosts with at least this belief."""
        query = """
            SELECT page FROM refresh JOIN pages ON pages.id = page JOIN refresh_hosts USING (host)
            WHERE lastmod IS NOT NULL AND lastmods >= ?"""
        return {page for (page,) in self._tables.rows(query, (belief,))}

    def schedule(self) -> Iterator[Columns]:
        """All pages that a refreshing crawl fetches; those that it never did are due, as aliases never asked for.

        As columns: page, fetched_at and due (Unix seconds), information (0 if the rate was not learned), and rate:
        changes per second, -1 if not learned, 0 if `due` does not follow from it.
        """
        return self._columns(
            "coalesce(due, fetches.fetched_at, 0.0)",
            "CASE WHEN answers GLOB '*[?!]' THEN 0.0 WHEN coalesce(information, 0.0) = 0.0 THEN -1.0 ELSE rate END",
            "state IN ('fetched', 'alias') OR refresh.page IS NOT NULL",
        )

    def last_fetches(self, due_by: float) -> Iterator[Columns]:
        """Last fetches of all pages that were read and exist, except failed ones due after `due_by` (Unix seconds), as
        columns like those of `schedule`."""
        return self._columns(
            "coalesce(due, 0.0)",
            "coalesce(rate, 0.0)",
            "state IN ('fetched', 'alias') AND fetch IS NOT NULL "
            "AND NOT (coalesce(answers, '') GLOB '*[?!]' AND due > ?)",
            due_by,
        )

    def _columns(self, due: str, rate: str, which: str, *values: float) -> Iterator[Columns]:
        query = f"""
            SELECT pages.id AS page, coalesce(refresh.fetched_at, fetches.fetched_at, 0.0) AS fetched_at, {due} AS due,
                {rate} AS rate, coalesce(information, 0.0) AS information
            FROM pages LEFT JOIN fetches ON fetches.id = fetch LEFT JOIN refresh ON refresh.page = pages.id
            WHERE {which}"""
        return self._tables.columns(query, *values)

    def began(self) -> float | None:
        """Unix seconds of the first known event of a crawl."""
        query = """
            SELECT min(at) FROM (SELECT at FROM course UNION ALL SELECT min(at) FROM changes
                                 UNION ALL SELECT min(fetched_at) FROM fetches)"""
        began: float | None = self._tables.value(query)
        return began

    def changes_of(self, page: int) -> list[Change]:
        """The changes of a page, the oldest first; scans those of all pages."""
        return self._tables.records(Change, "changes WHERE page = ? ORDER BY at, id", page)

    def changed_pages(self, since: float, n: int = -1) -> list[ChangedPage]:
        """New, changed and gone pages since a time (Unix seconds), or the first n, the most important first."""
        query = f"""
            SELECT url, what, at, importance, times, added, removed, title, kinds
            FROM ({_CHANGES}) CROSS JOIN weighed ON weighed.id = page
            WHERE NOT (what = 'new' AND state = 'alias')
            ORDER BY importance DESC, page, at LIMIT :n"""
        rows = self._tables.rows(query, {"since": since, "n": n})
        return [ChangedPage._make((*row[:-1], kinds_of(row[-1]))) for row in rows]

    def risen_pages(self, since: float) -> list[RisenPage]:
        """Pages whose importance has risen since a time (Unix seconds), or since their first fetch after it, largest
        gain first."""
        query = f"""
            SELECT url, weighed.importance, importances.importance, at, title
            FROM ({_THEN}) CROSS JOIN importances ON page = risen AND at = noted_at
                CROSS JOIN weighed ON weighed.id = risen
            WHERE weighed.importance > importances.importance
            ORDER BY weighed.importance - importances.importance DESC, risen"""
        return list(map(RisenPage._make, self._tables.rows(query, {"since": since})))
