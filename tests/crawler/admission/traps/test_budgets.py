"""The budget of a domain depends on the sites that link to it, and on nothing that its owner can make up."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.sites import crawl, random_site

from minicrawl.crawler.admission.traps.budgets import (
    HOSTS,
    MANY_LINKERS,
    PAGES,
    PAGES_PER_HOST,
    PAGES_PER_LINKER,
    Budgets,
    linkers_of,
)
from minicrawl.crawler.books.invariants import violations
from minicrawl.store.reader import open_store
from minicrawl.store.rows import DomainRow, LinkerRow


def admitted(budgets: Budgets, hosts: list[str]) -> list[str]:
    """The hosts that become known, asked for one after the other."""
    known = []
    for host in hosts:
        if budgets.refusal(host) is None:
            budgets.add(host)
            known.append(host)
    return known


def room(budgets: Budgets, host: str, most: int) -> int:
    """Number of pages of a host that become known."""
    for known in range(most):
        if budgets.refusal(host) is not None:
            return known
        budgets.add(host)
    return most


def test_page_beyond_the_budget_is_refused_and_a_linking_domain_makes_room() -> None:
    budgets = Budgets()
    assert room(budgets, "b.test", 10_000) == PAGES
    assert budgets.refusal("b.test") == ("trap-host-budget", "b.test")
    budgets.linked("www.b.test", ["b.test"])
    assert budgets.refusal("b.test") is not None
    for host in ("x.a.test", "y.a.test"):
        budgets.linked(host, ["b.test"])
    assert room(budgets, "b.test", 10_000) == PAGES_PER_LINKER


def test_domain_that_only_pages_tell_of_gets_its_row() -> None:
    """Else its number would be another's in the next run, and so would its linkers."""
    budgets = Budgets([DomainRow(0, "a.test", None)], pages={"www.a.test": 2, "b.test": 1})
    assert budgets.take_rows() == ([DomainRow(1, "b.test", None)], [])


def test_crawl_that_was_begun_without_traps_goes_on_with_them(tmp_path: Path) -> None:
    store, (site, seeds) = tmp_path / "crawl.db", random_site(3)
    crawl(site, store, seeds, traps=False, pages=20)
    crawl(site, store, [], traps=True, pages=20)
    with open_store(store) as reader:
        assert list(violations(reader)) == []
        assert {host.name for host in reader.hosts.all()} == {row.name for row in reader.hosts.domains()}


@pytest.mark.parametrize("links_after", [0, 1, 999, 1_500, 4_999])
def test_linking_domains_count_whenever_they_link(links_after: int) -> None:
    budgets = Budgets()
    budgets.add("b.test")
    assert room(budgets, "b.test", links_after) == links_after
    for number in range(60):
        budgets.linked(f"d{number}.test", ["b.test"])
    assert room(budgets, "b.test", 100_000) > 30_000


@pytest.mark.parametrize("linkers", [1, 2, 5, 10, 30, 60, 90])
def test_linkers_are_counted_nearly(linkers: int) -> None:
    """The mean error of 200 domains is what linear counting promises, the largest three times that and a half."""
    deviation = (256 * (2.718281828 ** (linkers / 256) - linkers / 256 - 1)) ** 0.5
    errors = []
    for domain in range(200):
        budgets = Budgets()
        for number in range(linkers):
            budgets.linked(f"d{domain}-{number}.test", ["b.test"])
        errors.append(budgets.linkers(0 if budgets.take_rows()[0][0].name == "b.test" else 1) - linkers)
    assert (sum(error * error for error in errors) / 200) ** 0.5 < 1.3 * deviation + 0.5
    assert max(map(abs, errors)) <= 4 * deviation + 1


def test_domain_with_many_linkers_has_no_budget_and_notes_no_more_of_them() -> None:
    budgets = Budgets()
    for number in range(10 * MANY_LINKERS):
        budgets.linked(f"d{number}.test", ["b.test"])
    assert len(budgets.take_rows()[1]) == 83
    assert room(budgets, "b.test", 200_000) == 200_000
    assert (linkers_of(83), linkers_of(256), linkers_of(0), linkers_of(1)) == (MANY_LINKERS, MANY_LINKERS, 0, 1)


