"""Copies, redirects, languages, other sites, and what was not kept: what one page more or less changes."""

from pathlib import Path

from support.audits import HOME, Reply, canonical, crawl_web, found_in, prose, said, site
from support.sites import crawl

from minicrawl.audit.auditing import audited
from minicrawl.settings import PROFILES
from minicrawl.store.reader import open_store


def test_page_over_http_and_https_is_no_duplicate_of_itself(tmp_path: Path) -> None:
    both = [f"{scheme}://a.test/{path}" for scheme in ("http", "https") for path in "xy"]
    twice = dict.fromkeys(both, Reply(title="Same", body=prose("one")))
    links = Reply(" ".join(twice))
    crawl_web({**twice, "http://a.test/": links}, tmp_path / "crawl.db", ["http://a.test/"])
    assert found_in(tmp_path / "crawl.db", "duplicate-exact") == {"duplicate-exact": {"http://a.test/x": 1}}


def test_pages_with_the_same_bytes_are_exact_copies_although_a_third_is_like_them(tmp_path: Path) -> None:
    text = " ".join(f"word{number}" for number in range(400))
    web = {f"http://a.test/{name}": Reply(title="Twin", body=f"{text} twin") for name in ("twin-a", "twin-b")}
    web["http://a.test/"] = Reply(" ".join(web), title="Twin", body=text)
    crawl_web(web, tmp_path / "crawl.db", ["http://a.test/"])
    found = found_in(tmp_path / "crawl.db", "duplicate-exact", "duplicate-near")
    assert found == {"duplicate-exact": {"http://a.test/twin-a": 1}, "duplicate-near": {"http://a.test/": 1}}


def test_what_the_crawl_has_not_kept_is_not_checked(tmp_path: Path) -> None:
    crawl({"http://a.test/": ["<img src=x>"]}, tmp_path / "crawl.db", ["http://a.test/"])
    with open_store(tmp_path / "crawl.db") as store, store.snapshot():
        audit = audited(store)
    assert "--profile audit --store NEW" in audit.not_checked["image-without-alt"]
    assert "title-missing" not in audit.not_checked


def test_a_seed_may_be_a_temporary_redirect(tmp_path: Path) -> None:
    web = {HOME: Reply(status=302, location="/start"), f"{HOME}start": Reply()}
    crawl_web(web, tmp_path / "crawl.db", [HOME])
    assert found_in(tmp_path / "crawl.db", "redirect-temporary") == {"redirect-temporary": {HOME: 0}}


def test_versions_that_a_header_names_are_asked_for_in_an_audit(tmp_path: Path) -> None:
    web = {HOME: Reply(link=f'<{HOME}lost>; rel="alternate"; hreflang="de"')}
    crawl_web(web, tmp_path / "crawl.db", [HOME], audit=True)
    assert found_in(tmp_path / "crawl.db", "hreflang-broken") == {"hreflang-broken": {f"{HOME}lost": 1}}


def test_links_to_other_sites_are_checked_and_followed_no_further(tmp_path: Path) -> None:
    """The profile audit; pages of other sites have every fault themselves, and none is told."""
    there = "http://b.test"
    linked = [f"{there}/{name}" for name in ("fine", "dead", "fails", "round", "moved", "old", "copy")]
    web = site(
        "a.test",
        {
            "/": Reply(" ".join(["/page", "http://c.test/", *linked]), body=said("x")),
            "/page": Reply("/ /away", head=canonical("/page")),
            "/away": Reply("/", head=canonical(f"{there}/named")),
        },
    ) | site(
        "b.test",
        {
            "/robots.txt": Reply(body=f"Sitemap: {there}/map.txt\n"),
            "/map.txt": Reply(body=f"{there}/listed\n"),
            "/fine": Reply(f"/further {there}/more http://a.test/unlinked", body="<h4>x</h4><img src=x>"),
            "/fails": Reply(status=500),
            "/round": Reply(status=302, location="/about"),
            "/about": Reply(status=302, location="/round"),
            "/moved": Reply(status=301, location="/hop"),
            "/hop": Reply(status=302, location="http://d.test/end"),
            "/old": Reply(status=301, location="/lost"),
            "/copy": Reply(head=canonical("/original")),
        },
    ) | site("d.test", {"/end": Reply("/next")})  # fmt: skip
    asked = crawl_web(web, tmp_path / "crawl.db", [HOME], silent=["c.test"], **PROFILES["audit"])
    elsewhere = {url for url in asked if not url.startswith(HOME) and not url.endswith("/robots.txt")}
    ends = {f"{there}/{name}" for name in ("about", "hop", "lost", "named")} | {"http://d.test/end"}
    assert elsewhere == {*linked, *ends}, "c.test is silent before anything is asked of it"
    assert f"{HOME}unlinked" not in asked
    found = found_in(tmp_path / "crawl.db")
    of_others = {
        (rule, target): sources
        for rule, targets in found.items()
        for target, sources in targets.items()
        if not target.startswith(HOME)
    }
    assert of_others == {
        ("broken-link", f"{there}/dead"): 1,
        ("link-unreachable", f"{there}/fails"): 1,
        ("link-unreachable", "http://c.test/"): 1,
        ("redirect-loop", f"{there}/round"): 1,
        ("redirect-dead", f"{there}/old"): 1,
        ("canonical-broken", f"{there}/named"): 1,
        ("canonical-to-other-site", f"{there}/named"): 1,
    }
