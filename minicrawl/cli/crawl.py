"""minicrawl crawl"""

import json
import shlex
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from minicrawl.cli.options import is_quiet, json_option, logging_options, store_option
from minicrawl.errors import NothingFetchedError
from minicrawl.settings import SCOPES, STRATEGY_NAMES, USER_AGENT, option

if TYPE_CHECKING:
    from minicrawl.crawler.admission.seeds import Seeds
    from minicrawl.crawler.outcomes.retry import AskedAgain
    from minicrawl.crawler.remembered_settings import Resumed
    from minicrawl.model import CrawlReport

_INTERRUPTED = 130
_BAD_SHOWN = 10
_GIVEN = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)

WHY_STOPPED = {
    "nothing-left": "nothing is left to fetch",
    "pages": "the asked-for number of pages is reached",
    "time": "the time is up",
    "bytes": "the asked-for number of bytes is reached",
    "coverage": "the asked-for coverage is certain",
    "interrupted": "it was interrupted; run the same command to go on",
}


@click.command(
    epilog="Example: minicrawl crawl seeds.txt --pages 10000 --scope site --delay 2",
    context_settings={"show_default": True},
)
@click.argument("seeds", nargs=-1)
@click.option("--pages", type=int, help="Stop after that many pages.")
@click.option("--time", metavar="30m", help="Stop after that time.")
@click.option("--bytes", metavar="2GB", help="Stop after that many bytes of pages.")
@click.option(
    "--until-coverage",
    metavar="90%",
    help="Stop once the pages read certainly hold this share of the importance of all known pages: a bound from "
    "below, for importance as seen from the seeds (RankMass).",
)
@click.option(
    "--retry",
    multiple=True,
    is_flag=False,
    flag_value="passing",
    metavar="[REASON,...]",
    help="Ask again for pages that were given up for these reasons (see 'minicrawl status'); all: for any; without "
    "REASON: for those that may have passed, such as time-outs. Where no connection came about, every run asks again. "
    "Repeatable.",
)
@click.option(
    "--scope",
    type=click.Choice(SCOPES),
    default="any",
    help="Which links are followed: any, or those to the seeds' registrable domains (site), hosts, or folders.",
)
@click.option("--allow", multiple=True, metavar="REGEX", help="Follow only URLs that match. Repeatable.")
@click.option(
    "--deny",
    multiple=True,
    metavar="REGEX",
    help="Never follow URLs that match; seeds are crawled all the same. Repeatable.",
)
@click.option("--max-depth", type=int, help="Follow links at most that far from a seed.")
@click.option(
    "--html-only",
    is_flag=True,
    help="Follow no URL that ends like an image, a film, an archive, a style sheet, a document ...: never HTML.",
)
@click.option(
    "--keep-parameters",
    is_flag=True,
    help="Take URLs for different that differ in parameters for tracking or sessions only: utm_source, PHPSESSID ...",
)
@click.option(
    "--traps/--no-traps",
    default=True,
    help="Stay out of traps: calendars without end, session ids, endless paths and the like.",
)
@click.option(
    "--sitemaps/--no-sitemaps",
    default=True,
    help="Read the sitemaps that robots.txt names; of four new pages one at most comes from there.",
)
@click.option(
    "--probe/--no-probe",
    default=True,
    help="Ask hosts that say the same twice for a page that cannot exist, to know their soft 404s, and for pages "
    "without a parameter, to know their sessions.",
)
@click.option(
    "--merge-duplicates",
    is_flag=True,
    help="Let pages of one site that have the same bytes and the same links be one page.",
)
@click.option(
    "--delay",
    default="1s",
    metavar="TIME",
    help="Between two requests to a host; robots.txt may ask for more. 0 switches politeness off, Crawl-delay "
    "too: only for servers of your own.",
)
@click.option(
    "--ip-delay",
    metavar="TIME",
    help="Between two requests to one IP address, which hosts may share; 0: none. The default is that of --delay.",
)
@click.option("--per-host", type=int, default=1, help="Requests in flight per host, and per IP address with a delay.")
@click.option(
    "--concurrency",
    type=int,
    default=64,
    help="Requests in flight in all, but for those to hosts that have not answered yet.",
)
@click.option("--workers", type=int, default=0, help="Processes that fetch and parse; 0 = inside the main process.")
@click.option("--strategy", type=click.Choice(STRATEGY_NAMES), default="greedy", help="Which page is next.")
@click.option(
    "--history",
    default="interpolation",
    metavar="POLICY",
    help="How much of the past the cash book counts: basic, interpolation, variable:K, fixed:T, improved-fixed:T,K.",
)
@click.option("--window", type=float, default=8.0, metavar="T", help="Size of the interpolation window, in turnovers.")
@click.option(
    "--discovery",
    default="1.0",
    metavar="SHARE",
    help="Share of the fetches for never-read pages; with 1 no page is fetched twice. Below 1, pages that failed are "
    "asked for again once a day, or by the next run.",
)
@click.option(
    "--boost", multiple=True, metavar="REGEX=FACTOR", help="Links to matching URLs get more cash. Repeatable."
)
@click.option("--topic", default="", metavar="WORDS", help="Links whose text or URL has these words get more cash.")
@click.option("--intrinsic-weight", type=float, default=1.0, metavar="W", help="Weight of links within a site.")
@click.option("--user-agent", default=USER_AGENT, help="Who we say we are; its first word is looked up in robots.txt.")
@click.option(
    "--header",
    multiple=True,
    metavar="'[HOST=]NAME: VALUE'",
    help="Send this header too: to HOST alone (a name, name:port or https://name), or to everybody; but what may be "
    "secret (Authorization, Cookie, tokens, keys ...) only to the origins of the seeds, and never along a redirect or "
    "link to another one. Not kept in the store. Repeatable.",
)
@click.option("--proxy", metavar="URL", help="Send requests through this HTTP proxy.")
@click.option("--ignore-robots", is_flag=True, help="Do not ask for robots.txt. Only for servers of your own.")
@click.option(
    "--connect-to",
    multiple=True,
    metavar="HOST:PORT:ADDR:PORT",
    help="Connect elsewhere, as curl does; an empty HOST or PORT matches any; @FILE reads one a line. Repeatable.",
)
@click.option("--ca-file", type=click.Path(path_type=Path), metavar="PEM", help="Trust this certificate authority too.")
@click.option("--allow-private", is_flag=True, help="Let the crawl reach loopback and private addresses.")
@click.option("--timeout", default="60s", metavar="TIME", help="What one request may take in all.")
@click.option("--max-size", default="16MB", metavar="SIZE", help="Bytes read of one page, before and after unpacking.")
@click.option("--skip-bad", is_flag=True, help="Leave out what is no URL in the seed files, and say so.")
@click.option(
    "--forget",
    multiple=True,
    metavar="OPTION",
    help="Let an option that the store remembers, such as max-depth, have its default again. Repeatable.",
)
@click.option("--show-settings", is_flag=True, help="Print all settings and where they come from; crawl nothing.")
@click.option("--no-progress", is_flag=True, help="Plain lines instead of the live display.")
@store_option
@json_option
@logging_options
def command(
    seeds: tuple[str, ...],
    store: Path,
    as_json: bool,
    no_progress: bool,
    skip_bad: bool,
    forget: tuple[str, ...],
    show_settings: bool,
    **options: Any,
) -> None:
    """Crawl from SEEDS: seed files, URLs, or - for standard input. The most important pages come first.

    A seed without a scheme, such as example.org, is asked for by https, and by http if there is no connection. The
    store keeps everything, options too, but for limits and headers: run the same command again, or without options,
    and it goes on where it stopped; an option that is given changes it. The first Ctrl-C finishes the requests in
    flight, the second stops at once; neither loses anything.
    """
    context = click.get_current_context()
    given = {name: value for name, value in options.items() if context.get_parameter_source(name) in _GIVEN}
    if show_settings:
        _print_settings(given, forget, store, as_json)
        return
    live = sys.stderr.isatty() and not no_progress
    report = _run(given, forget, seeds, skip_bad, store, live=live)
    if as_json:
        click.echo(json.dumps(asdict(report), indent=2))
    else:
        _print_report(report, store)
    if report.reason == "interrupted":
        raise click.exceptions.Exit(_INTERRUPTED)
    reason = report.cause()
    if reason is not None:
        raise NothingFetchedError(_nothing_fetched(reason, store))


