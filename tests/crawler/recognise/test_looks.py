"""Which answers look alike though their URLs differ. Tables, without a crawl."""

import pytest
from support.prose import prose

from minicrawl.crawler.recognise.looks import Look, Looks, look_of
from minicrawl.model import Fetched, ParsedPage
from minicrawl.web.fingerprint import identity_of

HOME = "http://a.test/"
LITTLE = 12  # words, too few for a sketch
LAST = 16  # answers of a host that are kept


def shown(html: str, title: str | None, number: int = 1, status: int = 200) -> Look | None:
    found = identity_of(html.encode(), f"{HOME}{number}")
    fetched = Fetched(f"{HOME}{number}", status, size=len(html), digest=found.digest, payload=found.payload)
    return look_of(number, fetched._replace(sketch=found.sketch, short_text=found.short_text), ParsedPage(title=title))


def page(number: int) -> Look:
    """The look of a page that looks like no other."""
    return certain(shown(prose(number), f"Page {number}", number))


def wall(number: int) -> Look:
    """The look of a page behind a wall, which names the request."""
    html = prose(1000, title="Just a moment").replace("</body>", f"<p>Request {number}</p></body>")
    return certain(shown(html, "Just a moment", number))


def sent_on(target: str, status: int = 302, url: str = "b/c") -> Look:
    return certain(look_of(2, Fetched(HOME + url, status, location=target), ParsedPage()))


def led_on(url: str, target: str) -> Look:
    """The look of a page that refreshes to another one."""
    return certain(look_of(2, Fetched(HOME + url, 200, digest=1, payload=1), ParsedPage(refresh=HOME + target)))


def bare(
    status: int | None, *, size: int = 0, media: str | None = None, to: str | None = None, url: str = HOME
) -> Look | None:
    """The look of an answer without a page."""
    return look_of(1, Fetched(url, status, size=size, content_type=media, location=to), ParsedPage())


def certain(look: Look | None) -> Look:
    assert look is not None
    return look


EMPTY = Look(3, "empty")
TEXT, LITTLE_TEXT, OTHER_LITTLE = prose(1), prose(1, LITTLE), prose(2, LITTLE)
LONGER, HALF_OTHER = prose(1) + prose(2, 15), prose(1, 150) + prose(2, 150)
PAGES = [(TEXT, None), (TEXT, "T"), (LITTLE_TEXT, "T"), (LITTLE_TEXT, None)]
JSON = "application/json"


@pytest.mark.parametrize(
    ("one", "other", "are_alike"),
    [
        (shown(TEXT, "T"), shown(TEXT, "T", 2), True),
        (shown(TEXT, "T"), shown(LONGER, "T", 2), True),
        (shown(TEXT, "T"), shown(TEXT, "T", 2, status=403), True),
        (shown(TEXT, None), shown(LONGER, None, 2), True),
        (shown(TEXT, "T"), shown(HALF_OTHER, "T", 2), False),
        (shown(TEXT, "T"), shown(prose(2), "T", 2), False),
        (shown(TEXT, "T"), shown(TEXT, "U", 2), False),
        (shown(TEXT, "T"), shown(TEXT, None, 2), False),
        (shown(LITTLE_TEXT, "T"), shown(OTHER_LITTLE, "T", 2), True),
        (shown(LITTLE_TEXT, "T"), shown(LITTLE_TEXT, "U", 2), False),
        (shown(LITTLE_TEXT, "T"), shown(TEXT, "T", 2), False),
        (sent_on("/login?to=/1"), sent_on("/login?to=/2"), True),
        (sent_on("/login"), sent_on("../login?to=/2#top", status=307), True),
        (sent_on("/login?to=/1"), sent_on("/signin?to=/1"), False),
        (sent_on("/1"), sent_on("/2"), False),
        (sent_on("/login"), sent_on("http://b.test/login"), False),
        (sent_on("/moved/x1"), sent_on("/moved/x2"), False),
        (sent_on("/new/c"), sent_on("/new/d"), False),  # to a page of its own name
        (sent_on("?check=1"), sent_on("/b/c?check=2"), True),  # to itself
        (sent_on("/captcha/b/c"), sent_on("/captcha/d/?to=d", url="d"), True),  # to a folder with the page's path
        (sent_on("/captcha/b/c"), sent_on("/captcha/", url=""), True),
        (sent_on("/captcha/b/c"), sent_on("/en/d", url="d"), False),
        (sent_on("/captcha/b/c"), sent_on("/captcha/b/c", url="d"), False),
        (sent_on("/new/b/c", 301), sent_on("/new/d", 308, url="d"), False),  # there for good: no captcha is
        (sent_on("/new/", 301), sent_on("/new/", 301, url="d"), True),
        (sent_on("?check=1", 301), sent_on("/b/c?check=2", 301), True),
        *(
            (sent_on(f"{host}/b/c{slash}"), sent_on(f"{host}/d{slash}", url="d"), False)  # the page in another spelling
            for host, slash in (("", "/"), ("https://a.test", ""), ("//www.a.test", "/"), ("//b.test", ""))
        ),
        (sent_on("//b.test/d?n=1", 301, url="d?n=1"), sent_on("//b.test/d?n=2", 301, url="d?n=2"), False),
        (sent_on("//b.test/d?to=1", url="d?n=1"), sent_on("//b.test/d?to=2", url="d?n=2"), True),
        (led_on("1", "sorry?from=1"), led_on("2", "sorry?from=2"), True),
        (led_on("1", "sorry"), sent_on("/sorry"), True),
        (led_on("1", "sorry"), led_on("2", "2/index"), False),
        (shown(LITTLE_TEXT, None), shown(LITTLE_TEXT, None, 2), True),
        (shown(LITTLE_TEXT, None), shown(OTHER_LITTLE, None, 2), False),
        (shown("<p>You are number 7 of 98", None), shown("<p>You are number 6 of 99", None, 2), True),
        (shown("<p>You are number 7 of cats", None), shown("<p>You are number 7 of dogs", None, 2), False),
        (shown("<div id=a>", None), shown("<div id=a>", None, 2), True),  # not a word
        (shown("<img src=a.png>", None), shown("<img src=b.png>", None, 2), False),
        (shown(LITTLE_TEXT, None), certain(shown(LITTLE_TEXT, None, 2))._replace(links=1), False),
        (bare(200, media=JSON), bare(200, media=JSON, url=HOME + "2"), True),
        (bare(200, media=JSON), bare(200, media="image/png"), False),
        (sent_on("/login"), shown(LITTLE_TEXT, HOME + "login"), False),
        (EMPTY, Look(4, "empty"), True),
        (EMPTY, shown(TEXT, None), False),
    ],
)
def test_answers_look_alike_by_title_and_text_or_by_target(
    one: Look | None, other: Look | None, are_alike: bool
) -> None:
    assert certain(one).is_like(certain(other)) == certain(other).is_like(certain(one)) == are_alike


