"""minicrawl cluster"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any  # Any: JSON

import click
from click.core import ParameterSource

from minicrawl.cli.cluster_keeping import backup, move, rebalance
from minicrawl.cli.cluster_machines import (
    check_stores,
    connected_here,
    found_by,
    join,
    known_and_read,
    start,
    stop,
    warn_of_away,
)
from minicrawl.cli.cluster_reading import check, export, folder_option, status, top, verify, why
from minicrawl.cli.cluster_search import index, search
from minicrawl.cli.configuration import config_option, with_tables
from minicrawl.cli.fitting import fitted
from minicrawl.cli.options import is_quiet, json_option, quiet_option, some_setting_options
from minicrawl.cli.output import amount, counted, document, duration, table, tally
from minicrawl.cluster.settings import WORKING, refusal
from minicrawl.errors import NothingFetchedError, SeedError, SettingError
from minicrawl.settings import SETTINGS

if TYPE_CHECKING:
    from minicrawl.cluster.folder import Folder
    from minicrawl.cluster.machines.ray import Machines
    from minicrawl.cluster.running.keeper import Ended

_INTERRUPTED = 130
_LINES_APART = 10.0
"""Seconds between two lines that say how far a crawl is."""


@click.group(epilog="Example: minicrawl cluster crawl seeds.txt --store data/web --partitions 4")
def command() -> None:
    """One crawl in several partitions: a process and a store for each, on this machine or on several.

    Every site is in one partition, and importance is that of one crawl. See docs/cluster.md for what does not work yet.
    """


for _other in (top, export, status, why, check, verify, search, index, backup, move, rebalance, start, join, stop):
    command.add_command(_other)


class _Crawl(click.Command):
    """Says of a setting that does not work in partitions that this is so."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            name = error.option_name.lstrip("-").replace("-", "_").removeprefix("no_")
            if name in SETTINGS and name not in WORKING:
                raise refusal(name) from error
            raise


@command.command(
    cls=_Crawl,
    epilog="Example: minicrawl cluster crawl seeds.txt --store data/web --partitions 4",
    context_settings={"show_default": True},
)
@click.argument("seeds", nargs=-1)
@click.option("--partitions", type=click.IntRange(1, 256), metavar="N", help="In how many parts; fixed when it begins.")
@click.option(
    "--machines", is_flag=True, help="Share a new crawl out over all machines that have joined, see 'cluster start'."
)
@some_setting_options(*WORKING)
@click.option("--skip-bad", is_flag=True, help="Leave out what is no URL in the seed files, and say so.")
@click.option(
    "--forget",
    multiple=True,
    metavar="OPTION",
    help="Let an option that the folder remembers, such as scope, have its default again. Repeatable.",
)
@folder_option
@json_option
@quiet_option
@config_option
def crawl(  # noqa: PLR0913 - one argument per option, as click calls it
    seeds: tuple[str, ...],
    partitions: int | None,
    machines: bool,
    path: Path,
    as_json: bool,
    skip_bad: bool,
    forget: tuple[str, ...],
    **options: Any,
) -> None:
    """Crawl from SEEDS in several processes, each with a part of the web; goes on if the folder has a crawl.

    Options are those of 'minicrawl crawl'; the number of partitions is fixed. --concurrency is shared out among the
    processes. The crawl ends when nothing is left, by a limit, which is one of all together, or by Ctrl-C; then the
    ranking is settled by all together. A second Ctrl-C stops at once; that loses nothing either.

    With --machines, partitions are shared out by turns over the machines that have joined this one, and stay there.
    The folder remembers where each is, so a crawl goes on without that option; it waits for a machine that is away.
    """
    context = click.get_current_context()
    given = {
        name: value for name, value in options.items() if context.get_parameter_source(name) != ParameterSource.DEFAULT
    }
    from minicrawl.cluster.folder import found

    with _machines(path, machines) as there:
        ended = _run(path, partitions, with_tables(context, given), forget, (seeds, skip_bad), there)
        _print_report(found(path), ended, as_json, there)
    if ended.reason == "interrupted":
        raise click.exceptions.Exit(_INTERRUPTED)
    if ended.cause is not None:
        raise NothingFetchedError(f"nothing could be fetched ({ended.cause}); 'minicrawl cluster status' has reasons")


