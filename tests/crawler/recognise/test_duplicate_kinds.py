"""Kinds of near-duplicates, told by their URLs."""

import pytest

from minicrawl.crawler.recognise.duplicate_kinds import kind_of

KINDS = [
    ("http://a.test/3.11/lib/x.html", "http://a.test/3.12/lib/x.html", "version"),
    ("http://a.test/docs/stable/x", "http://a.test/docs/v2.0.1/x", "version"),
    ("http://a.test/1.0rc1/x", "http://a.test/latest/x", "version"),
    ("http://a.test/de/x", "http://a.test/en/x", "translation"),
    ("http://a.test/x?lang=pt-br", "http://a.test/x?lang=en", "translation"),
    ("http://de.a.test/x", "http://en.a.test/x", "translation"),
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
