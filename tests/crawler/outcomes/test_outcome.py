"""Every row of the table at the top of outcome.py, and the stored row of an answer."""

from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.sites import crawl, states

from minicrawl.crawler.outcomes import outcome
from minicrawl.crawler.outcomes.outcome import MAX_TRIES, UNCHANGED, Outcome, answer_row
from minicrawl.model import Fetched, ParsedPage, State
from minicrawl.store.pages import Fetch

judge = partial(outcome.judge, now=1000.0)

URL = "http://h.test/a"
OTHER = "http://h.test/b"


def answer(status: int = 200, content_type: str | None = "text/html", **rest: Any) -> Fetched:
    return Fetched(URL, status=status, content_type=content_type, **rest)


READ = {
    "html": (answer(), ParsedPage(), "ok", True),
    "html-with-charset": (answer(content_type="Text/HTML; charset=x"), ParsedPage(), "ok", True),
    "xhtml": (answer(content_type="application/xhtml+xml"), ParsedPage(), "ok", True),
    "no-content-type": (answer(content_type=None), ParsedPage(), "ok", True),
    "truncated": (answer(truncated=True), ParsedPage(), "truncated", True),
    "too many links": (answer(), ParsedPage(truncated=True), "truncated", True),
    "truncated, and says nofollow": (answer(truncated=True), ParsedPage(follow=False), "truncated", False),
    "meta-noindex": (answer(), ParsedPage(index=False), "noindex", True),
    "header-noindex": (answer(robots_tag="noindex"), ParsedPage(), "noindex", True),
    "meta-nofollow": (answer(), ParsedPage(follow=False), "nofollow", False),
    "header-nofollow": (answer(robots_tag="nofollow"), ParsedPage(), "nofollow", False),
    "header-none": (answer(robots_tag="none"), ParsedPage(), "nofollow", False),
    "header-for-another-robot": (answer(robots_tag="otherbot: none"), ParsedPage(), "ok", True),
    "header-for-us": (answer(robots_tag="minicrawl: nofollow"), ParsedPage(), "nofollow", False),
    "not-html": (answer(content_type="application/pdf"), ParsedPage(), "not-html", False),
    "plain-text": (answer(content_type="text/plain"), ParsedPage(), "not-html", False),
    "other format": (answer(content_type="application/pdf", digest=1), ParsedPage(), "ok", True),
    "other format, cut": (answer(content_type="text/plain", digest=1), ParsedPage(truncated=True), "truncated", True),
    "pdf-unread": (answer(content_type="application/pdf"), ParsedPage(unread=True), "pdf-unread", False),
    "201": (answer(201), ParsedPage(), "http-201", False),
    "204": (answer(204), ParsedPage(), "http-204", False),
    "206": (answer(206), ParsedPage(), "http-206", False),
    "203 that was read": (answer(203, digest=1), ParsedPage(), "ok", True),
    "226 that says nofollow": (answer(226, digest=1), ParsedPage(follow=False), "nofollow", False),
    "canonical-to-itself": (answer(), ParsedPage(canonicals=(URL,)), "ok", True),
    "refresh-to-itself": (answer(), ParsedPage(refresh=URL), "ok", True),
}


@pytest.mark.parametrize(("fetched", "parsed", "reason", "follows"), READ.values(), ids=READ.keys())
@pytest.mark.parametrize("attempts", [0, 2])
def test_what_was_read_is_fetched(
    fetched: Fetched, parsed: ParsedPage, reason: str, follows: bool, attempts: int
) -> None:
    assert judge(fetched, parsed, attempts) == Outcome(State.FETCHED, reason, follows=follows)


@pytest.mark.parametrize(
    ("status", "state"),
    [
        *((status, "fetched ok") for status in (201, 203, 206, 226)),
        (202, "fetched http-202"),
        (204, "fetched http-204"),
    ],
)
def test_a_page_is_read_whatever_success_the_status_says(store: Path, status: int, state: str) -> None:
    page = httpx.Response(status, html="" if status == 204 else f"<a href={OTHER}>to</a>")
    crawl({URL: lambda *_: page, OTHER: []}, store, [URL])
    assert states(store) == {URL: state} | ({OTHER: "fetched ok"} if state == "fetched ok" else {})


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/b", OTHER),
        ("b?c#d", "http://h.test/b?c"),
        ("//x.test", "http://x.test/"),
        ("HTTPS://X.test/", "https://x.test/"),
    ],
)
def test_a_redirect_is_an_alias_of_its_target(status: int, location: str, target: str) -> None:
    outcome = judge(answer(status, location=location), ParsedPage())
    assert outcome == Outcome(State.ALIAS, f"redirect-{status}", alias=target, is_redirect=True)


