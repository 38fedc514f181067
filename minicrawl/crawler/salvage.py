"""Build a new store from the readable rows of a damaged one, from its archive, or from both.

URLs, states, links and answers are copied as far as they can be read. The books are not: they are computed anew from
the links, from the first page to the last; so they balance to the unit, and the ranking is that of the links. Pages
whose links were lost wait for their turn again. Data that a crawl learns again by itself is left out: traps, budgets,
fingerprints, sitemaps; so are saved rankings.

An archive is crawled in place of the network, with the settings and seeds beside it, into a store whose rows are copied
where the damaged one has none. Pages that it does not have wait.
"""

import asyncio
import base64
import binascii
import json
import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple  # Any: rows

import numpy as np
import numpy.typing as npt

from minicrawl import log
from minicrawl.archive.collection import files
from minicrawl.archive.reading import Record, records
from minicrawl.archive.record import NOT_MODIFIED
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.archiving.records import KeptCrawl, kept_crawl, prefix_of
from minicrawl.crawler.archiving.replayed import NOT_ARCHIVED
from minicrawl.crawler.books.accounts import Accounts, kind_of
from minicrawl.crawler.books.stored_accounts import account_columns, account_totals
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.run import crawl_with
from minicrawl.crawler.urls.keys import politeness_key
from minicrawl.crawler.urls.normalise import normalise
from minicrawl.errors import MinicrawlError, SettingError, StoreError
from minicrawl.model import RecordKind, State
from minicrawl.opic import GRANT, SEED_GRANTS, STRATEGIES
from minicrawl.opic.surfer import REASONABLE
from minicrawl.settings import CrawlSettings, in_full, lasting
from minicrawl.store.archived import ArchiveFileRow, RecordRow
from minicrawl.store.damaged_store import DamagedStore
from minicrawl.store.database import beside, logs
from minicrawl.store.links import NOWHERE, PlacedLinks, are_places, placed, places_to_bytes, to_bytes
from minicrawl.store.rows import Fetch, HostRow, Links, NewPage, PreferencesRow, RobotsRow, Turn
from minicrawl.store.writer import Writer

_STATES = frozenset(State)
_DEEPEST = 2**20
_ROWS = 10_000


_OF_ONE_PLACE = frozenset(
    {"archive", "requisites", "screenshots", "refresh", "recrawl_after", "text", "audit", "search"}
    | {"extract", "extract_rule", "extract_structured"}
    | {"proxy", "auth", "cookies", "cookie_file", "ca_file", "connect_to"}
)
"""Settings that a crawl of an archive goes without: of the network, of times, and of other files."""


class Salvaged(NamedTuple):
    """Numbers of pages that were recovered, of those with a turn, and of those that wait for it again. archive: the
    folder that a part or all of them are from; None for none."""

    pages: int
    read: int
    again: int
    archive: str | None = None


class _Page(NamedTuple):
    """A valid row of `pages`."""

    id: int
    url: str
    found_on: int | None
    state: str
    reason: str
    visited: int
    depth: int
    fetch: int | None


class _Source(NamedTuple):
    """A store to copy rows from. pages: its valid rows of `pages`. answered: when URLs were answered, if the store does
    not know."""

    store: DamagedStore
    pages: list[_Page]
    answered: Mapping[str, float] = {}


class _Archive(NamedTuple):
    """An archive, its crawl, and the rows of its files and answers."""

    folder: Path
    crawl: KeptCrawl
    files: list[ArchiveFileRow]
    records: list[RecordRow]


def salvage(store: Path, file: Path, archive: Path | None = None) -> Salvaged:
    """Write what the damaged `store` and its archive have into a new one, `file`, which appears whole or not at all.

    archive: the folder of an archive, which is used alone. Raises StoreError if nothing can be read, or `file` cannot
    be written; SettingError if `file` exists.
    """
    if file.exists():
        raise SettingError(f"{file} is there already; name another file")
    unfinished = file.with_name(f".{file.name}.salvaged")
    try:
        unfinished.unlink(missing_ok=True)
        salvaged = _of_store(store, unfinished) if archive is None else _of_archive(archive, unfinished)
        unfinished.replace(file)
    finally:
        for left in (unfinished, beside(unfinished, ".lock"), *logs(unfinished)):
            left.unlink(missing_ok=True)
    return salvaged


