"""Plans of moves: folders, or processes, have about as much as one another afterwards."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from minicrawl.cluster.balance import held_by, plan

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
