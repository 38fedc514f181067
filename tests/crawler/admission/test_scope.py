"""Scope: links that are followed, the reason code of every other one, limits of pages per host."""

import random
from pathlib import Path

import pytest
from support.sites import Server, Site, crawl, rows

from minicrawl.crawler.admission.scope import MAX_URL_LENGTH, HostPages, Scope, ending
from minicrawl.settings import CrawlSettings

NEVER_HTML = {
    "/a.jpg": "jpg",
    "/a.JPG": "jpg",
    "/a.tar.gz": "gz",
    "/a/b.zip?download=1": "zip",
    "/.css": "css",
    "/a.b/c.pdf": "pdf",
    "/x;v=1.mp4": "mp4",
}
MAYBE_HTML = [
    "/", "/a", "/a.html", "/a.php", "/a.asp", "/a.xml", "/a.txt", "/a.cgi", "/example.com.au", "/a.jpg/",
    "/a.zip/b", "/a?b.jpg", "/a?x=/b.zip", "/wiki/File:Cat.jpg", "/jpg", "/a.", "/a.jpgx", "/v1.2", "/a%2Ejpg",
]  # fmt: skip


@pytest.mark.parametrize(("path", "end"), NEVER_HTML.items())
def test_never_html(path: str, end: str) -> None:
    assert ending(f"http://h.zip{path}") == end


@pytest.mark.parametrize("path", MAYBE_HTML)
def test_maybe_html(path: str) -> None:
    assert ending(f"http://h.zip{path}") is None


SEEDS = ["http://www.example.co.uk:8080/docs/index.html", "https://other.org/a/b"]


def refusal(url: str, depth: int = 1, seeds: list[str] = SEEDS, **settings) -> str | None:
    return Scope.of(CrawlSettings(**settings), seeds).refuses(url, depth)


@pytest.mark.parametrize(
    ("scope", "url", "reason"),
    [
        ("any", "http://elsewhere.test/", None),
        ("site", "https://shop.example.co.uk/x", None),
        ("site", "http://example.co.uk/", None),
        ("site", "http://a.other.org/", None),
        ("site", "http://example2.co.uk/", "scope-site"),
        ("site", "http://evil-example.co.uk/", "scope-site"),
        ("site", "http://co.uk/", "scope-site"),
        ("host", "http://www.example.co.uk:8080/anything", None),
        ("host", "https://other.org/", None),
        ("host", "http://other.org/", None),
        ("host", "http://www.example.co.uk/", "scope-host"),
        ("host", "http://a.other.org/", "scope-host"),
        ("prefix", "http://www.example.co.uk:8080/docs/", None),
        ("prefix", "http://www.example.co.uk:8080/docs/a/b?c", None),
        ("prefix", "https://other.org/a/c", None),
        ("prefix", "http://www.example.co.uk:8080/docs", "scope-prefix"),
        ("prefix", "http://www.example.co.uk:8080/docs2/", "scope-prefix"),
        ("prefix", "http://other.org/a/c", "scope-prefix"),
        ("prefix", "https://other.org/", "scope-prefix"),
    ],
)
def test_scope_is_drawn_around_the_seeds(scope, url, reason):
    assert refusal(url, scope=scope) == reason


@pytest.mark.parametrize("seed", ["http://h.test/a/b?next=/c/d", "http://h.test/a/b?x", "http://h.test/a/"])
def test_prefix_of_a_seed_is_the_folder_of_its_path(seed):
    """A slash in the query is no folder."""
    assert refusal("http://h.test/a/z", seeds=[seed], scope="prefix") is None
    assert refusal("http://h.test/z", seeds=[seed], scope="prefix") == "scope-prefix"


@pytest.mark.parametrize("scope", ["site", "host", "prefix"])
def test_without_seeds_only_any_lets_urls_in(scope):
    assert refusal("http://h.test/", seeds=[], scope=scope) == f"scope-{scope}"
    assert refusal("http://h.test/", seeds=[], scope="any") is None


@pytest.mark.parametrize("scope", ["site", "host", "prefix"])
@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:81", "[::1]", "[::1]:81", "localhost"])
def test_hosts_without_registrable_domain_stand_for_themselves(scope, host):
    assert refusal(f"http://{host}/x", seeds=[f"http://{host}/"], scope=scope) is None
    assert refusal("http://127.0.0.2/x", seeds=[f"http://{host}/"], scope=scope) == f"scope-{scope}"


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_pages_up_to_max_depth_are_let_in(depth):
    assert refusal("http://h.test/", depth, max_depth=2) is None


