"""Kinds of near-duplicates, told by their URLs."""

import pytest

from minicrawl.crawler.recognise.duplicates import kind_of

KINDS = [
    ("http://a.test/3.11/lib/x.html", "http://a.test/3.12/lib/x.html", None),
    ("http://a.test/items/print.html", "http://a.test/items/chair.html", "print"),
    ("http://a.test/print/x", "http://a.test/x", "print"),
    ("http://a.test/x?print=1", "http://a.test/x", "print"),
    ("http://m.a.test/x", "http://www.a.test/x", "print"),
    ("http://mirror.test/a/x", "http://a.test/a/x", "mirror"),
    ("http://a.test/items/lamp.html", "http://a.test/items/chair.html", "template"),
    ("http://a.test/items/lamp", "http://b.test/other/chair", None),
    ("http://a.test/items/lamp", "http://a.test/things/chair", None),
]


@pytest.mark.parametrize(("url", "leader", "kind"), KINDS)
def test_kind(url: str, leader: str, kind: str | None) -> None:
    assert kind_of(url, leader) == kind == kind_of(leader, url)
