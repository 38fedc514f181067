"""Sites, their trust and their doors in a live crawl: counted exactly, resumed, changed, and what is read first."""

import csv
import random
import statistics
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.command_line import run
from support.intakes import intake_of
from support.sites import Site, crawl, faults_in, named_sites, page, ranks, rows

from minicrawl.analysis.verify import verify
from minicrawl.cli.lab import site_web
from minicrawl.lab.sites import by_sites
from minicrawl.opic.sites import site_trust
from minicrawl.store.reader import open_store
from minicrawl.web.urls.front import is_home
from minicrawl.web.urls.keys import site_of


def counted_voices(store: Path) -> Counter[tuple[str, str]]:
    """Links by the page that they lead to and the site that they come from, by the links as they are stored."""
    pages = dict(rows(store, "SELECT id, url FROM pages"))
    found: Counter[tuple[str, str]] = Counter()
    for source, targets in rows(store, "SELECT source, targets FROM links"):
        for target in np.frombuffer(targets, "<i4").tolist():
            if site_of(pages[source]) != site_of(pages[target]):
                found[pages[target], site_of(pages[source])] += 1
    return found


def voices(store: Path) -> dict[tuple[str, str], int]:
    query = "SELECT url, name, links FROM voices JOIN pages ON pages.id = page JOIN sites ON sites.id = voices.site"
    return {(url, site): links for url, site, links in rows(store, query)}


def ends_of(store: Path) -> dict[str, str]:
    """The page that each page stands for, or itself."""
    found = dict(rows(store, "SELECT a.url, b.url FROM pages a JOIN pages b ON b.id = ifnull(a.stands_for, a.id)"))
    for _ in range(9):
        found = {url: found[end] for url, end in found.items()}
    return found


def shares_by_hand(store: Path) -> tuple[dict[str, float], dict[str, int], dict[str, tuple[int, int]]]:
    """Trust and voice of sites, and the voices of pages and whether they are entrances, from the links that the store
    has. Trust is by the function whose tests are elsewhere; a site that redirects is one with that to which it does."""
    voices, names = counted_voices(store), sorted({site_of(url) for (url,) in rows(store, "SELECT url FROM pages")})
    end_of = ends_of(store)
    read = Counter(site_of(url) for (url,) in rows(store, "SELECT url FROM pages WHERE state = 'fetched'"))
    leads: defaultdict[str, set[str]] = defaultdict(set)
    for (url,) in rows(store, "SELECT url FROM pages WHERE stands_for IS NOT NULL"):
        leads[site_of(url)].add(site_of(end_of[url]))
    whole = {name: name for name in names}
    whole |= {name: next(iter(to)) for name, to in leads.items() if not read[name] and len(to) == 1}
    pairs: Counter[tuple[str, str]] = Counter()
    said: Counter[tuple[str, str]] = Counter()
    folded: Counter[tuple[str, str]] = Counter()
    for (url, site), links in voices.items():
        folded[end_of[url], site] += links
    for url, links in rows(store, "SELECT url, inlinks FROM pages WHERE stands_for IS NOT NULL"):
        folded[end_of[url], site_of(url)] += links - 1 if site_of(url) != site_of(end_of[url]) else 0
    voices = Counter({(url, site): links for (url, site), links in folded.items() if links and site_of(url) != site})
    for (url, site), links in voices.items():
        pairs[site, site_of(url)] += links
        if whole[site] != whole[site_of(url)]:
            said[site, site_of(url)] += 4 if links == 1 else 16
    ends: Counter[tuple[int, int]] = Counter()
    for (source, target), links in pairs.items():
        if whole[source] != whole[target]:
            ends |= Counter({(names.index(whole[source]), names.index(whole[target])): links})
    seeds = {whole[site_of(url)] for (url,) in rows(store, "SELECT url FROM pages WHERE depth = 0")}
    standing = "SELECT url FROM pages WHERE state NOT IN ('gone', 'alias')"
    is_known = f"{standing} AND (state = 'fetched' OR depth = 0 OR inlinks > 0)"
    known = Counter(whole[site_of(url)] for (url,) in rows(store, is_known))
    sizes = {name: float(np.log2(1 + min(known[name], 32 * read[name]))) for name in seeds if known[name]}
    middle = statistics.median([size for size in sizes.values() if size])
    roots = np.array([(sizes[name] or middle) if name in sizes else 0.0 for name in names])
    columns = np.array([(*pair, links) for pair, links in ends.items()], dtype=np.int64).reshape(-1, 3)
    found = site_trust(columns[:, 0], columns[:, 1], columns[:, 2], roots, len(names))
    trust, voice = (dict(zip(names, column.tolist(), strict=True)) for column in found[:2])
    of_page: Counter[str] = Counter()
    for (url, site), links in voices.items():
        by_name = [said[site, name] for name in names if whole[name] == whole[site_of(url)]]
        if said[site, site_of(url)]:
            of_page[url] += voice[site] * (4 if links == 1 else 16) // 16 * max(by_name) // sum(by_name)
    pages = rows(store, "SELECT url, depth FROM pages")
    fronts = {url for url, depth in pages if depth == 0 or is_home(url)}
    fronts = {end_of[url] for url in fronts if site_of(end_of[url]) == site_of(url)}
    doors = {url: (int(url in fronts), of_page[url]) for url, _ in pages}
    return trust, voice, {url: door for url, door in doors.items() if any(door)}