def test_hosts_of_a_domain_share_its_budget_whatever_their_names_dots_and_ports() -> None:
    budgets = Budgets()
    for number in range(PAGES):
        budgets.add(("b.test", "www.b.test", "b.test:81", "b.test.")[number % 4])
    for host in ("b.test", "www.b.test", "b.test.", "b.test:81", "new.b.test"):
        assert budgets.refusal(host) == ("trap-host-budget", "b.test")


def test_hosts_of_a_domain_are_limited_but_for_pages_of_those_that_are_known() -> None:
    budgets = Budgets()
    budgets.linked("a.test", ["x0.wild.test"])
    hosts = [f"x{number}.wild.test" for number in range(1_000)]
    known = admitted(budgets, hosts)
    assert known == hosts[: HOSTS + PAGES_PER_LINKER // PAGES_PER_HOST]
    assert budgets.refusal(hosts[-1]) == ("trap-many-hosts", "*.wild.test")
    assert budgets.refusal(hosts[0]) is None


def test_domain_of_a_seed_has_no_budget() -> None:
    budgets = Budgets()
    budgets.protect(["www.b.test"])
    assert room(budgets, "docs.b.test", 2 * PAGES) == 2 * PAGES
    hosts = [f"x{number}.b.test" for number in range(500)]
    assert admitted(budgets, hosts) == hosts


def test_users_of_a_shared_host_have_budgets_of_their_own_and_are_one_linker() -> None:
    budgets = Budgets()
    assert room(budgets, "one.github.io", 10_000) == PAGES
    assert budgets.refusal("two.github.io") is None
    for number in range(50):
        budgets.linked(f"farm{number}.github.io", ["b.test", "one.github.io"])
    assert room(budgets, "b.test", 100_000) == PAGES + PAGES_PER_LINKER
    assert budgets.refusal("one.github.io") is not None


# Trust.


def test_linkers_make_room_as_far_as_they_are_trusted() -> None:
    """Two hundred domains of a farm that all link to one of them hardly vouch for it; four trusted ones do."""
    budgets = Budgets()
    budgets.vouchers = {"hub.test": 0.2, "large.test": 4.0, "known.test": 100.0, "new.test": None}.__getitem__
    for number in range(200):
        budgets.linked(f"farm{number}.test", ["hub.test"])
    budgets.linked("farm0.test", ["new.test"])
    assert room(budgets, "hub.test", 100_000) == PAGES + PAGES // 5
    assert budgets.refusal("hub.test") == ("trap-host-budget", "hub.test")
    assert room(budgets, "large.test", 20_000) == 20_000
    assert room(budgets, "known.test", 1_000_000) == 1_000_000
    assert room(budgets, "new.test", 100_000) == PAGES + PAGES_PER_LINKER


def test_hosts_of_a_domain_share_what_its_vouchers_earn() -> None:
    budgets = Budgets()
    budgets.vouchers = {"wild.test": 1.0}.get
    for number in range(200):
        budgets.linked(f"farm{number}.other", ["x0.wild.test"])
    hosts = [f"x{number}.wild.test" for number in range(1_000)]
    known = admitted(budgets, hosts)
    assert known == hosts[: 2 * HOSTS]
    assert sum(room(budgets, host, 2 * PAGES) for host in hosts[:3]) + len(known) == 2 * PAGES


def test_trusted_domain_has_room_at_an_address_that_others_have_used_up() -> None:
    budgets = Budgets()
    budgets.vouchers = {"good.test": 2.0, "bad.test": 0.0}.__getitem__
    located(budgets, "8.8.8.8", ["good.test", "bad.test"])
    assert room(budgets, "bad.test", 100_000) == PAGES
    assert room(budgets, "good.test", 100_000) == 2 * PAGES


# Addresses.


def located(budgets: Budgets, address: str, hosts: list[str]) -> None:
    for host in hosts:
        budgets.located(host, address)


def farm(budgets: Budgets, size: int, address: str | None, *, links_first: bool = False) -> list[str]:
    """Domains that link to each other, at one address or who knows where."""
    hosts = [f"farm{number}.test" for number in range(size)]
    for does in ["link", "locate"] if links_first else ["locate", "link"]:
        if does == "locate" and address is not None:
            located(budgets, address, hosts)
        for host in hosts if does == "link" else ():
            budgets.linked(host, hosts)
    return hosts


@pytest.mark.parametrize("size", [10, 1_000])
def test_domains_at_one_address_have_one_budget_and_do_not_vouch_for_each_other(size: int) -> None:
    budgets = Budgets()
    hosts = farm(budgets, size, "8.8.8.8")
    assert sum(room(budgets, host, 2 * PAGES) for host in hosts) == PAGES


def test_neighbours_that_linked_before_they_were_known_to_be_do_not_count_once_all_are() -> None:
    budgets = Budgets()
    hosts = farm(budgets, 2, "8.8.8.8", links_first=True)
    assert sum(room(budgets, host, 10 * PAGES) for host in hosts) <= PAGES + 2 * PAGES_PER_LINKER


def test_a_neighbour_that_others_link_to_has_room_though_another_used_the_address_up() -> None:
    budgets = Budgets()
    located(budgets, "8.8.8.8", ["good.test", "bad.test"])
    for number in range(3):
        budgets.linked(f"d{number}.test", ["good.test"])
    assert room(budgets, "bad.test", 100_000) == PAGES
    assert room(budgets, "good.test", 100_000) == 3 * PAGES_PER_LINKER
    assert budgets.refusal("bad.test") is not None
    assert budgets.refusal("good.test") == ("trap-address-budget", "good.test")


def test_address_that_many_link_to_has_no_budget() -> None:
    budgets = Budgets()
    hosts = [f"s{number}.test" for number in range(20)]
    located(budgets, "8.8.8.8", hosts)
    for number in range(200):
        budgets.linked(f"d{number}.test", [hosts[number % 20]])
    assert sum(room(budgets, host, PAGES) for host in hosts) == 20 * PAGES


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "::1", "192.168.1.1"])
def test_private_addresses_make_no_neighbours(address: str) -> None:
    budgets = Budgets()
    hosts = farm(budgets, 10, address)
    assert sum(room(budgets, host, PAGES) for host in hosts) == 10 * PAGES


