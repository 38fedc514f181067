"""The budget of a site depends on the sites that vouch for it, and on nothing that its owner can make up."""

import json
from pathlib import Path

import pytest
from support.command_line import run
from support.sites import EVERYTHING, Site, crawl, faults_in, random_site, rows

from minicrawl.crawler.admission.budgets import HOSTS, MANY, PAGES, Budgets, Vouchers


def vouched(**vouchers: float) -> Vouchers:
    """The vouchers of sites NAME.test: none if they are not named."""
    return lambda site: vouchers.get(site.removesuffix(".test"), 0.0)


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


def test_vouchers_make_room_as_far_as_they_are_trusted() -> None:
    budgets = Budgets(vouched(hub=0.2, large=4.0, known=MANY))
    assert room(budgets, "alone.test", 100_000) == PAGES
    assert room(budgets, "hub.test", 100_000) == PAGES + PAGES // 5
    assert budgets.refusal("hub.test") == ("trap-host-budget", "hub.test")
    assert room(budgets, "large.test", 100_000) == 5 * PAGES
    assert room(budgets, "known.test", 600_000) == 600_000


def test_site_that_is_new_since_trust_was_worked_out_has_no_budget_yet() -> None:
    found: dict[str, float] = {}
    budgets = Budgets(found.get)
    assert room(budgets, "b.test", 3 * PAGES) == 3 * PAGES
    found["b.test"] = 0.5
    assert budgets.refusal("b.test") == ("trap-host-budget", "b.test")


def test_crawl_that_was_begun_without_traps_goes_on_with_them(tmp_path: Path) -> None:
    store, (site, seeds) = tmp_path / "crawl.db", random_site(3)
    crawl(site, store, seeds, traps=False, pages=20)
    crawl(site, store, [], traps=True, pages=20)
    assert faults_in(store) == []


def test_hosts_of_a_site_share_its_budget_whatever_their_names_dots_and_ports() -> None:
    budgets = Budgets(vouched())
    for number in range(PAGES):
        budgets.add(("b.test", "www.b.test", "b.test:81", "b.test.")[number % 4])
    for host in ("b.test", "www.b.test", "b.test.", "b.test:81", "new.b.test"):
        assert budgets.refusal(host) == ("trap-host-budget", "b.test")


def test_hosts_of_a_site_are_limited_but_for_pages_of_those_that_are_known() -> None:
    budgets = Budgets(vouched(wild=1.0))
    hosts = [f"x{number}.wild.test" for number in range(1_000)]
    known = admitted(budgets, hosts)
    assert known == hosts[: 2 * HOSTS]
    assert budgets.refusal(hosts[-1]) == ("trap-many-hosts", "*.wild.test")
    assert sum(room(budgets, host, 2 * PAGES) for host in hosts[:3]) + len(known) == 2 * PAGES


def test_site_of_a_seed_has_no_budget() -> None:
    budgets = Budgets(vouched())
    budgets.protect(["www.b.test"])
    assert room(budgets, "docs.b.test", 2 * PAGES) == 2 * PAGES
    hosts = [f"x{number}.b.test" for number in range(500)]
    assert admitted(budgets, hosts) == hosts


def test_users_of_a_shared_host_have_budgets_of_their_own() -> None:
    budgets = Budgets(vouched())
    assert room(budgets, "one.github.io", 10_000) == PAGES
    assert budgets.refusal("two.github.io") is None


def test_who_takes_the_numbers_of_pages_over_decides_alike() -> None:
    hosts = [*(f"x{number}.wild.test" for number in range(HOSTS)), "full.test", "www.full.test", "half.test"]
    pages = dict.fromkeys(hosts, 3) | {"full.test": PAGES - 3, "half.test": PAGES // 2, "unread.test": 0}
    budgets, again = Budgets(vouched()), Budgets(vouched(), pages)
    for host, known in pages.items():
        for _ in range(known):
            budgets.add(host)
    for host in [*hosts, "y.wild.test", "y.full.test", "y.half.test", "unread.test"]:
        assert again.refusal(host) == budgets.refusal(host)
    assert again.refusal("y.wild.test") == ("trap-many-hosts", "*.wild.test")


# In a crawl.


def why(store: Path, url: str) -> tuple[str, str | None]:
    """The reason for a URL, and the rule."""
    told = json.loads(run("why", url, "--json", "--store", store).stdout)
    return told["reason"], told["rule"]


def test_why_names_the_budget_of_a_host(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minicrawl.crawler.admission.budgets.PAGES", 3)
    other = "http://b.test/"
    site: Site = {"http://a.test/": [other], other: [f"{other}{page}" for page in "abcdefgh"]}
    for _ in range(2):
        crawl(site, store, ["http://a.test/"], pages=1)
    assert rows(store, "SELECT count(*) FROM pages") == [(7,)]
    assert rows(store, "SELECT * FROM refused") == [("b.test", "trap-host-budget", 3, f"{other}f")]
    assert why(store, other + "h") == why(store, other + "new") == ("trap-host-budget", "b.test")
    assert why(store, other + "a") == ("link", None)


def test_farm_makes_no_room(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixty domains behind one honest link vouch for their hub less than seven honest sites do for one."""
    monkeypatch.setattr("minicrawl.crawler.admission.budgets.PAGES", 50)
    honest, large = [f"http://s{number}.test/" for number in range(8)], "http://s1.test/"
    web: Site = {site: [other for other in honest if other != site] for site in honest}
    web[large] = [*honest, *(f"{large}{page}" for page in range(20))]
    web |= {f"{large}{page}": [f"{large}{page}/{leaf}" for leaf in range(10)] for page in range(20)}
    web[honest[0]] = [*honest, "http://farm0.test/"]
    for number in range(60):
        links = [f"http://farm{(number + step) % 60}.test/" for step in (1, 2, 3)]
        web[f"http://farm{number}.test/"] = [*links, *(f"http://hub.test/{number}-{page}" for page in range(20))]
    for pages in (8, 20, 20, 500):
        crawl(web, store, honest[:1], jump="sites", pages=pages, **EVERYTHING)
    known = dict(rows(store, "SELECT name, count(*) FROM pages JOIN hosts ON hosts.id = host GROUP BY name"))
    assert known["s1.test"] == 221
    assert known["hub.test"] < 150
    assert why(store, "http://hub.test/59-19") == ("trap-host-budget", "hub.test")