def _of_store(store: Path, file: Path) -> Salvaged:
    """Rebuild a store from its rows, and if some of them are lost from its archive as well."""
    remedy = "'minicrawl salvage FILE --archive DIR' makes one of its archive, if there is one"
    if not store.exists():
        raise StoreError(f"there is no crawl at {store}; name the damaged one with --store, or {remedy}")
    if store.is_dir():
        raise SettingError(f"{store} is a folder; name the file of the damaged store in it with --store")
    with closing(DamagedStore(store)) as damaged:
        pages = _pages(damaged)
        if not pages:
            raise StoreError(
                f"not one page of {store} can be read; use a backup, or begin anew with another --store, or {remedy}"
            )
        kept = dict(damaged.all_rows("meta", ("key", "value")))
        settings, source = _settings(kept.get("settings"), store.parent), _Source(damaged, pages)
        salvaged = _rebuilt([source], settings, file)
        is_whole = not salvaged.again and max(page.id for page in pages) < len(pages)
        if is_whole or settings.archive is None:
            return salvaged
        try:
            archive = _archive(settings.archive)
        except StoreError as error:
            log.archive_damaged(why=str(error))
            return salvaged
        file.unlink()
        with _replayed(archive, settings, file.parent) as replayed:
            return _rebuilt([source, replayed], settings, file, archive)


def _of_archive(folder: Path, file: Path) -> Salvaged:
    """Build a store from an archive alone."""
    archive = _archive(folder)
    settings = replace(_settings(archive.crawl.settings, folder), archive=folder.absolute())
    with _replayed(archive, settings, file.parent) as replayed:
        return _rebuilt([replayed], settings, file, archive)


def _archive(folder: Path) -> _Archive:
    """Raises StoreError."""
    crawl = kept_crawl(folder)
    return _Archive(folder, crawl, *_rows_of(folder, crawl.archive_id))


def _rows_of(folder: Path, archive_id: str) -> tuple[list[ArchiveFileRow], list[RecordRow]]:
    """The rows of a store's files, and of the answers in them, all with their URLs."""
    own = [path for path in files(folder) if path.name.startswith(f"{prefix_of(archive_id)}-")]
    sizes = [ArchiveFileRow(path.name, path.stat().st_size) for path in own]
    return sizes, [_row(record, path.name) for path in own for record in _archived(path)]


def _archived(path: Path) -> Iterator[Record]:
    found = records(path, on_damage=lambda damage: log.archive_damaged(why=f"{path}: {damage}"))
    return (record for record in found if record.is_answer)


def _row(record: Record, file: str) -> RecordRow:
    try:
        digest = base64.b32decode(record.fields.get("warc-payload-digest", "").rpartition(":")[2])
    except binascii.Error:
        digest = b""
    is_same = record.fields.get("warc-profile") == NOT_MODIFIED
    revisit = RecordKind.NOT_MODIFIED if is_same else RecordKind.REVISIT
    kind = str(revisit if record.kind == "revisit" else RecordKind(record.kind))
    place = record.at, file, record.start, record.length
    return RecordRow(None, record.url, *place, digest, kind, record.status, record.media_type)


@contextmanager
def _replayed(archive: _Archive, settings: CrawlSettings, folder: Path) -> Iterator[_Source]:
    """A crawl of an archive in place of the network, during the block. folder: for its store."""
    kept = lasting(json.loads(settings.to_json(folder)))
    given = {name: value for name, value in kept.items() if name not in _OF_ONE_PLACE}
    with TemporaryDirectory(prefix=".salvaged-", dir=folder) as temporary:
        store = Path(temporary, "crawl.db")
        crawl = crawl_with(given | {"from_archive": [str(archive.folder)]}, Seeds(archive.crawl.seeds), store)
        asyncio.run(crawl)
        with closing(DamagedStore(store)) as rows:
            pages = [_unasked(page) if page.reason == NOT_ARCHIVED else page for page in _pages(rows)]
            answered = {row.url: row.at for row in archive.records if row.url and row.kind != RecordKind.NOT_MODIFIED}
            yield _Source(rows, pages, answered)


def _unasked(page: _Page) -> _Page:
    return page._replace(state=State.WAITING, reason="link", visited=0)


def _pages(damaged: DamagedStore) -> list[_Page]:
    """All valid pages, none of them twice."""
    found: dict[str, _Page] = {}
    for row in damaged.rows("pages", "id", _Page._fields):
        page = _Page._make(row)
        if _makes_sense(page):
            found.setdefault(page.url, page)
    return list(found.values())


def _makes_sense(page: _Page) -> bool:
    are_texts = all(isinstance(text, str) and text for text in (page.url, page.state, page.reason))
    are_numbers = all(isinstance(number, int) for number in (page.visited, page.depth))
    return are_texts and are_numbers and page.state in _STATES and normalise(page.url) == page.url