def citations_by_hand(store: Path) -> dict[str, int]:
    """The pages that texts of other pages of their sites link to, and how far that counts, by the links as stored."""
    end_of, found = ends_of(store), Counter[str]()
    query = """SELECT a.url, b.url FROM link_pairs JOIN pages a ON a.id = source JOIN pages b ON b.id = target
               WHERE place = 0 AND a.state <> 'alias'"""
    for source, target in rows(store, query):
        found[end_of[target]] += site_of(source) == site_of(end_of[target]) and source != end_of[target]
    return {url: min(round(4 * float(np.log2(1 + links))), 60) for url, links in found.items() if links}


def citations(store: Path) -> dict[str, int]:
    return dict(rows(store, "SELECT url, cited FROM pages WHERE cited > 0"))


@pytest.mark.parametrize("seed", range(3))
def test_store_has_what_a_slow_count_of_its_links_says(store: Path, seed: int) -> None:
    web, seeds = named_sites(seed)
    crawl(web, store, seeds, jump="sites")
    assert faults_in(store) == []
    assert voices(store) == counted_voices(store)
    trust, voice, by_hand = shares_by_hand(store)
    assert dict(rows(store, "SELECT name, trust FROM sites")) == pytest.approx(trust, abs=1e-9)
    assert dict(rows(store, "SELECT name, voice FROM sites")) == voice
    doors = "SELECT url, is_entrance, voices FROM doors JOIN pages ON pages.id = page WHERE is_entrance OR voices"
    assert {url: (entrance, found) for url, entrance, found in rows(store, doors)} == by_hand
    assert citations(store) == citations_by_hand(store)
    with open_store(store) as reader:
        assert max(verify(reader).settled.l1, verify(reader).stored.l1) < 1e-6


def test_crawl_in_steps_ends_as_one_without_a_stop(tmp_path: Path) -> None:
    web, seeds = named_sites(1)
    whole, stepwise = tmp_path / "whole.db", tmp_path / "stepwise.db"
    crawl(web, whole, seeds, jump="sites")
    for _ in range(60):
        report, _ = crawl(web, stepwise, seeds, jump="sites", pages=3)
        assert faults_in(stepwise) == []
        if report.reason == "nothing-left":
            break
    assert ranks(stepwise) == pytest.approx(ranks(whole), abs=1e-6)
    assert voices(stepwise) == voices(whole)
    assert citations(stepwise) == citations(whole)
    # Also without pages that were named until they were known to stand for others.
    doors = "SELECT url, is_front, is_entrance, voices FROM doors JOIN pages ON pages.id = page ORDER BY url"
    assert rows(stepwise, doors) == rows(whole, doors)


