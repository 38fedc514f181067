"""Load the store into memory.

Invariant: after a commit, store and memory hold the same, so that a new crawl on the store goes on as the one before
would have.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from minicrawl.crawler.admission.traps import Budgets, Traps
from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.books.stored import (
    CARRIED,
    account_totals,
    imbalances,
    load_block,
    load_totals,
    page_blocks,
    stored_births,
)
from minicrawl.crawler.books.stored_forms import wrong_meta
from minicrawl.crawler.frontier.due_pages import DuePages
from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.frontier.schedules import BELIEVED
from minicrawl.crawler.hosts import FRESH, REST_OF_THE_DEAD, Health, Past, delay_of
from minicrawl.crawler.http.response_fields import LONGEST_REST
from minicrawl.crawler.known.known_pages import KnownHosts, KnownPages
from minicrawl.crawler.known.known_sites import KnownSites
from minicrawl.model import State
from minicrawl.opic.arrays import Pages
from minicrawl.opic.coverage import PageKind
from minicrawl.store.database import damaged
from minicrawl.store.writer import Writer


@contextmanager
def _no_garbage() -> Iterator[None]:
    """Disable the cyclic garbage collector: millions of rows pass, none of which refers to another."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def check_sound(writer: Writer) -> None:
    """Raise StoreError for damage that can be seen without reading all rows.

    A kill or a power cut harms no store on a reliable disk. Certainty takes reading all of it.
    """
    for what in writer.soundness.structure_errors() if writer.meta("in_doubt") else ():
        raise damaged(writer.path, what)
    for what in wrong_meta(writer):
        raise damaged(writer.path, what)


@_no_garbage()
def load_hosts(writer: Writer, hosts: KnownHosts, past: Past, asked_until: float) -> None:
    """asked_until: Unix seconds until which the last run may have asked any host unrecorded."""
    for number, row in enumerate(writer.hosts.all()):
        if row.id != number:
            raise damaged(writer.path, f"host {number} is missing")
        least_delay = hosts.delays.of(row.name, row.crawl_delay)
        dead_until = past.until(row.dead_until, REST_OF_THE_DEAD)
        health = Health(row.seconds, row.backoff, row.strains, dead_until) if least_delay else FRESH
        delay = delay_of(least_delay, health)
        next_at = past.until(row.next_fetch, delay)
        ready_at = max(next_at, asked_until + delay) if delay else next_at
        # One is enough of millions of equal objects.
        host = hosts.restore(row, delay, FRESH if health == FRESH else health, ready_at)
        host.rests_until = past.until(row.rests_until, max(LONGEST_REST, delay))
        if (next_at, host.rests_until, dead_until) != (row.next_fetch, row.rests_until, row.dead_until):
            hosts.note_change(host)
        if row.seconds:
            hosts.answered.add(host.id)


@_no_garbage()
def load_pages(  # noqa: PLR0913 - the columns that it fills
    writer: Writer,
    accounts: Accounts,
    frontier: Frontier,
    pages: KnownPages,
    hosts: KnownHosts,
    now: float,
    due: DuePages | None = None,
    only: Pages | None = None,
) -> None:
    """Load pages, after the hosts. due: when pages are fetched again, if they are. only: the only pages that are
    fetched."""
    size = writer.size()
    room = size + size // 4  # so that growing, which copies, is far off
    accounts.grow(room)
    frontier.pages.grow(room)
    has_answered = np.zeros(len(frontier.hosts), dtype=np.bool_)
    for rows in page_blocks(writer):
        host_of, first, end = rows.host, int(rows.id[0]), int(rows.id[-1]) + 1
        if not 0 <= int(host_of.min()) <= int(host_of.max()) < len(frontier.hosts):
            raise damaged(writer.path, f"pages with numbers from {first} on are on a host that is missing")
        load_block(accounts, rows)
        frontier.pages.host_of[first:end] = host_of
        has_gone = np.isin(rows.state, [State.GONE, State.ELSEWHERE])
        frontier.pages.forget(first + np.flatnonzero(has_gone))
        has_answered[host_of[accounts.coverage.kind[first:end] == PageKind.PAGE]] = True
    hosts.answered.update(np.flatnonzero(has_answered).tolist())
    pages.attempts.update(writer.page_table.failures())
    accounts.book.rule = stored_births(writer, frontier.pages.host_of[:size])
    if writer.meta("clock") is not None:
        load_totals(accounts, {name: writer.meta(name) for name in (*account_totals(accounts), CARRIED)})
        for what in imbalances(accounts):
            raise damaged(writer.path, what)
    if size:
        if due is not None:
            load_refresh(writer, due, now)
        if only is not None:
            frontier.pages.limit_to(only)
        frontier.load(size, now)


def load_refresh(writer: Writer, due: DuePages, now: float) -> None:
    """Load fetch times and rates. Fetches later than `now`, as the clock was put back since, count as just done."""
    due.price = float(writer.meta("refresh_price") or due.price)
    due.rates.load(writer)
    due.changed = writer.refreshes.changed(BELIEVED)
    columns = writer.refreshes.schedule()
    if len(columns.page):
        ahead = np.maximum(columns.fetched_at - now, 0.0)
        due.fetched_at[columns.page], due.rate[columns.page] = columns.fetched_at - ahead, columns.rate
        due.due[columns.page] = np.minimum(columns.due - ahead, now + due.longest)
    groups = due.rates.groups(writer)
    due.group[: len(groups)] = groups


@_no_garbage()
def load_traps(writer: Writer, accounts: Accounts, frontier: Frontier, sites: KnownSites | None) -> Traps:
    """Load the traps. Seeds and their targets are on the hosts of pages at depth 0."""
    budgets = None if sites is None else Budgets(sites.vouchers, frontier.pages.by_host())
    if budgets is not None:
        is_seed = accounts.depth[: accounts.size] == 0
        hosts = np.unique(frontier.pages.host_of[: accounts.size][is_seed])
        budgets.protect(frontier.hosts[host].name for host in hosts.tolist())
    return Traps(writer.patterns, budgets=budgets, is_empty=not accounts.size)