def test_pages_beyond_max_depth_are_refused():
    assert refusal("http://h.test/", 3, max_depth=2) == "max-depth"
    assert refusal("http://h.test/", 1, max_depth=0) == "max-depth"
    assert refusal("http://h.test/", 10**6) is None


@pytest.mark.parametrize(
    ("allow", "deny", "url", "reason"),
    [
        ((), (r"\.pdf$",), "http://h.test/a.pdf", "deny"),
        ((), (r"\.pdf$",), "http://h.test/a.pdf?x", None),
        ((), ("x", "y"), "http://h.test/y", "deny"),
        ((r"/wiki/",), (), "http://h.test/wiki/A", None),
        ((r"/wiki/",), (), "http://h.test/blog/A", "allow"),
        (("/a", "/b"), (), "http://h.test/b", None),
        (("/a",), ("/a/secret",), "http://h.test/a/secret", "deny"),
        (("/a",), ("/a/secret",), "http://h.test/a/open", None),
        (("^h",), (), "http://h.test/", None),
        (("^/a",), (), "http://h.test/a", "allow"),
    ],
)
def test_patterns_are_searched_for_in_the_whole_url_and_deny_wins(allow, deny, url, reason):
    assert refusal(url, allow=allow, deny=deny) == reason


@pytest.mark.parametrize(
    ("settings", "url", "rule"),
    [
        ({"deny": ("x", "y", "y.")}, "http://h.test/yz", "--deny 'y'"),
        ({"allow": ("/a", "/b")}, "http://h.test/", "it matches no --allow '/a' --allow '/b'"),
        ({"max_depth": 4}, "http://h.test/", "--max-depth 4: it is 5 links from a seed"),
        ({"html_only": True}, "http://h.test/a.Zip?b", "--html-only: .zip is never HTML"),
        ({"scope": "site"}, "http://a.h.test/", "--scope site: h.test is none of the seeds': example.co.uk, other.org"),
        ({}, "http://h.test/" + "a" * 2048, "it has 2,062 characters, more than 2,048"),
        ({}, "http://h.test/", None),
    ],
)
def test_the_rule_names_the_option_and_the_pattern(settings, url, rule):
    assert Scope.of(CrawlSettings(**settings), SEEDS).rule(url, 5) == rule


def test_the_rule_shows_few_of_many_places():
    scope = Scope.of(CrawlSettings(scope="host"), [f"http://h{number}.test/" for number in range(5)])
    rule = "--scope host: x.test is none of the seeds': h0.test, h1.test, h2.test and 2 more"
    assert scope.rule("http://x.test/", 0) == rule


def test_urls_longer_than_the_limit_are_refused():
    stem = "http://h.test/"
    assert refusal(stem + "a" * (MAX_URL_LENGTH - len(stem))) is None
    assert refusal(stem + "a" * (MAX_URL_LENGTH - len(stem) + 1)) == "too-long"


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"scope": "site"},
        {"scope": "host"},
        {"scope": "prefix", "max_depth": 1},
        {"deny": (r"\?",)},
        {"allow": ("x",)},
        {"html_only": True},
        {"host_max_depth": ("c.test=1",)},
        {"max_depth": 1, "host_max_depth": ("c.test=2",)},
    ],
    ids=str,
)
@pytest.mark.parametrize("depth", [1, 2])
def test_of_many_links_those_are_followed_that_nothing_refuses(settings, depth):
    scope = Scope.of(CrawlSettings(**settings), SEEDS)
    long = "x" * MAX_URL_LENGTH
    hosts = ["http://shop.example.co.uk/", "https://other.org/", "http://c.test/x?y", "http://c.test/x.png"]
    urls = [*SEEDS, *hosts, f"http://c.test/{long}", f"https://other.org/{long}"]
    assert scope.follows(urls, depth) == [scope.refuses(url, depth) is None for url in urls]


