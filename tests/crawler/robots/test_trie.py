"""Many patterns with stars at once, against one regular expression each."""

import re

from hypothesis import given
from hypothesis import strategies as st

from minicrawl.crawler.robots.trie import Trie

PIECES = st.text("ab/", max_size=3)
PATTERNS = st.tuples(PIECES, st.lists(PIECES.filter(bool), max_size=3), st.booleans())


def trie_of(patterns: list[tuple[str, list[str], bool]]) -> Trie:
    """The later a pattern, the higher its rank."""
    pieces = [piece for head, parts, _ in patterns for piece in (head, *parts)]
    lengths = [len(parts) for _, parts, _ in patterns]
    is_whole = [whole and bool(parts) for _, parts, whole in patterns]
    return Trie(pieces, lengths, list(range(1, len(patterns) + 1)), is_whole)


def matches(pattern: tuple[str, list[str], bool], octets: str) -> bool:
    head, parts, whole = pattern
    spelt = ".*".join(map(re.escape, [head, *parts])) + ("$" if whole and parts else "")
    return re.match(spelt, octets) is not None


@given(patterns=st.lists(PATTERNS, min_size=1, max_size=8), octets=st.text("ab/", max_size=12))
def test_highest_of_those_that_match_is_told(patterns: list[tuple[str, list[str], bool]], octets: str) -> None:
    expected = max((rank for rank, pattern in enumerate(patterns, 1) if matches(pattern, octets)), default=0)
    assert trie_of(patterns).best(octets) == expected


def test_last_part_may_stand_once_only_and_at_the_end() -> None:
    trie = trie_of([("/a", [".php"], True)])
    assert trie.best("/a.php.php") == 1
    assert trie.best("/a.php?") == 0
    assert trie.best("/.php") == 0
