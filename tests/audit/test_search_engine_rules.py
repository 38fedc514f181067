"""Versions in other languages: a site with the faults planted, crawled at all defaults, has those and no others."""

from pathlib import Path

from support.audits import HOME, Reply, crawl_web, found_in


def test_versions_that_a_header_names_are_asked_for_in_an_audit(tmp_path: Path) -> None:
    web = {HOME: Reply(link=f'<{HOME}lost>; rel="alternate"; hreflang="de"')}
    crawl_web(web, tmp_path / "crawl.db", [HOME], audit=True)
    assert found_in(tmp_path / "crawl.db", "hreflang-broken") == {"hreflang-broken": {f"{HOME}lost": 1}}
