"""Sites, their doors, and other sites' voices for pages: empty if random surfers jump to all pages alike."""

from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.store.declaration import PageId, SiteId, columns, table
from minicrawl.store.tables import Subject

IntArray = npt.NDArray[np.int64]
_TRUSTED = """
    WITH wanted AS (SELECT id FROM sites WHERE :host IS NULL OR id = (SELECT site FROM hosts WHERE id = :host)),
        linking AS (
            SELECT DISTINCT hosts.site AS target, voices.site AS source
            FROM voices CROSS JOIN pages ON pages.id = voices.page CROSS JOIN hosts ON hosts.id = pages.host
            WHERE hosts.site IN wanted),
        trusting AS (SELECT target, name, trust FROM linking JOIN sites ON sites.id = source WHERE trust > 0),
        by_target AS (SELECT target, count(*) AS sites, name AS first, max(trust) FROM trusting GROUP BY target),
        seeds AS (
            SELECT hosts.site
            FROM doors CROSS JOIN pages ON pages.id = doors.page CROSS JOIN hosts ON hosts.id = pages.host
            WHERE depth = 0)
    SELECT name, trust, coalesce(by_target.sites, 0), first, id IN seeds
    FROM sites LEFT JOIN by_target ON target = id WHERE id IN wanted ORDER BY id"""


class SiteRow(NamedTuple):
    """A site that walkers jump to; see opic/sites.py."""

    id: Annotated[int, "from 1 on"]
    name: Annotated[str, "its owner, see web/urls/keys.py"]
    trust: Annotated[float, "share of all"]
    voice: Annotated[int, "how far its links count for pages of other sites; 256 is in full"]
    page_level: Annotated[
        int, "birth cash of each of its pages, times 1 + pages.cited; those from meta.shared_out on have one unit"
    ]
    entrance_level: Annotated[int, "and what an entrance has more"]


class DoorRow(NamedTuple):
    """A page at which people come in: an entrance of its site, or one that other sites link to."""

    page: PageId
    is_front: Annotated[bool, "the front page of a host"]
    is_entrance: Annotated[bool, "a seed or front page, as of when births were last shared out"]
    voices: Annotated[int, "of other sites that link to it, by sites.voice, a quarter for one link"]


class VoiceRow(NamedTuple):
    """Links to a page from another site."""

    page: PageId
    site: Annotated[SiteId, "0: sites of other partitions, see crawler/sharing.py"]
    links: Annotated[int, "2^32 for each in a page's frame, 1 for others; of site 0: their voices"]


table("sites", "where walkers jump to; empty where they jump to all pages alike", SiteRow, keys="id", unique="name")
table("doors", "pages at which people come in", DoorRow, keys="page")
table("voices", "links from other sites", VoiceRow, keys="page site")


class TrustedSite(NamedTuple):
    """A site's trust and its sources.

    trust: share of all. trusted_by: number of other sites with trust that link to it; trusted_first: the most trusted
    of these, None without any. is_seed: True if trust begins there.
    """

    name: str
    trust: float
    trusted_by: int
    trusted_first: str | None
    is_seed: bool


class SiteTable(Subject):
    """Reads the tables `sites`, `doors` and `voices`, and the site of each host."""

    def all(self) -> list[SiteRow]:
        return self._tables.records(SiteRow, "sites ORDER BY id")

    def of_hosts(self) -> IntArray:
        """The number of the site of every host, by hosts.id; 0 if none is kept."""
        return self._tables.array("SELECT coalesce(site, 0) FROM hosts ORDER BY id", np.int64)

    def trusted(self, host: int | None = None) -> list[TrustedSite]:
        """All sites by number, or only that of a host; scans all links between sites."""
        rows = self._tables.rows(_TRUSTED, {"host": host})
        return [TrustedSite._make((*row, bool(is_seed))) for *row, is_seed in rows]

    def doors(self) -> IntArray:
        """Rows of `doors`, shape (doors, 4)."""
        return self._tables.array(f"SELECT {columns(DoorRow)} FROM doors", np.int64).reshape(-1, 4)

    def voices(self) -> IntArray:
        """Rows of `voices`, shape (voices, 3)."""
        return self._tables.array(f"SELECT {columns(VoiceRow)} FROM voices", np.int64).reshape(-1, 3)
