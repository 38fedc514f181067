"""minicrawl cluster start, join and stop: what lets several machines share a crawl; and what reads their stores."""

import os
import platform
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol  # Any: JSON

import click

from minicrawl.cli.configuration import config_option
from minicrawl.cli.output import counted, document
from minicrawl.errors import SettingError, StoreError

if TYPE_CHECKING:
    from minicrawl.cluster.folder import Folder
    from minicrawl.cluster.machines.ray import Machines
    from minicrawl.cluster.merged import AskedStore
    from minicrawl.cluster.reading.status import PartStatus
    from minicrawl.store.rows import RankedPage


_LOOPBACK = "127.0.0.1"
_TOKEN = "MINICRAWL_TOKEN"
"""The environment variable from which `join` takes the token, as command lines can be read by all users."""

_name_option = click.option(
    "--name",
    default=lambda: platform.node().partition(".")[0] or "machine",
    show_default="the host's name",
    help="What this machine is called: the same each time, as its partitions are on a machine of that name.",
)
_address_option = click.option(
    "--address",
    default=_LOOPBACK,
    show_default=True,
    metavar="IP",
    help="This machine's address to the others. With any but 127.0.0.1 Ray listens on all addresses of the machine.",
)


@click.command(epilog="Example: minicrawl cluster start --address 10.0.0.1")
@click.option("--port", default=6399, show_default=True, type=click.IntRange(1024, 65535), help="Where others join.")
@_address_option
@_name_option
@config_option
def start(port: int, address: str, name: str) -> None:
    """Let other machines join this one, with Ray: prints what to type on them, with the token that lets them in.

    Who has the token can run any program on all machines, and what goes over the line is not encrypted: use a network
    that nobody else is on, or a tunnel. It goes on until 'minicrawl cluster stop'. One machine alone needs none of it.
    """
    from minicrawl.cluster.machines import machine

    here = machine.first(name, address, port)
    machine.start(here)
    there = "" if address == _LOOPBACK else " --address ITS-IP"
    click.echo(f"Machine {name} listens at {here.head}. Type on each of the others:\n")
    click.echo(f"  {_TOKEN}={here.token} minicrawl cluster join {here.head} --folder FOLDER{there}\n")
    click.echo("Then, here: minicrawl cluster crawl SEEDS --store FOLDER --partitions N --machines")


@click.command(epilog="Example: minicrawl cluster join 10.0.0.1:6399 --address 10.0.0.2 --folder /disk/web")
@click.argument("head", metavar="HOST:PORT")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Where stores of new crawls are kept, each crawl's in a folder of its own.",
)
@_address_option
@_name_option
@config_option
def join(head: str, folder: Path, address: str, name: str) -> None:
    """Let this machine take partitions of crawls that are begun with --machines on the one at HOST:PORT.

    The token that 'minicrawl cluster start' has printed there is taken from the environment variable MINICRAWL_TOKEN,
    or asked for. After a restart of this machine, join again with the same name: its partitions go on.
    """
    from minicrawl.cluster.machines import machine

    token = os.environ.get(_TOKEN)
    if not token and not sys.stdin.isatty():
        raise SettingError(f"the token is missing; {_TOKEN} has to be what 'minicrawl cluster start' has printed there")
    token = token or click.prompt("Token", hide_input=True, err=True)
    machine.start(machine.joining(name, address, head, token.strip(), folder))
    click.echo(f"Machine {name} has joined {head}; 'minicrawl cluster stop' ends that.")


@click.command(epilog="Example: minicrawl cluster stop")
@config_option
def stop() -> None:
    """End what 'minicrawl cluster start' and 'join' have begun on this machine. A crawl that runs waits, or ends.

    No crawl loses anything by that. It ends where the first machine is stopped; else it waits for this one to join.
    """
    from minicrawl.cluster.machines import machine

    machines = list(machine.running())
    if not machines:
        raise SettingError("no machine has been started here; 'minicrawl cluster start' does that")
    for each in reversed(machines):  # the first one last
        machine.stop(each)
        click.echo(f"Machine {each.name} has stopped.")


class Away(Protocol):
    """See machines/ray.py."""

    def away(self, folder: "Folder") -> Sequence[tuple[int, str]]: ...


@contextmanager
def connected_here() -> "Iterator[Machines]":
    """All machines. Raises StoreError where this is none of them, and SettingError where this Python has no Ray."""
    from minicrawl.cluster.machines import machine
    from minicrawl.cluster.machines.ray import connected

    here = machine.found()
    if here is None:
        raise StoreError("this machine shares no crawls now: 'minicrawl cluster start', or 'join', lets it")
    machine.check_ray()  # another Python may have started it
    with connected(here) as machines:
        yield machines