@pytest.mark.slow
def test_what_texts_gave_is_taken_back_with_their_links(store: Path) -> None:
    home, frame = "http://a.test/", "<nav><a href='/menu'>Menu</a></nav>"

    def web(cites: str) -> Site:
        items = [f"<li><a href='/{name}'>Page {name}</a>" for name in (*range(6), "old", "new")]
        pages = {f"{home}{at}": [frame, f"<p>Words <a href='/{cites}'>a link</a> and behind {at}"] for at in range(6)}
        return {home: [frame, "<ul>", *items, "</ul>"], **pages, **{f"{home}{at}": [] for at in ("menu", "old", "new")}}

    crawl(web("old"), store, [home], jump="sites")
    assert citations(store) == citations_by_hand(store) == {f"{home}old": 11}
    crawl(web("new"), store, [], jump="sites", refresh=True, pages=10)
    assert citations(store) == citations_by_hand(store) == {f"{home}new": 11}
    assert faults_in(store) == []


def test_jump_can_be_changed_there_and_back(tmp_path: Path) -> None:
    """As if it had been so from the start, without a request."""
    web, seeds = named_sites(3)
    stores = {jump: tmp_path / f"{jump}.db" for jump in ("sites", "pages")}
    for jump, store in stores.items():
        crawl(web, store, seeds, jump=jump)
    changed = tmp_path / "changed.db"
    crawl(web, changed, seeds, jump="pages")
    for jump in ("sites", "pages", "sites"):
        _, server = crawl(web, changed, [], jump=jump)
        assert server.asked == []
        assert faults_in(changed) == []
        assert ranks(changed) == pytest.approx(ranks(stores[jump]), abs=2e-6)
        with open_store(changed) as reader:
            assert verify(reader).stored.l1 < 1e-6
    assert voices(changed) == voices(stores["sites"])
    crawl(web, changed, [], jump="pages")
    assert rows(changed, "SELECT 1 FROM sites UNION SELECT 2 FROM voices UNION SELECT 3 FROM pages WHERE cited") == []


def test_change_that_ends_before_its_first_commit_leaves_the_store_as_it_was(store: Path) -> None:
    web, seeds = named_sites(3)
    crawl(web, store, seeds, jump="sites")
    before = ranks(store), voices(store)
    intake = intake_of(store, jump="pages")
    intake.ranking.let_jump_alike()
    intake.state.writer.close()
    assert faults_in(store) == []
    assert (ranks(store), voices(store)) == before


def many_sites(seed: int, count: int) -> tuple[Site, list[str]]:
    """Sites of very unequal size, whose pages link to the largest ones most; and their front pages."""
    draw = random.Random(seed)
    letters = random.Random(0)
    weights = [draw.paretovariate(0.6) for _ in range(count)]
    sizes = [max(1, int(8_000 * weight / sum(weights))) for weight in weights]
    urls = [
        [
            f"http://s{site}.test/",
            *(f"http://s{site}.test/{''.join(letters.choices('abcdefghij', k=8))}" for _ in range(size - 1)),
        ]
        for site, size in enumerate(sizes)
    ]
    largest = sorted(urls, key=len, reverse=True)
    web: Site = {}
    for own in urls:
        for at, url in enumerate(own):
            web[url] = [own[0], *own[8 * at + 1 : 8 * at + 9], *draw.sample(own, min(3, len(own)))]
            if draw.random() < 0.5:
                web[url].append(draw.choice(largest[min(int(draw.paretovariate(0.7)), count) - 1]))
    fronts = [own[0] for own in urls]
    draw.shuffle(fronts)
    return web, fronts


@pytest.mark.parametrize(("in_flight", "delay"), [(1, 0.0), (64, 1.0)])
def test_front_pages_of_all_seeds_are_among_the_first_that_are_read(
    tmp_path: Path, in_flight: int, delay: float
) -> None:
    """Within a twentieth more fetches than there are seeds: a page that most of them link to may be worth more."""
    web, fronts = many_sites(1, 60)
    most = len(fronts) + len(fronts) // 20
    assert most < len(web) // 100
    _, server = crawl(
        web, tmp_path / "crawl.db", fronts, jump="sites", pages=most, delay=delay, concurrency=in_flight, traps=False
    )
    assert set(fronts) <= set(server.asked)


