"""What URLs have in common."""

import pytest

from minicrawl.crawler.urls.keys import authority, hostname, origin_of, owner_of, partition_key, site_of


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
def test_parts_of_a_normalised_url(url, host_and_port, host, scheme_host_port):
    assert authority(url) == host_and_port
    assert hostname(url) == host
    assert origin_of(url) == scheme_host_port


@pytest.mark.parametrize(
    ("host", "registrable"),
    [
        ("www.example.com", "example.com"),
        ("example.com", "example.com"),
        ("a.b.example.co.uk", "example.co.uk"),
        ("co.uk", "co.uk"),
        ("localhost", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
        ("[::1]", "[::1]"),
        ("www.xn--bcher-kva.de", "xn--bcher-kva.de"),
        ("a.b.test", "b.test"),
        ("a.b.test.", "b.test"),
        ("www.example.com.", "example.com"),
        (".", "."),
    ],
)
def test_site_is_the_registrable_domain_or_the_host_itself(host, registrable):
    assert site_of(host) == registrable


@pytest.mark.parametrize(
    ("host", "its_site", "its_owner"),
    [
        ("b.a.example.co.uk", "example.co.uk", "example.co.uk"),
        ("b.me.github.io", "github.io", "me.github.io"),
        ("github.io", "github.io", "github.io"),
        ("b.s3.amazonaws.com", "amazonaws.com", "b.s3.amazonaws.com"),
        ("s3.amazonaws.com", "amazonaws.com", "s3.amazonaws.com"),
        ("co.uk", "co.uk", "co.uk"),
        ("b.a.nowhere", "a.nowhere", "a.nowhere"),
        ("127.0.0.1", "127.0.0.1", "127.0.0.1"),
        ("[::1]", "[::1]", "[::1]"),
    ],
)
def test_site_and_owner_of_a_host(host: str, its_site: str, its_owner: str) -> None:
    assert (site_of(host), owner_of(host)) == (its_site, its_owner)


def test_hosts_of_one_owner_have_one_partition_and_owners_are_spread() -> None:
    assert partition_key("a.example.co.uk", b"x") == partition_key("example.co.uk", b"x")
    assert partition_key("a.github.io", b"x") != partition_key("b.github.io", b"x")
    assert partition_key("example.com", b"x") != partition_key("example.com", b"y")
    shares = [sum(partition_key(f"h{number}.test", b"x") % 4 == part for number in range(1_000)) for part in range(4)]
    assert min(shares) > 200
