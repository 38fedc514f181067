"""Scope: links that are followed, the reason code of every other one, limits of pages per host."""

from typing import Any

import pytest

from minicrawl.crawler.admission.scope import MOST, OFF_TOPIC, Focus, Scope
from minicrawl.settings import CrawlSettings

SEEDS = ["http://www.example.co.uk:8080/docs/index.html", "https://other.org/a/b"]


def refusal(url: str, depth: int = 1, seeds: list[str] = SEEDS, **settings: Any) -> str | None:
    return Scope(CrawlSettings(**settings), seeds).refuses(url, depth)


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
        ("host", "http://www.other.org/", None),
        ("host", "http://example.co.uk:8080/", None),
        ("host", "http://example.co.uk.:8080/", None),
        ("host", "http://www.www.other.org./", None),
        ("host", "http://www.example.co.uk/", "scope-host"),
        ("host", "http://a.other.org/", "scope-host"),
        ("host", "http://other.org.test/", "scope-host"),
        ("prefix", "http://www.example.co.uk:8080/docs/", None),
        ("prefix", "http://www.example.co.uk:8080/docs/a/b?c", None),
        ("prefix", "https://other.org/a/c", None),
        ("prefix", "http://www.example.co.uk:8080/docs", "scope-prefix"),
        ("prefix", "http://www.example.co.uk:8080/docs2/", "scope-prefix"),
        ("prefix", "http://other.org/a/c", None),
        ("prefix", "http://www.other.org/a/c", None),
        ("prefix", "http://other.org./a/c", None),
        ("prefix", "http://other.org./b/c", "scope-prefix"),
        ("prefix", "http://wwwother.org/a/c", "scope-prefix"),
        ("prefix", "https://other.org/", "scope-prefix"),
    ],
)
def test_scope_is_drawn_around_the_seeds(scope: str, url: str, reason: str | None) -> None:
    assert refusal(url, scope=scope) == reason


@pytest.mark.parametrize("seed", ["http://h.test/a/b?next=/c/d", "http://h.test/a/b?x", "http://h.test/a/"])
def test_prefix_of_a_seed_is_the_folder_of_its_path(seed: str) -> None:
    """A slash in the query is not a folder."""
    assert refusal("http://h.test/a/z", seeds=[seed], scope="prefix") is None
    assert refusal("http://h.test/z", seeds=[seed], scope="prefix") == "scope-prefix"


@pytest.mark.parametrize("scope", ["site", "host", "prefix"])
def test_without_seeds_only_any_lets_urls_in(scope: str) -> None:
    assert refusal("http://h.test/", seeds=[], scope=scope) == f"scope-{scope}"
    assert refusal("http://h.test/", seeds=[], scope="any") is None


@pytest.mark.parametrize("scope", ["site", "host", "prefix"])
@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:81", "[::1]", "[::1]:81", "localhost"])
def test_hosts_without_registrable_domain_stand_for_themselves(scope: str, host: str) -> None:
    assert refusal(f"http://{host}/x", seeds=[f"http://{host}/"], scope=scope) is None
    assert refusal("http://127.0.0.2/x", seeds=[f"http://{host}/"], scope=scope) == f"scope-{scope}"


def test_pages_beyond_max_depth_are_refused() -> None:
    assert [refusal("http://h.test/", depth, max_depth=2) for depth in range(4)] == [None, None, None, "max-depth"]
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
def test_patterns_are_searched_for_in_the_whole_url_and_deny_wins(
    allow: tuple[str, ...], deny: tuple[str, ...], url: str, reason: str | None
) -> None:
    assert refusal(url, allow=allow, deny=deny) == reason


@pytest.mark.parametrize(
    ("settings", "url", "rule"),
    [
        ({"deny": ("x", "y", "y.")}, "http://h.test/yz", "--deny 'y'"),
        ({"allow": ("/a", "/b")}, "http://h.test/", "it matches no --allow '/a' --allow '/b'"),
        ({"max_depth": 4}, "http://h.test/", "--max-depth 4: it is 5 links from a seed"),
        ({"scope": "site"}, "http://a.h.test/", "--scope site: h.test is none of the seeds': example.co.uk, other.org"),
        ({}, "http://h.test/", None),
    ],
)
def test_the_rule_names_the_option_and_the_pattern(settings: dict[str, Any], url: str, rule: str | None) -> None:
    assert Scope(CrawlSettings(**settings), SEEDS).rule(url, 5) == rule


def test_the_rule_shows_few_of_many_places() -> None:
    scope = Scope(CrawlSettings(scope="host"), [f"http://h{number}.test/" for number in range(5)])
    rule = "--scope host: x.test is none of the seeds': h0.test, h1.test, h2.test and 2 more"
    assert scope.rule("http://x.test/", 0) == rule


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"scope": "site"},
        {"scope": "host"},
        {"scope": "prefix", "max_depth": 1},
        {"scope": "linked"},
        {"scope": "linked", "deny": (r"\?",)},
        {"deny": (r"\?",)},
        {"allow": ("x",)},
    ],
    ids=str,
)
@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("source", [SEEDS[0], "http://c.test/"])
def test_of_many_links_those_are_followed_that_nothing_refuses(
    settings: dict[str, Any], source: str, depth: int
) -> None:
    scope = Scope(CrawlSettings(**settings), SEEDS)
    hosts = ["http://shop.example.co.uk/", "https://other.org/", "http://c.test/x?y", "http://c.test/x.png"]
    urls = [*SEEDS, *hosts]
    assert scope.follows(urls, depth, source) == [scope.refuses(url, depth, source=source) is None for url in urls]