@contextmanager
def read_stores(folder: "Folder") -> "Iterator[Sequence[AskedStore]]":
    """Stores of a crawl wherever they are. Raises StoreError."""
    if not folder.machines:
        with folder.opened() as stores:
            yield stores
        return
    with connected_here() as machines:
        yield machines.stores(folder)


@contextmanager
def unused_stores(folder: "Folder") -> "Iterator[Sequence[AskedStore]]":
    """Stores of a crawl that does not run, wherever they are. Raises StoreError."""
    from minicrawl.store.reader import Store

    with read_stores(folder) as stores:
        if any(store.ask(Store.is_in_use) for store in stores):
            raise StoreError(f"a crawl uses {folder.path}; stop it, and run this command then")
        yield stores


def check_stores(machines: "Machines", folder: "Folder") -> None:
    """Raise StoreError for stores that are not of one moment, as far as that can be told before a crawl goes on.

    A machine that is away is waited for by the crawl, so it is not asked; and while hosts of a crawl that was killed
    still write, each store would be read at another moment.
    """
    from minicrawl.cluster.agreement import check_agreement_of
    from minicrawl.store.reader import Store

    if not machines.away(folder):
        stores = machines.stores(folder)
        if not any(store.ask(Store.is_in_use) for store in stores):
            check_agreement_of(stores)


def parts_of(folder: "Folder") -> "Sequence[PartStatus | None]":
    """What each partition of a crawl on several machines says of itself; None of all where one is away."""
    from minicrawl.cluster.reading.status import part_status

    try:
        with connected_here() as machines:
            return [store.ask(part_status) for store in machines.stores(folder)]
    except (SettingError, StoreError) as error:
        click.echo(f"Warning: {error}", err=True)
        return [None] * len(folder.places)


def warn_of_away(machines: "Away", folder: "Folder") -> None:
    """Say for whom a crawl that begins now waits."""
    by_machine: dict[str, list[str]] = {}
    for number, name in machines.away(folder):
        by_machine.setdefault(name, []).append(str(number))
    for name, numbers in by_machine.items():
        some = f"{'partition' if len(numbers) == 1 else 'partitions'} {', '.join(numbers)}"
        click.echo(
            f"Warning: machine {name} is away, and the crawl waits for it, with {some}; let it join again as it did "
            "before.",
            err=True,
        )


def found_by(machines: "Machines", folder: "Folder") -> "tuple[int | None, int | None, Sequence[RankedPage]]":
    """How many pages are known, how many of them are read, and the best; None and nothing where a machine is away."""
    from minicrawl.cluster.merged import ranked_pages

    try:
        stores = machines.stores(folder)
        return *known_and_read(stores), list(ranked_pages(stores, 10))
    except StoreError as error:
        click.echo(f"Warning: {error}", err=True)
        return None, None, []


def known_and_read(stores: "Sequence[AskedStore]") -> tuple[int, int]:
    """How many pages all partitions know at home, and how many of them are read."""
    from minicrawl.cluster.merged import states_of_all
    from minicrawl.model import READ

    states = states_of_all(stores)
    return states.total(), sum(states[state] for state in READ)


def print_status(folder: "Folder", as_json: bool) -> None:
    """Which machine has which partition, and how far each is where all are there."""
    from minicrawl.model import State

    parts = parts_of(folder)
    known, read = sum(part.known for part in parts if part), sum(part.read for part in parts if part)
    rows: list[dict[str, Any]] = []
    for number, (place, part) in enumerate(zip(folder.places, parts, strict=True)):
        row: dict[str, Any] = {"partition": number, "machine": place.machine, "folder": place.folder}
        rows.append(row | ({"pages": part.pages, "mirrors": part.mirrors, "outbox": part.outbox} if part else {}))
    if as_json:
        click.echo(document({"known": known, "read": read, "partitions": rows}))
        return
    where = f"{counted(len(rows), 'partition')} on {counted(len(folder.machines) + 1, 'machine')}"
    lines = [f"{counted(known, 'page')} known in {where}, {read:,} read", ""] if all(parts) else [where, ""]
    kinds = [state for state in State if any(row.get("pages", {}).get(state) for row in rows)]
    lines.append("  ".join(["partition", f"{'machine':<16}", *(f"{kind:>10}" for kind in kinds)]).rstrip())
    for row in rows:
        numbers = [f"{row.get('pages', {}).get(kind, 0):>10,}" for kind in kinds]
        lines.append("  ".join([f"{row['partition']:>9}", f"{row['machine'] or 'here':<16}", *numbers]).rstrip())
    click.echo("\n".join(lines))
