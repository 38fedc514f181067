"""Robots directives, as lists in a header or an element have them."""

import pytest

from minicrawl.crawler.html.parse import parse_html
from minicrawl.crawler.html.robots_directives import Directives, read_directives

DIRECTIVES = {
    "empty": ("", True, True),
    "nofollow": ("nofollow", False, True),
    "noindex": ("noindex", True, False),
    "none": ("NONE", False, False),
    "list": (" noindex ,nofollow ", False, False),
    "other-robot": ("otherbot: none", True, True),
    "other-robot-holds-for-the-list": ("otherbot: noindex, nofollow", True, True),
    "us": ("minicrawl: none", False, False),
    "us-in-any-case": ("MiniCrawl: nofollow", False, True),
    "us-after-other": ("otherbot: none, minicrawl: nofollow", False, True),
    "other-after-us": ("minicrawl: nofollow, otherbot: noindex", False, True),
    "all-before-other": ("noindex, otherbot: nofollow", True, False),
    "everybody": ("*: nofollow", False, True),
    "word-parts": ("nofollows, xnone", True, True),
    "behind-max-snippet": ("max-snippet:50, nofollow", False, True),
    "behind-max-image-preview": ("max-image-preview:large, noindex", True, False),
    "behind-a-date": ("unavailable_after: 25 Jun 2030 15:00:00 PST, noindex", True, False),
}


@pytest.mark.parametrize(("directives", "follow", "index"), DIRECTIVES.values(), ids=DIRECTIVES.keys())
def test_directive_lists_are_read_per_robot(directives, follow, index):
    found = read_directives(directives)
    assert (found.follow, found.index) == (follow, index)


@pytest.mark.parametrize(
    ("directives", "archive"),
    [
        ("noarchive", False),
        ("noindex, NOARCHIVE", False),
        ("minicrawl: noarchive", False),
        ("otherbot: noarchive", True),
        ("none", True),  # stands for noindex and nofollow alone
        ("nocache, noarchives", True),
    ],
)
def test_copies_are_forbidden_by_noarchive_alone(directives: str, archive: bool) -> None:
    assert read_directives(directives).archive is archive


def test_elements_of_a_page_add_up() -> None:
    page = parse_html(b"<meta name=robots content=noarchive><meta name=minicrawl content=nofollow>", "http://a.test/")
    assert (page.follow, page.index, page.archive) == (False, True, False)


def test_both_must_allow_it() -> None:
    one, other = Directives(follow=False), Directives(archive=False)
    assert one.and_(other) == other.and_(one) == Directives(follow=False, archive=False)