def test_linked_pages_of_other_sites_are_fetched_and_lead_no_further() -> None:
    scope = Scope(CrawlSettings(scope="linked", deny=("never",)), SEEDS)
    ours, theirs = "http://shop.example.co.uk/", "http://c.test/"
    assert [scope.only_checks(url) for url in (*SEEDS, ours, theirs)] == [False, False, False, True]
    assert scope.refuses(theirs, 1, source=ours) is None
    assert scope.refuses(f"{theirs}never", 1, source=ours) == "deny"
    assert scope.refuses(theirs, 1, source="http://d.test/") == "scope-linked"
    assert scope.refuses(ours, 1, source=theirs) == "scope-linked"
    assert scope.refuses(theirs, 1, is_redirect=True) is None
    assert scope.refuses(theirs, 0, is_redirect=True) == "scope-linked", "a seed's"
    assert [scope.refuses(url, 1) for url in (ours, theirs)] == [None, "scope-linked"], "named by a sitemap, or a hint"
    assert scope.rule(theirs, 1) == "--scope linked: c.test is none of the seeds': example.co.uk, other.org"


def focus(**settings: Any) -> Focus:
    return Focus(CrawlSettings(**settings))


def test_without_focus_every_page_counts_alike() -> None:
    assert (focus().boost("http://a.test/"), focus().topic("http://a.test/", "cats", 1.0)) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("settings", "is_off"),
    [({}, True), *(({"topic": words}, True) for words in ("", "   ", "!?")), ({"boost": ("x=2",)}, False),
     ({"topic": "cats"}, False)],
)  # fmt: skip
def test_a_boost_or_a_word_of_a_topic_turns_focus_on(settings: dict[str, Any], is_off: bool) -> None:
    assert focus(**settings).is_off == is_off


@pytest.mark.parametrize(
    ("boosts", "url", "factor"),
    [
        (("/wiki/=3",), "http://a.test/wiki/x", 3.0),
        (("/wiki/=3",), "http://a.test/blog/x", 1.0),
        (("a=2", "test=5"), "http://a.test/", 10.0),
        (("a=2", "nope=5"), "http://a.test/", 2.0),
        (("a=0.1",), "http://a.test/", 0.1),
        ((r"\?q=1=4",), "http://a.test/?q=1", 4.0),
    ],
)
def test_boosts_multiply(boosts: tuple[str, ...], url: str, factor: float) -> None:
    assert focus(boost=boosts).boost(url) == pytest.approx(factor)


@pytest.mark.parametrize(
    ("topic", "text", "share"),
    [
        ("cats, dogs", "All about CATS", 1 / 2),
        ("cats, dogs", "cats and cats", 1 / 2),
        ("cats, dogs", "http://h.test/cats and dogs", 1.0),
        ("cats, dogs", "nothing", 0.0),
        # Without its ending, and in compounds; its twin in another word by chance.
        ("boats", "/my_boat.html", 1.0),
        ("news", "new", 0.0),
        ("cats", "concatenate a category", 0.0),
        ("transactions", "/lang_transaction.html", 1.0),
        ("transactions", "/translations", 0.0),
        ("sql", "sqlite3", 1.0),
        ("sql", "sqlalchemy", 0.0),
        ("sqlite", "sqlite3 and SQLiteConnection", 1.0),
        ("java", "javadoc", 1.0),
        ("java", "javascript", 0.0),
        ("lock", "deadlocks, locking", 1.0),
        ("lock", "a block, a clock", 0.0),
        ("time zone", "/timezones", 1.0),
        ("linear algebra", "lineage of algae", 1 / 2),
        ("Datenbank", "Relationale Datenbanken", 1.0),
        ("Datenbank", "Daten, Bank", 0.0),
        ("Wörterbuch", "Woerterbuch", 0.0),
        ("Wörterbuch", "/worterbucher", 1.0),
        ("istanbul", "İSTANBUL", 1.0),
        ("İzmir", "IZMIR", 1.0),
        ("котики", "о Котиках", 1.0),
        ("котики", "кот", 0.0),
        # Of a script without spaces each two characters.
        ("数据库", "关系数据库系统", 1.0),
        ("数据库", "数据", 1 / 2),
        ("猫", "黒猫の本", 1.0),
        ("猫", "犬の本", 0.0),
        ("データベース", "データベースの管理", 1.0),
        ("데이터", "데이터베이스를", 1.0),
    ],
)
def test_a_text_has_a_share_of_the_words_of_the_topic(topic: str, text: str, share: float) -> None:
    assert focus(topic=topic).found(text) == share


def test_a_link_counts_by_its_text_and_its_url_and_less_by_the_title_around_it() -> None:
    topic = focus(topic="cats").topic
    url = "http://h.test/x"
    nothing, around, by_anchor = topic(url), topic(url, "", 1.0), topic(url, "Cats")
    assert nothing < around < by_anchor == topic("http://h.test/%63ats.html") == topic("http://cats.test/")
    assert topic("http://h.test/cats", "cats", 1.0) == pytest.approx(MOST * nothing)
    two = focus(topic="cats dogs").topic  # of two words a title that has one counts where the link has one, too
    assert two(url, "", 0.5) == two(url) < two(url, "", 1.0) <= OFF_TOPIC < two(url, "dogs") < two(url, "dogs", 0.5)
    assert focus(topic="https").topic("https://h.test/x") == focus(topic="https").topic("http://h.test/x")