@pytest.mark.parametrize("jump", ["sites", "pages"])
def test_steering_moves_the_order_and_leaves_the_export_as_it_is(jump: str, tmp_path: Path) -> None:
    """Both crawls read all pages, each in its own order. A boost is a factor on the priority: it makes no cash."""
    web, seeds = named_sites(3)
    steering = {"boost": ("/p[5-9]=100", "/p1=0.01"), "topic": "p4 p10"}
    asked, exported = [], []
    for name, settings in (("plain", {}), ("steered", steering)):
        store, file = tmp_path / f"{name}.db", tmp_path / f"{name}.csv"
        _, server = crawl(web, store, seeds, jump=jump, **settings)
        asked.append(server.asked)
        assert run("export", file, "--store", store).exit_code == 0
        exported.append({row["url"]: row for row in csv.DictReader(file.read_text().splitlines())})
        assert faults_in(store) == []
    plain, steered = exported
    assert asked[0] != asked[1]
    assert sorted(asked[0]) == sorted(asked[1])
    for column in ("state", "reason", "depth", "inlinks", "outlinks"):
        assert {url: row[column] for url, row in plain.items()} == {url: row[column] for url, row in steered.items()}
    apart = sum(abs(float(row["importance"]) - float(steered[url]["importance"])) for url, row in plain.items())
    assert apart < 2e-6  # each is within 1e-6 of the same importance


def test_what_steers_does_so_where_walkers_jump_to_sites(tmp_path: Path) -> None:
    """Also a crawl of six pages goes where it is steered to."""
    pages = [f"http://a.test/{number}" for number in range(30)]
    wanted = [f"http://a.test/wanted/2026/11/21/{number}" for number in range(5)]
    front: list[str] = [*pages, *(f'<a href="{url}">wanted</a>' for url in wanted)]
    web: Site = {"http://a.test/": front, **dict.fromkeys(pages, pages), **{url: [] for url in wanted}}
    found = {}
    for jump in ("sites", "pages"):
        _, server = crawl(web, tmp_path / f"{jump}.db", ["http://a.test/"], jump=jump, pages=6, boost=("/wanted=50",))
        found[jump] = server.asked
    assert set(found["sites"][1:]) == set(wanted)
    assert found["sites"] == found["pages"]
    with open_store(tmp_path / "sites.db") as reader:
        assert reader.site_table.all()
        assert verify(reader).stored.l1 < 2e-6


def test_with_a_topic_pages_move_up_by_what_links_say_that_bring_no_cash(tmp_path: Path) -> None:
    """An alias passes its cash on to the page that it stands for, not along its links."""
    home, copy, wanted = "http://a.test/", "http://a.test/boats", "http://a.test/9"
    plain = [f"http://a.test/{number}" for number in range(9)]
    site: Site = {
        home: [*plain, wanted, copy],
        copy: [f'<link rel="canonical" href="{home}"><a href="{wanted}">Boats</a>'],
        **{url: [] for url in (*plain, wanted)},
    }
    _, server = crawl(site, tmp_path / "crawl.db", [home], topic="boats")
    assert server.asked == [home, copy, wanted, *plain]


def test_all_sites_that_may_answer_have_as_much_for_their_order_and_new_ones_for_few_pages(tmp_path: Path) -> None:
    """Sites of forty pages; of two; one that only this links to; one that does not answer. A front page has half."""
    home, new, dead, far = (f"http://{name}.test/" for name in ("a", "new", "dead", "far"))
    own = [f"{home}{page}" for page in range(39)]
    web: Site = {home: [*own, new, dead], new: [new + "more", far]}
    crawl(web | {page: [] for page in (*own, dead, far, new + "more")}, tmp_path / "crawl.db", [home], jump="sites")
    intake = intake_of(tmp_path / "crawl.db", jump="sites")
    intake.state.frontier.hosts[2].answers = False
    sites = intake.state.sites
    assert sites is not None
    sites.begin()
    intake.add_seeds(["http://late.test/"], 0.0)
    early, urls = sites.early(), list(map(intake.state.urls.url, range(intake.state.accounts.size)))
    intake.state.writer.close()
    assert far in urls
    first, *others = (early[[url.startswith(site) for url in urls]].sum() for site in (home, new, dead, far))
    assert [*others, early[0]] == pytest.approx([first, 0.0, 0.0, first * (0.5 + 0.5 / 40)])
    assert first > 0.0