@pytest.mark.parametrize(
    ("host", "depth", "refused"),
    [
        ("near", 1, False),
        ("near", 2, True),
        ("far", 9, False),
        ("far", 10, True),
        ("other", 3, False),
        ("other", 4, True),
    ],
)
def test_a_host_has_a_depth_of_its_own(host, depth, refused):
    """The first rule of a host counts; others have that of all."""
    own = ("Near.test=1", "far.test:443=9", "near.test=7")
    assert (refusal(f"https://{host}.test/x", depth=depth, max_depth=3, host_max_depth=own) == "max-depth") == refused


def test_the_rule_names_the_depth_of_the_host():
    scope = Scope.of(CrawlSettings(max_depth=3, host_max_depth=("c.test=1",)), SEEDS)
    assert scope.rule("http://c.test/x", 2) == "--host-max-depth c.test=1: it is 2 links from a seed"
    assert scope.rule("http://d.test/x", 4) == "--max-depth 3: it is 4 links from a seed"


A, B = "http://a.test/", "http://b.test/"
PAGES = [f"{A}{word}" for word in ("one", "two", "three", "four", "five", "six")]
SITE: Site = {A: [*PAGES, B], B: [f"{B}more"], f"{B}more": [], **{url: [A] for url in PAGES}}


@pytest.mark.parametrize("seed", range(5))
def test_no_host_has_more_places_than_its_limit(seed: int) -> None:
    rng, limits = random.Random(seed), {"a": 3, "b": 0, "c": 7}
    answered = [("a", 1), ("a", 2), ("c", 1)]
    places, expected = HostPages(limits, answered), set(answered)
    for _ in range(3_000):
        host, page = rng.choice("abcd"), rng.randrange(12)
        if rng.random() < 0.3:
            places.give_back(host, page)
            expected.discard((host, page))
            continue
        others = sum(name == host for name, number in expected if number != page)
        has_place = host == "d" or others < limits[host]
        assert places.has_place(host, page) == has_place
        if has_place:
            expected.add((host, page))


def asked_of_a(store: Path) -> int:
    return int(rows(store, "SELECT count(*) FROM pages WHERE fetch IS NOT NULL AND url LIKE 'http://a.%'")[0][0])


@pytest.mark.parametrize("at_once", [1, 4])
def test_a_host_has_as_many_pages_read_as_it_may_and_others_have_all(tmp_path: Path, at_once: int) -> None:
    store = tmp_path / "crawl.db"
    _, server = crawl(SITE, store, [A], host_pages=["A.test=3"], per_host=at_once, concurrency=at_once)
    assert asked_of_a(store) == 3
    assert sum(url.startswith(A) and not url.endswith("robots.txt") for url in server.asked) == 3
    given_up = rows(store, "SELECT state, reason, count(*) FROM pages WHERE state <> 'fetched' GROUP BY 1, 2")
    assert given_up == [("error", "host-pages", 4)]
    assert rows(store, "SELECT count(*) FROM pages WHERE fetch IS NOT NULL AND url LIKE 'http://b.%'") == [(2,)]


def test_a_limit_holds_for_all_runs_and_a_higher_one_is_used_by_retry(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl(SITE, store, [A], host_pages=["a.test=2"], pages=3)
    crawl(SITE, store, [], host_pages=["a.test=2"])
    assert asked_of_a(store) == 2
    crawl(SITE, store, [], host_pages=["a.test=5"])
    assert asked_of_a(store) == 2
    crawl(SITE, store, [], host_pages=["a.test=5"], retry="host-pages")
    assert asked_of_a(store) == 5


def test_pages_that_robots_txt_forbids_take_no_place(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    rules = "User-agent: *\nDisallow: /one\nDisallow: /two\nDisallow: /three"
    crawl(Server(SITE, rules), store, [A], host_pages=["a.test=4"])
    assert asked_of_a(store) == 4
    assert rows(store, "SELECT count(*) FROM pages WHERE state = 'disallowed'") == [(3,)]


def test_seeds_are_crawled_whatever_the_limit_is(tmp_path: Path) -> None:
    crawl(SITE, tmp_path / "crawl.db", PAGES[:4], host_pages=["a.test=2"])
    assert asked_of_a(tmp_path / "crawl.db") == 4


def test_pages_that_were_read_are_read_again(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl(SITE, store, [A], host_pages=["a.test=2"])
    _, server = crawl(SITE, store, [], host_pages=["a.test=2"], discovery=0.0, pages=20)
    again = {url for url in server.asked if url.startswith(A) and not url.endswith("robots.txt")}
    assert len(again) == 2
    assert asked_of_a(store) == 2
