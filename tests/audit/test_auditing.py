"""Findings of an audit: each target once, in the order of what they lose."""

import contextlib
import random
from pathlib import Path

import pytest
from support.audits import found_in
from support.sites import HOME, Reply, Server, Site, crawl

from minicrawl.analysis.page_links import Asked, page_links
from minicrawl.audit.auditing import Audit, audited
from minicrawl.audit.crawled import Crawled
from minicrawl.audit.rules import RULES, Rule
from minicrawl.errors import NothingFetchedError
from minicrawl.store.reader import open_store


def audit(store: Path, against: Path | None = None) -> Audit:
    with open_store(store) as reader, reader.snapshot():
        if against is None:
            return audited(reader)
        with open_store(against) as other, other.snapshot():
            return audited(reader, against=other)


def test_broken_target_is_one_finding_with_its_sources_counted(tmp_path: Path) -> None:
    pages = [f"http://a.test/{name}" for name in "bcdefg"]
    dead = "http://a.test/dead"
    crawl({HOME: [*pages, dead], **{page: [dead] for page in pages}}, tmp_path / "crawl.db", [HOME])
    (found,) = [each for each in audit(tmp_path / "crawl.db").findings if each.rule == "broken-link"]
    assert (found.target, found.sources, found.detail) == (dead, 7, "http-404")
    assert found.examples[0] == HOME
    assert len(found.examples) == 5
    assert 0 < found.importance < 1


def test_errors_come_first_and_then_what_has_most_at_stake(tmp_path: Path) -> None:
    site: Site = {HOME: [f"{HOME}chain", f"{HOME}dead"], f"{HOME}chain": f"{HOME}on", f"{HOME}on": f"{HOME}end"}
    crawl({**site, f"{HOME}end": [HOME]}, tmp_path / "crawl.db", [HOME])
    found = audit(tmp_path / "crawl.db")
    order = [(found.rules[each.rule].gravity, -each.importance) for each in found.findings]
    assert order == sorted(order)
    assert {gravity for gravity, _ in order} == {0, 1, 2}
    assert [found.rules[name].gravity for name in found.at_stake()] == [0, 1, 1, 2]
    assert sum(each.importance for each in found.findings) == pytest.approx(sum(found.at_stake().values()))


def test_a_page_with_several_faults_is_at_stake_once(tmp_path: Path) -> None:
    crawl({HOME: []}, tmp_path / "crawl.db", [HOME])
    select = "SELECT column1, '', id FROM page, (VALUES ('style'), ('script'))"
    with open_store(tmp_path / "crawl.db") as reader, reader.snapshot():
        found = audited(reader, {"files": Rule("files", select)})
    assert [each.importance for each in found.findings] == pytest.approx([1, 1])
    assert found.at_stake() == pytest.approx({"files": 1})


def test_what_an_earlier_crawl_has_not_is_new_and_what_it_alone_has_is_mended(tmp_path: Path) -> None:
    def store(name: str, *at_fault: str) -> Path:
        site: Site = {f"{HOME}{page}": ["" if page in at_fault else "<h1>x</h1>", page] for page in "ab"}
        crawl({**site, HOME: ["<h1>x</h1>", *site]}, tmp_path / name, [HOME], audit=True, traps=False)
        return tmp_path / name

    one, both = store("one", "a"), store("both", "a", "b")

    def changes(after: Path, before: Path) -> list[int]:
        found = audit(after, before)
        lists = (found.new or (), found.mended or (), found.unknown or ())
        return [sum(each.rule == "h1-missing" for each in some) for some in lists]

    assert changes(both, one) == [1, 0, 0]
    assert changes(one, both) == [0, 1, 0]


