"""Parameters that are sessions': what it takes to tell."""

import pytest

from minicrawl.crawler.recognise.sessions import Sessions
from minicrawl.model import Fetched, ParsedPage
from minicrawl.store.recognised import ParameterRow

HOME = "http://a.test/"
NEW, OLD = True, False  # whether a page is news


def asked(sessions: Sessions, url: str, digest: int, is_news: bool, *, without: dict[str, int]) -> str | None:
    """The probe that a page gives rise to, which is answered."""
    sessions.note_page(0, Fetched(url, digest=digest), ParsedPage(), is_news=is_news)
    probe = sessions.wanted.pop("http://a.test", None)
    if probe is not None:
        sessions.note_answer(Fetched(probe, status=200, digest=without.get(probe, -2)), None)
    return probe


def page(folder: str, number: int, token: object) -> str:
    return f"{HOME}{folder}/{number}?n=1&t=token{token}"


def without_token(folder: str, *but: int) -> dict[str, int]:
    """What pages of a folder say without their tokens: what they say with them, but for some."""
    return {f"{HOME}{folder}/{number}?n=1": number if number not in but else -1 for number in range(99)}


def tried(sessions: Sessions, folder: str, *but: int, news: int = 8, repeats: int = 6) -> list[str]:
    """The probes that pages of a folder give rise to: all that are news first, and then again with other tokens."""
    answers = without_token(folder, *but)
    probes = [asked(sessions, page(folder, number, number), number, NEW, without=answers) for number in range(news)]
    for number in range(repeats):
        probes.append(asked(sessions, page(folder, number, 1000 + number), number, OLD, without=answers))
    return [probe for probe in probes if probe is not None]


def test_four_signs_three_of_them_news_make_a_session() -> None:
    sessions = Sessions()
    probes = tried(sessions, "p", repeats=3)
    assert len(probes) == 3
    assert sessions.plain(page("p", 1, 5)) == page("p", 1, 5)
    assert tried(sessions, "p", news=0, repeats=4)[0] == HOME + "p/2?n=1"
    assert sessions.plain(page("p", 1, 5)) == HOME + "p/1?n=1"
    assert sessions.plain(HOME + "other?t=5") == HOME + "other?t=5"


def test_one_page_that_differs_ends_it() -> None:
    sessions = Sessions()
    assert len(tried(sessions, "p", 1)) <= 2 + 4
    verdicts = {row.name: row.verdict for row in sessions.take_rows()}
    assert verdicts["t"] == "content"
    assert sessions.plain(page("p", 1, 5)) == page("p", 1, 5)


@pytest.mark.parametrize(("status", "verdict"), [(429, "?"), (503, "?"), (403, "content"), (404, "content")])
def test_overloaded_server_says_nothing_of_a_parameter(status: int, verdict: str) -> None:
    sessions = Sessions()
    sessions.note_page(0, Fetched(page("p", 1, 1), digest=1), ParsedPage(), is_news=OLD)
    probe = sessions.wanted.pop("http://a.test", None)
    assert probe is not None
    sessions.note_answer(Fetched(probe, status=status), None)
    assert [row.verdict for row in sessions.take_rows()] == [verdict]


@pytest.mark.parametrize("matters", [False, True])
def test_what_is_a_session_in_two_patterns_is_one_on_the_host_unless_it_matters_somewhere(matters: bool) -> None:
    sessions = Sessions()
    for folder in "ab":
        tried(sessions, folder)
    if matters:
        sessions = Sessions([*sessions.take_rows(), ParameterRow("a.test/c/{n}?n&t", "t", "content", 1, "[]")])
    for host_of in (sessions, Sessions(sessions.take_rows())):
        assert host_of.plain(HOME + "z?t=1") == (HOME + "z?t=1" if matters else HOME + "z")
        assert host_of.plain(page("c", 1, 1)) == (page("c", 1, 1) if matters else HOME + "c/1?n=1")
        assert host_of.plain(page("a", 1, 1)) == HOME + "a/1?n=1"
        assert host_of.plain("http://b.test/z?t=1") == "http://b.test/z?t=1"
