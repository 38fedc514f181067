"""Findings with one cause are one, with the number of all pages; twins that have none stand alone."""

from collections.abc import Container
from pathlib import Path

import pytest
from support.audits import said
from support.command_line import answer, run
from support.sites import HOME, Site, crawl

from minicrawl.audit.auditing import Audit, audited
from minicrawl.audit.causes import FEWEST, causes
from minicrawl.audit.rules import RULES
from minicrawl.audit.words import share, summary
from minicrawl.store.reader import open_store


def archive(steps: int) -> Site:
    """A front page, pages of all kinds right below it, and an archive of pages that lead from one to the next."""
    pages = [f"{HOME}archive/2020/article-{number:03}" for number in range(steps)]
    others = [f"{HOME}{name}" for name in "abcdefgh"]
    site: Site = {HOME: [f"<title>Home</title>{said(HOME)}", *others, pages[0]]}
    site |= {url: [f"<title>{url}</title>{said(url)}", HOME] for url in others}
    following = zip(pages, [*pages[1:], HOME], strict=True)
    return site | {url: [f"<title>{url}</title>{said(url)}", after] for url, after in following}


def audit_of(site: Site, path: Path) -> Audit:
    crawl(site, path, [HOME], traps=False)  # all of it is read
    with open_store(path) as store, store.snapshot():
        return audited(store)


def found(audit: Audit, rule: str) -> list[tuple[str, str, int]]:
    """The causes of a rule: where, the most important target if it stands alone, and the number of pages."""
    of_rule = [each for each in causes(audit, audit.findings) if each.first.rule == rule]
    return [(each.where, "" if each.where else each.first.target, each.pages) for each in of_rule]


@pytest.mark.parametrize("deep", [FEWEST - 1, FEWEST, 40])
def test_pages_of_one_archive_are_one_finding(deep: int, tmp_path: Path) -> None:
    audit = audit_of(archive(deep + 5), tmp_path / "crawl.db")
    expected = [(f"{deep} URLs like a.test/archive/{{n}}/{{}}", "", deep)]
    alone = [("", f"{HOME}archive/2020/article-{number:03}", 1) for number in range(5, deep + 5)]
    assert sorted(found(audit, "too-deep")) == (alone if deep < FEWEST else expected)
    assert audit.counts()["too-deep"] == deep
    assert summary(audit) == f"{deep} pages are more than 5 links from the start."


@pytest.mark.parametrize("titles", [FEWEST - 1, FEWEST, 30])
def test_titles_that_differ_by_numbers_only_are_one_finding(titles: int, tmp_path: Path) -> None:
    """Twins that differ by a word stand alone."""
    pages = {
        f"{HOME}{title.replace(' ', '-')}-{copy}": [f"<title>{title}</title>{said(f'{title} {copy}')}", HOME]
        for title in (*(f"Timeline of {year}" for year in range(titles)), *(f"Notes {letter}" for letter in "abcdef"))
        for copy in "xy"
    }
    audit = audit_of({HOME: [f"<title>Home</title>{said(HOME)}", *pages]} | pages, tmp_path / "crawl.db")
    of_years = [("", f"{HOME}Timeline-of-{year}-x", 1) for year in range(titles)]
    if titles >= FEWEST:
        of_years = [(f"{titles} like 'Timeline of {{n}}'", "", titles)]
    others = [("", f"{HOME}Notes-{letter}-x", 1) for letter in "abcdef"]
    assert sorted(found(audit, "title-duplicate")) == sorted([*of_years, *others])


def without_titles(site: Site, urls: Container[str]) -> Site:
    """The site, with no titles on some pages."""
    return {url: ["<title></title>", *page[1:]] if url in urls else page for url, page in site.items()}


@pytest.mark.parametrize("steps", [12, 90])
def test_nearly_all_pages_of_a_host_share_a_template(steps: int, tmp_path: Path) -> None:
    """Also where most of them are of one class; but not where only that class has the fault."""
    site = archive(steps)
    of_archive = [url for url in site if "/archive/" in url]
    audit = audit_of(without_titles(site, site), tmp_path / "all.db")
    assert found(audit, "title-missing") == [(f"{len(site)} of {len(site)} pages of a.test", "", len(site))]
    some = [*of_archive, *(f"{HOME}{name}" for name in "abcde")]
    audit = audit_of(without_titles(site, some), tmp_path / "some.db")
    alone = [("", url, 1) for url in sorted(some) if url not in of_archive]
    assert sorted(found(audit, "title-missing")) == [
        *alone,
        (f"{steps} URLs like a.test/archive/{{n}}/{{}}", "", steps),
    ]


def test_what_is_no_page_has_no_template(tmp_path: Path) -> None:
    """Missing pages right below a host have nothing in common, as many as they are beside its pages."""
    gone = [f"{HOME}gone-{number}" for number in range(9)]
    audit = audit_of({HOME: [said(HOME), *gone[:8], f"{HOME}on"], f"{HOME}on": [said("on"), *gone]}, tmp_path / "c.db")
    assert sorted(found(audit, "broken-link")) == [("", url, 1 + (url != gone[8])) for url in gone]


def test_figures_of_all_forms_are_the_same(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    audit = audit_of(archive(40), store)
    told = answer("audit", "--store", store)
    whole = run("audit", "--store", store).stdout
    for cause, shown in zip(causes(audit, audit.findings), told["causes"], strict=True):
        assert (shown["where"], shown["pages"], shown["at_stake"]) == (
            *(cause.where, cause.pages, share(cause.importance)),
        )
        assert any(
            line.split()[:4] == [*share(cause.importance).split(), str(cause.pages), cause.first.rule]
            for line in whole.splitlines()
        )
    assert (told["summary"], told["do_first"]) == tuple(whole.splitlines()[:2])
    assert [rule["found"] for rule in told["rules"] if rule["found"]] == list(
        dict.fromkeys(clause for clause in audit.said().values())
    )


def test_every_rule_has_its_words() -> None:
    for rule in RULES.values():
        one, several = rule.found(1, 1), rule.found(1234, 5678)
        assert rule.says
        assert not {"#", "|", "{", "}"} & set(one + several)
        assert "1,234" in several or "5,678" in several
        assert one != several


@pytest.mark.parametrize(
    ("importance", "words"), [(0.0, "0 %"), (1e-9, "<0.01 %"), (0.00056, "0.056 %"), (0.058, "5.8 %"), (3.0, "100 %")]
)
def test_shares_have_two_figures(importance: float, words: str) -> None:
    assert share(importance) == words
