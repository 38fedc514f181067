"""Create the empty store of a partition."""

from contextlib import closing
from pathlib import Path

from minicrawl.store.writer import Writer


def make_store(path: Path, cluster: str, number: int, partitions: int) -> None:
    """Create the store. cluster: id of the crawl, common to its partitions. Raises StoreError."""
    with closing(Writer(path)) as writer:
        begin_store(writer, cluster, number, partitions)


def begin_store(writer: Writer, cluster: str, number: int, partitions: int) -> None:
    """Make a partition of an empty store; see `make_store`."""
    with writer.transaction():
        writer.save_meta({"cluster": cluster, "partition": number, "partitions": partitions})
        writer.save_meta({"clock": 0.0, "virtual": 0, "births": 0})
