"""Files at places that everybody knows become pages: found, ranked, kept and searched like others (--well-known)."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.raw_server import PEM
from support.rendered import Site, crawled
from support.sites import faults_in, rows
from support.well_known import WithFiles, crawl, outcomes, pages

import minicrawl
from minicrawl.cli import main
from minicrawl.store.reader import open_store

HOME = "https://h.test/"
LLMS = "# The docs\n\n- [Start](/start): how to begin with boats\n"
SECURITY = "Contact: https://h.test/report\nExpires: 2030-01-01T00:00:00Z\n"
SITE: dict[str, Any] = {HOME: [f"{HOME}a", "https://none.test/"], f"{HOME}a": [HOME], "https://none.test/": []}
SITE |= {f"{HOME}start": ["<p>start"], f"{HOME}report": ["<p>report"]}
FILES = {f"{HOME}llms.txt": ("text/plain", LLMS), f"{HOME}.well-known/security.txt": ("text/plain", SECURITY)}
ALL = "llms.txt,llms-full.txt,security.txt"


def test_a_polite_crawl_finds_the_files_and_what_they_link_to(tmp_path: Path) -> None:
    """With all defaults, to its end: a second between two requests to a host."""
    store, server = tmp_path / "crawl.db", WithFiles(SITE, FILES)
    report = crawl(server, store, HOME, well_known=ALL, search=True)
    assert (report.reason, report.failures) == ("nothing-left", {})
    assert pages(store) == dict.fromkeys([*SITE, *FILES], "ok")
    assert outcomes(store) == {
        **dict.fromkeys(FILES, "ok"),
        f"{HOME}llms-full.txt": "http-404",
        "https://none.test/llms.txt": "http-404",
        "https://none.test/llms-full.txt": "http-404",
        "https://none.test/.well-known/security.txt": "http-404",
        "https://none.test/security.txt": "http-404",
    }
    assert sorted(server.asked_files) == sorted(outcomes(store)), "each is asked for once"
    with minicrawl.open_store(store) as reader:
        assert "how to begin with boats" in str(reader.text(f"{HOME}llms.txt"))
        assert {found.url for found in reader.search("begin boats")} == {f"{HOME}llms.txt"}
        (page,) = reader.page_table.find([f"{HOME}llms.txt"]).values()
        assert [reader.page_table.url(target) for target in reader.link_table.outlinks(page).tolist()] == [
            f"{HOME}start"
        ]
        assert reader.page_table.facts(page)["depth"] == 1
    assert faults_in(store) == []


def test_why_and_status_tell_how_a_file_was_found(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl(WithFiles(SITE, FILES), store, HOME, well_known="llms.txt", delay=0.0)

    def said(*words: str) -> str:
        return CliRunner().invoke(main, [*words, "--store", str(store)]).output

    assert "well-known  found as the llms.txt of its origin (--well-known)\n" in said("why", f"{HOME}llms.txt")
    assert f"found on    {HOME}, 1 link from a seed" in said("why", f"{HOME}llms.txt")
    missing = "http-404: the answer was 404 Not Found; asked for as the llms.txt of its origin (--well-known)"
    assert f"unknown     {missing}\n" in said("why", "https://none.test/llms.txt")
    assert "well-known http-404 1, ok 1\n" in said("status")
    assert "well-known" not in said("why", f"{HOME}a")


def test_a_file_takes_no_more_from_others_than_a_page_of_a_sitemap(tmp_path: Path) -> None:
    """It has what every page gets by the jump, and no site with none has lost anything by being asked."""
    shares = []
    listed = {f"{HOME}map.xml": ("text/xml", f"<urlset><url><loc>{HOME}llms.txt</loc></url></urlset>")}
    for name, more, robots in (("asked", {}, 404), ("listed", listed, f"Sitemap: {HOME}map.xml")):
        store = tmp_path / f"{name}.db"
        site = {HOME: ["https://none.test/"], "https://none.test/": [HOME], f"{HOME}start": ["<p>start"]}
        server = WithFiles(site, {f"{HOME}llms.txt": ("text/plain", LLMS), **more}, robots)
        crawl(server, store, HOME, well_known="llms.txt", delay=0.0)
        shares.append(dict(rows(store, "SELECT url, importance FROM ranks")))
        assert rows(store, "SELECT inlinks FROM pages WHERE url = ?", f"{HOME}llms.txt") == [(0,)]
    assert shares[0] == pytest.approx(shares[1], abs=1e-6)
    crawl(WithFiles(SITE, {}), tmp_path / "in_vain.db", HOME, well_known=ALL)
    crawl(WithFiles(SITE, {}), tmp_path / "plain.db", HOME)
    in_vain, plain = (
        dict(rows(tmp_path / f"{name}.db", "SELECT url, importance FROM ranks")) for name in ("in_vain", "plain")
    )
    assert in_vain == pytest.approx(plain, abs=1e-6)
    assert in_vain.keys() == plain.keys()


@pytest.mark.parametrize("text", [False, True])
def test_a_file_that_pages_link_to_is_a_page_like_any_other(tmp_path: Path, text: bool) -> None:
    """It is not asked for beside its turn, and one in another folder is read as well."""
    store = tmp_path / "crawl.db"
    site = {HOME: ["/llms.txt", "/docs/llms.txt", "/robots-txt.txt"], f"{HOME}start": [], f"{HOME}robots-txt.txt": []}
    files = {f"{HOME}{name}": ("text/markdown", LLMS) for name in ("llms.txt", "docs/llms.txt")}
    files |= {f"{HOME}robots-txt.txt": ("text/plain", LLMS)}
    server = WithFiles(site, files)
    crawl(server, store, HOME, well_known="llms.txt", text=text, delay=0.0, probe=False)
    assert sorted(server.asked_files) == sorted(files)
    expected = {HOME: "ok", f"{HOME}start": "ok", f"{HOME}llms.txt": "ok", f"{HOME}docs/llms.txt": "ok"}
    assert pages(store) == expected | {f"{HOME}robots-txt.txt": "not-html"}
    assert rows(store, "SELECT name FROM sqlite_master WHERE name = 'part_well_known'") == [("part_well_known",)]
    assert outcomes(store) == {f"{HOME}llms.txt": "link"}


def test_worker_processes_read_files(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    site: dict[str, Any] = {HOME: "<p>home", f"{HOME}start": "<p>start", f"{HOME}llms.txt": ("text/plain", LLMS)}
    crawled(Site(site, tls=True), store, HOME, well_known="llms.txt", workers=2, ca_file=PEM)
    assert pages(store) == dict.fromkeys(site, "ok")


def test_origins_read_by_earlier_runs_are_asked_and_none_twice(tmp_path: Path) -> None:
    store, server = tmp_path / "crawl.db", WithFiles(SITE, FILES)
    crawl(server, store, HOME, delay=0.0)
    assert server.asked_files == []
    assert rows(store, "SELECT name FROM sqlite_master WHERE name = 'part_well_known'") == []
    crawl(server, store, well_known="llms.txt", delay=0.0)
    assert sorted(server.asked_files) == sorted(outcomes(store)) == [f"{HOME}llms.txt", "https://none.test/llms.txt"]
    crawl(server, store, well_known="llms.txt,security.txt", delay=0.0)
    crawl(server, store, delay=0.0)  # which remembers it
    assert sorted(server.asked_files) == sorted(outcomes(store))
    assert pages(store) == dict.fromkeys([*SITE, *FILES], "ok")


def test_a_file_is_fetched_again_as_pages_are(tmp_path: Path) -> None:
    store, server = tmp_path / "crawl.db", WithFiles(SITE, FILES)
    crawl(server, store, HOME, well_known="llms.txt", text=True, delay=0.0)
    server.files[f"{HOME}llms.txt"] = ("text/plain", "# The docs\n\n- [New](/new): what came later\n")
    again = {"recrawl_after": 1e-3, "refresh_min": 1e-3, "pages": 20, "text": True, "delay": 0.0}
    crawl(server, store, **again)
    with open_store(store) as reader:
        assert "what came later" in str(reader.text(f"{HOME}llms.txt"))
        assert f"{HOME}new" in pages(store)
    changed = "SELECT what FROM changes JOIN pages ON pages.id = changes.page WHERE url = ?"
    assert rows(store, changed, f"{HOME}llms.txt") == [("new",), ("changed",)]
    assert faults_in(store) == []


def test_an_archive_has_the_files(tmp_path: Path) -> None:
    live, again = tmp_path / "live.db", tmp_path / "again.db"
    crawl(WithFiles(SITE, FILES), live, HOME, well_known=ALL, archive=tmp_path / "kept", delay=0.0)
    minicrawl.crawl([HOME], again, well_known=ALL, from_archive=tmp_path / "kept")
    assert pages(again) == pages(live)
    assert outcomes(again) == outcomes(live)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [({"deny": "llms"}, "deny"), ({"max_depth": 0}, "max-depth"), ({"scope": "prefix"}, "scope-prefix")],
)
def test_what_is_out_of_scope_is_not_asked_for(tmp_path: Path, settings: dict[str, Any], reason: str) -> None:
    store, seed = tmp_path / "crawl.db", f"{HOME}docs/"
    server = WithFiles({seed: []}, FILES)
    crawl(server, store, seed, well_known="llms.txt", delay=0.0, **settings)
    assert server.asked_files == []
    assert outcomes(store) == {f"{HOME}llms.txt": reason}
    assert pages(store) == {seed: "ok"}
