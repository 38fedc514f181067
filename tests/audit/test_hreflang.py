"""Versions in other languages: a site with the faults planted, crawled at all defaults, has those and no others."""

from pathlib import Path

import pytest
from support.audits import HOME, Reply, crawl_web, found_in

from minicrawl.audit.hreflang import is_language


def test_versions_that_a_header_names_are_asked_for_in_an_audit(tmp_path: Path) -> None:
    web = {HOME: Reply(link=f'<{HOME}lost>; rel="alternate"; hreflang="de"')}
    crawl_web(web, tmp_path / "crawl.db", [HOME], audit=True)
    assert found_in(tmp_path / "crawl.db", "hreflang-broken") == {"hreflang-broken": {f"{HOME}lost": 1}}


@pytest.mark.parametrize(
    "tag", ["en", "EN-gb", "zh-Hant-TW", "es-419", "fil", "x-default", "de-CH-1996", "sl-rozaj", "en-x-us"]
)
def test_languages_of_iso_639_and_regions_of_iso_3166_are_valid(tag: str) -> None:
    assert is_language(tag)


@pytest.mark.parametrize("tag", ["en-UK", "xy", "e", "gb", "english", "en-EN", "cn", "x-other", "en_GB", ""])
def test_other_codes_are_not(tag: str) -> None:
    assert not is_language(tag)
