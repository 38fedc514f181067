"""Copies, redirects, versions in other languages, and what was not kept: what one page more or less changes."""

from pathlib import Path

from support.audits import HOME, Reply, crawl_web, found_in, prose
from support.sites import crawl

from minicrawl.audit.auditing import audited
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
