"""minicrawl crawl"""

import gc
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any  # Any: settings as given

import click
from click.core import ParameterSource

from minicrawl.cli.guidance import Guide
from minicrawl.cli.help import TopicCommand
from minicrawl.cli.options import (
    INTERRUPTED,
    Choice,
    about_store,
    given_options,
    is_quiet,
    is_verbose,
    logging_options,
    naming_store,
    notify_options,
    says_more,
    setting_options,
    teller,
)
from minicrawl.cli.output import (
    amount,
    discovery_line,
    document,
    duration,
    fitted,
    given_up_line,
    left_out_line,
    read_line,
    short_line,
    unasked_lines,
)
from minicrawl.errors import NothingFetchedError, SettingError, counted, held
from minicrawl.log import printable
from minicrawl.parts import figures_of, module, name_of, parts
from minicrawl.settings import PROFILES, RANKINGS, SETTINGS, option
from minicrawl.store.folder import MOST, found, is_folder
from minicrawl.store.reader import open_store
from minicrawl.system import keep_little_free_memory, run_loop

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from minicrawl.analysis.dry_run import DryRun
    from minicrawl.analysis.status import LeftOut
    from minicrawl.crawler.admission.seeds import Seeds
    from minicrawl.crawler.run import Start
    from minicrawl.crawler.running_crawl import OnBegin
    from minicrawl.model import CrawlReport
    from minicrawl.parts import Figures


_LOGGED_OUT = 5
"""An exit code: a session was lost, and pages wait for another login."""
_DEFAULT_FOLDER = Path("data/crawl")
_PLANNED = 20
"""Number of pages that --dry-run shows."""
_PROFILE_HELP = (
    "Set options for one purpose: audit, archive, search or rank; --show-settings lists them. Explicit options win. "
    "The store remembers them."
)

WHY_STOPPED = {
    "nothing-left": "nothing is left to fetch",
    "pages": "the page limit is reached",
    "time": "the time is up",
    "bytes": "the byte limit is reached",
    "coverage": "the coverage is reached",
    "patience": "only pages of ill hosts are left, and --patience has run out",
    "interrupted": "it was interrupted; run the same command to continue",
}


@click.command(
    cls=TopicCommand,
    epilog="Example: minicrawl crawl seeds.txt --pages 10000 --scope site --delay 2",
    context_settings={"show_default": True},
)
@click.argument("seeds", nargs=-1)
@setting_options(*SETTINGS)
@click.option(
    "--forget",
    multiple=True,
    metavar="OPTION",
    help="Reset an option that the store remembers, such as max-depth, to its default. Repeatable.",
)
@click.option("--show-settings", is_flag=True, help="Print all settings and their sources, and exit.")
@click.option(
    "--dry-run",
    "is_dry",
    is_flag=True,
    help="Print which pages come first, by host, and which rules leave pages out. Request and write nothing.",
)
@click.option("--no-progress", is_flag=True, help="Print plain lines instead of the live display.")
@click.option("--profile", type=Choice(list(PROFILES)), metavar="NAME", help=_PROFILE_HELP)
@click.option(
    "--partitions",
    type=click.IntRange(1, MOST),
    metavar="N",
    help="Split the crawl into N partitions on Ray, each with its own store; --store is a folder, "
    "data/crawl by default.",
)
@click.option(
    "--ray", metavar="ADDRESS", help="Use this Ray cluster of several machines, with --partitions; see docs/cluster.md."
)
@notify_options
@about_store
@logging_options
def command(  # noqa: PLR0913 - one argument per option, as click calls it
    seeds: tuple[str, ...],
    store: Path,
    as_json: bool,
    no_progress: bool,
    profile: str | None,
    forget: tuple[str, ...],
    show_settings: bool,
    is_dry: bool,
    partitions: int | None,
    ray: str | None,
    notify: tuple[str, ...],
    command_line: str | None,
    **options: Any,
) -> None:
    """Crawl from SEEDS: seed files, URLs, or - for standard input.

    The store keeps everything: run the command again to continue. Ctrl-C finishes requests in flight; a second one
    stops at once. Nothing is lost.
    """
    context = click.get_current_context()
    if partitions and context.get_parameter_source("store") is ParameterSource.DEFAULT:
        store = _DEFAULT_FOLDER
    given, sources = given_options(context, options, profile, store)
    if show_settings:
        print_settings(given, sources, forget, store, as_json)
        return
    if is_dry:
        if partitions or is_folder(store):
            raise SettingError("--dry-run shows the first requests of a crawl without partitions; leave it out")
        from minicrawl.analysis.dry_run import dry_run

        plan = dry_run(given, forget, gathered(seeds), store, most=_PLANNED, now=time.time())
        click.echo(document(asdict(plan)) if as_json else "\n".join(fitted(list(_plan_lines(plan)))))
        return
    live = sys.stderr.isatty() and not no_progress and not is_verbose()
    is_named = context.get_parameter_source("store") is ParameterSource.COMMANDLINE or store == _DEFAULT_FOLDER
    named = ("--store", str(store)) if is_named else ()
    guide = Guide(store, named)
    with telling(notify, command_line, store):
        report = _run(given, forget, seeds, guide, parts=(partitions, ray), live=live)
    _print_report(report, guide, as_json)
    _exit_by(report, guide)


