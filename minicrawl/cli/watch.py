"""minicrawl watch"""

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any  # Any: settings as given

import click

from minicrawl.cli.options import (
    INTERRUPTED,
    given_options,
    is_quiet,
    kinds_of,
    logging_options,
    moment_of,
    no_upgrade_option,
    refuse_upgrade,
    setting_options,
)
from minicrawl.errors import SettingError, counted, quoted
from minicrawl.log import printable
from minicrawl.parts import module
from minicrawl.setting import parse_duration
from minicrawl.settings.options import TOPICS
from minicrawl.system import keep_little_free_memory, run_loop

if TYPE_CHECKING:
    from minicrawl.crawler.admission.seeds import Seeds
    from minicrawl.model import WatchRound

_NOTHING_READ = 3
"""An exit code: 1 says that something changed."""
_TOPICS = ("politeness", "logins", "http")
_OTHERS = ("pdf", "render", "chromium", "user_agent", "contact", "header")
_SETTINGS = [name for topic in _TOPICS for name in TOPICS[topic][1]]
_SETTINGS += [name for _, (_, names) in TOPICS.items() for name in names if name in _OTHERS and name not in _SETTINGS]


@click.command(epilog="Example: minicrawl watch pages.txt --every 1h --notify mailto://me:secret@example.org")
@click.argument("pages", nargs=-1)
@click.option("--every", metavar="TIME", help="Keep running, and check at this interval, such as 1h.")
@click.option("--selector", "selectors", multiple=True, metavar="[REGEX=]CSS",
              help="On pages with matching URLs, watch only what this selector matches: css::attr(NAME) for an "
                   "attribute, json:items[].price for values of JSON. Repeatable.")  # fmt: skip
@click.option("--only", metavar="KIND,...",
              help="Send messages about these kinds of changes only: added, removed, price, title ...")  # fmt: skip
@click.option("--confirm", metavar="TIME,TIME", default="30s,5m", show_default=True,
              help="Fetch a changed page again after each of these times before reporting it; 0 reports "
              "at once.")  # fmt: skip
@click.option("--notify", multiple=True, metavar="URL",
              help="Send each message to this service, by its Apprise URL: mailto://..., json://... The store "
                   "keeps it in the clear. Repeatable.")  # fmt: skip
@click.option("--run", "command_line", metavar="COMMAND",
              help="Run this command for each message, with the message as a line of JSON on its standard "
              "input.")  # fmt: skip