@pytest.mark.parametrize(
    ("status", "location", "reason"),
    [
        *((301, location, "redirect-nowhere") for location in (None, "", "mailto:a@b", "http://", "javascript:0")),
        *((302, location, "redirect-loop") for location in (URL, "/a", "a#part", "HTTP://H.test:80/a")),
        *((status, "/b", f"http-{status}") for status in (300, 305, 306)),
    ],
)
def test_what_redirects_to_no_other_page_is_an_error(status: int, location: str | None, reason: str) -> None:
    assert judge(answer(status, location=location), ParsedPage()) == Outcome(State.ERROR, reason)


@pytest.mark.parametrize("status", [201, 404, 503])
def test_a_location_means_nothing_without_a_redirect(status: int) -> None:
    assert judge(answer(status, location="/b"), ParsedPage()).alias is None


@pytest.mark.parametrize(
    ("parsed", "reason"),
    [
        (ParsedPage(refresh=OTHER), "meta-refresh"),
        (ParsedPage(canonicals=(OTHER,)), "canonical"),
        (ParsedPage(refresh=OTHER, canonicals=("http://h.test/c",)), "meta-refresh"),
        (ParsedPage(refresh=URL, canonicals=(OTHER,)), "canonical"),
    ],
    ids=["refresh", "canonical", "refresh-before-canonical", "refresh-to-itself-is-none"],
)
def test_a_page_that_stands_for_another_is_its_alias(parsed: ParsedPage, reason: str) -> None:
    assert judge(answer(), parsed) == Outcome(State.ALIAS, reason, alias=OTHER, follows=True)


@pytest.mark.parametrize("said", [{"refresh": OTHER}, {"canonicals": (OTHER,)}], ids=["refresh", "canonical"])
@pytest.mark.parametrize("by_header", [True, False], ids=["header", "meta"])
def test_nofollow_holds_for_pages_that_stand_for_another(said: dict[str, Any], by_header: bool) -> None:
    """Should the alias come to nothing, the page's own links must not count either."""
    parsed = ParsedPage(follow=by_header, **said)
    assert judge(answer(robots_tag="nofollow" if by_header else None), parsed).follows is False


def failures(statuses: list[int], reasons: list[str]) -> dict[str, Fetched]:
    return {f"http-{status}": answer(status) for status in statuses} | {
        reason: Fetched(URL, reason=reason) for reason in reasons
    }


PASSING = failures(
    [408, 425, 429, *range(500, 506), 507, 508, 520, 522, 524, 599],
    ["dns-unanswered", "timeout", "timeout-connect", "timeout-read", "reset", "refused"],
)
HOPELESS = failures(
    [400, 401, 402, 403, 404, 405, 406, 410, 418, 451, 499], ["dns", "tls", "private-address", "bad-url", "undecodable"]
)


@pytest.mark.parametrize("reason", PASSING)
@pytest.mark.parametrize(
    ("attempts", "wait"), [(0, 5.0), (1, 20.0), (MAX_TRIES - 1, None), (MAX_TRIES, None), (100, None)]
)
def test_a_passing_failure_is_tried_three_times(reason: str, attempts: int, wait: float | None) -> None:
    given_up = Outcome(State.ERROR, reason)
    expected = given_up if wait is None else Outcome(None, reason, wait=wait)
    assert judge(PASSING[reason], ParsedPage(), attempts) == expected


@pytest.mark.parametrize("reason", HOPELESS)
def test_what_is_hopeless_is_given_up_at_once(reason: str) -> None:
    assert judge(HOPELESS[reason], ParsedPage()) == Outcome(State.ERROR, reason)


@pytest.mark.parametrize("status", [403, 418, 429, 500, 503])
@pytest.mark.parametrize(("attempts", "back_off"), [(0, 5.0), (1, 20.0)])
@pytest.mark.parametrize("asked", [1, 10, 86_400])
def test_a_host_rests_as_long_as_it_asks_for_and_a_page_no_shorter_than_otherwise(
    status: int, attempts: int, back_off: float, asked: int
) -> None:
    fetched = answer(status, retry_after=str(asked))
    expected = Outcome(None, f"http-{status}", wait=max(asked, back_off), rest=asked)
    assert judge(fetched, ParsedPage(), attempts) == expected


