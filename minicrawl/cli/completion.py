"""Shell completion of rankings and hosts, from the store that the command line names."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.errors import MinicrawlError
from minicrawl.settings import DEFAULT_STORE, RANKINGS

if TYPE_CHECKING:
    from minicrawl.store.reader import Store


_MOST = 100


def rankings(ctx: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """Complete names of rankings: those of every store, and those kept in this one."""
    kept: tuple[str, ...] = ()
    with _store_of(ctx) as store:
        kept = tuple(store.ranks.kept()) if store else ()
    return [name for name in (*RANKINGS, *kept) if name.startswith(begun)]


def hosts(ctx: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """Complete hosts of the store, up to a hundred."""
    with _store_of(ctx) as store:
        names = (host.name for host in store.hosts.all()) if store else iter(())
        found = [name for name in names if name.startswith(begun)]
    return found[:_MOST]


@contextmanager
def _store_of(ctx: click.Context) -> "Iterator[Store | None]":
    """The store that a command line names; None where it cannot be read."""
    path = ctx.params.get("store")
    if not Path(path or DEFAULT_STORE).is_file():
        yield None
        return
    from minicrawl.store.reader import open_store

    try:
        store = open_store(Path(path or DEFAULT_STORE))
    except MinicrawlError:
        yield None
        return
    with store:
        yield store
