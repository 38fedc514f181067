"""`minicrawl cluster`"""

from support.command_line import run


def test_the_group_says_where_partitions_come_from() -> None:
    assert "'minicrawl crawl --partitions N' begins" in " ".join(run("cluster", "--help").stdout.split())
