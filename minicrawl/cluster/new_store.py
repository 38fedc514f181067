"""Create the empty store of a partition, with its share of the total cash."""

from contextlib import closing
from pathlib import Path

from minicrawl.opic.cash_book import cash_of
from minicrawl.store.writer import Writer


def make_store(path: Path, cluster: str, number: int, partitions: int) -> None:
    """Create the store. cluster: id of the crawl, common to its partitions. Raises StoreError."""
    with closing(Writer(path)) as writer:
        begin_store(writer, cluster, number, partitions)


def begin_store(writer: Writer, cluster: str, number: int, partitions: int) -> None:
    """Make a partition of an empty store; see `make_store`."""
    cash = cash_of(number, partitions)
    with writer.transaction():
        writer.save_meta({"cluster": cluster, "partition": number, "partitions": partitions})
        writer.save_meta({"cash_total": cash, "reserve": cash})
        for name in ("income", "level", "clock", "ledger_virtual"):
            writer.save_meta({name: 0})
