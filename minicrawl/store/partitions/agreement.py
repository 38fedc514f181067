"""Detect stores restored from different backups, by message numbers.

At every commit, B has taken no more rows from A than A has sent, and A keeps each row that B has not taken. A store
that is older than the others breaks one of these as soon as rows were handed over in between; to go on with it would
lose cash, or make it.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from minicrawl.errors import StoreError
from minicrawl.store.declaration import MetaValue
from minicrawl.store.reader import Store


class Traffic(NamedTuple):
    """The traffic of a partition. sent, taken: numbers of messages by partition; kept: home and number of every row of
    its outbox."""

    path: str
    cluster: MetaValue
    partition: MetaValue
    partitions: MetaValue
    sent: dict[int, int]
    taken: dict[int, int]
    kept: set[tuple[int, int]]


def check_traffic(each: Sequence[Traffic]) -> None:
    """Raise StoreError for stores from different backups. each: of all partitions."""
    for fault in disagreements(each):
        raise StoreError(f"{fault}; restore all from one backup")


def disagreements(each: Sequence[Traffic]) -> Iterator[str]:
    """The faults in the identity of stores, and in their traffic, a sentence each."""
    by_number: dict[MetaValue, Traffic] = {}
    for of in each:
        if of.partition in by_number or of.partitions != each[0].partitions:
            yield f"{of.path} is partition {of.partition} of {of.partitions}, which does not go with {each[0].path}"
        if of.cluster != each[0].cluster:
            yield f"{of.path} is of another crawl than {each[0].path}"
        by_number[of.partition] = of
    for home, there in by_number.items():
        for source, taken in there.taken.items():
            sent = by_number[source].sent.get(int(home or 0), 0) if source in by_number else 0
            if taken > sent:
                yield (
                    f"partition {home} has taken {taken} messages of partition {source}, which has made only {sent}: "
                    "one of the stores is older than the other"
                )
    for number, of in by_number.items():
        for to, sent in of.sent.items():
            taken = by_number[to].taken.get(int(number or 0), 0) if to in by_number else 0
            for message in range(taken + 1, sent + 1):
                if (to, message) not in of.kept:
                    yield (
                        f"partition {to} has not taken message {message} of partition {number}, which has thrown it "
                        "away: one of the stores is older than the other"
                    )


def traffic(store: Store) -> Traffic:
    """The traffic of a partition."""
    cluster, partition, partitions = (store.meta(key) for key in ("cluster", "partition", "partitions"))
    neighbours = store.transfers.neighbours()
    sent = {row.partition: row.sent for row in neighbours if row.sent}
    taken = {row.partition: row.taken for row in neighbours if row.taken}
    return Traffic(str(store.path), cluster, partition, partitions, sent, taken, store.transfers.numbers())