def _rebuilt(
    sources: Sequence[_Source], settings: CrawlSettings, file: Path, archive: _Archive | None = None
) -> Salvaged:
    """Write the rows of the first source into a new store, and those of others that it lacks."""
    pages: dict[str, _Page] = {}
    found_on: dict[str, str | None] = {}
    for source in sources:
        urls = {page.id: page.url for page in source.pages}
        for page in source.pages:
            pages.setdefault(page.url, page)
            if found_on.get(page.url, "") == "":  # not known, or on a lost page
                found_on[page.url] = None if page.found_on is None else urls.get(page.found_on, "")
    numbers = {url: number for number, url in enumerate(pages)}
    accounts = Accounts(REASONABLE)
    seeds = [numbers[url] for url, above in found_on.items() if above is None] or [0]
    grants = np.full(len(pages), GRANT)
    grants[seeds] = SEED_GRANTS * GRANT
    accounts.discover(0, grants.tolist())
    accounts.depth[: len(pages)] = [min(max(page.depth, 0), _DEEPEST) for page in pages.values()]
    accounts.depth[seeds] = 0
    turns, links = dict[int, Turn](), dict[int, Links]()
    for is_whole in (True, False):
        for source in sources:
            _replay(source, numbers, accounts, turns, links, is_whole=is_whole)
    hosts = _hosts([source.store for source in sources], pages)
    writer = Writer(file)
    try:
        with writer.transaction():
            writer.save_hosts(hosts.values())
            new = [
                NewPage(
                    number,
                    url,
                    hosts[politeness_key(url)].id,
                    None if above is None else numbers.get(above, seeds[0]),  # one found on a lost page is no seed
                    pages[url].reason,
                )
                for number, (url, above) in enumerate(found_on.items())
            ]
            for first in range(0, len(pages), _ROWS):
                some = np.arange(first, min(first + _ROWS, len(pages)))
                writer.page_rows.add(new[first : first + _ROWS], account_columns(accounts, some))
            writer.page_rows.save_turns([turns[number] for number in sorted(turns)])
            writer.save_links([links[number] for number in sorted(links)])
            stores = [source.store for source in sources]
            writer.save_robots(_robots(stores))
            writer.save_preferences(_preferences(sources, numbers))
            writer.save_meta(account_totals(accounts))
            if archive is not None:
                _save_archive(writer, archive, numbers)
        intake = Intake(writer, settings, STRATEGIES[settings.strategy], time.time())
        intake.start([], time.time())
        intake.ranking.settle_fully()
        intake.commit(
            {
                "settings": settings.to_json(file.parent),
                "stopped": "salvaged",
                "in_doubt": 1,
                "asked_until": time.time(),
            },
            ranks=True,
        )
    finally:
        writer.close()
    again = sum(bool(page.visited) and numbers[page.url] not in turns for page in pages.values())
    return Salvaged(len(pages), len(turns), again, None if archive is None else str(archive.folder))


def _save_archive(writer: Writer, archive: _Archive, numbers: dict[str, int]) -> None:
    """Take over an archive, so that the crawl goes on with it."""
    writer.save_archive_files(archive.files)
    pages = ((row, numbers.get(row.url or "")) for row in archive.records)
    writer.add_records(row if page is None else row._replace(page=page, url=None) for row, page in pages)
    writer.save_meta({"archive_id": archive.crawl.archive_id})


def _replay(  # noqa: PLR0913 - what is known, and what is gathered
    source: _Source,
    numbers: dict[str, int],
    accounts: Accounts,
    turns: dict[int, Turn],
    links: dict[int, Links],
    *,
    is_whole: bool,
) -> None:
    """Add the turns of all pages that had one and whose links can be read, but for those that there are already.

    is_whole: only of pages that link to no lost ones.
    """
    pages = {page.id: page for page in source.pages}
    of_id = {page.id: numbers[page.url] for page in source.pages}
    answers = dict(_answers(source.store))
    for row in source.store.rows("links", "source", Links._fields):
        page = pages.get(row[0])
        if page is None or not page.visited or of_id[page.id] in turns or not isinstance(row[1], bytes):
            continue
        if is_whole and not all(target in of_id for target in _targets(row[1]).tolist()):
            continue
        number, outlinks = of_id[page.id], _mapped(row[1], row[5], of_id[page.id], of_id)
        is_alias = page.state == State.ALIAS
        if page.state == State.WAITING or (is_alias and len(outlinks.targets) != 1):
            continue
        if page.state not in (State.FETCHED, State.ALIAS):
            outlinks = NOWHERE
        answer = answers.get(page.fetch) if page.fetch is not None else None
        if answer is not None and page.url in source.answered:
            answer = answer._replace(fetched_at=source.answered[page.url])
        accounts.visit(number, outlinks, kind=kind_of(page.state, answer is not None))
        if page.state == State.GONE:
            accounts.retire(number)
        turns[number] = Turn(number, page.state, page.reason, 0, answer)
        nofollow, refused = (count if isinstance(count, int) else 0 for count in row[2:4])
        places = places_to_bytes(outlinks.places)
        links[number] = Links(number, to_bytes(outlinks.targets), nofollow, refused, places=places)
        if is_alias and isinstance(row[4], bytes):
            own = _mapped(row[4], row[6], number, of_id)
            links[number] = links[number]._replace(own=to_bytes(own.targets), own_places=places_to_bytes(own.places))


