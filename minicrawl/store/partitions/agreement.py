"""Detect stores restored from different backups, by message numbers.

At every commit, B has taken no more rows from A than A has sent, and A keeps each row that B has not taken. A store
that is older than the others breaks one of these as soon as rows were handed over in between; to go on with it would
lose cash, or make it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from minicrawl.errors import StoreError
from minicrawl.store.partitions.folder import PartitionFolder
from minicrawl.store.reader import Store
from minicrawl.store.rows import MetaValue
from minicrawl.store.write.transfer_rows import NeighbourRow


class Traffic(NamedTuple):
    """The traffic of a partition. neighbours: rows by partition; kept: home and number of every row of its outbox."""

    path: str
    cluster: MetaValue
    partition: MetaValue
    partitions: MetaValue
    neighbours: Mapping[int, NeighbourRow]
    kept: set[tuple[int, int]]


def check_agreement(folder: PartitionFolder) -> None:
    """Raise StoreError for stores restored from different backups."""
    with folder.opened() as stores:
        check_agreement_of(stores)


def check_agreement_of(stores: Sequence[Store]) -> None:
    """Raise StoreError for stores restored from different backups."""
    check_traffic([store.ask(_traffic) for store in stores])


def check_traffic(each: Sequence[Traffic]) -> None:
    """Raise StoreError for stores from different backups. each: by partition."""
    for fault in _disagreements(each):
        raise StoreError(f"{fault}; restore all from one backup, made by 'minicrawl backup'")


def disagreements(stores: Sequence[Store]) -> Iterator[str]:
    """The faults in the identity of stores, and in their traffic, a sentence each."""
    return _disagreements([store.ask(_traffic) for store in stores])


def _disagreements(each: Sequence[Traffic]) -> Iterator[str]:
    for number, of in enumerate(each):
        if (of.partition, of.partitions) != (number, len(each)):
            yield f"{of.path} is not partition {number} of {len(each)}"
        if of.cluster != each[0].cluster:
            yield f"{of.path} is of another crawl than {each[0].path}"
    nothing = NeighbourRow(-1, 0, 0)
    for source, of in enumerate(each):
        for home in range(len(each)):
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


def traffic_at(folder: PartitionFolder, number: int) -> Traffic | None:
    """The traffic of a partition on this machine; None while a crawl uses its store."""
    with folder.opened_some([number]) as (store,):
        return None if store.is_in_use() else _traffic(store)


def _traffic(store: Store) -> Traffic:
    cluster, partition, partitions = (store.meta(key) for key in ("cluster", "partition", "partitions"))
    neighbours = {row.partition: row for row in store.transfers.neighbours()}
    return Traffic(str(store.path), cluster, partition, partitions, neighbours, store.transfers.numbers())
