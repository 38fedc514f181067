"""minicrawl control"""

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any  # Any: JSON

import click

from minicrawl.cli.help import Group
from minicrawl.cli.options import about_store, naming_store
from minicrawl.cli.output import amount, document, duration
from minicrawl.errors import counted
from minicrawl.log import printable

_Answer = dict[str, Any]
_Lines = Callable[[_Answer], Iterable[str]]


@click.group(cls=Group, epilog="Example: minicrawl control set delay=2 concurrency=32")
def command() -> None:
    """Steer a running crawl from another shell.

    A crawl started by 'minicrawl crawl' listens on a socket beside its store that only its owner can use. When a
    command returns, its effect is in the store. If no crawl runs, set, add, ban, unban and again change the store for
    the next run.
    """


@command.command(epilog="Example: minicrawl control pause")
@about_store
def pause(store: Path, as_json: bool) -> None:
    """Make no more requests; those in flight are finished. The clocks of --time and other limits stop."""
    _print(_asked(store, {"do": "pause"}), _state_lines, as_json)


@command.command(epilog="Example: minicrawl control resume")
@about_store
def resume(store: Path, as_json: bool) -> None:
    """Continue after 'pause'."""
    _print(_asked(store, {"do": "resume"}), _state_lines, as_json)


@command.command(epilog="Example: minicrawl control stop --now")
@click.option("--now", is_flag=True, help="Do not wait for requests in flight; the next run repeats them.")
@about_store
def stop(now: bool, store: Path, as_json: bool) -> None:
    """Stop the crawl, as Ctrl-C does; 'minicrawl crawl' continues it."""
    _print(_asked(store, {"do": "stop", "now": now}), _state_lines, as_json)


@command.command(epilog="Example: minicrawl control status --json")
@about_store
def status(store: Path, as_json: bool) -> None:
    """Print what the crawl is doing right now; 'minicrawl status' has more, as of the last commit."""
    _print(_asked(store, {"do": "status"}), _status_lines, as_json)


@command.command(epilog="Example: minicrawl control workers")
@about_store
def workers(store: Path, as_json: bool) -> None:
    """Print what each worker process is doing, since when, and how much it has done."""
    _print(_asked(store, {"do": "workers"}), _worker_lines, as_json)


@command.command("set", epilog="Example: minicrawl control set delay=2 workers=4 pages=none deny=/archive/")
@click.argument("settings", nargs=-1, required=True, metavar="NAME=VALUE...")
@about_store
def set_(settings: tuple[str, ...], store: Path, as_json: bool) -> None:
    """Change settings: limits, scope, politeness, workers. If one is wrong, none is changed.

    Names and values are those of the options of 'minicrawl crawl'. NAME=none removes a limit; an empty allow=, deny= or
    boost= removes all patterns. Limits hold for this run; everything else holds for later runs, too.
    """
    from minicrawl.control.asking import assigned

    _print(_asked(store, {"do": "set", "settings": assigned(settings)}), _changed_lines, as_json)


@command.command(epilog="Example: minicrawl control add https://example.org/ more-seeds.txt")
@click.argument("seeds", nargs=-1, required=True)
@about_store
def add(seeds: tuple[str, ...], store: Path, as_json: bool) -> None:
    """Add SEEDS: URLs, seed files, or - for standard input. Seeds that were given up are tried again."""
    from minicrawl.control.asking import ask
    from minicrawl.control.messages import parts
    from minicrawl.crawler.admission.seeds import gather_seeds

    gathered = gather_seeds(seeds)
    answers = ask(store, parts(gathered.urls, gathered.guessed))
    total = {name: sum(answer[name] for answer in answers) for name in ("seeds", "new")}
    _print({**answers[-1], **total}, _added_lines, as_json)


@command.command(epilog="Example: minicrawl control ban example.org")
@click.argument("host")
@about_store
def ban(host: str, store: Path, as_json: bool) -> None:
    """Stop requests to HOST, also in later runs; its pages wait. Requests in flight are finished."""
    answer = _asked(store, {"do": "ban", "host": host})
    name = answer["host"]
    line = naming_store(f"{name} is banned: no requests until 'minicrawl control unban {name}'")
    _print(answer, lambda _: [line], as_json)


@command.command(epilog="Example: minicrawl control unban example.org")
@click.argument("host")
@about_store
def unban(host: str, store: Path, as_json: bool) -> None:
    """Lift the ban of HOST."""
    answer = _asked(store, {"do": "unban", "host": host})
    _print(answer, lambda _: [f"{answer['host']} is no longer banned{_for_later(answer)}"], as_json)


