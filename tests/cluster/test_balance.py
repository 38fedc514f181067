"""Plans of moves: folders, or processes, have about as much as one another afterwards."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.cluster.balance import evened, held_by, plan

FOLDERS = ["/a", "/b", "/c"]
SIZED = st.lists(st.tuples(st.integers(0, 1000), st.sampled_from(FOLDERS)), max_size=12)


@given(SIZED)
def test_a_plan_brings_folders_nearer_to_one_another_with_every_move(sized: list[tuple[int, str]]) -> None:
    sizes, where = [size for size, _ in sized], [place for _, place in sized]
    squares = [sum(size**2 for size in held_by(sizes, where, FOLDERS).values())]
    for number, target in plan(sizes, where, FOLDERS):
        assert where[number] != target
        where[number] = target
        squares.append(sum(size**2 for size in held_by(sizes, where, FOLDERS).values()))
    assert all(after < before for before, after in pairwise(squares))
    held = held_by(sizes, where, FOLDERS)
    assert sum(held.values()) == sum(sizes)
    assert max(held.values()) - min(held.values()) <= max(sizes, default=0)


def test_equal_partitions_are_spread_evenly_by_as_few_moves_as_it_takes() -> None:
    moves = list(plan([5] * 12, ["/a"] * 12, FOLDERS))
    assert len(moves) == 8
    assert sorted(target for _, target in moves) == ["/b"] * 4 + ["/c"] * 4
    assert list(plan([random.Random(1).randrange(9)] * 3, FOLDERS, FOLDERS)) == []


WORK = st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 5)), min_size=1, max_size=30)


@given(WORK, st.integers(1, 6))
def test_processes_have_as_much_to_do_as_their_largest_partition_allows(
    given_work: list[tuple[int, int]], processes: int
) -> None:
    work, places = ({number: one[at] for number, one in enumerate(given_work)} for at in (0, 1))
    moves = evened(work, places, processes)
    after = {**places, **moves}
    assert all(0 <= place < processes for place in after.values())
    assert all(places[number] != place for number, place in moves.items())
    held = [sum(work[number] + 1 for number in work if after[number] == place) for place in range(processes)]
    largest = max(work.values()) + 1
    assert max(held) <= max(1.15 * sum(held) / processes, min(held) + largest)


@pytest.mark.parametrize("shares", [[100] * 64, [max(1, 1000 // (rank + 1)) for rank in range(64)]], ids=str)
def test_64_partitions_on_4_processes_are_within_a_seventh_of_the_mean(shares: list[int]) -> None:
    random.Random(2).shuffle(shares)
    work, places = dict(enumerate(shares)), {number: number % 2 for number in range(64)}
    after = {**places, **evened(work, places, 4)}
    held = [sum(share for number, share in work.items() if after[number] == at) for at in range(4)]
    assert max(held) <= 1.15 * sum(held) / 4
    assert evened(work, after, 4) == {}, "what is even stays"
