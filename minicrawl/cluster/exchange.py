"""Which partition a URL belongs to, and what partitions do to their accounts for one another.

All URLs of a site (a registrable domain, or a user's part of a shared one, see web/urls/keys.py) have one home, so
that most links stay within a partition:

    home = keyed hash of the site, modulo the number of partitions

That number is fixed when a crawl begins. Without the key nobody can construct hosts that share a home.

Pages may stand for others by a hint. Only the home of a page knows whether it is dead, and only the partition of a page
knows what that names as canonical: the keeper brings them together once nothing is left to fetch.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from minicrawl.crawler.intake import Intake
from minicrawl.crawler.sharing import Share
from minicrawl.errors import StoreError
from minicrawl.model import State
from minicrawl.opic.book import SETTLED_ERROR, certificate_of
from minicrawl.opic.sites import SiteLinks, SiteShares
from minicrawl.reasons import MAX_HOPS
from minicrawl.store.folder import Folder
from minicrawl.store.transfers import OutboxRow, Records, joined, sums, unpacked
from minicrawl.web.urls.keys import authority, hostname, partition_key, site_of


def home_of(url: str, folder: Folder) -> int:
    """The partition of a normalised URL, from 0 on; independent of scheme and port."""
    return partition_key(hostname(url).removesuffix("."), folder.secret) % folder.partitions


def share_of(here: int, folder: Folder) -> Share:
    """The part of the web that belongs to partition `here`."""
    by_authority = lru_cache(maxsize=100_000)(lambda found: home_of(f"http://{found}/", folder))
    return Share(here, lambda url: by_authority(authority(url)))


# Rows.


def take_all(
    intake: Intake, parcels: Sequence[tuple[int, Sequence[OutboxRow]]], now: float, *, is_crawling: bool = True
) -> list[int]:
    """Take the next rows of several sources, given with them, all at once; skip rows taken before, or behind a gap.

    is_crawling: pages are handed out; after the crawl their order no longer matters. Returns for each source the number
    of its last row in the accounts, to be confirmed once committed. Raises StoreError for a damaged row, when nothing
    is taken.
    """
    outbox = intake.state.outbox
    assert outbox is not None, "the crawl has partitions"
    answers: list[int] = []
    found: list[tuple[int, OutboxRow]] = []
    numbers: dict[int, int] = {}
    for source, rows in parcels:
        number = numbers.get(source, outbox.taken(source))
        for row in rows:
            if row.number == number + 1:
                found.append((source, row))
                number = row.number
        numbers[source] = number
        answers.append(number)
    if not found:
        return answers
    try:
        records, ends = unpacked([row.records for _, row in found])
        of_rows = sums(records, ends)
        if [of_row.received for of_row in of_rows] != [row.received for _, row in found]:
            raise ValueError("its checksums are wrong")
    except ValueError as error:
        damage = f"a message between partitions is damaged: {error}; restore all from one copy"
        raise StoreError(damage) from error
    _apply(intake, joined(records), now, is_crawling=is_crawling)
    for (source, row), of_row in zip(found, of_rows, strict=True):
        outbox.note_taken(source, row.number, of_row)
    return answers


def _apply(intake: Intake, records: Records, now: float, *, is_crawling: bool) -> None:
    accounts, discovery, frontier = intake.state.accounts, intake.state.discovery, intake.state.frontier
    admission = intake.state.admission
    first = accounts.size
    pages = np.array(discovery.handed_over(records.urls, records.found_on), dtype=np.int64)
    depths = accounts.depth[pages]
    accounts.take_over(pages, records.received)
    if intake.state.sites is not None and intake.state.sites.shared is not None and len(records.voices):
        intake.state.sites.shared.take_over(pages, records.voices)
    accounts.inlinks[pages] += records.inlinks
    accounts.depth[pages] = np.minimum(depths, records.depth)
    intake.visits.aliases.lengthen(accounts.lengthen(pages, records.chain_length).tolist())
    admission.protect([url for url, depth in zip(records.urls, records.depth.tolist(), strict=True) if not depth])
    for page, url in zip(pages.tolist(), records.urls, strict=True):
        if page >= first and (rule := admission.refusal(url)) is not None:
            # It stays known: the partitions that link to it have counted these links.
            intake.visits.give_up(page, State.DISALLOWED, rule, now)
    if is_crawling:
        frontier.pages.credit(pages[pages < discovery.offered])
        discovery.offer_new(now)
    intake.visits.deep_links.note_nearer(pages.astype(np.int32), depths)


# Births.


class Told(NamedTuple):
    """What a partition tells of its sites: the links between them, and the URLs of its aliases that others link to,
    with those of the pages that they stand for."""

    links: SiteLinks
    aliases: Mapping[str, str]


def site_links(intake: Intake) -> Told:
    """What this partition tells the others of its sites."""
    assert intake.state.sites is not None, "walkers jump to sites"
    url, aliases = intake.state.urls.url, intake.state.sites.named_aliases()
    return Told(intake.state.sites.links(), {url(page): url(end) for page, end in aliases.items()})


def aliases_of_all(each: Iterable[Told]) -> Mapping[str, str]:
    """The URLs of aliases of all partitions, with those of the pages that they stand for in the end."""
    found = dict(chain.from_iterable(told.aliases.items() for told in each))
    for _ in range(MAX_HOPS):
        found = {url: found.get(end, end) for url, end in found.items()}
    return found


def shared_out(shares: SiteShares, aliases: Mapping[str, str], intake: Intake, *, exactly: bool = False) -> bool:
    """Share out births in a partition by the shares of its sites, one of `combined.shares_of_all`.

    aliases: from `aliases_of_all`. exactly: as in `KnownSites.work_out`. Returns False if the aliases are others than
    before, or if the voices here for pages elsewhere are others now than their homes know.
    """
    sites, mirrors = intake.state.sites, intake.state.mirrors
    assert sites is not None, "walkers jump to sites"
    assert sites.shared is not None, "the crawl has partitions"
    assert mirrors is not None, "the crawl has partitions"
    find, is_elsewhere, ends = intake.state.urls.find, mirrors.flags(), list(aliases.values())
    # A page that is not known here is given by the first of its aliases.
    page_of = {url: page for url, page in zip(ends, find(ends), strict=True) if page is not None}
    known = {}
    for url, page in zip(aliases, find(list(aliases)), strict=True):
        if page is not None and is_elsewhere[page]:
            end = aliases[url]
            known[page] = page_of.setdefault(end, page), site_of(authority(end))
    were_known = sites.note_elsewhere(known)
    intake.ranking.share_births_out(shares, exactly=exactly)
    return were_known and not len(sites.shared.unsaid())


# Hints.


def named_elsewhere(intake: Intake) -> Mapping[int, Sequence[str]]:
    """URLs of other partitions that pages here name as canonical, by home."""
    assert intake.state.mirrors is not None, "the crawl has partitions"
    urls = list(map(intake.state.urls.url, intake.visits.aliases.hinted_mirrors()))
    named: defaultdict[int, list[str]] = defaultdict(list)
    for url, home in zip(urls, intake.state.mirrors.homes(urls), strict=True):
        if home is not None:
            named[home].append(url)
    return named


def dead(urls: Sequence[str], intake: Intake) -> Sequence[str]:
    """Those of some URLs of this partition whose last turn found nothing."""
    visited, is_dead = intake.state.accounts.had_turn, intake.visits.aliases.is_dead
    pages = zip(urls, intake.state.urls.find(urls), strict=True)
    return [url for url, page in pages if page is not None and visited[page] and is_dead(page)]


def voided(urls: Sequence[str], now: float, intake: Intake) -> int:
    """Let pages that name some URLs as canonical stand for themselves. Returns their number."""
    pages = [page for page in intake.state.urls.find(urls) if page is not None]
    count = sum(map(intake.visits.aliases.void_hints_to, pages))
    intake.state.discovery.offer_new(now)
    return count


# The end.


def settle(intake: Intake, error: float = SETTLED_ERROR) -> bool:
    """Make virtual visits of a partition, all of whose links are committed, until its ranking is exact within `error`,
    and its depths are. Returns True if it was before."""
    accounts = intake.state.accounts
    was_settled = certificate_of(*accounts.book.unsettled_sums()) <= error
    with intake.state.writer.link_table.kept_blocks() as blocks:
        if not was_settled:
            accounts.settle_fully(blocks, error)
        accounts.shorten(blocks)
    return was_settled