@contextmanager
def _machines(path: Path, is_new_there: bool) -> "Iterator[Machines | None]":
    """The machines of a crawl; None where this one is all it needs. Raises StoreError, and SettingError."""
    from minicrawl.cluster.folder import found

    folder = found(path) if (path / "cluster.json").exists() else None
    if folder is not None and is_new_there and not folder.machines:
        raise SettingError(
            f"the crawl in {path} is on this machine alone, and stays there until 'minicrawl cluster move' takes "
            "partitions to others; leave out --machines"
        )
    if not is_new_there and not (folder and folder.machines):
        yield None
        return
    with connected_here() as machines:
        yield machines


def _run(  # noqa: PLR0913 - what was typed
    path: Path,
    partitions: int | None,
    given: dict[str, Any],
    forgotten: tuple[str, ...],
    sources: tuple[tuple[str, ...], bool],
    machines: "Machines | None",
) -> "Ended":
    import asyncio

    from minicrawl.cli.crawl import announce, gathered, warn
    from minicrawl.cluster.folder import found_or_made, make_here
    from minicrawl.cluster.running.keeper import Keeper, Listener
    from minicrawl.cluster.running.processes import wait_for_orphans
    from minicrawl.cluster.running.steering import Steering
    from minicrawl.cluster.settings import check_item_files, check_working, check_working_on_machines
    from minicrawl.control.listening import answering
    from minicrawl.crawler.contact import is_nameless
    from minicrawl.crawler.outcomes.reasons import AskedAgain
    from minicrawl.crawler.remembered_settings import resumed
    from minicrawl.crawler.run import Start, check_settings

    seeds = gathered(*sources, live=False)
    remembered = resumed({}, given, forgotten)
    asyncio.run(check_settings(remembered.settings, None))
    if partitions is not None:  # what is wrong is told before there is a folder
        check_working(remembered.settings, partitions)
        if not (path / "cluster.json").exists():
            check_item_files(remembered.settings, partitions)
    if machines is not None:
        check_working_on_machines(remembered.settings)
    if not seeds.urls and not (path / "cluster.json").exists():
        raise SeedError(f"no seeds are given, and {path} has no crawl yet; name a seed file or a URL")
    folder = found_or_made(path, partitions, make_here if machines is None else machines.make)
    wait_for_orphans(folder)
    is_new = not folder.settings
    remembered = resumed(folder.settings_in_full, given, forgotten)
    settings = remembered.settings
    check_working(settings, folder.homes.partitions)
    if not is_quiet():
        asks_for_contact = is_new and is_nameless(settings, seeds.urls)
        announce(Start(settings, remembered.changes, AskedAgain(0), asks_for_contact))
    folder.keep_settings(settings)
    listener = Listener() if is_quiet() else Listener(_say_death, _progress_lines())
    keeper = Keeper(folder, settings, seeds, listener)
    if machines is not None:
        if not is_new:
            check_stores(machines, folder)
        warn_of_away(machines, folder)
        keeper.start = machines.start(folder)

    async def crawled() -> "Ended":
        async with answering(Steering(keeper).done, path, warn):
            return await keeper.crawl(handle_signals=True)

    return asyncio.run(crawled())


def _say_death(number: int, how: str) -> None:
    click.echo(f"Warning: partition {number} was killed {how}; it is started again.", err=True)


def _progress_lines() -> Callable[[int, int, float], None]:
    last = time.monotonic()

    def say(fetched: int, size: int, seconds: float) -> None:
        nonlocal last
        if time.monotonic() - last >= _LINES_APART:
            last = time.monotonic()
            click.echo(f"{counted(fetched, 'page')} ({amount(size)}) in {duration(seconds)}", err=True)

    return say


def _print_report(folder: "Folder", ended: "Ended", as_json: bool, machines: "Machines | None") -> None:
    from minicrawl.cli.crawl import WHY_STOPPED
    from minicrawl.cluster.merged import ranked_pages

    known: int | None
    read: int | None
    if machines is not None:
        known, read, best = found_by(machines, folder)
    else:
        with folder.opened() as stores:
            known, read = known_and_read(stores)
            best = list(ranked_pages(stores, 10))
    if as_json:
        click.echo(document({**asdict(ended), "known": known, "read": read}))
        return
    size, seconds = amount(ended.bytes), duration(ended.seconds)
    lines = [f"{counted(ended.fetched, 'page')} ({size}) in {seconds}: {WHY_STOPPED[ended.reason]}."]
    if known is not None:
        where = counted(len(folder.places), "partition")
        lines.append(f"{counted(known, 'page')} known in {where}, {read:,} of them read.")
    if ended.failures:
        lines.append(f"Given up: {tally(dict(ended.failures))}.")
    if ended.rounds is None:
        lines.append("The ranking is not settled; the end of the next run settles it.")
    click.echo("\n".join(fitted([*lines, *(["", *table(best)] if known is not None else [])])))
