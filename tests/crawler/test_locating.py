"""The address of a host is known before it is asked, and looking it up holds nobody up."""

import asyncio
import socket
from pathlib import Path
from typing import Any

import aiodns
import pytest
from politeness import Witness
from support.sites import rows

from minicrawl.api import acrawl
from minicrawl.settings import ConnectTo
from minicrawl.timing import Timing
from minicrawl.web.net.addresses import DnsCache

GOOD = "http://h0.test/0"


def crawled(store: Path, seeds: list[str], **settings: Any) -> Witness:
    """Crawl a server whose names must be looked up: only the port is given."""
    witness = Witness(4, 1, crawl_delay=0, retry_after=0, pages=7)

    async def run() -> None:
        async with witness.serving():
            port = int(witness.connect_to[0].rpartition(":")[2])
            options: dict[str, Any] = {"allow_private": True, "delay": 0.0} | settings
            await acrawl(seeds, store, connect_to=(ConnectTo(None, None, "", port),), **options)

    asyncio.run(run())
    return witness


@pytest.fixture
def lookups(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names that were looked up: h0.test is at 127.0.0.2, names with "mute" in them are never answered.

    For names with "fails" the name server fails, with "once" the first time; then they are where nobody answers.
    """
    asked: list[str] = []

    async def look_up(_: DnsCache, name: str) -> tuple[str, ...]:
        asked.append(name)
        if "mute" in name:
            await asyncio.sleep(3600)
        if name == "h0.test":
            return ("127.0.0.2",)
        if "fails" in name or ("once" in name and asked.count(name) == 1):
            raise aiodns.error.DNSError(aiodns.error.ARES_ESERVFAIL, "DNS server returned general failure")
        if "once" in name:
            return ("127.0.0.200",)
        raise aiodns.error.DNSError(aiodns.error.ARES_ENOTFOUND, "Domain name not found")

    monkeypatch.setattr(DnsCache, "look_up", look_up)
    return asked


@pytest.mark.parametrize("ignore_robots", [False, True])
def test_a_name_without_address_fails_as_the_request_would_have(
    store: Path, lookups: list[str], ignore_robots: bool
) -> None:
    seeds = [GOOD, "http://bad.test/1", "http://bad.test/2"]
    witness = crawled(store, seeds, ignore_robots=ignore_robots)
    assert {asked.host for asked in witness.log} == {"h0.test"}
    states = rows(store, "SELECT state, reason, count(*) FROM pages GROUP BY state, reason ORDER BY 1")
    assert states == [("error", "dns", 2), ("fetched", "ok", 7)]
    assert sorted(lookups) == ["bad.test", "h0.test"]


@pytest.mark.parametrize("ip_delay", [0.0, 0.001])
def test_a_private_address_is_refused_before_anything_is_sent(store: Path, lookups: list[str], ip_delay: float) -> None:
    witness = crawled(store, [GOOD], allow_private=False, ip_delay=ip_delay)
    assert witness.log == []
    assert rows(store, "SELECT state, reason FROM pages") == [("error", "private-address")]


def test_a_silent_name_server_holds_no_slots(tmp_path: Path, lookups: list[str]) -> None:
    """Of two requests at a time, though ten hosts before it wait for their addresses."""
    seeds = [*(f"http://mute{number}.test/" for number in range(10)), GOOD]
    witness = crawled(tmp_path / "crawl.db", seeds, concurrency=2, pages=7)
    assert len(witness.log) == 1 + 7
    assert len(lookups) == 11


@pytest.mark.parametrize("ignore_robots", [False, True])
def test_a_name_server_that_fails_is_asked_three_times_and_holds_nobody_up(
    store: Path, lookups: list[str], ignore_robots: bool
) -> None:
    """The name of a host is asked for again, after a wait; most of the time others are crawled."""
    timing = Timing(
        no_name_server=0.0, robots_retry=1.0, retry=0.01
    )  # a page has its turn within four times the former
    failing = [f"http://{when}{number}.test/" for when in ("once", "fails") for number in range(20)]
    witness = crawled(store, [*failing, GOOD], ignore_robots=ignore_robots, timing=timing)
    assert len([asked for asked in witness.log if asked.host == "h0.test"]) == 7 + (not ignore_robots)
    assert {lookups.count(f"fails{number}.test") for number in range(20)} == {3}
    assert {lookups.count(f"once{number}.test") for number in range(20)} == {2}
    found = dict(rows(store, "SELECT reason, count(*) FROM pages WHERE url NOT LIKE '%h0.test%' GROUP BY reason"))
    assert found == {"dns-unanswered": 20, "refused": 20}


def test_worker_processes_look_up_the_names_of_their_hosts(tmp_path: Path) -> None:
    store, no_name = tmp_path / "crawl.db", f"http://{'a' * 64}.test/"
    options: dict[str, Any] = {"allow_private": True, "delay": 0.0, "ignore_robots": True, "workers": 1}
    with socket.socket() as closed:  # held, lest somebody else gets its port; but it does not listen
        closed.bind(("127.0.0.1", 0))
        rule = ConnectTo(None, None, "", closed.getsockname()[1])
        asyncio.run(
            acrawl(["http://localhost/0", no_name], store, connect_to=(rule,), timing=Timing(retry=0.001), **options)
        )
    states = dict(rows(store, "SELECT url, reason FROM pages"))
    assert states == {"http://localhost/0": "refused", no_name: "dns"}