@command.command(epilog="Example: minicrawl control again https://example.org/news")
@click.argument("url")
@about_store
def again(url: str, store: Path, as_json: bool) -> None:
    """Fetch URL again, as the next page of its host, whether it was read, was given up, or waits."""
    answer = _asked(store, {"do": "again", "url": url})
    _print(answer, lambda _: [f"{answer['url']} is next on its host{_for_later(answer)}"], as_json)


def _asked(store: Path, message: _Answer) -> _Answer:
    from minicrawl.control.asking import ask

    return dict(ask(store, [message])[0])


def _print(answer: _Answer, lines: _Lines, as_json: bool) -> None:
    click.echo(document(answer) if as_json else "\n".join(map(printable, lines(answer))))


def _state_lines(answer: _Answer) -> Iterator[str]:
    state, in_flight = answer["state"], answer["in_flight"]
    finishing = f"; {counted(in_flight, 'request')} in flight {'is' if in_flight == 1 else 'are'} being finished"
    if state == "paused":
        yield naming_store(f"paused{finishing if in_flight else ''}; 'minicrawl control resume' continues")
    elif state in ("stopping", "ended"):
        yield f"stopping{finishing if in_flight else ''}; then the ranking is settled"
    else:
        yield state


def _changed_lines(answer: _Answer) -> Iterator[str]:
    for one in answer["changed"]:
        yield f"{one['name'].replace('_', '-')}: {one['before']} -> {one['after']}"
    if not answer["changed"]:
        yield "nothing changed: all values were already set"
    elif not answer["running"]:
        yield "no crawl is running; the next one uses that"


def _added_lines(answer: _Answer) -> Iterator[str]:
    known = answer["seeds"] - answer["new"]
    yield f"{counted(answer['new'], 'new seed')}" + (f", {known:,} known before" if known else "") + _for_later(answer)


def _for_later(answer: _Answer) -> str:
    return "" if answer["running"] else "; no crawl is running, so the next one does this"


def _status_lines(answer: _Answer) -> Iterator[str]:
    limits = answer["limits"]
    of = f" of {limits['pages']:,}" if limits["pages"] else ""
    time_left = f" of {duration(limits['time'])}" if limits["time"] else ""
    size = f" of {amount(limits['bytes'])}" if limits["bytes"] else ""
    reason = f", {answer['reason']}" if answer["reason"] else ""
    yield f"state      {answer['state']}{reason}; process {answer['pid']}"
    spent = f"{amount(answer['bytes'])}{size}, {duration(answer['seconds'])}{time_left}"
    yield f"this run   {answer['fetched']:,}{of} pages, {spent}"
    yield f"known      {answer['known']:,}, {answer['read']:,} of them read"
    waits = "".join(f", {counted(of, 'page')} waiting for the {what}" for what, of in answer["waits_for"].items())
    yield f"in flight  {counted(answer['in_flight'], 'request')}{waits}"
    has_parts = "partitions" in answer
    processes = {one["pid"] for one in answer["partitions" if has_parts else "workers"]}
    yield f"workers    {len(processes) or ('none yet' if has_parts else 'none: the main process fetches')}"
    if limits["until_coverage"]:
        yield f"until      a coverage of {limits['until_coverage']:.1%}"
    if answer["banned"]:
        yield f"banned     {', '.join(answer['banned'])}"


def _worker_lines(answer: _Answer) -> Iterator[str]:
    if not answer["workers"] and "partitions" not in answer:
        yield (
            f"no workers: process {answer['pid']} fetches and parses itself, {answer['cpu']:.1f} s of CPU so far; "
            + naming_store("'minicrawl control set workers=2' starts two")
        )
        return
    numbers = f"{'in flight':>9}  {'pages':>9}  {'bytes':>9}  {'CPU':>8}"
    yield f"{'worker':>6}  {'process':>7}  {'does':<8}  {'since':<8}  {numbers}"
    for one in answer["workers"]:
        since = time.strftime("%H:%M:%S", time.localtime(one["since"]))
        yield (
            f"{one['number']:>6}  {one['pid']:>7}  {one['doing']:<8}  {since:<8}  {one['in_flight']:>9,}  "
            f"{one['pages']:>9,}  {amount(one['bytes']):>9}  {duration(one['cpu']):>8}"
        )
    yield f"{'main':>6}  {answer['pid']:>7}  {'the books':<42}  {duration(answer['cpu']):>30}"
