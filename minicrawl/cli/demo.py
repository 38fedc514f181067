"""minicrawl demo"""

import asyncio
import json
import signal
import sys
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any  # Any: JSON

import click

from minicrawl.cli.guidance import IN_THE_BROWSER, step_lines
from minicrawl.cli.options import (
    is_quiet,
    json_option,
    logging_options,
    need_extra,
    no_upgrade_option,
    refuse_upgrade,
    says_more,
)
from minicrawl.cli.output import called_as, table
from minicrawl.errors import SettingError, StoreError
from minicrawl.settings import DEFAULT_STORE
from minicrawl.settings.options import BY_PAGES
from minicrawl.store.reader import open_store
from minicrawl.system import on_signals, run_loop

if TYPE_CHECKING:
    from minicrawl.demo.web import DemoWeb

_SHARES = (0.05, 0.1, 0.2, 0.3)
_TOP = 100
_STORE = DEFAULT_STORE.with_name("demo.db")


@click.command(epilog="Example: minicrawl demo --pages 500", context_settings={"show_default": True})
@click.option("--pages", type=click.IntRange(min=1), default=1500, help="Crawl this many pages.")
@click.option("--seed", type=int, default=0, help="Generate the web from this seed.")
@click.option("--delay", default="0.005s", metavar="TIME", help="Wait this long between two requests to a host.")
@click.option("--serve", type=click.IntRange(0, 65535), metavar="[PORT]", is_flag=False, flag_value=0,
              help="Only serve the web on this port until Ctrl-C. Without a port, or with 0, take any "
              "free one.")  # fmt: skip
@click.option("--traps", is_flag=True, help="With --serve: add an endless calendar, session ids and more.")
@click.option("--no-progress", is_flag=True, help="Print plain lines instead of the live display.")
@click.option("--store", type=click.Path(dir_okay=False, path_type=Path), default=_STORE,
              help="Use this store; the demo recreates it each time.")  # fmt: skip
@no_upgrade_option
@json_option
@logging_options
def command(  # noqa: PLR0913 - one argument per option, as click calls it
    pages: int, seed: int, delay: str, serve: int | None, traps: bool, no_progress: bool, store: Path, as_json: bool
) -> None:
    """Crawl a small generated web and compare the ranking with the truth.

    The web has about 40 hosts and a few thousand pages, served over HTTP on loopback, with robots.txt files, redirects,
    dead links, slow pages and an endless calendar. minicrawl and a breadth-first crawler each crawl a part of it. The
    true importance is known, because the web is generated: walkers jump to all pages alike, as in the papers.
    """
    need_extra("the demo", "aiohttp")
    from minicrawl.demo.web import DemoWeb

    if traps and serve is None:
        raise SettingError("--traps needs --serve: an endless web has no truth to compare with")
    web = DemoWeb.generate(seed=seed, traps=traps)
    if serve is not None:
        asyncio.run(_serve(web, serve))
        return
    given = {"pages": pages, "delay": delay, "concurrency": 4, "allow_private": True, "jump": BY_PAGES}
    live = sys.stderr.isatty() and not no_progress
    refuse_upgrade(click.get_current_context(), store)
    _start_afresh(store)
    with tempfile.TemporaryDirectory(prefix="minicrawl-demo-") as folder:
        run_loop(_crawl(web, given, store, live=live))
        breadth_first = Path(folder) / "breadth-first.db"
        run_loop(_crawl(web, given | {"strategy": "breadth-first"}, breadth_first, live=live))
        result = _compare(web, store, breadth_first)
    click.echo(json.dumps(result, indent=2) if as_json else "\n".join(_lines(result, store)))


async def _serve(web: "DemoWeb", port: int) -> None:
    from minicrawl.demo.web import serving

    stop = asyncio.Event()
    try:
        async with AsyncExitStack() as stack:
            stack.enter_context(on_signals(asyncio.get_running_loop(), (signal.SIGINT, signal.SIGTERM), stop.set))
            port = await stack.enter_async_context(serving(web, port))
            click.echo(
                f"Serving {len(web.hosts)} hosts. Crawl them from another shell, until Ctrl-C here:\n"
                f"{called_as()} crawl {' '.join(web.seeds)} --connect-to ::127.0.0.1:{port} --allow-private"
            )
            await stop.wait()
    except OSError as error:
        raise SettingError(f"--serve {port}: the port cannot be used: {error.strerror}; choose another one") from error


