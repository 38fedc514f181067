"""minicrawl cluster backup, move and rebalance: where the stores of all partitions are."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.cli.cluster_machines import connected_here, known_and_read
from minicrawl.cli.cluster_reading import folder_option, unused
from minicrawl.cli.configuration import config_option
from minicrawl.cli.options import json_option
from minicrawl.cli.output import amount, counted, document
from minicrawl.errors import SettingError

if TYPE_CHECKING:
    from minicrawl.cluster.folder import Folder


@click.command(epilog="Example: minicrawl cluster backup monday --store data/web")
@click.argument("copy", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@folder_option
@json_option
@config_option
def backup(copy: Path, path: Path, as_json: bool) -> None:
    """Copy the stores of all partitions to DIR, a new folder, as of one moment; also while a crawl runs.

    The crawl goes on meanwhile, but partitions hand nothing over to one another until all are copied. DIR appears whole
    or not at all. It is a folder like any other: 'minicrawl crawl --store DIR' goes on from there.

    Stores of other machines are brought here, all to DIR. Each of these machines copies its own first, for which it
    needs as much room as they take.
    """
    from minicrawl.cluster.backup import backup_all
    from minicrawl.cluster.folder import found
    from minicrawl.cluster.machines.carrying import backup_between
    from minicrawl.cluster.moving import size_of

    folder = found(path)
    if folder.machines:
        with connected_here() as machines:
            made = backup_between(folder, copy, machines.carriers(folder))
    else:
        made = backup_all(folder, copy)
    with made.opened() as stores:
        pages, _ = known_and_read(stores)
    size = sum(map(size_of, made.stores))
    report = {"store": str(path), "folder": str(copy), "partitions": len(made.stores), "pages": pages, "bytes": size}
    where = f"{counted(pages, 'page')} in {counted(len(made.stores), 'partition')}"
    click.echo(document(report) if as_json else f"{copy}: {where}, {amount(size)}")


@click.command(epilog="Example: minicrawl cluster move 3 /disk2/web --store data/web")
@click.argument("number", type=click.IntRange(min=0))
@click.argument("target", metavar="[FOLDER]", required=False, type=click.Path(file_okay=False, path_type=Path))
@click.option("--machine", metavar="NAME", help="To one that has joined, or back to this one.  [default: this one]")
@folder_option
@json_option
@config_option
def move(number: int, target: Path | None, machine: str | None, path: Path, as_json: bool) -> None:
    """Take the store of partition NUMBER to another FOLDER, such as one on another disk. No crawl may run meanwhile.

    cluster.json says where it is from then on. What is left of a move that was killed is replaced by the next one. A
    copy from before a move is refused, as it is of an earlier generation.

    With --machine it goes to a machine that has joined, see 'cluster start': to FOLDER there, or to where that keeps
    stores. Without, one of another machine comes to FOLDER here. Its machine copies it first, so it needs room there.
    """
    from minicrawl.cluster.folder import found
    from minicrawl.cluster.moving import move as moved
    from minicrawl.cluster.moving import size_of

    folder = found(path)
    if machine is None and target is None:
        raise SettingError("say where it is to be: name a FOLDER, or a machine with --machine")
    if machine is not None or folder.machines:
        folder, size = _moved_between(folder, number, machine, target)
    else:
        assert target is not None, "it was looked at above"
        folder = moved(unused(path), number, target)
        size = size_of(folder.stores[number])
    store, where = folder.stores[number], folder.places[number].machine
    on = "" if where is None else f" on {where}"
    report = {"partition": number, "machine": where, "store": str(store), "bytes": size}
    click.echo(document(report) if as_json else f"partition {number}, {amount(size)}, is {store}{on} now")


def _moved_between(folder: "Folder", number: int, machine: str | None, target: Path | None) -> "tuple[Folder, int]":
    """A partition taken to another machine, or from one: the crawl as it is then, and bytes that were brought."""
    from minicrawl.cluster.agreement import check_agreement_of
    from minicrawl.cluster.folder import Place
    from minicrawl.cluster.machines.carrying import move_between

    with connected_here() as machines:
        name = None if machine == machines.here.name else machine
        carriers = machines.carriers(folder, *([] if name is None else [name]))
        there = target or (folder.path if name is None else carriers[name]("home", folder.cluster))
        place = Place(str(there), machine=name)
        return move_between(folder, number, place, carriers, lambda: check_agreement_of(machines.stores(folder)))


@click.command(epilog="Example: minicrawl cluster rebalance /disk2/web --store data/web --dry-run")
@click.argument("folders", nargs=-1, metavar="[FOLDER]...", type=click.Path(file_okay=False, path_type=Path))
@click.option("--dry-run", is_flag=True, help="Only say what would be moved.")
@folder_option
@json_option
@config_option
def rebalance(folders: tuple[Path, ...], dry_run: bool, path: Path, as_json: bool) -> None:
    """Move partitions between the folders they are in, and each FOLDER given, until these hold about as much.

    A partition is moved whole, so folders differ by up to the size of one. No crawl may run meanwhile.
    """
    from minicrawl.cluster.moving import held_by, plan, size_of
    from minicrawl.cluster.moving import move as moved

    folder = unused(path)
    sizes = list(map(size_of, folder.stores))
    places = _real(store.parent for store in folder.stores)
    known = list(dict.fromkeys([*_real([path]), *places, *_real(folders)]))
    moves = list(plan(sizes, places, known))
    rows = [{"partition": number, "bytes": sizes[number], "folder": target} for number, target in moves]
    for number, target in moves:
        if not dry_run:
            folder = moved(folder, number, Path(target))
        if not as_json:
            says = "would go" if dry_run else "went"
            click.echo(f"partition {number}, {amount(sizes[number])}, {says} from {places[number]} to {target}")
        places[number] = target
    held = held_by(sizes, places, known)
    if as_json:
        click.echo(document({"store": str(path), "moves": rows, "folders": held}))
        return
    if not moves:
        click.echo("No move of a partition makes these folders hold more alike.")
    for place, size in held.items():
        click.echo(f"{place}: {counted(places.count(place), 'partition')}, {amount(size)}")


def _real(folders: Iterable[Path]) -> list[str]:
    return [str(folder.resolve()) for folder in folders]
