"""Whether stores are those of one moment, by what partitions have numbered of one another's messages.

What B has taken of A is no more than what A has sent, and what B has not taken A has kept, at every commit of either.
A store that was put back from an older backup than the others breaks one of these as soon as anything was handed over
in between: to go on with it would lose money, or make it.
"""

from collections.abc import Iterator, Sequence

from minicrawl.cluster.folder import Folder
from minicrawl.errors import StoreError
from minicrawl.store.reader import Store
from minicrawl.store.write.transfer_rows import NeighbourRow


def check_agreement(folder: Folder) -> None:
    """Raise StoreError, before anybody goes on with them, for stores that are not of one moment."""
    with folder.opened() as stores:
        for fault in disagreements(stores):
            raise StoreError(f"{fault}; restore all from one backup, made by 'minicrawl cluster backup'")


def disagreements(stores: Sequence[Store]) -> Iterator[str]:
    """What is wrong with which stores these are, and with what they say of one another: a sentence each."""
    for number, store in enumerate(stores):
        if (store.meta("partition"), store.meta("partitions")) != (number, len(stores)):
            yield f"{store.path} is not partition {number} of {len(stores)}"
        if store.meta("cluster") != stores[0].meta("cluster"):
            yield f"{store.path} is of another crawl than {stores[0].path}"
    neighbours = [{row.partition: row for row in store.transfers.neighbours()} for store in stores]
    nothing = NeighbourRow(-1, 0, 0)
    for source, store in enumerate(stores):
        kept = store.transfers.numbers()
        for home in range(len(stores)):
            sent = neighbours[source].get(home, nothing).sent
            taken = neighbours[home].get(source, nothing).taken
            if taken > sent:
                yield (
                    f"partition {home} has taken {taken} messages of partition {source}, which has made only {sent}: "
                    "one of the stores is older than the other"
                )
            for number in range(taken + 1, sent + 1):
                if (home, number) not in kept:
                    yield (
                        f"partition {home} has not taken message {number} of partition {source}, which has thrown it "
                        "away: one of the stores is older than the other"
                    )
