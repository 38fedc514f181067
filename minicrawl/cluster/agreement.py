"""Whether stores are those of one moment, by what partitions have numbered of one another's messages.

What B has taken of A is no more than what A has sent, and what B has not taken A has kept, at every commit of either.
A store that was put back from an older backup than the others breaks one of these as soon as anything was handed over
in between: to go on with it would lose money, or make it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from minicrawl.cluster.folder import Folder
from minicrawl.cluster.merged import AskedStore
from minicrawl.errors import StoreError
from minicrawl.store.reader import Store
from minicrawl.store.rows import MetaValue
from minicrawl.store.write.transfer_rows import NeighbourRow


class _Traffic(NamedTuple):
    """Which partition a store is, and what it says of its traffic. neighbours: rows by the number of the partition;
    kept: home and number of every row of its outbox."""

    path: str
    cluster: MetaValue
    partition: MetaValue
    partitions: MetaValue
    neighbours: Mapping[int, NeighbourRow]
    kept: set[tuple[int, int]]


def check_agreement(folder: Folder) -> None:
    """Raise StoreError, before anybody goes on with them, for stores that are not of one moment."""
    with folder.opened() as stores:
        check_agreement_of(stores)


def check_agreement_of(stores: Sequence[AskedStore]) -> None:
    """Raise StoreError for stores that are not of one moment."""
    for fault in disagreements(stores):
        raise StoreError(f"{fault}; restore all from one backup, made by 'minicrawl cluster backup'")


def disagreements(stores: Sequence[AskedStore]) -> Iterator[str]:
    """What is wrong with which stores these are, and with what they say of one another: a sentence each."""
    each = [store.ask(_traffic) for store in stores]
    for number, of in enumerate(each):
        if (of.partition, of.partitions) != (number, len(stores)):
            yield f"{of.path} is not partition {number} of {len(stores)}"
        if of.cluster != each[0].cluster:
            yield f"{of.path} is of another crawl than {each[0].path}"
    nothing = NeighbourRow(-1, 0, 0)
    for source, of in enumerate(each):
        for home in range(len(stores)):
            sent = of.neighbours.get(home, nothing).sent
            taken = each[home].neighbours.get(source, nothing).taken
            if taken > sent:
                yield (
                    f"partition {home} has taken {taken} messages of partition {source}, which has made only {sent}: "
                    "one of the stores is older than the other"
                )
            for number in range(taken + 1, sent + 1):
                if (home, number) not in of.kept:
                    yield (
                        f"partition {home} has not taken message {number} of partition {source}, which has thrown it "
                        "away: one of the stores is older than the other"
                    )


def _traffic(store: Store) -> _Traffic:
    cluster, partition, partitions = (store.meta(key) for key in ("cluster", "partition", "partitions"))
    neighbours = {row.partition: row for row in store.transfers.neighbours()}
    return _Traffic(str(store.path), cluster, partition, partitions, neighbours, store.transfers.numbers())
