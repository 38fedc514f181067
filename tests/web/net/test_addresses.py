"""Where connections go, and where they must not."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from minicrawl.settings import ConnectTo
from minicrawl.web.net.addresses import PrivateAddressError, Resolver, Routes, is_literal


async def with_resolver(use: Callable[[Resolver], Any], *rules: str, allow_private: bool = False) -> Any:
    """Return the result of `use(resolver)`; a coroutine is awaited."""
    resolver = Resolver(tuple(ConnectTo.parse(rule) for rule in rules), allow_private)
    try:
        result = use(resolver)
        return await result if asyncio.iscoroutine(result) else result
    finally:
        await resolver.close()


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        pytest.param([], ("a.test", 80), id="no-rule"),
        pytest.param(["a.test:80:b.test:8080"], ("b.test", 8080), id="exact"),
        pytest.param(["A.Test:80:b.test:8080"], ("b.test", 8080), id="host-in-any-case"),
        pytest.param(["c.test:80:b.test:8080"], ("a.test", 80), id="another-host"),
        pytest.param(["a.test:81:b.test:8080"], ("a.test", 80), id="another-port"),
        pytest.param([":80:b.test:8080"], ("b.test", 8080), id="any-host"),
        pytest.param(["a.test::b.test:8080"], ("b.test", 8080), id="any-port"),
        pytest.param(["::b.test:8080"], ("b.test", 8080), id="any-host-any-port"),
        pytest.param(["a.test:80::8080"], ("a.test", 8080), id="empty-address-keeps-the-host"),
        pytest.param(["a.test:80:b.test:"], ("b.test", 80), id="empty-port-keeps-the-port"),
        pytest.param(["a.test:80::"], ("a.test", 80), id="empty-target-keeps-both"),
        pytest.param(["::b.test:1", "a.test:80:c.test:2"], ("c.test", 2), id="exact-before-general"),
        pytest.param([":80:b.test:1", "a.test::c.test:2"], ("b.test", 1), id="first-general-first"),
        pytest.param(["a.test::c.test:2", ":80:b.test:1"], ("c.test", 2), id="first-general-first-other-order"),
        pytest.param(["a.test:80:b.test:1", "a.test:80:c.test:2"], ("b.test", 1), id="first-exact-first"),
        pytest.param(["a.test:80::", "::b.test:1"], ("a.test", 80), id="exact-exempts-from-general"),
        pytest.param(["a.test:80:[::1]:8080"], ("::1", 8080), id="ipv6"),
        pytest.param(["a.test::Bücher.test:"], ("xn--bcher-kva.test", 80), id="address-as-browsers-take-it"),
    ],
)
async def test_target_follows_the_rules(rules: list[str], expected: tuple[str, int]) -> None:
    assert await with_resolver(lambda resolver: resolver.target("a.test", 80), *rules) == expected


@pytest.mark.parametrize(("host", "written"), [("A.TEST", "a.test"), ("xn--bcher-kva.test", "bücher.test")])
async def test_hosts_are_compared_as_browsers_take_them(host: str, written: str) -> None:
    assert await with_resolver(lambda resolver: resolver.target(host, 80), f"{written}:80:b.test:1") == ("b.test", 1)


PRIVATE = {
    "loopback": "127.0.0.1",
    "loopback-whole-net": "127.255.255.254",
    "this-host": "0.0.0.0",
    "this-network": "0.1.2.3",
    "private-10": "10.1.2.3",
    "private-172.16": "172.16.0.1",
    "private-172.31": "172.31.255.255",
    "private-192.168": "192.168.0.1",
    "shared-100.64": "100.64.0.1",
    "link-local": "169.254.0.1",
    "cloud-metadata": "169.254.169.254",
    "broadcast": "255.255.255.255",
    "reserved": "240.0.0.1",
    "ipv6-loopback": "::1",
    "ipv6-unspecified": "::",
    "ipv6-link-local": "fe80::1",
    "ipv6-link-local-zone": "fe80::1%eth0",
    "ipv6-unique-local": "fd12:3456::1",
    "ipv6-cloud-metadata": "fd00:ec2::254",
    "ipv6-mapped-loopback": "::ffff:127.0.0.1",
    "ipv6-mapped-private": "::ffff:10.0.0.1",
    "ipv6-mapped-metadata": "::ffff:a9fe:a9fe",
    "multicast": "224.0.0.1",
    "multicast-ssdp": "239.255.255.250",
    "ipv6-multicast": "ff02::1",
    "ipv6-site-local": "fec0::1",
    "ipv6-compatible-loopback": "::127.0.0.1",
    "ipv6-nat64-loopback": "64:ff9b::127.0.0.1",
    "ipv6-6to4-private": "2002:0a00:0001::1",
    "ipv6-translated-loopback": "::ffff:0:127.0.0.1",
    "ipv6-translated-private": "::ffff:0:10.0.0.1",
    "ipv6-local-nat64": "64:ff9b:1::127.0.0.1",
    "ipv6-local-nat64-public": "64:ff9b:1::8.8.8.8",
    "ipv6-documentation": "2001:db8::1",
    "ipv6-documentation-new": "3fff::1",
    "ipv6-documentation-new-last": "3fff:fff:ffff::1",
    "ipv6-segment-routing": "5f00::1",
    "ipv6-segment-routing-last": "5f00:ffff::1",
    "ipv6-discard-only": "100::1",
    "ipv6-dummy": "100:0:0:1::1",
    "ipv6-teredo": "2001::1",
    "ipv6-benchmark": "2001:2::1",
    "ipv6-orchid": "2001:20::1",
    "ipv6-site-local-last": "feff::1",
    "ietf-assignments": "192.0.0.8",
    "documentation-1": "192.0.2.1",
    "documentation-2": "198.51.100.1",
    "documentation-3": "203.0.113.1",
    "benchmark": "198.18.0.1",
    "benchmark-last": "198.19.255.255",
    "6to4-relay": "192.88.99.1",
}


@pytest.mark.parametrize("address", PRIVATE.values(), ids=PRIVATE.keys())
async def test_addresses_of_this_network_are_refused(address: str) -> None:
    with pytest.raises(PrivateAddressError) as caught:
        await with_resolver(lambda resolver: resolver.check(address))
    assert str(caught.value) == f"{address} is not a public address; --allow-private permits it"


async def test_allow_private_lets_them_through() -> None:
    assert await with_resolver(lambda resolver: [*map(resolver.check, PRIVATE.values())], allow_private=True)


PUBLIC = [
    *("8.8.8.8", "172.15.255.255", "172.32.0.1", "100.128.0.1", "198.17.255.255", "198.20.0.1"),
    *("2606:4700::1111", "2001:200::1", "2001:4860:4860::8888", "3ffe:ffff::1", "64:ff9b::8.8.8.8", "::ffff:8.8.8.8"),
    *("::ffff:0:8.8.8.8", "2002:808:808::1"),
]


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "localhost.", "a.localhost", "a.b.localhost.", "127.0.0.1"])
async def test_names_of_this_machine_are_refused_also_where_a_proxy_looks_them_up(host: str) -> None:
    with pytest.raises(PrivateAddressError):
        await with_resolver(lambda resolver: resolver.check_host(host))
    assert await with_resolver(lambda resolver: resolver.check_host(host), allow_private=True) is None


@pytest.mark.parametrize("host", ["localhost.test", "notlocalhost", "a.test", "8.8.8.8"])
async def test_other_names_are_the_proxys_business(host: str) -> None:
    assert await with_resolver(lambda resolver: resolver.check_host(host)) is None


@pytest.mark.parametrize("address", PUBLIC)
async def test_public_addresses_are_let_through(address: str) -> None:
    assert await with_resolver(lambda resolver: resolver.check(address)) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [("127.0.0.1", True), ("::1", True), ("fe80::1%eth0", True), ("a.test", False), ("127.1", False), ("", False)],
)
def test_literals_are_told_from_names(text: str, expected: bool) -> None:
    assert is_literal(text) is expected


async def test_a_name_mapped_to_an_address_is_not_looked_up() -> None:
    found = await with_resolver(
        lambda resolver: resolver.resolve("a.invalid", 80), "::127.0.0.1:8080", allow_private=True
    )
    assert found == [("127.0.0.1", 8080)]


async def test_a_name_mapped_to_a_name_has_its_addresses() -> None:
    found = await with_resolver(
        lambda resolver: resolver.resolve("a.invalid", 80), "::localhost:81", allow_private=True
    )
    assert found
    assert {port for _, port in found} == {81}


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("::127.0.0.1:8080", True),
        (":80:127.0.0.1:", True),
        (":443:127.0.0.1:", False),
        ("a.test:80:127.0.0.1:8080", False),
        (":::8080", False),
    ],
)
def test_a_rule_for_all_hosts_makes_an_address_a_gateway(rule: str, expected: bool) -> None:
    assert Routes([ConnectTo.parse(rule)]).is_gateway("http://a.test/") is expected
