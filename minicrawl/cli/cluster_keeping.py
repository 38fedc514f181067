"""minicrawl cluster move and rebalance: places of the partitions' stores."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.cli.option_sources import config_option
from minicrawl.cli.options import json_option
from minicrawl.cli.output import amount, document
from minicrawl.errors import SettingError, StoreError, counted

if TYPE_CHECKING:
    from minicrawl.cluster.folder import Folder


folder_option = click.option(
    "--store",
    "path",
    type=click.Path(path_type=Path),  # a configuration file may set the store of all other commands
    envvar="MINICRAWL_STORE",
    show_envvar=True,
    required=True,
    metavar="FOLDER",
    help="The crawl's folder, with a store for each partition.",
)


@click.command(epilog="Example: minicrawl cluster move 3 /disk2/web --store data/web")
@click.argument("number", type=click.IntRange(min=0))
@click.argument("target", metavar="[FOLDER]", required=False, type=click.Path(file_okay=False, path_type=Path))
@click.option("--node", metavar="IP", help="To a node of the Ray cluster.  [default: this machine]")
@click.option(
    "--ray", metavar="ADDRESS", help="The Ray cluster: auto or HOST:PORT.  [default: that of the crawl, or auto]"
)
@folder_option
@json_option
@config_option
def move(  # noqa: PLR0913 - one argument per option, as click calls it
    number: int, target: Path | None, node: str | None, ray: str | None, path: Path, as_json: bool
) -> None:
    """Move the store of partition NUMBER to another FOLDER, such as one on another disk. No crawl may run meanwhile.

    cluster.json has its new place. The next move replaces what a killed one has left. A copy from before a move is
    refused, as it is of an earlier generation.

    With --node the store goes to a node of a Ray cluster, to FOLDER there or to the path of the crawl's own folder.
    Without, a store on a node comes to FOLDER here. Its node copies it first, and needs room for that.
    """
    from minicrawl.cluster.folder import found
    from minicrawl.cluster.moving import move as moved
    from minicrawl.cluster.moving import size_of

    folder = found(path)
    if node is None and target is None:
        raise SettingError("say where it is to be: name a FOLDER, or a node with --node")
    if node is not None or folder.machines:
        folder, size = _moved_between(folder, number, node, target, ray or folder.ray or "auto")
    else:
        assert target is not None, "it was looked at above"
        folder = moved(unused(path), number, target)
        size = size_of(folder.store(number))
    store, where = folder.store(number), folder.places[number].machine
    on = "" if where is None else f" on {where}"
    report = {"partition": number, "machine": where, "store": str(store), "bytes": size}
    click.echo(document(report) if as_json else f"partition {number}, {amount(size)}, is {store}{on} now")


def _moved_between(
    folder: "Folder", number: int, node: str | None, target: Path | None, address: str
) -> "tuple[Folder, int]":
    """Move a partition from or to a node; return the crawl afterwards, and the bytes moved."""
    from minicrawl.cluster.machines.carrying import move_between
    from minicrawl.cluster.machines.ray import connected
    from minicrawl.store.partitions.folder import Place

    with connected(address) as nodes:
        name = None if node == nodes.here else node
        carriers = nodes.carriers(folder, *([] if name is None else [name]))
        place = Place(str(target or folder.path.absolute()), machine=name)
        moved, size = move_between(folder, number, place, carriers, lambda: nodes.check_agreement(folder))
        return moved.keep_ray(address), size


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
    from minicrawl.cluster.balance import held_by, plan
    from minicrawl.cluster.moving import move as moved
    from minicrawl.cluster.moving import size_of

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


def unused(path: Path) -> "Folder":
    """Open the crawl in a folder. Raises StoreError if it is in use."""
    from minicrawl.cluster.folder import found

    folder = found(path)
    folder.check_is_here()
    if folder.is_in_use:
        raise StoreError(f"a crawl uses {path}; stop it, and run this command then")
    return folder
