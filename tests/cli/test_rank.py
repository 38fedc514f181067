"""'rank' and 'top': rankings of stored links against networkx, kept under a name and shown again; sites."""

import json
from pathlib import Path

import networkx
import numpy as np
import pytest
from click.testing import CliRunner
from support.command_line import answer, run
from support.shops import FORUM, NEWS, SITE, A, B
from support.sites import Server, Site, crawl, random_site, rows

from minicrawl.cli import main
from minicrawl.store.writer import Writer


def values(*words: str | Path) -> dict[str, float]:
    """What 'rank' says of every page that is no alias."""
    return {page["url"]: page["value"] for page in answer("rank", "--n", "1000", "-q", *words)}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "crawl.db"
    crawl(SITE, path, [A], jump="pages")
    return path


def drawn() -> "networkx.MultiDiGraph[str]":
    """The folded graph by hand: /old is /cart, to which walkers jump for both."""
    return networkx.MultiDiGraph([
        *((A, B), (A, A + "cart"), (A + "cart", A), (B, A), (B, FORUM), (FORUM, A + "cart"), (FORUM, B)),
        *((FORUM, NEWS), (NEWS, FORUM), (NEWS, A + "cart"), (NEWS, NEWS + "page")),
    ])  # fmt: skip


def expected(
    graph: "networkx.MultiDiGraph[str]", damping: float = 0.85, **weights: dict[str, float]
) -> dict[str, float]:
    jump = dict.fromkeys(graph, 1.0) | {A + "cart": 2.0}
    ranks: dict[str, float] = networkx.pagerank(
        graph, damping, personalization=weights.get("jump", jump), tol=1e-14, max_iter=1000
    )
    return ranks


def test_pagerank_is_that_of_networkx_and_of_the_crawl(store: Path) -> None:
    assert values("--store", store) == pytest.approx(expected(drawn()), abs=1e-10)
    importance = dict(rows(store, "SELECT url, importance FROM ranks WHERE state != 'alias'"))
    assert values("--store", store) == pytest.approx(importance, abs=1e-6)
    assert values("--store", store, "--damping", "0.5") == pytest.approx(expected(drawn(), 0.5), abs=1e-10)


def test_pagerank_is_importance_where_walkers_jump_to_sites(store: Path) -> None:
    crawl(SITE, store, [], jump="sites")
    importance = dict(rows(store, "SELECT url, importance FROM ranks WHERE state != 'alias'"))
    assert values("--store", store) == pytest.approx(importance, abs=1e-6)
    assert sum(abs(share - expected(drawn())[url]) for url, share in importance.items()) > 0.05


def test_sites_are_shown_with_the_pagerank_that_orders_them(store: Path) -> None:
    """Also where sites have trust, by which 'top --sites' orders them."""
    crawl(SITE, store, [], jump="sites")
    head, *lines = run("rank", "--by", "sites", "--store", store, "--wide").stdout.splitlines()
    shown = [float(line.split()[head.split().index("pagerank")]) for line in lines]
    by_rank = [row["pagerank"] for row in answer("rank", "--by", "sites", "--store", store)]
    assert shown == pytest.approx(sorted(by_rank, reverse=True), rel=1e-2)


@pytest.mark.parametrize("memory", ["2000", "1MB"])
def test_pagerank_on_disk_is_the_same(tmp_path: Path, memory: str) -> None:
    site, seeds = random_site(4)
    alias: Site = {"http://a.test/": ["http://h0.test/alias"], "http://h0.test/alias": next(iter(site))}
    crawl({**alias, **site}, tmp_path / "crawl.db", ["http://a.test/", *seeds])
    on_disk = values("--store", tmp_path / "crawl.db", "--memory", memory)
    assert on_disk == pytest.approx(values("--store", tmp_path / "crawl.db"), abs=1e-11)


def test_inverse_pagerank_is_that_of_the_turned_graph(store: Path) -> None:
    """A walker jumps to a page as often as to any other, whether it has an alias or not."""
    turned = expected(drawn().reverse(), jump=dict.fromkeys(drawn(), 1.0))
    assert values("--by", "inverse", "--store", store) == pytest.approx(turned, abs=1e-10)


def test_trust_spreads_from_what_is_trusted(store: Path, tmp_path: Path) -> None:
    """As URL, as file, as pattern, as an alias of the page, it is the same page."""
    trust = expected(drawn(), jump={A + "cart": 1.0})
    file = tmp_path / "trusted.txt"
    file.write_text(f"# good\n{A}cart\nhttp://unknown.test/\n")
    for trusted in (A + "cart", A + "old", file, "cart$"):
        found = values("--by", "trustrank", "--trusted", trusted, "--store", store)
        assert found == pytest.approx(trust, abs=1e-10)


