"""Counted links of a page, their parts of its cash and their places, from its bytes to the store."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.intakes import DAYS_LATER, intake_of, page_of
from support.sites import HOME, Site, canonical, crawl, faults_in, rows

from minicrawl.crawler.intake import Intake
from minicrawl.crawler.outcomes.outcome import Outcome
from minicrawl.crawler.salvage import salvage
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import Fetched, ParsedPage, Place, State
from minicrawl.store.links import Links, from_bytes, placed

WORDS = "As it has been said often, and in"
LINES = {
    Place.TEXT: f"<p>{WORDS} <a href={{}}>words</a>.",
    Place.LIST: "<ul><li><a href={}>words</a></ul>",
    Place.NAVIGATION: "<nav><a href={}>words</a></nav>",
}
ALL = {HOME + "text": Place.TEXT, HOME + "list": Place.LIST, HOME + "nav": Place.NAVIGATION}


def linking(links: dict[str, Place]) -> str:
    return "".join(LINES[place].format(url) for url, place in links.items())


def places(store: Path, url: str, column: str = "targets") -> dict[str, int | None]:
    """By URL of a target, where the link to it stands; None where all links of the page are alike."""
    (row,) = rows(store, f"SELECT {column} FROM links JOIN pages ON id = source WHERE url = ?", url)
    links = placed(*row)
    stored = [None] * len(links.targets) if links.places is None else links.places.tolist()
    urls = dict(rows(store, "SELECT id, url FROM pages"))
    return {urls[target]: place for target, place in zip(links.targets.tolist(), stored, strict=True)}


def crawled(store: Path, site: Site, **settings: object) -> Path:
    crawl(site, store, [HOME], **settings)
    assert faults_in(store) == []
    return store


def test_links_are_stored_with_their_places(tmp_path: Path) -> None:
    elsewhere = {"http://b.test/": Place.TEXT, HOME: Place.TEXT}
    store = crawled(tmp_path / "crawl.db", {HOME: [linking(elsewhere | ALL)]}, scope="host")
    assert places(store, HOME) == ALL
    saved = tmp_path / "saved.db"
    salvage(store, saved)
    assert places(saved, HOME) == ALL


@pytest.mark.parametrize("place", Place)
def test_links_that_are_all_alike_are_stored_without(tmp_path: Path, place: Place) -> None:
    store = crawled(tmp_path / "crawl.db", {HOME: [linking(dict.fromkeys(ALL, place))]})
    assert places(store, HOME) == dict.fromkeys(ALL)


def test_of_several_links_to_a_page_the_best_place_counts(tmp_path: Path) -> None:
    """Also where their URLs differ, and are one page without what says who asks."""
    page = linking({HOME + "a?utm_source=x": Place.NAVIGATION, HOME + "a": Place.LIST, HOME + "b": Place.NAVIGATION})
    store = crawled(tmp_path / "crawl.db", {HOME: [page + linking({HOME + "a?utm_source=y": Place.TEXT})]})
    assert places(store, HOME) == {HOME + "a": Place.TEXT, HOME + "b": Place.NAVIGATION}


def test_new_places_take_the_place_of_old_ones(tmp_path: Path) -> None:
    store, rng = tmp_path / "crawl.db", random.Random(5)
    for _ in range(4):
        links = {url: rng.choice(list(Place)) for url in rng.sample(sorted(ALL), 2)} | {HOME + "always": Place.TEXT}
        crawled(store, {HOME: [linking(links)]}, discovery=0.1, pages=20 if store.exists() else 1)
        expected = links if len(set(links.values())) > 1 else dict.fromkeys(links)
        assert places(store, HOME) == expected


def test_a_page_that_stands_for_another_keeps_the_places_of_its_own_links(tmp_path: Path) -> None:
    """And has them again when there is nothing behind the page it named."""
    site: Site = {HOME: [canonical(HOME + "c") + linking(ALL)], HOME + "c": []}
    store = crawled(tmp_path / "crawl.db", site)
    own = {HOME + "c": Place.LIST} | ALL
    assert (places(store, HOME), places(store, HOME, "own")) == ({HOME + "c": None}, own)
    saved = tmp_path / "saved.db"
    salvage(store, saved)
    assert places(saved, HOME, "own") == own
    crawled(store, site | {HOME + "c": 404}, **DAYS_LATER)
    assert places(store, HOME) == own


def test_places_that_make_no_sense_are_left_out_by_salvage(tmp_path: Path) -> None:
    store = crawled(tmp_path / "crawl.db", {HOME: [linking(ALL)]})
    ((links,),) = rows(store, "SELECT targets FROM links WHERE source = 0")
    spoilt = bytes(byte | 0xC0 * (at % 4 == 3) for at, byte in enumerate(links))
    rows(store, "UPDATE links SET targets = ? WHERE source = 0", spoilt)
    assert faults_in(store) != []
    saved = tmp_path / "saved.db"
    salvage(store, saved)
    assert places(saved, HOME) == dict.fromkeys(ALL)
    assert faults_in(saved) == []


A, B, C, D, OUT = (f"{HOME}{name}" for name in ("a", "b", "c", "d", "logout"))
READ = Outcome(State.FETCHED, "ok", follows=True)


@pytest.fixture
def intake(tmp_path: Path) -> Iterator[Intake]:
    intake = intake_of(tmp_path / "crawl.db", deny=("logout",), boost=("/b=3",))
    intake.start([HOME, C], 0.0)
    yield intake
    intake.state.writer.close()


def counted(intake: Intake, outlinks: list[str], *, outcome: Outcome = READ, target: str | None = None) -> Links:
    parsed = ParsedPage(tuple(outlinks), anchors=("",) * len(outlinks), nofollow=2)
    at = None if target is None else page_of(intake, target)
    turn = Turn(page_of(intake, HOME), Fetched(HOME, status=200), parsed, outcome, 0.0)
    return intake.visits.counted(turn, at)[0]


def urls(intake: Intake, targets: bytes) -> list[str]:
    return [intake.state.urls.url(page) for page in from_bytes(targets).tolist()]


def test_links_count_in_document_order_but_for_those_to_itself_and_refused_ones(intake: Intake) -> None:
    found = counted(intake, [B, OUT, HOME, C, A])
    assert urls(intake, found.targets) == [B, C, A]
    assert (found.nofollow, found.refused) == (2, 1)
    assert found.own is None


def test_a_page_that_stands_for_another_has_one_link_and_keeps_its_own(intake: Intake) -> None:
    hint = Outcome(State.ALIAS, "canonical", alias=C, follows=True)
    found = counted(intake, [A, B], outcome=hint, target=C)
    assert urls(intake, found.targets) == [C]
    assert found.own is not None
    assert urls(intake, found.own) == [A, B]
    redirect = Outcome(State.ALIAS, "http-301", alias=C, is_redirect=True)
    assert counted(intake, [], outcome=redirect, target=C).own is None


def test_links_of_a_page_that_says_nofollow_are_none(intake: Intake) -> None:
    found = counted(intake, [A, B], outcome=Outcome(State.FETCHED, "ok", follows=False))
    assert (found.targets, found.refused) == (b"", 0)
    assert intake.state.urls.find([A, B]) == [None, None]


def test_of_a_soft_404_known_links_are_kept_and_none_counts_or_becomes_known(intake: Intake) -> None:
    found = counted(intake, [A, C, HOME], outcome=Outcome(State.ERROR, "soft-404", follows=True))
    assert found.targets == b""
    assert found.own is not None
    assert urls(intake, found.own) == [C]
    assert intake.state.urls.find([A]) == [None]


def test_what_a_link_says_of_a_page_is_kept(store: Path) -> None:
    """A word of the topic in the text of a link, or in the title of its page, raises the page's priority for good. What
    is said of a page that redirects holds for its target."""
    for run in range(2):
        intake = intake_of(store, topic="boats")
        intake.start([HOME], 0.0)
        focus = intake.state.admission.focus
        if not run:
            parsed = ParsedPage((A, B, C), anchors=("boats", "", "cars"), title="On cars")
            turn = Turn(page_of(intake, HOME), Fetched(HOME, status=200), parsed, READ, 0.0)
            intake.visits.counted(turn, None)
            redirect = Outcome(State.ALIAS, "redirect-301", alias=D, is_redirect=True, follows=True)
            turn = Turn(page_of(intake, A), Fetched(A, status=301), ParsedPage((D,), anchors=("",)), redirect, 0.0)
            intake.visits.counted(turn, None)
        pages = intake.state.frontier.pages
        assert pages.interest is not None
        assert pages.is_off_topic is not None
        none, a_word = focus.topic(B), focus.topic(B, "boats")
        known = [page_of(intake, url) for url in (HOME, A, D, B, C)]
        assert pages.interest[known] == pytest.approx([none, a_word, a_word, none, none])
        assert pages.is_off_topic[known].tolist() == [True, False, False, True, True]
        intake.commit({})
        intake.state.writer.close()
