"""Duplicates: a site with the faults planted, crawled at all defaults, has those and no others."""

from pathlib import Path

from support.audits import Reply, crawl_web, found_in, prose


def test_page_over_http_and_https_is_no_duplicate_of_itself(tmp_path: Path) -> None:
    both = [f"{scheme}://a.test/{path}" for scheme in ("http", "https") for path in "xy"]
    twice = dict.fromkeys(both, Reply(title="Same", body=prose("one")))
    links = Reply(" ".join(twice))
    crawl_web({**twice, "http://a.test/": links}, tmp_path / "crawl.db", ["http://a.test/"])
    assert found_in(tmp_path / "crawl.db", "duplicate-exact") == {"duplicate-exact": {"https://a.test/x": 1}}