def test_without_a_word_of_it_those_are_trusted_that_reach_most(store: Path) -> None:
    inverse = expected(drawn().reverse(), jump=dict.fromkeys(drawn(), 1.0))
    best = sorted(inverse, key=lambda url: -inverse[url])[:2]
    found = values("--by", "trustrank", "--trusted-count", "2", "--store", store)
    assert found == pytest.approx(expected(drawn(), jump=dict.fromkeys(best, 1.0)), abs=1e-10)


def test_topics_are_blended_by_their_weights(store: Path) -> None:
    """With dangling pages, which only the sum of both preferences gets right."""
    words = ("--by", "topic", "--topic", "shop=shop", "--topic", f"news={NEWS}", "--store", store)
    shop = dict.fromkeys((A, A + "cart", B), 1 / 3)
    for given, share in (((), 0.5), (("--weights", "shop=3,news=1"), 0.75), (("--weights", "news=2, shop=0"), 0.0)):
        jump = {page: share * part for page, part in shop.items()} | {NEWS: 1 - share}
        assert values(*words, *given) == pytest.approx(expected(drawn(), jump=jump), abs=1e-10)


def test_hits_prints_authorities_and_hubs(store: Path) -> None:
    simple: networkx.DiGraph[str] = networkx.DiGraph(drawn())
    hubs, authorities = networkx.hits(simple, tol=1e-14, max_iter=5000)
    found = answer("rank", "--by", "hits", "--per", "page", "--store", store)
    for name, oracle in (("hub", hubs), ("authority", authorities)):
        assert {page["url"]: page["value"] for page in found[name]} == pytest.approx(oracle, abs=1e-9)
    lines = run("rank", "--by", "hits", "--n", "2", "--store", store).output.splitlines()
    assert lines[0].split() == ["rank", "importance", "authority", "inlinks", "state", "url"]
    assert (lines[3], lines[4].split()[2], len(lines)) == ("", "hub", 7)


def test_links_within_a_host_or_domain_do_not_count_for_hits(store: Path) -> None:
    host = {page["url"]: page["value"] for page in answer("rank", "--by", "hits", "--store", store)["hub"]}
    domain = answer("rank", "--by", "hits", "--per", "site", "--store", store)["hub"]
    assert (host[A + "cart"], host[A] > 0) == (0.0, True)
    assert {page["url"] for page in domain if page["value"]} <= {B, FORUM, NEWS}


def test_hits_around_the_pages_of_a_query(store: Path) -> None:
    """The shop, what it links to and what links to it; not the news, which a page of the web around links to."""
    query = answer("rank", "--by", "hits", "--query", "the SHOP", "--store", store, "--per", "page")
    root = answer("rank", "--by", "hits", "--root", "^http://www.shop.co.uk/$", "--store", store, "--per", "page")
    assert query == root
    assert {page["url"] for page in query["authority"] if page["value"]} <= {A, A + "cart", B}


def test_opic_is_the_history_as_shares(store: Path) -> None:
    history = dict(rows(store, "SELECT url, history FROM ranks WHERE state != 'alias'"))
    total = sum(history.values())
    found = values("--by", "opic", "--store", store)
    assert found == pytest.approx({url: value / total for url, value in history.items()})


def test_what_is_printed_stands_beside_the_importance(store: Path) -> None:
    result = run("rank", "--n", "2", "--store", store)
    best = answer("rank", "--n", "2", "--store", store)
    assert [line.split()[:3] for line in result.output.splitlines()] == [
        ["rank", "importance", "pagerank"],
        *([str(page["rank"]), f"{page['importance']:.3g}", f"{page['value']:.3g}"] for page in best),
    ]


def test_saved_ranking_is_shown_by_top_and_export(store: Path, tmp_path: Path) -> None:
    result = run("rank", "--by", "inverse", "--save", "reach", "--store", store)
    assert result.exit_code == 0
    assert result.stderr == f"Kept as reach; see 'minicrawl top --by reach --store {store}'.\n"
    found = values("--by", "inverse", "--store", store)
    top = answer("top", "--all", "--by", "reach", "--store", store)
    assert {page["url"]: page["value"] for page in top if page["state"] != "alias"} == found
    assert [page["value"] for page in top] == sorted((page["value"] for page in top), reverse=True)
    assert "reach" in run("top", "--by", "reach", "--store", store).output.splitlines()[0]
    assert run("export", tmp_path / "reach.jsonl", "--by", "reach", "--store", store).exit_code == 0
    exported = [json.loads(line) for line in (tmp_path / "reach.jsonl").read_text().splitlines()]
    assert [row["reach"] for row in exported] == [page["value"] for page in top]


