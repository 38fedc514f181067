"""Files at places that everybody knows become pages: found, ranked, kept and searched like others (--well-known)."""

from pathlib import Path
from typing import Any

from support.sites import faults_in
from support.well_known import WithFiles, crawl, outcomes, pages

import minicrawl

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
