"""Owners, their hosts, the folders of these: every level divides the one before."""

import itertools
import random

from minicrawl.crawler.urls.groups import FOLDERS, UrlGroups, levels_of

URLS = [
    "https://a.example.co.uk/",
    "http://a.example.co.uk/x",
    "https://a.example.co.uk/one/two/three/four/p",
    "https://a.example.co.uk/one/two/three/p?q=/5/6/",
    "https://a.example.co.uk/one/two/p",
    "https://b.example.co.uk:8080/one/",
    "https://me.github.io/one/",
    "https://you.github.io/one/",
    "https://[::1]/a/b",
]


def test_pages_are_together_as_far_as_their_urls_are() -> None:
    owner, host, first, second, third = (level.tolist() for level in levels_of(URLS))
    assert owner == [0, 0, 0, 0, 0, 0, 1, 2, 3]
    assert host == [0, 0, 0, 0, 0, 1, 2, 3, 4]
    assert first == [0, 0, 1, 1, 1, 2, 3, 4, 5]
    assert second == [0, 0, 1, 1, 1, 2, 3, 4, 5]
    assert third == [0, 0, 1, 1, 2, 3, 4, 5, 6]


def test_every_level_divides_the_one_before() -> None:
    draw = random.Random(1)
    urls = [
        f"http://h{draw.randint(0, 3)}.s{draw.randint(0, 3)}.test/" + "".join(f"{draw.choice('ab')}/" for _ in range(n))
        for n in range(FOLDERS + 2)
        for _ in range(50)
    ]
    levels = levels_of(urls)
    for coarse, fine in itertools.pairwise(levels):
        assert len(set(zip(coarse.tolist(), fine.tolist(), strict=True))) == len(set(fine.tolist()))


def test_a_group_keeps_its_number_while_more_come() -> None:
    groups = UrlGroups()
    before = [groups.of(url) for url in URLS[:4]]
    more = [groups.of(url) for url in URLS]
    assert more[:4] == before


def test_no_urls_are_in_no_groups() -> None:
    assert [len(level) for level in levels_of([])] == [0] * (FOLDERS + 2)