def test_seeds_do_not_use_up_the_budget_of_their_address() -> None:
    budgets = Budgets()
    located(budgets, "8.8.8.8", ["seed.test", "other.test"])
    budgets.add("seed.test")
    budgets.protect(["seed.test"])
    assert room(budgets, "seed.test", 3 * PAGES) == 3 * PAGES
    assert room(budgets, "other.test", 3 * PAGES) == PAGES


# The store.

HOSTS_DRAWN = [f"{name}.d{number}.test" for name in "ab" for number in range(6)]
events = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from(HOSTS_DRAWN), st.integers(1, 3_000)),
        st.tuples(st.just("linked"), st.sampled_from(HOSTS_DRAWN), st.sampled_from(HOSTS_DRAWN)),
        st.tuples(st.just("located"), st.sampled_from(HOSTS_DRAWN), st.sampled_from(["8.8.8.8", "9.9.9.9"])),
    ),
    max_size=60,
)


@given(drawn=events)
def test_who_takes_the_rows_over_decides_alike(drawn: list[tuple[str, str, object]]) -> None:
    budgets, pages = Budgets(), dict[str, int]()
    domains, linkers = dict[int, DomainRow](), list[LinkerRow]()
    for place, (what, host, value) in enumerate(drawn):
        if what == "add":
            assert isinstance(value, int)
            for _ in range(value):
                budgets.add(host)
            pages[host] = pages.get(host, 0) + value
        else:
            getattr(budgets, what)(*((host, [value]) if what == "linked" else (host, value)))
        if place % 7 == 0:
            rows = budgets.take_rows()
            domains |= {row.id: row for row in rows[0]}
            linkers += rows[1]
    rows = budgets.take_rows()
    again = Budgets([*(domains | {row.id: row for row in rows[0]}).values()], linkers + rows[1], pages)
    for host in [*HOSTS_DRAWN, "new.d1.test", "d9.test"]:
        assert again.refusal(host) == budgets.refusal(host)


def test_few_rows_are_written_and_each_once() -> None:
    budgets, draw = Budgets(), random.Random(1)
    for _ in range(10_000):
        budgets.linked(f"d{draw.randrange(20)}.test", [f"d{draw.randrange(100)}.test"])
    domains, linkers = budgets.take_rows()
    assert len(domains) == 100
    assert len(linkers) == len(set(linkers)) <= 20 * 100
    assert budgets.take_rows() == ([], [])
