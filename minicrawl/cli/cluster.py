"""minicrawl cluster"""

import click

from minicrawl.cli.cluster_keeping import move, rebalance
from minicrawl.cli.help import Group


@click.group(cls=Group, epilog="Example: minicrawl cluster rebalance /disk2/web --store data/web")
def command() -> None:
    """The stores of a crawl in partitions, which 'minicrawl crawl --partitions N' begins.

    Every site is in one partition, and importance is that of one crawl. See docs/cluster.md for what does not work yet.
    """


for _other in (move, rebalance):
    command.add_command(_other)
