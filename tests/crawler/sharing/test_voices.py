"""What homes hear of sites elsewhere: each change once, by the rows of the store, too."""

import random
from collections import Counter

import numpy as np

from minicrawl.crawler.sharing import SharedVoices

NOTHING = np.zeros((0, 3), dtype=np.int64)


def test_a_home_has_heard_what_mirrors_count_however_often_that_changes() -> None:
    """And either of them, begun again with the rows that it has written, is as it was."""
    rng = random.Random(1)
    stored: list[Counter[int]] = [Counter(), Counter()]

    def begun_again(which: int) -> SharedVoices:
        rows = [(page, 0, count) for page, count in stored[which].items()]
        return SharedVoices(np.array(rows, dtype=np.int64) if rows else NOTHING)

    def save(which: int, voices: SharedVoices) -> None:
        for page, site, change in voices.take_changed():
            assert site == 0
            stored[which][page] += change

    counts = np.zeros(9, dtype=np.int64)
    for size in (1, 1, 4, 9, 9, 9):
        mirror, home = begun_again(0), begun_again(1)
        counts[:size] = [rng.randrange(3) for _ in range(size)]
        mirrors = np.arange(size)
        mirror.grow(size)
        home.grow(100 + size)
        mirror.note(mirrors, counts[:size])
        unsaid = mirror.unsaid()
        home.take_over(unsaid + 100, mirror.hand_over(unsaid))
        assert not len(mirror.unsaid())
        assert home.heard[100 : 100 + size].tolist() == mirror.heard[:size].tolist() == counts[:size].tolist()
        save(0, mirror)
        save(1, home)