def _start_afresh(store: Path) -> None:
    """Remove an earlier demo's store: the demo's web changes with its seed, so a crawl is never resumed."""
    from minicrawl.store.database import logs, remove_files

    if not store.exists():
        return
    with open_store(store) as reader:
        if reader.is_in_use():
            raise StoreError(f"another demo is using {store}; wait for it, or use another --store")
        if not all(".test/" in url for url in reader.page_table.seeds()):
            raise SettingError(f"{store} holds a crawl of yours; name another file with --store for the demo")
    remove_files(store, *logs(store))


async def _crawl(web: "DemoWeb", given: dict[str, Any], store: Path, *, live: bool) -> None:
    from minicrawl.cli.display import BestSoFar, showing
    from minicrawl.crawler.admission.seeds import Seeds
    from minicrawl.crawler.run import Caller, crawl_with
    from minicrawl.demo.web import serving

    if not is_quiet():
        order = given.get("strategy", "by importance")
        click.echo(f"Crawling {given['pages']:,} pages of the demo web, {order} ...", err=True)
    with showing(live, BestSoFar(store)) as show:
        async with serving(web) as port:
            await crawl_with(
                given | {"connect_to": f"::127.0.0.1:{port}"},
                Seeds(list(web.seeds)),
                store,
                Caller(on_progress=show if says_more() else None, handle_signals=True),
            )


def _compare(web: "DemoWeb", store: Path, breadth_first: Path) -> dict[str, Any]:
    from minicrawl.demo.web import mass_curve, masses, overlap, pages_until_mass

    truth = web.truth()
    with open_store(store) as reader:
        top = list(reader.pages(n=_TOP))
        order, known = reader.page_table.fetch_order(), reader.size()
    with open_store(breadth_first) as reader:
        other_order = reader.page_table.fetch_order()
        other_top = list(reader.pages(n=_TOP))
    share = min(0.5, *(masses(some, truth)[-1] for some in (order, other_order)))
    return {
        "pages_of_the_web": len(truth),
        "fetched": len(order),
        "known": known,
        "top": [page._asdict() for page in top],
        "overlap": overlap([page.url for page in top], truth, _TOP),
        "overlap_breadth_first": overlap([page.url for page in other_top], truth, _TOP),
        "shares": list(_SHARES),
        "mass": mass_curve(order, truth, _SHARES),
        "mass_breadth_first": mass_curve(other_order, truth, _SHARES),
        "needed": {
            "share": share,
            "pages": pages_until_mass(order, truth, share),
            "pages_breadth_first": pages_until_mass(other_order, truth, share),
        },
    }


def _lines(result: dict[str, Any], store: Path) -> list[str]:
    from minicrawl.store.ranks import RankedPage

    share, needed = result["fetched"] / result["pages_of_the_web"], result["needed"]
    held = "half" if needed["share"] == 0.5 else f"{needed['share']:.0%}"
    best, first = [RankedPage(**page) for page in result["top"][:10]], ("why", result["top"][0]["url"])
    return [
        f"Fetched {result['fetched']:,} of {result['pages_of_the_web']:,} pages ({share:.0%}), "
        f"{result['known']:,} are known. The most important:",
        "",
        *table(best),
        "",
        f"Of the {_TOP} truly most important pages {result['overlap']:.0%} are in our top {_TOP} "
        f"(breadth-first: {result['overlap_breadth_first']:.0%}).",
        "",
        "share of pages fetched      " + "".join(f"{share:>8.0%}" for share in result["shares"]),
        "share of importance fetched " + _percents(result["mass"]),
        "  the same, breadth-first   " + _percents(result["mass_breadth_first"]),
        "",
        f"By importance, {needed['pages']:,} pages held {held} of all importance; "
        f"breadth-first needed {needed['pages_breadth_first']:,}.",
        "",
        *step_lines([("See what makes the first page important:", first), IN_THE_BROWSER], ("--store", str(store))),
        *step_lines([("Then crawl a web of your own:", ("crawl", "example.org"))], ()),
    ]


def _percents(masses: list[float | None]) -> str:
    return "".join(f"{'-':>8}" if mass is None else f"{mass:>8.1%}" for mass in masses)