def test_what_was_not_looked_at_again_is_not_mended(tmp_path: Path) -> None:
    page, gone = f"{HOME}page", f"{HOME}gone"
    crawl({HOME: [page, "<title>x</title>"], page: [gone]}, tmp_path / "before.db", [HOME])
    before = tmp_path / "before.db"
    cases: list[tuple[str, dict[str, Reply], set[str]]] = [
        ("failing", {HOME: [page, "<title>x</title>"], page: 500}, set()),
        ("mended", {HOME: [page, "<title>x</title>"], page: ["<title>y</title>"]}, {gone, page}),
        ("removed", {HOME: [page, "<title>x</title>"]}, {gone, page}),
    ]
    for name, site, mended in cases:
        crawl(site, tmp_path / f"{name}.db", [HOME])
        found = audit(tmp_path / f"{name}.db", before)
        were = [each for each in audit(before).findings if each.rule in ("broken-link", "title-missing")]
        assert {each.target for each in found.mended or () if each in were} == mended
        assert {each.target for each in found.unknown or () if each in were} == {gone, page} - mended
    with contextlib.suppress(NothingFetchedError):
        crawl({HOME: 500}, tmp_path / "down.db", [HOME])
    found = audit(tmp_path / "down.db", before)
    assert (found.mended, found.unknown) == ([], audit(before).findings)


def random_web(seed: int) -> Site:
    """A seeded site with redirects in chains and rings, pages that are not there, fail or are forbidden."""
    rng = random.Random(seed)
    urls = [f"{HOME}{''.join(rng.choices('abcdefghijklmnop', k=8))}" for _ in range(60)]
    web: Site = {HOME: rng.sample(urls, 40)}
    for url in urls:
        kind = rng.random()
        web[url] = (
            rng.choice([404, 410, 500, 403])
            if kind < 0.2
            else rng.choice(urls)
            if kind < 0.5
            else rng.sample([HOME, *urls], rng.randrange(6))
        )
    return web


def slow_count(web: Site) -> dict[str, dict[str, int]]:
    """Faults of links by following each by hand, as far as pages are reached."""
    reached, queue = {HOME}, [HOME]
    for url in queue:
        reply = web.get(url, 404)
        for link in [reply] if isinstance(reply, str) else reply if isinstance(reply, list) else []:
            if link not in reached:
                reached.add(link)
                queue.append(link)
    found: dict[str, dict[str, int]] = {}
    links = {(page, link) for page in reached if isinstance(web.get(page), list) for link in web[page]}
    for target in {link for _, link in links}:
        sources, chain, end = sum(link == target for _, link in links), [target], target
        while isinstance(web.get(end), str) and web[end] not in chain:
            end = web[end]
            chain.append(end)
        reply = web.get(end, 404)
        names: list[str] = []
        if isinstance(reply, str):
            names.append("redirect-loop")
        elif isinstance(reply, int):
            names.append("link-unreachable" if reply == 500 else "redirect-dead" if len(chain) > 1 else "broken-link")
        elif len(chain) > 1:
            names.append("link-to-redirect")
        if len(chain) > 2 and not isinstance(reply, str):
            names.append("redirect-chain")
        for name in names:
            found.setdefault(name, {})[target] = sources
    return found


@pytest.mark.parametrize("seed", range(2))
def test_links_and_redirects_are_those_of_a_slow_count(tmp_path: Path, seed: int) -> None:
    web = random_web(seed)
    crawl(web, tmp_path / "crawl.db", [HOME], traps=False)
    expected = slow_count(web)
    found = found_in(tmp_path / "crawl.db", *RULES)
    kinds = ("broken-link", "link-unreachable", "link-to-redirect", "redirect-dead", "redirect-loop", "redirect-chain")
    assert {kind: found.get(kind, {}) for kind in kinds} == {kind: expected.get(kind, {}) for kind in kinds}
    with open_store(tmp_path / "crawl.db") as store, store.snapshot():
        broken = {each[0].target: len(each) for each in page_links(store, Asked(broken=True)).by_target()}
    dead = ("broken-link", "link-unreachable", "redirect-dead", "redirect-loop")
    assert broken == {target: count for kind in dead for target, count in found.get(kind, {}).items()}


