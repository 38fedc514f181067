"""'rank' and 'top': rankings of stored links against networkx, kept under a name and shown again; sites."""

import json
from pathlib import Path

import networkx
import pytest
from support.command_line import answer, run
from support.shops import FORUM, NEWS, SITE, A, B
from support.sites import Server, Site, crawl, rows

from minicrawl.store.writer import Writer


def values(*words: str | Path) -> dict[str, float]:
    """What 'rank' says of every page that is no alias."""
    return {page["url"]: page["value"] for page in answer("rank", "--n", "1000", *words)}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rank") / "crawl.db"
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


def test_sites_are_shown_with_the_pagerank_that_orders_them(store: Path) -> None:
    """Also where sites have trust, by which 'top --sites' orders them."""
    crawl(SITE, store, [], jump="sites")
    head, *lines = run("rank", "--by", "sites", "--store", store).stdout.splitlines()
    shown = [float(line.split()[head.split().index("pagerank")]) for line in lines]
    by_rank = [row["pagerank"] for row in answer("rank", "--by", "sites", "--store", store)]
    assert shown == pytest.approx(sorted(by_rank, reverse=True), rel=1e-2)


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
    top = answer("top", "--where", "1", "--by", "reach", "--store", store)
    assert {page["url"]: page["value"] for page in top if page["state"] != "alias"} == found
    assert [page["value"] for page in top] == sorted((page["value"] for page in top), reverse=True)
    assert "reach" in run("top", "--by", "reach", "--store", store).output.splitlines()[0]
    assert run("export", tmp_path / "reach.jsonl", "--by", "reach", "--store", store).exit_code == 0
    exported = [json.loads(line) for line in (tmp_path / "reach.jsonl").read_text().splitlines()]
    assert [row["reach"] for row in exported] == [page["value"] for page in top]


def test_hits_are_saved_under_two_names(store: Path) -> None:
    found = answer("rank", "--by", "hits", "--save", "mine", "--store", store)
    for name, kept in (("authority", "mine"), ("hub", "mine-hubs")):
        top = {page["url"]: page["value"] for page in answer("top", "--where", "1", "--by", kept, "--store", store)}
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
    "sites saved": (["--by", "sites", "--save", "mine"], 2, "--by sites has none; leave it out"),
    "option of another": (
        ["--by", "hits", "--damping", ".5"],
        2,
        "--damping goes with --by pagerank, trustrank, topic",
    ),
    "topic without a name": (["--by", "topic", "--topic", "shop"], 2, "--topic takes NAME=FILE|URL|REGEX"),
    "no such pages": (
        ["--by", "trustrank", "--trusted", "charm"],
        2,
        "--trusted 'charm' is no file, and matches no URL",
    ),
    "no such words": (["--by", "hits", "--query", "charm"], 2, "no page has 'charm' in its URL or title"),
    "weights of sites": (["--by", "sites", "--weights", "a=1"], 2, "--weights of sites is one of none, links, pages"),
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


@pytest.mark.parametrize("words", [["rank"], ["rank", "--memory", "1MB"]])
def test_damaged_links_are_one_sentence(store: Path, words: list[str]) -> None:
    rows(store, "UPDATE links SET targets = x'ffffff00' WHERE source = 0")
    result = run(*words, "--store", store)
    assert (result.exit_code, "cannot be ranked: a link leaves the store" in result.stderr) == (3, True)


def test_ranking_that_is_not_kept_is_named(store: Path) -> None:
    result = run("top", "--by", "charm", "--store", store)
    assert result.exit_code == 2
    assert f"a ranking is one of importance, history, cash, inlinks, and none is kept in {store}" in result.stderr
    run("rank", "--save", "mine", "--store", store)
    assert f"or one kept in {store}: mine; not 'charm'" in run("top", "--by", "charm", "--store", store).stderr


def test_hosts_without_a_name_are_still_counted(tmp_path: Path) -> None:
    """Addresses and hosts with a port are sites, too."""
    site: Site = {"http://10.0.0.1:8000/": ["http://[::1]:81/", "http://localhost/"], "http://localhost/": []}
    crawl(Server(site), tmp_path / "crawl.db", ["http://10.0.0.1:8000/"])
    names = {row["site"] for row in answer("top", "--sites", "--store", tmp_path / "crawl.db")}
    assert names == {"10.0.0.1", "[::1]", "localhost"}
    hosts = {row["site"] for row in answer("top", "--sites", "host", "--store", tmp_path / "crawl.db")}
    assert hosts == {"10.0.0.1:8000", "[::1]:81", "localhost"}


def test_pages_are_ranked_by_visits_in_logs(store: Path, tmp_path: Path) -> None:
    stamped = '192.0.2.1 - - [01/Nov/2026:12:00:0%d +0000] "GET %s HTTP/1.1" 200 9 "-" "Mozilla/5.0 (X11)"\n'
    (tmp_path / "a.log").write_text(stamped % (0, "/cart"))
    words = ("rank", "--by", "visits", "--site", A, "--store", store, "--log", tmp_path / "a.log")
    assert {url for url, share in values(*words[1:]).items() if share} == {A + "cart"}
    (tmp_path / "b.log").write_text(stamped % (1, "/"))
    result = run(*words, "--log", tmp_path / "b.log", "--save", "seen")
    assert (result.exit_code, result.stderr.splitlines()[0][:27]) == (0, "2 lines: 2 visits to 2 page")
    assert dict(rows(store, "SELECT url, value FROM rankings JOIN pages ON id = page WHERE value")) == {
        A: 0.5,
        A + "cart": 0.5,
    }
    lacking = run("rank", "--by", "visits", "--store", store)
    assert lacking.stderr == "Error: --by visits needs the access logs of the site; name each with --log access.log\n"