def test_hits_are_saved_under_two_names(store: Path) -> None:
    found = answer("rank", "--by", "hits", "--save", "mine", "--store", store, "-q")
    for name, kept in (("authority", "mine"), ("hub", "mine-hubs")):
        top = {page["url"]: page["value"] for page in answer("top", "--all", "--by", kept, "--store", store)}
        assert {page["url"]: page["value"] for page in found[name]}.items() <= top.items()


def test_ranking_is_not_saved_while_a_crawl_holds_the_store(store: Path) -> None:
    writer = Writer(store)
    try:
        result = run("rank", "--save", "mine", "--store", store)
        assert result.exit_code == 3
        assert "a crawl is using" in result.stderr
        assert "wait for it, or leave --save out" in result.stderr
        assert run("rank", "--store", store).exit_code == 0
    finally:
        writer.close()
    assert rows(store, "SELECT * FROM rankings") == []


MISTAKES = {
    "name of a column": (["--save", "inlinks"], 2, "--save inlinks: every store has a column of that name"),
    "name that is none": (["--save", "my rank"], 2, "--save takes a name of up to 40 letters, digits, '-' and '_'"),
    "sites saved": (["--by", "sites", "--save", "mine"], 2, "--by sites has none; leave it out"),
    "option of another": (
        ["--by", "hits", "--damping", ".5"],
        2,
        "--damping goes with --by pagerank, trustrank, topic",
    ),
    "no topic": (["--by", "topic"], 2, "--by topic needs the pages of a topic"),
    "topic without a name": (["--by", "topic", "--topic", "shop"], 2, "--topic takes NAME=FILE|URL|REGEX"),
    "topic twice": (["--by", "topic", "--topic", "a=shop", "--topic", "a=news"], 2, "each name once, not 'a=news'"),
    "weight of nothing": (["--by", "topic", "--topic", "a=shop", "--weights", "b=1"], 2, "NAME=WEIGHT for each of a"),
    "no weight": (["--by", "topic", "--topic", "a=shop", "--weights", "a=x"], 2, "NAME=WEIGHT for each of a"),
    "no such pages": (
        ["--by", "trustrank", "--trusted", "charm"],
        2,
        "--trusted 'charm' is no file, and matches no URL",
    ),
    "no pattern": (["--by", "trustrank", "--trusted", "("], 2, "--trusted '(' is no regular expression"),
    "no such words": (["--by", "hits", "--query", "charm"], 2, "no page has 'charm' in its URL or title"),
    "no words": (["--by", "hits", "--query", " "], 2, "--query takes words"),
    "two roots": (["--by", "hits", "--query", "shop", "--root", "shop"], 2, "give one of them"),
    "links that do not count": (
        ["--by", "hits", "--root", "page", "--per", "site"],
        2,
        "no link between two of these",
    ),
    "little memory": (["--memory", "10"], 2, "--memory 10 is too little: memory must be at least"),
    "no size": (["--memory", "much"], 2, "not 'much'"),
    "weights of sites": (["--by", "sites", "--weights", "a=1"], 2, "--weights of sites is one of none, links, pages"),
    "page as a site": (["--by", "sites", "--per", "page"], 2, "a page is no site"),
}