def test_all_pages_are_handed_out_where_their_sites_have_no_trust(tmp_path: Path) -> None:
    """As in a partition whose pages have their cash from elsewhere: each of its few births stands for much of it."""
    home = "http://a.test/"
    crawl({home: [f"{home}{page}" for page in range(39)]}, tmp_path / "crawl.db", [home], jump="sites", pages=1)
    intake = intake_of(tmp_path / "crawl.db", jump="sites")
    frontier, sites, found = intake.state.frontier, intake.state.sites, set()
    assert sites is not None
    sites.share_out(sites.links().shares()._replace(trust=np.zeros(1), voice_level=0))
    frontier.reorder()
    while (page := frontier.best_page(0.0)) is not None:
        frontier.hand_out(page, 0.0)
        frontier.release(page, 0.0, asked=False)
        found.add(page)
    intake.state.writer.close()
    assert found == set(range(1, 40))


def six_sites(own: str, other: str) -> Site:
    """Sites alike, whose fronts link to those of two others. Each page of a.test names three of its own, which start
    with `own`, and its last three of b.test, which start with `other`."""
    web: Site = {}
    for name in "abcdef":
        home = f"http://{name}.test/"
        pages = [home, *(f"{home}{at}" for at in range(1, 12))]
        fronts = [f"http://{'abcdef'[('abcdef'.index(name) + step) % 6]}.test/" for step in (1, 2)]
        for at, url in enumerate(pages):
            more = [f"{own if name == 'a' else home}{k}" for k in (1, 2, 3) if k != at]
            more += [f"{other}{k}" for k in (4, 5, 6)] if name == "a" and at > 8 else []
            web[url] = [
                home,
                *pages[4:],
                *(f"<p>Words before <a href='{link}'>a link</a> and behind" for link in [*more, *fronts]),
            ]
    return web


def led(name: str, to: str, how: str) -> Site:
    """A domain whose pages lead to those of another."""
    kinds: dict[str, Any] = {
        "redirects": {f"http://{name}/{k}": f"http://{to}/{k}" for k in range(1, 12)},
        "in two steps": {f"http://{name}/{k}": f"http://mid-{name}/{k}" for k in range(1, 12)}
        | {f"http://mid-{name}/{k}": f"http://{to}/{k}" for k in range(1, 12)},
        "names them as canonical": {
            f"http://{name}/{k}": page(headers={"Link": f'<http://{to}/{k}>; rel="canonical"'}) for k in range(1, 12)
        },
    }
    kinds["has pages beside"] = kinds["redirects"] | {
        f"http://{name}/3": [f"http://{name}/new"],
        f"http://{name}/new": [],
    }
    found: Site = kinds[how]
    return found


@pytest.mark.parametrize("how", ["redirects", "in two steps", "names them as canonical", "has pages beside"])
def test_no_site_speaks_for_itself_by_another_name_and_each_for_others_by_theirs(tmp_path: Path, how: str) -> None:
    found = {}
    for name, own, other in (("plain", "a", "b"), ("own", "old-a", "b"), ("other", "a", "old-b")):
        web = six_sites(f"http://{own}.test/", f"http://{other}.test/")
        web |= led("old-a.test", "a.test", how) | led("old-b.test", "b.test", how)
        crawl(web, tmp_path / f"{name}.db", [f"http://{site}.test/" for site in "abcdef"], jump="sites")
        found[name] = dict(rows(tmp_path / f"{name}.db", "SELECT site, importance FROM site"))
        with open_store(tmp_path / f"{name}.db") as store:
            assert by_sites(site_web(store)) == pytest.approx(store.ranks.importance(), abs=1e-6)
    tolerance = 0.03 if how == "has pages beside" else 0.002  # /3 is a page of the other domain
    assert found["own"]["a.test"] == pytest.approx(found["plain"]["a.test"], abs=tolerance)
    assert found["other"]["b.test"] == pytest.approx(found["plain"]["b.test"], abs=tolerance)
    assert found["plain"]["b.test"] > found["plain"]["e.test"] + 0.005