@pytest.mark.parametrize("web", [{HOME: 404}, {HOME: f"{HOME}x", f"{HOME}x": [HOME]}])
def test_few_pages_and_a_redirect_first_are_audited(tmp_path: Path, web: Site) -> None:
    with contextlib.suppress(NothingFetchedError):
        crawl(web, tmp_path / "crawl.db", [HOME])
    assert found_in(tmp_path / "crawl.db").keys() <= {
        "dead-end",
        "broken-link",
        "link-to-redirect",
        "title-missing",
        "seed-dead",
    }


def test_every_rule_is_named_once_and_says_why_and_how() -> None:
    assert [name for name, rule in RULES.items() if name != rule.name] == []
    assert all(text.endswith(".") for rule in RULES.values() for text in (rule.why, rule.how))


def test_our_pages_are_those_of_the_seeds_sites(tmp_path: Path) -> None:
    site = {HOME: [f"{HOME}x", "http://www.a.test/", "http://b.test/"], f"{HOME}x": [], "http://b.test/": [HOME]}
    crawl({**site, "http://www.a.test/": []}, tmp_path / "crawl.db", [HOME])
    with open_store(tmp_path / "crawl.db") as store, store.snapshot():
        Crawled(store)
        ours = [url for (url,) in store.each("SELECT url FROM audited WHERE is_page")]
        assert sorted(ours) == [HOME, f"{HOME}x", "http://www.a.test/"]


def test_stake_of_a_redirect_is_what_flows_into_it(tmp_path: Path) -> None:
    crawl({HOME: [f"{HOME}old"], f"{HOME}old": f"{HOME}new", f"{HOME}new": [HOME]}, tmp_path / "crawl.db", [HOME])
    with open_store(tmp_path / "crawl.db") as store, store.snapshot():
        stake = Crawled(store).stake
        ((old, end, redirects),) = store.each(f"SELECT id, end_url, redirects FROM audited WHERE url = '{HOME}old'")
        assert (end, redirects) == (f"{HOME}new", 1)
        assert store.ranks.importance()[old] == 0 < stake[old] < 1


OTHER = "http://b.test/"


@pytest.mark.parametrize(
    ("reply", "robots", "reason"),
    [
        (404, 404, "http-404"),
        (f"{HOME}gone", 404, "http-404"),
        ([], 500, "robots-unreachable"),
        ([], "User-agent: *\nDisallow: /", "robots"),
        (f"{HOME}x", 404, None),
    ],
)
@pytest.mark.parametrize("is_alone", [True, False])
def test_seed_that_was_not_read_comes_first(
    tmp_path: Path, reply: Reply, robots: str | int, reason: str | None, is_alone: bool
) -> None:
    site = Server({HOME: reply, f"{HOME}x": ["/gone"], OTHER: ["/gone", HOME]}, robots)
    with contextlib.suppress(NothingFetchedError):
        crawl(site, tmp_path / "crawl.db", [HOME] if is_alone else [HOME, OTHER])
    with open_store(tmp_path / "crawl.db") as store, store.snapshot():
        found = audited(store).findings
    expected = [] if reason is None else [(HOME, reason)]
    if reason and not is_alone and robots != 404:
        expected.append((OTHER, reason))
    dead = [(each.target, each.detail) for each in found if each.rule == "seed-dead"]
    assert dead == expected
    at_stake = [(each.rule, each.importance) for each in found[: len(dead)]]
    assert at_stake == [("seed-dead", 1.0 if is_alone else 0.5)] * len(dead)


def test_seed_that_waits_is_dead_only_where_nothing_was_read(tmp_path: Path) -> None:
    crawl({HOME: [], OTHER: []}, tmp_path / "crawl.db", [HOME, OTHER], pages=1)
    with open_store(tmp_path / "crawl.db") as store, store.snapshot():
        assert [each.target for each in audited(store).findings if each.rule == "seed-dead"] == []
        assert audited(store).judged.pages == 1
