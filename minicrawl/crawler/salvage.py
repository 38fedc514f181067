"""Build a new store from the readable rows of a damaged one.

URLs, states, links, answers, the health of hosts and tables of parts are copied as far as they can be read. The book is
not: it is recomputed from the links, from the first page to the last; so they balance to the unit, and the ranking
is that of the links. Pages whose links were lost wait for their turn again. What a crawl learns again by itself is left
out: robots.txt, traps, budgets, fingerprints, sitemaps; so are saved rankings.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple  # Any: rows

import numpy as np
from msgspec import ValidationError, convert

from minicrawl.crawler.books.accounts import Accounts, kind_of
from minicrawl.crawler.books.stored import account_rows, account_totals
from minicrawl.crawler.intake import Intake
from minicrawl.errors import MinicrawlError, SettingError, StoreError
from minicrawl.model import State
from minicrawl.opic.surfer import REASONABLE
from minicrawl.parts import of_part
from minicrawl.reasons import NOT_THERE, has
from minicrawl.settings import CrawlSettings
from minicrawl.settings.crawl import in_full, lasting
from minicrawl.store.damaged_store import DamagedStore, SalvagedPage
from minicrawl.store.database import beside, logs
from minicrawl.store.declaration import references, tables
from minicrawl.store.hosts import HealthRow, HostRow
from minicrawl.store.links import LAST_PLACE, NOWHERE, Links, PlacedLinks, from_bytes, linked, packed, placed, to_bytes
from minicrawl.store.pages import NewPage, Turn
from minicrawl.store.writer import Writer
from minicrawl.system import put_in_place
from minicrawl.web.urls.keys import politeness_key
from minicrawl.web.urls.normalise import normalise_route

_DEEPEST = 2**20
_ROWS = 10_000


def salvage(store: Path, file: Path) -> tuple[int, int, int]:
    """Write what can be read of the damaged `store` into a new one, `file`, which appears whole or not at all.

    Returns the numbers of pages that were recovered, of those with a turn, and of those that wait for it again.

    Raises StoreError if nothing can be read, or `file` cannot be written; SettingError if `file` exists.
    """
    if file.exists():
        raise SettingError(f"{file} already exists; name another file")
    if not store.exists():
        raise StoreError(f"there is no crawl at {store}; name the damaged one with --store")
    if store.is_dir():
        raise SettingError(f"{store} is a folder; name the file of the damaged store in it with --store")
    unfinished = file.with_name(f".{file.name}.salvaged")
    try:
        unfinished.unlink(missing_ok=True)
        with put_in_place(unfinished, file), closing(DamagedStore(store)) as damaged:
            salvaged = _rebuilt(damaged, unfinished)
    finally:
        for left in (unfinished, beside(unfinished, ".lock"), *logs(unfinished)):
            left.unlink(missing_ok=True)
    return salvaged


def _rebuilt(damaged: DamagedStore, file: Path) -> tuple[int, int, int]:
    pages = [page for page in damaged.pages() if normalise_route(page.url) == page.url]
    if not pages:
        raise StoreError(f"no page of {damaged.path} can be read; use a backup, or start again with another --store")
    settings = _settings(damaged.meta("settings"), damaged.path.parent)
    numbers = {page.id: number for number, page in enumerate(pages)}
    accounts = Accounts(REASONABLE)
    seeds = [number for number, page in enumerate(pages) if page.found_on is None] or [0]
    accounts.discover(0, len(pages))
    accounts.depth[: len(pages)] = [min(max(page.depth, 0), _DEEPEST) for page in pages]
    accounts.depth[seeds] = 0
    turns = _replayed(damaged, pages, numbers, accounts)
    names = dict.fromkeys(politeness_key(page.url) for page in pages)
    hosts = {name: HostRow(number, name, 0.0, 0.0) for number, name in enumerate(names)}
    found_on = (page.found_on if page.found_on is None else numbers.get(page.found_on, seeds[0]) for page in pages)
    new = [
        NewPage(number, page.url, hosts[politeness_key(page.url)].id, above, page.reason)
        for number, (page, above) in enumerate(zip(pages, found_on, strict=True))
    ]
    with closing(Writer(file)) as writer:
        with writer.transaction():
            writer.put(HostRow, hosts.values())
            writer.put(HealthRow, _health(damaged, hosts, numbers))
            for first in range(0, len(pages), _ROWS):
                some = np.arange(first, min(first + _ROWS, len(pages)))
                writer.add_pages(new[first : first + _ROWS], account_rows(accounts, some))
            writer.save_turns([turn for _, (turn, _) in sorted(turns.items())])
            writer.save_links([links for _, (_, links) in sorted(turns.items())])
            writer.save_meta(account_totals(accounts))
            for name in tables():
                _copy_part(damaged, writer, name, numbers)
        intake = Intake(writer, settings, time.time())
        intake.start([], time.time())
        intake.ranking.settle_fully()
        settings_kept = settings.to_json(file.parent)
        intake.commit(
            {"settings": settings_kept, "stopped": "salvaged", "in_doubt": 1, "asked_until": time.time()}, ranks=True
        )
    again = sum(bool(page.visited) and number not in turns for number, page in enumerate(pages))
    return len(pages), len(turns), again


def _health(damaged: DamagedStore, hosts: Mapping[str, HostRow], numbers: dict[int, int]) -> Iterator[HealthRow]:
    """The health of hosts, with the new numbers, without witnesses that were lost."""
    names = dict(damaged.rows("hosts", "id", ("id", "name")))
    for row in damaged.rows("health", "host", HealthRow._fields):
        with suppress(ValidationError, KeyError):
            health = convert(row, HealthRow)
            kept = from_bytes(health.witnesses[: len(health.witnesses) // 4 * 4]).tolist()
            witnesses = to_bytes(np.array([numbers[page] for page in kept if page in numbers], np.int64))
            yield health._replace(host=hosts[names[health.host]].id, witnesses=witnesses)


def _copy_part(damaged: DamagedStore, writer: Writer, name: str, numbers: dict[int, int]) -> None:
    """Copy the rows of a part's table; nothing of another. Rows about lost pages are left out, and so are those that
    refer to anything else by number: hosts and answers have others now."""
    declared, refers = tables()[name], {column: to for table, column, to in references() if table == name}
    kind = max(declared.rows, key=lambda row: len(row._fields), default=None)
    if kind is None or not of_part(kind) or not {*declared.keys} <= {*kind._fields}:
        return
    found = list[NamedTuple]()
    for row in damaged.rows_by_key(name, declared.keys, kind._fields):
        with suppress(ValidationError, KeyError):
            values = convert(row, kind)
            pages = {column: getattr(values, column) for column in refers.keys() & {*kind._fields}}
            new = {column: page if page is None else numbers[page] for column, page in pages.items()}
            if {refers[column] for column in new} <= {"pages"}:
                found.append(values._replace(**new))
    writer.put(kind, found)


def _replayed(
    damaged: DamagedStore, pages: Sequence[SalvagedPage], numbers: dict[int, int], accounts: Accounts
) -> dict[int, tuple[Turn, Links]]:
    """The turns of all pages that had one and whose links can be read, as the accounts have them from now on."""
    turns: dict[int, tuple[Turn, Links]] = {}
    answers = dict(damaged.answers())
    for row in damaged.rows("links", "source", Links._fields):
        number = numbers.get(row[0])
        if number is None or not pages[number].visited or not isinstance(row[1], bytes):
            continue
        page, outlinks = pages[number], _mapped(row[1], number, numbers)
        is_alias = page.state == State.ALIAS
        if page.state == State.WAITING or (is_alias and len(outlinks.targets) != 1):
            continue
        if page.state not in (State.FETCHED, State.ALIAS):
            outlinks = NOWHERE
        answer = answers.get(page.fetch) if page.fetch is not None else None
        accounts.visit(number, outlinks, kind=kind_of(page.state, answer is not None))
        if page.state == State.GONE or (page.state == State.ERROR and has(page.reason, NOT_THERE)):
            accounts.book.retire(number)
        nofollow, refused = (count if isinstance(count, int) else 0 for count in row[2:4])
        links = Links(number, packed(outlinks), nofollow, refused)
        if is_alias and isinstance(row[4], bytes):
            links = links._replace(own=packed(_mapped(row[4], number, numbers)))
        turns[number] = Turn(number, page.state, page.reason, 0, answer), links
    return turns


def _mapped(blob: bytes, source: int, numbers: dict[int, int]) -> PlacedLinks:
    """Links with the new numbers, without those to lost pages. A place that there is not counts as text."""
    targets, places = placed(blob[: len(blob) // 4 * 4])
    found: dict[int, int] = {}
    for target, place in zip(targets.tolist(), repeat(0) if places is None else places.tolist(), strict=False):
        if target in numbers:
            found.setdefault(numbers[target], place if place <= LAST_PLACE else 0)
    found.pop(source, None)
    return linked(list(found), bytes(found.values()))


def _settings(kept: object, folder: Path) -> CrawlSettings:
    """The settings for the next run of a crawl that were kept in a folder; if they cannot be read, the defaults."""
    try:
        settings: Any = json.loads(kept or "{}") if isinstance(kept, str | None) else kept
        return CrawlSettings.from_json(lasting(in_full(settings, folder)))
    except (MinicrawlError, ValueError, TypeError, AttributeError):
        return CrawlSettings()