def test_an_answer_has_a_look_if_it_is_a_page_or_a_redirect_or_empty() -> None:
    looks = {
        "alike": [shown(html, title, 1, status) for html, title in PAGES for status in (200, 202, 404)],
        "empty": [bare(status, size=9) for status in (202, 204, 205)] + [bare(200), bare(200, media="Text/HTML; a=b")],
        "sent-on": [bare(status, to="/a") for status in (301, 302, 303, 307, 308)],
    }
    assert {sort: {look and look.sort for look in found} for sort, found in looks.items()} == {s: {s} for s in looks}
    none = [bare(200, size=9), bare(200, media="image/png", url=HOME + "a.png"), *map(bare, (206, 301, 404, 503, None))]
    none += [bare(304, to="/a"), bare(301, to="http://[bad"), shown("<p>Two words", None)]
    assert none == [None] * 10


@pytest.mark.parametrize(
    ("answers", "suspicious"),
    [
        ([wall(1), wall(2), wall(3), wall(4), wall(5)], []),
        ([page(1), wall(2), wall(3), wall(4)], []),
        ([page(1), page(2), wall(3), wall(4), wall(5), page(6)], [4, 5]),
        ([wall(1), wall(2), page(3), page(4), wall(5)], [5]),
        ([page(1), wall(2), EMPTY._replace(page=3), wall(4), EMPTY._replace(page=5)], [4, 5]),
        ([page(1), page(2), page(3), wall(4), wall(4), page(1), page(2)], []),  # each like itself alone
        ([page(number) for number in range(1, 40)], []),
        ([wall(50), *map(page, range(LAST - 1)), wall(51)], [51]),
        ([wall(50), *map(page, range(LAST)), wall(51)], []),
    ],
)
def test_a_look_is_suspicious_on_another_page_of_a_host_whose_pages_differ(
    answers: list[Look], suspicious: list[int]
) -> None:
    looks = Looks()
    assert [look.page for look in answers if looks.note(1, look)] == suspicious


@pytest.mark.parametrize(("ending", "is_file"), [("", False), (".html", False), (".json", True)])
def test_what_is_no_page_is_suspicious_where_pages_were(ending: str, is_file: bool) -> None:
    looks = Looks()
    for number, way in enumerate(["", ".html"] * 2):
        assert not looks.note(1, page(number)._replace(url=f"{HOME}{number}{way}"))
    answers = [Fetched(f"{HOME}{number}{ending}", 200, content_type=JSON) for number in (5, 6)]
    seen = [looks.note(1, certain(look_of(number, answer, ParsedPage()))) for number, answer in enumerate(answers)]
    assert seen == [False, not is_file]


def test_the_pages_that_looked_so_are_those_of_the_host_among_its_last_answers() -> None:
    looks = Looks()
    for answer in (page(1), wall(2), page(3), wall(4), sent_on("/login"), wall(6)):
        looks.note(1, answer)
    assert not looks.note(2, wall(7))
    assert looks.pages_like(1, wall(8)) == [2, 4, 6]
    assert looks.pages_like(1, page(9)) == []
    assert (looks.pages_like(2, wall(8)), looks.pages_like(3, wall(8))) == ([7], [])
    for number in range(20, 20 + LAST - 2):
        looks.note(1, page(number))
    assert looks.pages_like(1, wall(8)) == [6]
