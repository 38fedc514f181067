"""What is kept of an answer, against what it says."""

from dataclasses import replace

import pytest

from minicrawl.crawler.outcomes.answer_row import answer_row
from minicrawl.model import AlternateLink, Fetched, ParsedPage
from minicrawl.store.rows import Fetch

URL = "http://a.test/page"
ANSWER = Fetched(URL, status=200, content_type="text/html", size=70, seconds=0.5)


def row(parsed: ParsedPage, robots_tag: str | None = None) -> Fetch:
    found = answer_row(replace(ANSWER, robots_tag=robots_tag), parsed, 9.0)
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
    ],
)
def test_directives_of_page_and_header_are_joined(
    parsed: ParsedPage, robots_tag: str | None, robots: str | None
) -> None:
    assert row(parsed, robots_tag).robots == robots


def test_languages_are_in_the_order_of_the_page() -> None:
    alternates = (AlternateLink("en", "http://a.test/?a=b,c"), AlternateLink("de", URL))
    assert row(ParsedPage(hreflang=alternates)).hreflang == f"en=http://a.test/?a=b,c de={URL}"


@pytest.mark.parametrize(("length", "kept"), [(3, 100), (2_000, 4), (9_997, 1), (9_998, 0), (30_000, 0)])
def test_what_is_kept_of_many_languages_is_whole_and_bounded(length: int, kept: int) -> None:
    """length: of each URL; kept: how many of 100."""
    alternates = (AlternateLink("en", "u" * length),) * 100
    text = row(ParsedPage(hreflang=alternates)).hreflang
    assert (text.split() if text else []) == [f"en={'u' * length}"] * kept
    assert len(text or "") <= 10_000