def _print_settings(given: dict[str, Any], forgotten: tuple[str, ...], store: Path, as_json: bool) -> None:
    from minicrawl.cli.output import document, printable
    from minicrawl.crawler.remembered_settings import resumed, shown
    from minicrawl.store.reader import open_store

    kept: dict[str, Any] = {}
    if store.exists():
        with open_store(store) as reader:
            kept = reader.meta_json("settings")
    told = resumed(kept, given, forgotten)
    rows = [(name, getattr(told.settings, name), source) for name, source in told.sources.items()]
    if as_json:
        values = json.loads(told.settings.to_json())
        values["header"] = [str(header) for header in told.settings.headers]
        click.echo(document({name: {"value": values[name], "from": source} for name, _, source in rows}))
        return
    for name, value, source in rows:
        click.echo(f"{option(name)[2:]:<18}{source:<9}{printable(shown(name, value))}")


def _gathered(sources: tuple[str, ...], skip_bad: bool, live: bool) -> "Seeds":
    from minicrawl.cli.display import counting
    from minicrawl.cli.output import printable
    from minicrawl.crawler.admission.seeds import gather_seeds

    if is_quiet():
        return gather_seeds(sources, skip_bad=skip_bad)
    with counting(live) as count:
        seeds = gather_seeds(sources, skip_bad=skip_bad, on_read=count)
    if seeds.bad:
        shown = "".join(f"\n  {printable(bad)}" for bad in seeds.bad[:_BAD_SHOWN])
        more = f"\n  and {len(seeds.bad) - _BAD_SHOWN:,} more" if len(seeds.bad) > _BAD_SHOWN else ""
        click.echo(f"Left out, as they are no http or https URLs: {len(seeds.bad):,} seeds{shown}{more}", err=True)
    return seeds


