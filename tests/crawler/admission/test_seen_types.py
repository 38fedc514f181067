"""Which URLs probably are of a wanted type, by those that were read."""

import random
from collections.abc import Sequence

import pytest

from minicrawl.crawler.admission.seen_types import MOST, SeenTypes
from minicrawl.errors import SettingError
from minicrawl.settings import CrawlSettings

XML, HTML = "application/xml", "text/html"


@pytest.mark.parametrize(
    ("wanted", "content_type", "expected"),
    [
        ("xml", "text/xml; charset=utf-8", True),
        ("xml", "application/rss+xml", True),
        ("xml", "image/svg+xml", True),
        ("xml", "application/xhtml+xml", False),
        ("xml", "text/html", False),
        ("xml", None, False),
        ("application/pdf", "Application/PDF", True),
        ("application/pdf", "application/pdfx", False),
        ("image/*", "image/png", True),
        ("image/*", "imagery/png", False),
    ],
)
def test_types_are_told_by_what_servers_say(wanted: str, content_type: str | None, expected: bool) -> None:
    assert SeenTypes([wanted]).is_wanted("http://h.test/x", content_type) is expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://h.test/2026/11/21/flood", True),
        ("http://h.test/news/2026/11/flood", True),
        ("http://h.test/story-2026-11-21.html", True),
        ("http://h.test/a/20261121/", True),
        ("http://h.test/2026/", False),
        ("http://h.test/2026/13/21/", False),
        ("http://h.test/2026/11/210/", True),  # a month is enough
        ("http://h.test/v2026112100/", False),
        ("http://h.test/1776/07/04/", False),
        ("http://h.test/find?day=/2026/11/21/", False),
    ],
)
def test_news_has_a_date_in_its_path(url: str, expected: bool) -> None:
    assert (SeenTypes(["news"]).likelihood(url).share == 1.0) is expected


@pytest.mark.parametrize(
    ("sitemap", "expected"),
    [
        ("http://h.test/news-sitemap.xml", True),
        ("http://h.test/feed/", True),
        ("http://h.test/blog.atom", True),
        ("http://h.test/sitemap.xml", False),
        ("http://h.test/newsletters.xml", False),
    ],
)
def test_what_a_feed_lists_is_news(sitemap: str, expected: bool) -> None:
    assert (SeenTypes(["news"]).likelihood("http://h.test/x", sitemap).factor == MOST) is expected


def slowly(read: Sequence[tuple[str, str]], host: str, folder: str, ending: str, known: str) -> float:
    """By the formula, with all pages counted again at every level."""
    levels = [
        [kind for url, kind in read],
        [kind for url, kind in read if url.endswith(ending)],
        [kind for url, kind in read if url.startswith(f"http://{host}/") and url.endswith(ending)],
        [kind for url, kind in read if url.rpartition("/")[0] == f"http://{host}/{folder}" and url.endswith(ending)],
    ]
    share = sum(kind == XML for kind in levels[0]) / max(len(levels[0]), 1)
    for number, kinds in enumerate(levels[1:]):
        above = 0.5 if number == 0 and ending == known else share
        share = (sum(kind == XML for kind in kinds) + 2 * above) / (len(kinds) + 2)
    return share


@pytest.mark.parametrize("seed", range(5))
def test_likelihood_is_that_of_the_formula(seed: int) -> None:
    draw = random.Random(seed)
    places = [(f"h{host}.test", f"f{folder}", end) for host in "12" for folder in "ab" for end in (".xml", ".php")]
    read = []
    for number in range(draw.randrange(60)):
        host, folder, end = draw.choice(places)
        read.append((f"http://{host}/{folder}/{number}{end}", XML if draw.random() < 0.4 else HTML))
    types = SeenTypes.of([XML], read)
    for host, folder, end in places:
        expected = slowly(read, host, folder, end, ".xml")
        assert types.likelihood(f"http://{host}/{folder}/new{end}?page=2").share == pytest.approx(expected)


def test_groups_of_a_front_page_count_once() -> None:
    types = SeenTypes.of([XML], [("http://h.test/a.xml", XML)] * 3)
    assert types.likelihood("http://h.test/b.xml")[1:] == ("http://h.test/*.xml", 3, 3)


@pytest.mark.parametrize("given", ["pdf", "application/", "a/b/c", "NEWS", ""])
def test_what_is_no_type_is_refused(given: str) -> None:
    with pytest.raises(SettingError, match="--focus-type takes news, xml, or a media type"):
        CrawlSettings(focus_type=(given,))