@pytest.mark.parametrize(("words", "code", "message"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistake_gets_one_sentence(store: Path, words: list[str], code: int, message: str) -> None:
    result = run("rank", *words, "--store", store)
    assert (result.exit_code, message in result.stderr) == (code, True), result.stderr
    assert result.stderr.startswith("Error: ")


def test_store_without_a_page_read_is_one_sentence(tmp_path: Path) -> None:
    Writer(tmp_path / "crawl.db").close()
    for words in (["rank"], ["rank", "--memory", "1MB"], ["top", "--sites"]):
        result = run(*words, "--store", tmp_path / "crawl.db")
        assert (result.exit_code, "no page in" in result.stderr) == (3, True)


@pytest.mark.parametrize("words", [["rank"], ["rank", "--memory", "1MB"], ["top", "--sites"]])
def test_damaged_links_are_one_sentence(store: Path, words: list[str]) -> None:
    rows(store, "UPDATE links SET targets = x'ffffff00' WHERE source = 0")
    result = run(*words, "--store", store)
    assert (result.exit_code, "cannot be ranked: a link leaves the store" in result.stderr) == (3, True)


def test_ranking_that_is_not_kept_is_named(store: Path) -> None:
    result = run("top", "--by", "charm", "--store", store)
    assert result.exit_code == 2
    assert (
        f"a ranking is one of importance, history, cash, inlinks, expected, and none is kept in {store}"
        in result.stderr
    )
    run("rank", "--save", "mine", "-q", "--store", store)
    assert f"or one kept in {store}: mine; not 'charm'" in run("top", "--by", "charm", "--store", store).stderr


def test_pagerank_of_sites_is_that_of_networkx(store: Path) -> None:
    links = {
        ("shop", "forum"): 1,
        ("forum", "shop"): 2,
        ("forum", "news"): 1,
        ("news", "forum"): 1,
        ("news", "shop"): 1,
    }
    for weights, weight in (("none", dict.fromkeys(links, 1)), ("links", links), ("pages", dict.fromkeys(links, 1))):
        graph: networkx.DiGraph[str] = networkx.DiGraph()
        graph.add_weighted_edges_from((*ends, weight[ends]) for ends in links)
        oracle = networkx.pagerank(graph, tol=1e-14, max_iter=1000)
        found = answer("rank", "--by", "sites", "--weights", weights, "--store", store)
        assert {row["site"].split(".")[0]: row["pagerank"] for row in found} == pytest.approx(oracle, abs=1e-10)
        assert [row["pagerank"] for row in found] == sorted((row["pagerank"] for row in found), reverse=True)


def test_hosts_are_told_apart_and_linking_domains_counted_once(store: Path) -> None:
    """Forum and news link to the one host of the shop; to the other only forum, as its own domain does not count."""
    found = {row["site"]: row for row in answer("top", "--sites", "host", "--store", store)}
    assert found.keys() == {"www.shop.co.uk", "blog.shop.co.uk", "forum.test", "news.example"}
    assert (found["www.shop.co.uk"]["linking_domains"], found["blog.shop.co.uk"]["linking_domains"]) == (2, 1)


def test_hosts_without_a_name_are_still_counted(tmp_path: Path) -> None:
    """Addresses and hosts with a port are sites, too."""
    site: Site = {"http://10.0.0.1:8000/": ["http://[::1]:81/", "http://localhost/"], "http://localhost/": []}
    crawl(Server(site), tmp_path / "crawl.db", ["http://10.0.0.1:8000/"])
    names = {row["site"] for row in answer("top", "--sites", "--store", tmp_path / "crawl.db")}
    assert names == {"10.0.0.1", "[::1]", "localhost"}
    hosts = {row["site"] for row in answer("top", "--sites", "host", "--store", tmp_path / "crawl.db")}
    assert hosts == {"10.0.0.1:8000", "[::1]:81", "localhost"}


@pytest.mark.parametrize("command", ["rank", "top"])
def test_help_has_an_example(command: str) -> None:
    assert f"Example: minicrawl {command}" in " ".join(run(command, "--help").output.split())


def test_every_page_of_a_larger_crawl_is_ranked_once(tmp_path: Path) -> None:
    site, seeds = random_site(1)
    crawl(site, tmp_path / "crawl.db", seeds, pages=15)
    known = len(rows(tmp_path / "crawl.db", "SELECT id FROM pages"))
    for by in ("pagerank", "trustrank", "inverse", "opic"):
        found = values("--by", by, "--store", tmp_path / "crawl.db")
        assert len(found) == known
        assert np.sum(list(found.values())) == pytest.approx(1.0)


def test_communities_are_printed_without_pages_that_are_not_in_them_and_can_be_compared(store: Path) -> None:
    found = answer("rank", "--by", "hits", "--communities", "2", "--per", "page", "--store", store, "--save", "c", "-q")
    assert list(found) == ["authority-1", "hub-1", "authority-2", "hub-2", "bridge"]
    assert all(page["value"] > 0 for pages in found.values() for page in pages)
    top = answer("top", "--all", "--by", "c-2", "--store", store)
    assert {page["url"]: page["value"] for page in found["authority-2"]}.items() <= {
        (page["url"], page["value"]) for page in top
    }
    assert run("compare", "c-1", "c-2", "--store", store).exit_code == 0


def test_pages_are_ranked_by_visits_in_logs(store: Path, tmp_path: Path) -> None:
    stamped = '192.0.2.1 - - [01/Nov/2026:12:00:0%d +0000] "GET %s HTTP/1.1" 200 9 "-" "Mozilla/5.0 (X11)"\n'
    (tmp_path / "a.log").write_text(stamped % (0, "/cart"))
    words = ("rank", "--by", "visits", "--site", A, "--store", store, "--log", tmp_path / "a.log")
    assert {url for url, share in values(*words[1:]).items() if share} == {A + "cart"}
    result = CliRunner().invoke(main, [*map(str, words), "--log", "-", "--save", "seen"], stamped % (1, "/"))
    assert (result.exit_code, result.stderr.splitlines()[0][:27]) == (0, "2 lines: 2 visits to 2 page")
    assert dict(rows(store, "SELECT url, value FROM rankings JOIN pages ON id = page WHERE value")) == {
        A: 0.5,
        A + "cart": 0.5,
    }
    lacking = run("rank", "--by", "visits", "--store", store)
    assert lacking.stderr == "Error: --by visits needs the access logs of the site; name each with --log access.log\n"
