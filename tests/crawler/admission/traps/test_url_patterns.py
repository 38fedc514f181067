"""The pattern of a URL: what varies is blanked, a date is a month."""

import pytest

from minicrawl.crawler.admission.trap_findings import pattern_of

HOME = "http://a.test/"


# Patterns.


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("", "/"),
        ("about", "/*"),
        ("wiki/Some_Title", "/wiki/*"),
        ("blog/words/", "/blog/*/"),
        ("page/17", "/page/{n}"),
        ("item-17.html", "/*{n}"),
        ("v2/page/17/", "/v{n}/page/{n}/"),
        ("item?id=17", "/item?id"),
        ("list.php?b=1&a=2", "/list.php?a&b"),
        ("list?p17=x", "/list?p{n}"),
        ("a/b/c/d/e", "/a/…"),
        ("s/0123456789abcdef/a/b/c/d", "/s/{id}/…"),
        ("a;jsessionid=0A1B2C3D4E/b", "/{id}/…"),
        ("s0b1c2d3ez/a/b", "/{id}/…"),
        ("20261105/a", "/{n}/*"),
        ("windows98beta2/a", "/windows{n}beta{n}/*"),
        ("(S(lit3py55t21z5v55vlm25s55))/b", "/{id}/…"),
        ("d/550e8400-e29b-41d4-a716-446655440000", "/d/{id}"),
    ],
)
def test_what_varies_in_a_url_is_blanked(path: str, pattern: str) -> None:
    assert pattern_of(HOME + path)[:2] == (f"a.test{pattern}", None)


@pytest.mark.parametrize(
    "path",
    [
        "c/2026/11",
        "c/2026/11/05/",
        "c/2026-11",
        "c/20261105",
        "c?date=2026-11-05",
        "c?y=2026&m=11",
        "c?month=11&year=2026",
    ],
)
def test_url_that_is_a_date_has_a_month(path: str) -> None:
    pattern = pattern_of(HOME + path)
    assert (pattern.month, pattern.name.startswith("a.test/c")) == (12 * 2026 + 10, True)


@pytest.mark.parametrize(
    "path", ["2026/11/05/what-happened", "c/2026", "t/4711/3", "t/2026/13", "item/152307", "c?id=2026"]
)
def test_url_that_has_more_or_less_than_a_date_has_no_month(path: str) -> None:
    assert pattern_of(HOME + path).month is None


@pytest.mark.parametrize(
    ("segment", "is_id"),
    [
        ("abcdefabcdefabcd", True),
        ("ABCDEFabcdefabcd", False),
        ("1234567812345678", True),
        ("123456781234567", False),
        ("12345678-1234-1234-1234-123456789012", True),
        ("12345678-1234-page1", False),
        ("123456789a", True),
        ("abcdefab-1", False),
        ("Abcdefghijklmnopqrs1", True),
        ("abcdefghijklmnopqrs1", False),
        ("Abcdefghijklmnopqr1", False),
        ("page;jsessionid=1", True),
        ("the-history-of-79190000.html", False),
    ],
)
def test_what_is_an_id_and_what_is_a_number_or_a_word(segment: str, is_id: bool) -> None:
    # Only a segment with a digit is looked at.
    segment = segment if any(map(str.isdigit, segment)) else f"{segment}.1"
    assert ("{id}" in pattern_of(f"http://a.test/{segment}").name) is is_id
