"""Public suffixes of host names."""

import pytest
import tldextract

from minicrawl.crawler.urls.public_suffix import public_suffix

SUFFIXES = {  # by name: its suffix with the private section of the list, and without
    "www.example.com": ("com", "com"),
    "com": ("com", "com"),
    "a.example.co.uk": ("co.uk", "co.uk"),
    "b.me.github.io": ("github.io", "io"),
    "a.b.anything.ck": ("anything.ck", "anything.ck"),
    "a.www.ck": ("ck", "ck"),
    "ck": ("", ""),
    "a.XN--P1AI": ("XN--P1AI", "XN--P1AI"),
    "a.xn--55qx5d.cn": ("xn--55qx5d.cn", "xn--55qx5d.cn"),
    "a.xn--.com": ("com", "com"),
    "a.b.nowhere": ("", ""),
    "localhost": ("", ""),
    ".": ("", ""),
}


@pytest.mark.parametrize("name", SUFFIXES)
def test_suffix_is_that_of_the_longest_rule(name: str) -> None:
    assert (public_suffix(name, has_users=True), public_suffix(name, has_users=False)) == SUFFIXES[name]


@pytest.mark.parametrize("has_users", [True, False])
def test_every_rule_applies_as_in_tldextract(has_users: bool) -> None:
    of = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=has_users)
    names = [f"b.a.{rule.lstrip('!').replace('*', 'any')}" for rule in of.tlds]
    assert len(names) > 5_000
    assert [name for name in names if public_suffix(name, has_users=has_users) != of(name).suffix] == []