def _run(
    given: dict[str, Any],
    forgotten: tuple[str, ...],
    sources: tuple[str, ...],
    skip_bad: bool,
    store: Path,
    *,
    live: bool,
) -> "CrawlReport":
    import asyncio
    import gc

    from minicrawl.cli.display import showing
    from minicrawl.crawler.run import crawl_with

    # A crawl keeps many small objects for long; looking through them often costs a tenth of its time.
    gc.set_threshold(100_000, 20, 50)
    started = time.monotonic()
    seeds = _gathered(sources, skip_bad, live)
    with showing(live) as show:
        return asyncio.run(
            crawl_with(
                given,
                seeds,
                store,
                forgotten=forgotten,
                on_resumed=None if is_quiet() else _tell,
                on_progress=None if is_quiet() else show,
                handle_signals=True,
                started=started,
            )
        )


def _tell(resumed: "Resumed", again: "AskedAgain") -> None:
    """Say what is not as the user may expect."""
    from minicrawl.cli.output import printable

    if resumed.settings.ignore_robots:
        click.echo("Warning: robots.txt is ignored; do this to servers of your own only.", err=True)
    for change in resumed.changes:
        click.echo(printable(change), err=True)
    if again.pages:
        click.echo(f"Pages that were given up and are asked for again: {again.pages:,}", err=True)
    for reason in again.unknown:
        told = "no page was given up for that; 'minicrawl status' tells the reasons"
        click.echo(f"--retry {printable(reason)}: {told}", err=True)


def _nothing_fetched(reason: str, store: Path) -> str:
    from minicrawl.crawler.outcomes.reasons import why_no_connection

    told = why_no_connection(reason)
    return (
        f"nothing could be fetched ({reason}){f': {told}' if told else ''}; "
        f"'minicrawl why URL --store {shlex.quote(str(store))}' tells more"
    )


def _print_report(report: "CrawlReport", store: Path) -> None:
    from minicrawl.cli.output import amount, counted, duration, read_line, table, tally
    from minicrawl.store.reader import open_store

    click.echo(
        f"{counted(report.fetched, 'page')} ({amount(report.bytes)}) in {duration(report.seconds)}: "
        f"{WHY_STOPPED[report.reason]}.\n"
        f"{read_line(report.known, report.read, report.coverage, report.left_out)}."
    )
    if report.failures:
        click.echo(f"Given up: {tally(report.failures)}.")
    click.echo()
    with open_store(store) as reader:
        click.echo("\n".join(table(reader.top(10))))
