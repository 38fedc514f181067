"""Broken and moved links: a site with the faults planted, crawled at all defaults, has those and no others."""

from pathlib import Path

from support.audits import HOME, Reply, canonical, crawl_web, found_in, said, site

from minicrawl.settings import PROFILES


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