@click.option("--atom", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write the reports as an Atom feed.")  # fmt: skip
@click.option("--last", metavar="TIME", help="Print the reports of this period, such as 7d, and check nothing.")
@click.option("--test-notify", is_flag=True, help="Send a test message by --notify and --run, and check nothing.")
@click.option("--all", "shows_all", is_flag=True, help="Also print changes outside the content, such as in menus.")
@click.option("--exit-code", "uses_exit_code", is_flag=True, help="Exit with 1 if something changed.")
@click.option("--store", type=click.Path(path_type=Path), show_default="PAGES.watch.db beside the list",
              help="Remember the pages in this file.")  # fmt: skip
@no_upgrade_option
@setting_options(*_SETTINGS)
@click.option("--json", "as_json", is_flag=True, help="Print each round as a line of JSON.")
@logging_options
def command(  # noqa: PLR0913 - one argument per option, as click calls it
    pages: tuple[str, ...],
    every: str | None,
    selectors: tuple[str, ...],
    only: str | None,
    confirm: str,
    notify: tuple[str, ...],
    command_line: str | None,
    atom: Path | None,
    last: str | None,
    test_notify: bool,
    shows_all: bool,
    uses_exit_code: bool,
    store: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Check PAGES and report what has changed since the last check. PAGES are files with one URL per line, URLs, or -
    for standard input.

    The first check remembers the pages; later ones print nothing if nothing has changed. It fetches a changed page
    again before it reports it, to ignore counters, advertisements and stale copies. Without --every it makes one check,
    for cron.
    """
    store = store or _beside(pages)
    refuse_upgrade(click.get_current_context(), store)
    if last is not None:
        if not store.exists():
            raise SettingError(f"no page is watched in {printable(str(store))}; name the list, or --store FILE")
        print_told(store, last, "--last", atom, as_json=as_json)
        return
    commands = module("alerts").parsed_command(command_line) if command_line else []
    services = _services(store, notify)
    if test_notify:
        _try(services, commands)
        return
    given, _ = given_options(click.get_current_context(), options, None, store)
    seeds = _seeds(pages, store)
    rounds = module("watch.rounds")
    times, kinds = _times(confirm), kinds_of(only, sorted(rounds.KINDS))
    watched = rounds.Watched(store, seeds, given, _by_url(seeds.urls, selectors), times, kinds=kinds)
    sending = _Sending(store, len(seeds.urls), services, commands, atom, shows_all, as_json)
    pause = None if every is None else parse_duration(every)
    if services:
        module("alerts").check_services(services)
    keep_little_free_memory()
    if sys.stderr.isatty():
        again = f"; new and changed ones are fetched again after {confirm.replace(',', ' and ')}" if times else ""
        click.echo(f"Checking {counted(len(seeds.urls), 'page')}{again}.", err=True)
    try:
        while True:
            began = time.monotonic()
            done = run_loop(watched.check(pause), is_small=True)
            sending.tell(done)
            if pause is None:
                break
            time.sleep(max(pause - (time.monotonic() - began), 0.0))
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise click.exceptions.Exit(INTERRUPTED) from None
    if not done.read:
        from minicrawl.cli.guidance import typed

        reason = printable(typed(("watch", "--last", "1d"), ("--store", str(store))))
        click.echo(f"Error: no page of the list could be read; '{reason}' says why", err=True)
        raise click.exceptions.Exit(_NOTHING_READ)
    if uses_exit_code and done.has_news:
        raise click.exceptions.Exit(1)


def _beside(pages: Sequence[str]) -> Path:
    """The store of a list of pages: beside its file, if it is one."""
    if pages and pages[0] != "-" and Path(pages[0]).is_file():
        return Path(pages[0]).with_suffix(".watch.db")
    return Path("data/watch.db")


def _seeds(pages: Sequence[str], store: Path) -> "Seeds":
    """The URLs of the list; where none is given, those that the store knows."""
    from minicrawl.crawler.admission.seeds import Seeds, gather_seeds

    if pages:
        return gather_seeds(pages)
    if not store.exists():
        raise SettingError("name the pages to watch: URLs, or a file with one URL per line")
    return Seeds(module("watch.rounds").watched_urls(store))


def _by_url(urls: Sequence[str], selectors: Sequence[str]) -> dict[str, str]:
    """What of each page is watched alone, by its URL; the first selector for a page counts."""
    import re

    from minicrawl.extract.document import wrong_css
    from minicrawl.model import css_parts

    found = dict[str, str]()
    for text in selectors:
        named = f"--selector {quoted(text)}"
        pattern, sign, selector = text.partition("=")
        if not sign or "[" in pattern or "::" in pattern or pattern.startswith("json:"):
            pattern, selector = "", text
        selector = selector.removeprefix("css:")
        if not selector.startswith("json:") and wrong_css(css_parts(selector)[0]):
            raise SettingError(f"{named}: {quoted(selector)} is not a CSS selector")
        try:
            matching = [url for url in urls if re.search(pattern, url)]
        except re.error as error:
            raise SettingError(f"{named}: {quoted(pattern)} is no regular expression ({error})") from error
        if not matching:
            raise SettingError(f"{named} matches the URL of no page of the list")
        for url in matching:
            found.setdefault(url, selector)
    return found


def _times(confirm: str) -> list[float]:
    times = [parse_duration(text) for text in confirm.split(",")]
    if len(times) > 2:
        raise SettingError(f"--confirm takes one time or two, such as 30s,5m, not {quoted(confirm)}")
    return [] if times == [0.0] else times


_NOTIFY = "watch_notify"
"""Key of `meta`: JSON of the services that messages are sent to."""


def _services(store: Path, given: Sequence[str]) -> list[str]:
    """The services that messages are sent to: those given, else those of the runs before."""
    from minicrawl.store.database import logs, real_path
    from minicrawl.store.writer import Writer

    if given:
        module("alerts").check_services(given)
    elif not store.exists():
        return []
    store.parent.mkdir(parents=True, exist_ok=True)
    with closing(Writer(store)) as writer:
        if given:
            for file in filter(Path.exists, (store, *logs(real_path(store)))):
                file.chmod(0o600)  # services may hold passwords
            with writer.transaction():
                writer.save_meta({_NOTIFY: json.dumps({"urls": given})})
        return list(given) or list(writer.meta_json(_NOTIFY).get("urls", ()))


def _try(services: Sequence[str], commands: Sequence[str]) -> None:
    alerts, messages = module("alerts"), module("watch.messages")
    if not services and not commands:
        raise SettingError("--test-notify tests --notify and --run; give one of them")
    for url in services:
        if why := alerts.notify(url, "minicrawl watch", "This is a test message: all is well."):
            raise SettingError(f"the message was not sent: {why}")
    if commands and (why := alerts.run_command(commands, messages.as_json([], time.time(), 0))):
        raise SettingError(f"the message was not sent: {why}")
    click.echo("The message was sent.")


def print_told(store: Path, last: str, option: str, atom: Path | None, *, as_json: bool) -> None:
    """Print what was told of watched pages since a time that a user gives with an option; write a feed, too."""
    messages = module("watch.messages")
    told = messages.told(store, moment_of(last, time.time(), option))
    if atom is not None:
        _write_atom(atom, store)
    for number, (row, event) in enumerate(told):
        if as_json:
            click.echo(json.dumps(messages.as_json([event], row.at, row.round)))
            continue
        if not number or told[number - 1][0].round != row.round:
            click.echo(messages.stamp(row.at))
        click.echo("\n".join(f"  {line}" for line in messages.event_words(event)))
    if not told and not as_json:
        click.echo(f"Nothing was reported since {printable(last)}.")


_IN_FEED = 1_000
"""Entries of a feed, the latest."""


def _write_atom(path: Path, store: Path) -> None:
    """Write what was told lately as a feed. Raises SettingError."""
    from minicrawl.export.atom import FeedEntry, write_entries
    from minicrawl.store.texts.difference import CAME, WENT, Line

    messages, entries = module("watch.messages"), []
    for row, event in messages.told(store, 0.0)[-_IN_FEED:]:
        lines = [*(Line(WENT, line) for line in event.removed), *(Line(CAME, line) for line in event.added)]
        summary, *_ = messages.event_words(event)
        url = event.pages[0] if event.pages else event.url
        title = f"{row.what}: {event.title or event.url}"
        entries.append(FeedEntry(f"{row.at} {row.what} {row.url}", row.at, title, url, summary, lines))
    write_entries(path, entries, str(store), "Changes of watched pages")


_PRINTING, _COMMAND = "print", "run"
"""Ways of sending a message, beside services, each by its URL."""


@dataclass
class _Sending:
    """Tells what rounds have found, as a user asks for it: prints it, and sends it."""

    store: Path
    pages: int
    services: Sequence[str]
    commands: Sequence[str]
    atom: Path | None
    shows_all: bool
    as_json: bool

    def tell(self, done: "WatchRound") -> None:
        messages = module("watch.messages")
        if self.as_json:
            click.echo(json.dumps(messages.as_json(done.events, done.at, done.number)))
        elif done.fresh and not is_quiet():
            click.echo(f"{counted(len(done.fresh), 'page')} {'are' if done.fresh[1:] else 'is'} watched from now on.")
        ways = [_PRINTING, *self.services, *([_COMMAND] if self.commands else ())]
        for way in ways:
            message = messages.Message(self.store, self.pages, way, ways)
            if message.is_due or (way == _PRINTING and self.shows_all and message.events):
                self._send(way, message)
        if self.atom is not None:
            _write_atom(self.atom, self.store)

    def _send(self, way: str, message: Any) -> None:
        lines, why = message.lines(), None
        if way == _COMMAND:
            why = module("alerts").run_command(self.commands, message.json())
        elif way != _PRINTING:
            why = module("alerts").notify(way, lines[0], "\n".join(lines))
        elif not (self.as_json or is_quiet()):
            click.echo("\n".join(lines))
        if why is None:
            message.note_sent()
            return
        with suppress(OSError):
            click.echo(f"The message was not sent, and will be sent with the next: {why}", err=True)
