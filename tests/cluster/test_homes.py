"""Which partition has a URL."""

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
