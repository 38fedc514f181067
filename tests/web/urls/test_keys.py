"""Keys that URLs share."""

import pytest
from tldextract import TLDExtract

from minicrawl.web.urls.keys import authority, hostname, origin_of, partition_key, site_of, suffix_length
from minicrawl.web.urls.normalise import normalise


@pytest.mark.parametrize(
    ("url", "host_and_port", "host", "scheme_host_port"),
    [
        ("http://h.test/a/b", "h.test", "h.test", "http://h.test"),
        ("https://h.test/", "h.test", "h.test", "https://h.test"),
        ("http://h.test:8080/a:b", "h.test:8080", "h.test", "http://h.test:8080"),
        ("http://127.0.0.1:81/", "127.0.0.1:81", "127.0.0.1", "http://127.0.0.1:81"),
        ("http://[::1]/", "[::1]", "[::1]", "http://[::1]"),
        ("http://[::1]:81/x", "[::1]:81", "[::1]", "http://[::1]:81"),
        ("http://h.test/?a=//b/c", "h.test", "h.test", "http://h.test"),
    ],
)
def test_parts_of_a_normalised_url(url: str, host_and_port: str, host: str, scheme_host_port: str) -> None:
    assert authority(url) == host_and_port
    assert hostname(url) == host
    assert origin_of(url) == scheme_host_port


SITES = {  # by host
    "www.example.com": "example.com",
    "example.com": "example.com",
    "www.example.com.": "example.com",
    "b.a.example.co.uk": "example.co.uk",
    "co.uk": "co.uk",
    "www.xn--bcher-kva.de": "xn--bcher-kva.de",
    "b.me.github.io": "me.github.io",
    "github.io": "github.io",
    "docs.one.readthedocs.io": "one.readthedocs.io",
    "b.s3.amazonaws.com": "b.s3.amazonaws.com",
    "s3.amazonaws.com": "s3.amazonaws.com",
    "b.a.nowhere": "a.nowhere",
    "a.b.test.": "b.test",
    "localhost": "localhost",
    "127.0.0.1": "127.0.0.1",
    "[::1]": "[::1]",
    ".": ".",
}


@pytest.mark.parametrize("host", SITES)
def test_site_is_the_registrable_domain_or_a_users_part_of_a_shared_one(host: str) -> None:
    assert site_of(f"http://{host}/a") == SITES[host]
    assert (
        site_of(f"https://{host}:8080/a://b") == site_of(f"{host}:8080") == site_of(host) == site_of(f"http://{host}/a")
    )


HOMES = {"docs.python.org": 246, "me.github.io": 294, "co.uk": 392, "127.0.0.1": 532, "h.test": 968}


def test_pages_of_stored_partitions_keep_their_homes() -> None:
    """The key is in no store: another hash, or another notion of a site, would look for pages where they are not."""
    assert {host: partition_key(host, b"secret") % 1_000 for host in HOMES} == HOMES


def test_hosts_of_one_site_have_one_partition_and_sites_are_spread() -> None:
    assert partition_key("a.example.co.uk", b"x") == partition_key("example.co.uk", b"x")
    assert partition_key("a.github.io", b"x") != partition_key("b.github.io", b"x")
    assert partition_key("example.com", b"x") != partition_key("example.com", b"y")
    shares = [sum(partition_key(f"h{number}.test", b"x") % 4 == part for number in range(1_000)) for part in range(4)]
    assert min(shares) > 200


def test_public_suffixes_are_those_that_tldextract_finds() -> None:
    oracle = TLDExtract(None, (), include_psl_private_domains=True)
    for rule in oracle.tlds:
        name = rule.removeprefix("!").replace("*", "any")
        for url in map(normalise, (f"http://{name}/", f"http://a.{name}/", f"http://b.a.{name}/")):
            assert url is not None
            suffix = oracle(url).suffix
            assert suffix_length(hostname(url).split(".")) == len(suffix.split(".")) * bool(suffix), url