@pytest.mark.parametrize("status", [403, 429, 503])
def test_retry_after_does_not_add_tries_but_the_host_rests(status: int) -> None:
    fetched = answer(status, retry_after="60")
    assert judge(fetched, ParsedPage(), MAX_TRIES - 1) == Outcome(State.ERROR, f"http-{status}", rest=60.0)


@pytest.mark.parametrize("retry_after", ["-5", "soon", str(10**9)])
def test_a_retry_after_without_sense_changes_nothing(retry_after: str) -> None:
    assert judge(answer(503, retry_after=retry_after), ParsedPage()) == Outcome(None, "http-503", wait=5.0)


@pytest.mark.parametrize("status", [200, 301, 404, 410])
def test_retry_after_of_other_answers_is_not_for_the_host(status: int) -> None:
    fetched = answer(status, retry_after="60", location="/b")
    assert judge(fetched, ParsedPage()) == judge(answer(status, location="/b"), ParsedPage())


def test_a_failure_while_reading_beats_a_status() -> None:
    assert judge(answer(200, reason="reset"), ParsedPage()).reason == "reset"


@pytest.mark.parametrize("asked", [False, True])
def test_a_304_of_a_page_that_was_read_is_unchanged(asked: bool) -> None:
    fetched = answer(304, is_conditional=asked)
    assert judge(fetched, ParsedPage(), 2, was_read=True) == UNCHANGED
    assert judge(fetched, ParsedPage()) == Outcome(None, "bad-response", wait=5.0)


ANSWER = Fetched(URL, status=200, content_type="text/html", size=70, seconds=0.5)


def row(parsed: ParsedPage, robots_tag: str | None = None) -> Fetch:
    found = answer_row(ANSWER._replace(robots_tag=robots_tag), parsed, 9.0)
    assert found is not None
    return found


def test_answer_is_a_row_and_no_answer_is_none() -> None:
    expected = Fetch(200, 9.0, 0.5, 70, "text/html", "T", canonical=None, robots=None, hreflang=None)
    assert row(ParsedPage(title="T")) == expected
    assert answer_row(Fetched(URL, reason="dns"), ParsedPage(), 9.0) is None


@pytest.mark.parametrize(
    ("canonicals", "kept"),
    [((URL,), ""), (("http://b.test/",), "http://b.test/"), ((), None), ((URL, "http://b.test/"), None)],
)
def test_canonical_of_a_page_to_itself_takes_no_room(canonicals: tuple[str, ...], kept: str | None) -> None:
    assert row(ParsedPage(canonicals=canonicals)).canonical == kept


@pytest.mark.parametrize(
    ("parsed", "robots_tag", "robots"),
    [
        (ParsedPage(), "noindex", "noindex"),
        (ParsedPage(index=False), "nofollow", "noindex, nofollow"),
        (ParsedPage(follow=False, index=False, archive=False), None, "noindex, nofollow, noarchive"),
        (ParsedPage(), "otherbot: none", None),
        (ParsedPage(), "none", "noindex, nofollow"),
        (ParsedPage(index_by_google=False), None, "googlebot: noindex"),
        (ParsedPage(follow=False), "googlebot: none", "nofollow, googlebot: noindex"),
        (ParsedPage(index_by_google=False), "noindex", "noindex"),
    ],
)
def test_directives_of_page_and_header_are_joined(
    parsed: ParsedPage, robots_tag: str | None, robots: str | None
) -> None:
    assert row(parsed, robots_tag).robots == robots


def test_languages_are_in_the_order_of_the_page() -> None:
    alternates = (("en", "http://a.test/?a=b,c"), ("de", URL))
    assert row(ParsedPage(hreflang=alternates)).hreflang == f"en=http://a.test/?a=b,c de={URL}"


@pytest.mark.parametrize(("length", "kept"), [(3, 100), (2_000, 4), (9_997, 1), (9_998, 0), (30_000, 0)])
def test_what_is_kept_of_many_languages_is_whole_and_bounded(length: int, kept: int) -> None:
    """length: of each URL; kept: how many of 100."""
    alternates = (("en", "u" * length),) * 100
    text = row(ParsedPage(hreflang=alternates)).hreflang
    assert (text.split() if text else []) == [f"en={'u' * length}"] * kept
    assert len(text or "") <= 10_000