def _exit_by(report: "CrawlReport", guide: Guide) -> None:
    """End with the exit code of a crawl that was interrupted, or for which nothing could be fetched. Answers without a
    page to read are told alone."""
    if report.reason == "interrupted":
        raise click.exceptions.Exit(INTERRUPTED)
    if "session-lost" in report.failures:
        raise click.exceptions.Exit(_LOGGED_OUT)
    reason = report.cause()
    if reason is not None and not guide.stays_finished(report):
        with nullcontext() if is_folder(guide.path) else open_store(guide.path) as reader:
            sentence = guide.came_to_nothing(report, reason, reader)
        if report.fetched == 0:
            raise NothingFetchedError(sentence)
        if not is_quiet():
            click.echo("\n".join(fitted([f"{sentence[0].upper()}{sentence[1:]}."])), err=True)


def print_settings(
    given: dict[str, Any], sources: dict[str, str | None], forgotten: tuple[str, ...], store: Path | None, as_json: bool
) -> None:
    """Print all settings and where they come from. store: None to leave out what it remembers."""
    from minicrawl.crawler.remembered_settings import resumed, shown

    kept: dict[str, Any] = {}
    if store is not None and is_folder(store):
        kept = found(store).settings_in_full
    elif store is not None and store.exists():
        with open_store(store) as reader:
            kept = reader.settings
    now = resumed(kept, given, forgotten)
    rows = [
        (name, getattr(now.settings, name), (name in given and sources.get(name)) or source)
        for name, source in now.sources.items()
    ]
    if as_json:
        values = now.settings.shown()
        click.echo(document({name: {"value": values[name], "from": source} for name, _, source in rows}))
        return
    for name, value, source in rows:
        click.echo(f"{option(name)[2:]:<18}{source:<13}{printable(shown(name, value))}")


def gathered(sources: tuple[str, ...]) -> "Seeds":
    from minicrawl.crawler.admission.seeds import files_named_as_hosts, gather_seeds

    if is_quiet():
        return gather_seeds(sources)
    for name in files_named_as_hosts(sources):
        click.echo(f"{name} is a file here, so seeds are read from it; write the host as https://{name}", err=True)
    return gather_seeds(sources)


