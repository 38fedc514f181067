"""Rows are taken in order and once, and a partition says how often it hands over."""

from pathlib import Path

import pytest
from support.partitions import Partitions

from minicrawl.cluster.homes import Homes

HOMES = Homes(2, b"a secret")
LEFT, RIGHT = (
    [f"http://h{at}.test/" for at in range(40) if HOMES.home_of(f"http://h{at}.test/") == here] for here in (0, 1)
)


def test_rows_behind_a_gap_wait_and_rows_that_were_taken_are_left_out(tmp_path: Path) -> None:
    web = {LEFT[0]: [LEFT[1], RIGHT[0]], LEFT[1]: [LEFT[2], RIGHT[0]], LEFT[2]: [RIGHT[0]]}
    with Partitions(tmp_path, web, LEFT[:1], 2) as partitions:
        for _ in range(3):
            assert partitions.turn(0)
            partitions.commit(0)
        first, second, third = partitions.outbox(0).rows(1)
        taken = [partitions.take(1, 0, some) for some in ([second], [first], [first], [third, second, third], [first])]
        assert taken == [0, 1, 1, 3, 3]
        partitions.commit(1)
        assert partitions.faults() == []
        assert partitions.pages("inlinks, depth")[RIGHT[0]] == (3, 1)


def test_shorter_way_through_another_partition_brings_what_is_behind_nearer(tmp_path: Path) -> None:
    """Read at depth 3 by a long way at home; then a link from elsewhere makes that 1."""
    web = {RIGHT[0]: [RIGHT[1]], RIGHT[1]: [RIGHT[2]], RIGHT[2]: [RIGHT[3]], LEFT[0]: [RIGHT[2]]}
    with Partitions(tmp_path, web, [RIGHT[0], LEFT[0]], 2) as partitions:
        while partitions.turn(1):
            pass
        partitions.crawl()
        partitions.settle()
        depths = {RIGHT[0]: (0,), LEFT[0]: (0,), RIGHT[1]: (1,), RIGHT[2]: (1,), RIGHT[3]: (2,)}
        assert partitions.pages("depth") == depths


@pytest.mark.parametrize("has_traps", [True, False])
def test_home_judges_what_others_link_to(has_traps: bool, tmp_path: Path) -> None:
    """A path that repeats itself is a trap: the page stays known, as the link to it counts, and is not read."""
    trap = RIGHT[0] + "a/b/a/b/a/b/a/b/"
    with Partitions(tmp_path, {LEFT[0]: [trap]}, LEFT[:1], 2, traps=has_traps) as partitions:
        assert partitions.turn(0)
        partitions.exchange()
        assert partitions.pages("state, inlinks")[trap] == ("disallowed" if has_traps else "waiting", 1)
        assert partitions.turn(1) != has_traps