def _targets(blob: bytes) -> npt.NDArray[np.uint32]:
    return np.frombuffer(blob, dtype="<u4", count=len(blob) // 4)


def _mapped(blob: bytes, places: object, source: int, numbers: dict[int, int]) -> PlacedLinks:
    """Links with the new numbers, without those to lost pages. Invalid places are left out: the links of a page then
    count alike."""
    targets = _targets(blob).tobytes()
    is_sound = isinstance(places, bytes) and are_places(places, len(targets) // 4)
    old = placed(targets, places if isinstance(places, bytes) and is_sound else None)
    alike = np.zeros(len(old.targets), dtype=np.uint8)
    found: dict[int, int] = {}
    for target, place in zip(old.targets.tolist(), (alike if old.places is None else old.places).tolist(), strict=True):
        if target in numbers:
            found.setdefault(numbers[target], place)
    found.pop(source, None)
    kept = np.fromiter(found.values(), dtype=np.uint8, count=len(found))
    return PlacedLinks(np.fromiter(found, dtype=np.int64, count=len(found)), kept)


def _hosts(stores: Sequence[DamagedStore], urls: Iterable[str]) -> dict[str, HostRow]:
    """The hosts of all pages, with their readable data."""
    rows = (row for store in stores for row in store.rows("hosts", "id", HostRow._fields) if _is_host(row))
    known = dict[str, tuple[Any, ...]]()
    for row in rows:
        known.setdefault(row[1], row)
    hosts: dict[str, HostRow] = {}
    for name in map(politeness_key, urls):
        if name not in hosts:
            hosts[name] = HostRow(len(hosts), name, *known.get(name, (0, name, 0.0, 0.0))[2:])
    return hosts


def _is_host(row: tuple[object, ...]) -> bool:
    are_times = all(isinstance(value, int | float) and math.isfinite(value) and value >= 0 for value in row[2:])
    return isinstance(row[1], str) and are_times and isinstance(row[6], int)


def _answers(damaged: DamagedStore) -> Iterator[tuple[int, Fetch]]:
    for row in damaged.rows("fetches", "id", ("id", *Fetch._fields)):
        answer = Fetch._make(row[1:])
        are_numbers = isinstance(answer.status, int) and isinstance(answer.bytes, int)
        times = (answer.fetched_at, answer.seconds)
        are_times = all(isinstance(value, float) and math.isfinite(value) for value in times)
        are_texts = all(isinstance(text, str | None) for text in (answer.content_type, answer.title))
        if are_numbers and are_times and are_texts:
            yield row[0], answer


def _preferences(sources: Sequence[_Source], numbers: dict[str, int]) -> list[PreferencesRow]:
    """What pages say on their use, by their new numbers."""
    found: dict[int, str] = {}
    for source in sources:
        urls = {page.id: page.url for page in source.pages}
        for page, said in source.store.rows("page_preferences", "page", PreferencesRow._fields):
            if page in urls and isinstance(said, str):
                found.setdefault(numbers[urls[page]], said)
    return [PreferencesRow(page, said) for page, said in found.items()]


def _robots(stores: Sequence[DamagedStore]) -> list[RobotsRow]:
    found = dict[str, RobotsRow]()
    for values in (values for store in stores for values in store.rows("robots", "rowid", RobotsRow._fields)):
        row = RobotsRow._make(values)
        are_times = isinstance(row.fetched_at, float) and isinstance(row.expires, float)
        are_right = isinstance(row.body, bytes) and isinstance(row.attempts, int) and isinstance(row.status, int | None)
        if isinstance(row.origin, str) and isinstance(row.reason, str | None) and are_times and are_right:
            found.setdefault(row.origin, row)
    return list(found.values())


def _settings(kept: object, folder: Path) -> CrawlSettings:
    """The settings for the next run of a crawl that were kept in a folder; if they cannot be read, the defaults."""
    try:
        settings: Any = json.loads(kept or "{}") if isinstance(kept, str | None) else kept
        return CrawlSettings.from_json(lasting(in_full(settings, folder)))
    except (MinicrawlError, ValueError, TypeError, AttributeError):
        return CrawlSettings()