def _run(  # noqa: PLR0913 - what the command's options came to
    given: dict[str, Any],
    forgotten: tuple[str, ...],
    sources: tuple[str, ...],
    guide: Guide,
    *,
    parts: tuple[int | None, str | None],
    live: bool,
) -> "CrawlReport":
    """parts: the number of partitions, and the address of a Ray cluster."""
    from minicrawl.cli.display import BestSoFar, awaiting_index, showing

    started = time.monotonic()
    gc.freeze()  # modules stay: the collector need not look through them
    is_parted = parts[0] is not None or is_folder(guide.path)
    if not is_parted:
        keep_little_free_memory()
    seeds, begins = gathered(sources), partial(_begin, guide)
    with showing(live, BestSoFar(guide.path)) as show:
        told = show if says_more() else None
        if is_parted:
            from minicrawl.cluster.crawl import crawl_partitions
            from minicrawl.cluster.keeper import Listener

            with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):  # Ray prints which processes died
                return run_loop(
                    crawl_partitions(
                        given,
                        seeds,
                        guide.path,
                        partitions=parts[0],
                        ray=parts[1],
                        forgotten=forgotten,
                        listener=Listener(begins, warn, told),
                        handle_signals=True,
                        started=started,
                    )
                )
        from minicrawl.crawler.run import Caller, crawl_with
        from minicrawl.search.following import Indexer

        caller = Caller(
            forgotten=forgotten,
            on_start=begins,
            on_progress=told,
            beside=Indexer(awaiting_index if says_more() else nullcontext, handle_signals=True),
            handle_signals=True,
            started=started,
        )
        return run_loop(controlled(partial(crawl_with, given, seeds, guide.path, caller), guide.path))


async def controlled(crawl: "Callable[[OnBegin], Coroutine[Any, Any, CrawlReport]]", store: Path) -> "CrawlReport":
    """The report of a crawl, which 'minicrawl control' steers while it runs."""
    from minicrawl.control.commands import listening
    from minicrawl.crawler.running_crawl import RunningCrawl

    async with RunningCrawl(crawl) as running, listening(running, store, warn):
        return await running.finished()


def telling(notify: Sequence[str], command_line: str | None, store: Path) -> AbstractContextManager[None]:
    """Tells those whom --notify and --run name what becomes of a crawl in the block."""
    if not notify and not command_line:
        return nullcontext()
    from minicrawl.store.database import beside

    say = teller()
    kept, warns = beside(store, ".unsent"), lambda why: say(f"Warning: {printable(why)}")
    block: AbstractContextManager[None] = module("alerts").telling(notify, command_line or "", kept, warns)
    return block


def warn(why: str) -> None:
    if not is_quiet():
        click.echo(f"Warning: {printable(why)}", err=True)


def _begin(guide: Guide, start: "Start") -> None:
    """Say what the run is going to do, but not to programs."""
    guide.start = start
    if not says_more():
        return
    params = click.get_current_context().params
    if params.get("seeds") and not start.seeds.urls:
        warn(f"{', '.join(params['seeds'])}: no seed in it; the crawl continues with the pages that it knows")
    if not params["as_json"]:
        _say(guide.plan(start))
    announce(start)


def _say(lines: Iterable[str]) -> None:
    for line in fitted(lines):
        click.echo(line, err=True)


def announce(start: "Start") -> None:
    """Report conditions of this run that a user may not expect."""
    from minicrawl.web.http.credentials import environment_proxies

    if start.settings.ignore_robots:
        click.echo("Warning: robots.txt is ignored; do this only to your own servers.", err=True)
    if not start.settings.proxy and (named := environment_proxies()):
        through = f"Requests go through the environment's proxies: {printable(', '.join(named))}"
        click.echo(f"{through}; --proxy none goes without.", err=True)
    for part in parts():
        for sentence in part.starting(start.settings):
            click.echo(sentence, err=True)
    for change in start.changes:
        click.echo(printable(change), err=True)
    if start.again:
        click.echo(f"Failed pages to try again: {start.again:,}", err=True)
    for reason in start.not_given_up:
        problem = naming_store("no page failed for that reason; 'minicrawl status' shows the reasons")
        click.echo(f"--retry {printable(reason)}: {problem}", err=True)


