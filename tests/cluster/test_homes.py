"""Which partition has a URL."""

from collections import Counter

import pytest

from minicrawl.cluster.homes import Homes

HOMES = Homes(64, b"key")


@pytest.mark.parametrize(
    ("url", "other"),
    [
        ("http://h.test/", "https://h.test/x"),
        ("http://h.test/", "http://h.test:8080/"),
        ("http://h.test/", "http://h.test./"),
        ("http://a.example.co.uk/", "http://b.c.example.co.uk/"),
        ("http://x.me.github.io/", "http://me.github.io/"),
        ("http://[::1]/", "http://[::1]:99/x"),
    ],
)
def test_one_owner_has_one_home(url: str, other: str) -> None:
    assert HOMES.home_of(url) == HOMES.home_of(other)


def test_owners_are_spread_and_users_of_a_shared_host_are_owners() -> None:
    for hosts in ([f"http://h{at}.test/" for at in range(6400)], [f"http://u{at}.github.io/" for at in range(6400)]):
        sizes = Counter(map(HOMES.home_of, hosts))
        assert set(sizes) == set(range(64))
        assert max(sizes.values()) < 200  # 100 each; the chance of that many is below 1e-15
