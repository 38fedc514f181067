"""minicrawl cluster"""

import click

from minicrawl.cli.cluster_keeping import backup, move, rebalance
from minicrawl.cli.cluster_reading import check, export, status, top, verify, why
from minicrawl.cli.cluster_search import index, search


@click.group(epilog="Example: minicrawl cluster rebalance /disk2/web --store data/web")
def command() -> None:
    """The stores of a crawl in partitions, which 'minicrawl crawl --partitions N' begins.

    Every site is in one partition, and importance is that of one crawl. See docs/cluster.md for what does not work yet.
    """


for _other in (top, export, status, why, check, verify, search, index, backup, move, rebalance):
    command.add_command(_other)