def _summary(report: "CrawlReport", guide: Guide, unasked: "LeftOut", figures: "Figures") -> "Iterator[str]":
    from minicrawl.analysis.host_words import end_line

    share = held(report.coverage, report.coverage_about, report.coverage_shown)
    yield f"{read_line(report.known, report.read, share, unasked)}."
    fetched = f"{counted(report.fetched, 'page')} ({amount(report.bytes)}) in {duration(report.seconds)}"
    left_out = f" {left_out_line(report.left_out)}." if report.left_out else ""
    yield f"{fetched}: {WHY_STOPPED[report.reason]}.{left_out}"
    if report.ill_pages:
        yield f"{end_line(report.ill_hosts, report.ill_pages)}."
    yield from (f"{line}." for line in unasked_lines(unasked))
    if report.failures:
        yield f"{given_up_line(report.failures, unasked.failed)}."
    for part in parts():
        yield from map(naming_store, part.ending(report.failures, figures.get(name_of(part), {})))
    if report.out_of_reach is not None:
        yield f"{short_line(report.out_of_reach)}."
    discovery = 1.0 if guide.start is None else guide.start.settings.discovery
    if discovery < 1.0 and (line := discovery_line(report.fetched, report.refreshed, discovery)) is not None:
        yield f"{line}."


def _unasked(path: Path) -> "tuple[LeftOut, Figures]":
    """What the crawl in a store or a folder left out without a look, and the figures of parts."""
    from minicrawl.analysis.status import left_out

    if is_folder(path):
        from minicrawl.cluster import answers

        whole = answers.whole(path)[0]
        return whole.unasked, whole.figures
    with open_store(path) as reader, reader.snapshot():
        figures = figures_of(reader)
        return left_out(reader, figures, reader.hosts.ill()), figures


def _print_report(report: "CrawlReport", guide: Guide, as_json: bool) -> None:
    unasked, figures = _unasked(guide.path)
    if as_json:
        click.echo(json.dumps(asdict(report) | {"unasked": asdict(unasked)}, indent=2))
        return
    if is_quiet():
        click.echo("\n".join(fitted(list(_summary(report, guide, unasked, figures)))))
        return
    from minicrawl.analysis.top import asked_list, best_of_sites
    from minicrawl.cli.display import SHOWN
    from minicrawl.cli.top import best_lines, list_lines

    if is_folder(guide.path):
        from minicrawl.cluster import answers

        best, sites = answers.top(guide.path, RANKINGS[0], SHOWN), []
    else:
        with open_store(guide.path) as reader:
            best, sites = asked_list(reader, RANKINGS[0], SHOWN), best_of_sites(reader, SHOWN)
    shown = ["", *list_lines(best, None)] if best.lines else []
    click.echo("\n".join(fitted([*_summary(report, guide, unasked, figures), *best_lines(sites), *shown])))
    if best.lines and says_more():
        has_shell = bool(figures.get("render", {}).get("hosts"))
        _say(guide.next_steps(best, report, unasked.known, has_shell=has_shell))


def _plan_lines(plan: "DryRun") -> Iterator[str]:
    yield f"{counted(plan.waiting, 'page')} would wait for their first request."
    if plan.hosts:
        yield "First requests by host, in seconds from the start at the earliest:"
    shown = [host for host in plan.hosts if any(request.is_page for request in host.requests)]
    for host in shown:
        yield ""
        yield f"{printable(host.host)}, a request every {host.delay:g} s" if host.delay else f"{printable(host.host)}"
        for request in host.requests:
            yield f"{request.after:>9.1f}  {printable(request.url)}"
    if len(shown) < len(plan.hosts):
        yield ""
        yield f"And for the robots.txt of {counted(len(plan.hosts) - len(shown), 'more host')}."
    if plan.left_out:
        yield ""
        yield "Left out:"
    for one in plan.left_out:
        rule = f"{printable(one.rule)}; " if one.rule else ""
        yield f"{one.pages:>9,}  {one.reason}: {rule}such as {printable(one.example)}"
    yield ""
    yield "Made no requests and wrote nothing."
