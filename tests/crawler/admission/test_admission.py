"""Which URLs become known: what refuses one, what a store and its user are told of that."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from support.command_line import answer, run
from support.sites import Site, canonical, crawl, faults_in, rows

from minicrawl.crawler.admission.admission import Admission
from minicrawl.crawler.admission.budgets import PAGES, Budgets
from minicrawl.settings import CrawlSettings
from minicrawl.store.recognised import RefusedRow
from minicrawl.store.writer import Writer
from minicrawl.web.urls.normalise import MAX_URL_LENGTH

HOME = "http://a.test/"
LONG = HOME + "x" * 9_000
FULL = "http://full.test/"


def full_budgets() -> Budgets:
    return Budgets(lambda site: 0.0, {"full.test": PAGES})


@pytest.mark.parametrize("budgets", [None, full_budgets()], ids=["no budgets", "budgets"])
@pytest.mark.parametrize("is_own", [None, lambda url: "b.test" not in url], ids=["all ours", "shared"])
def test_every_url_gets_its_own_answer_in_its_own_place(
    budgets: Budgets | None, is_own: Callable[[str], bool] | None
) -> None:
    """Homes judge budgets: each partition those of its own sites."""
    if budgets is not None:
        budgets.add("b.test", PAGES)
    urls = [HOME + "1", FULL + "a", LONG, "http://b.test/", HOME + "2", LONG.replace("a.", "b.")]
    full = None if budgets is None else "trap-host-budget"
    expected = [None, full, "too-long", None if is_own is not None else full, None, "too-long"]
    admission = Admission(CrawlSettings(), (), budgets, is_own)
    assert admission.refusals(urls) == expected


def test_what_was_refused_is_counted_over_runs(tmp_path: Path) -> None:
    for path in ("a", "b", "c"):
        with Writer(tmp_path / "crawl.db") as writer, writer.transaction():
            admission = Admission(CrawlSettings(), writer.recognised.refused(), full_budgets())
            assert admission.refusals([FULL + path, HOME, LONG]) == ["trap-host-budget", None, "too-long"]
            admission.save(writer)
            admission.save(writer)
            assert {*writer.recognised.refused()} == {
                RefusedRow("full.test", "trap-host-budget", "abc".index(path) + 1, FULL + "a"),
                RefusedRow("a.test", "too-long", "abc".index(path) + 1, LONG),
            }


@pytest.mark.parametrize("traps", [True, False])
def test_no_url_of_more_than_8000_bytes_becomes_known(tmp_path: Path, traps: bool) -> None:
    most = HOME + "y" * (MAX_URL_LENGTH - len(HOME))
    crawl({HOME: [most, most + "y"], most: []}, tmp_path / "crawl.db", [HOME], traps=traps)
    assert rows(tmp_path / "crawl.db", "SELECT url FROM pages") == [(HOME,), (most,)]
    assert rows(tmp_path / "crawl.db", "SELECT sum(refused) FROM links") == [(1,)]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [(LONG, ("error", "redirect-too-long")), ([canonical(LONG)], ("fetched", "canonical-too-long"))],
    ids=["redirect", "canonical"],
)
def test_no_page_stands_for_what_is_refused(store: Path, reply: str | list[str], expected: tuple[str, str]) -> None:
    crawl({HOME: reply}, store, [HOME])
    assert rows(store, "SELECT state, reason FROM pages") == [expected]


def test_what_was_left_out_unread_is_counted_and_named_and_is_not_called_read(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    site: Site = {HOME: [LONG, HOME + "x"], HOME + "x": [LONG, LONG + "y"]}
    crawl(site, store, [HOME])
    for command in ("status", "crawl"):  # the crawl has nothing left to ask for
        said = run(command, "--store", store).stdout
        assert f"2 URLs, such as {LONG[:9]}" in said
        assert "all of the importance that is known" in said
        assert "100 %" not in said
    told = answer("status", "--store", store)
    assert (told["unasked"]["unread"], told["unasked"]["example"]) == (2, LONG)
    assert told["refused"] == [{"name": "a.test", "rule": "too-long", "urls": 2, "example": LONG}]
    why = json.loads(run("why", LONG, "--json", "--store", store).stdout)
    assert (why["state"], why["reason"]) == ("unknown", "too-long")
    assert faults_in(store) == []


def test_where_all_is_read_nothing_is_said_of_what_is_left_out(store: Path) -> None:
    crawl({HOME: [HOME + "x"], HOME + "x": []}, store, [HOME])
    said = run("status", "--store", store).stdout
    assert "100 % of the importance" in said
    assert "unasked" not in said
