"""Redirects: a site with the faults planted, crawled at all defaults, has those and no others."""

from pathlib import Path

from support.audits import HOME, Reply, crawl_web, found_in


def test_a_seed_may_be_a_temporary_redirect(tmp_path: Path) -> None:
    web = {HOME: Reply(status=302, location="/start"), f"{HOME}start": Reply()}
    crawl_web(web, tmp_path / "crawl.db", [HOME])
    assert found_in(tmp_path / "crawl.db", "redirect-temporary") == {"redirect-temporary": {HOME: 0}}
