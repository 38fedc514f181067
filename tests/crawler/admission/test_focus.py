"""Weights of links, and the estimate that a URL is of a wanted type."""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from minicrawl.crawler.admission.focus import MOST, Focus, SeenTypes
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


def focus(**settings: Any) -> Focus:
    return Focus.of(CrawlSettings(**settings))


def weights_of(focus: Focus, urls: list[str], anchors: list[str]) -> npt.NDArray[np.int64]:
    weights = focus.weights(urls, anchors)
    assert weights is not None
    return weights


def test_without_focus_there_are_no_weights() -> None:
    assert focus().is_off
    assert focus().weights(["http://a.test/"], [""]) is None


@pytest.mark.parametrize("settings", [{"boost": ("x=2",)}, {"topic": "cats"}])
def test_any_setting_turns_focus_on(settings: dict[str, Any]) -> None:
    assert not focus(**settings).is_off
    assert focus(**settings).weights(["http://a.test/"], [""]) is not None


@pytest.mark.parametrize("words", ["", "   ", "!?"])
def test_a_topic_without_words_is_none(words: str) -> None:
    assert focus(topic=words).is_off


@pytest.mark.parametrize(
    ("boosts", "url", "factor"),
    [
        (("/wiki/=3",), "http://a.test/wiki/x", 3.0),
        (("/wiki/=3",), "http://a.test/blog/x", 1.0),
        (("a=2", "test=5"), "http://a.test/", 10.0),
        (("a=2", "nope=5"), "http://a.test/", 2.0),
        (("a=0.1",), "http://a.test/", 0.1),
        ((r"\?q=1=4",), "http://a.test/?q=1", 4.0),
        (("a=1000", "test=1000"), "http://a.test/", 1000.0),
    ],
)
def test_boosts_multiply_up_to_a_thousand(boosts: tuple[str, ...], url: str, factor: float) -> None:
    assert focus(boost=boosts).factor(url) == pytest.approx(factor)


@pytest.mark.parametrize(
    ("url", "anchor", "found"),
    [
        ("http://h.test/cats", "", 1),
        ("http://h.test/x", "All about CATS", 1),
        ("http://h.test/cats", "cats and cats", 1),
        ("http://h.test/cats", "and dogs", 2),
        ("http://h.test/x", "concatenate", 0),
        ("http://h.test/x", "nothing", 0),
        ("http://cats.test/", "", 1),
    ],
)
def test_each_topic_word_found_adds_four(url: str, anchor: str, found: int) -> None:
    assert focus(topic="Cats, dogs").factor(url, anchor) == 1.0 + 4.0 * found


def test_topic_words_of_any_script_count() -> None:
    assert focus(topic="котики 猫").factor("http://h.test/", "Котики и 猫") == 9.0


def test_both_multiply() -> None:
    weights = weights_of(
        focus(boost=("deep=2",), topic="cats"),
        ["http://example.com/deep/cats", "http://away.test/"],
        ["", "cats"],
    )
    assert weights.tolist() == [1000, 500]


def test_no_link_is_worth_nothing() -> None:
    weights = weights_of(focus(boost=(".=0.00001",)), ["http://a.test/"], [""])
    assert weights.tolist() == [1]
    assert weights.dtype == np.int64


def test_a_page_without_links_has_no_parts() -> None:
    weights = weights_of(focus(topic="cats"), [], [])
    assert weights.tolist() == []
    assert weights.dtype == np.int64


def test_news_loses_half_of_its_worth_in_two_months_and_never_all() -> None:
    """The newest month is that of three pages read, so that a page of a calendar does not make all news old."""
    types = SeenTypes.of(
        ["news"], [(f"http://h.test/2026/1{month}/0{day}/x", HTML) for month in "01" for day in (1, 2)]
    )
    assert types.likelihood("http://h.test/2009/01/01/x").share == 1.0
    types.count("http://h.test/2099/01/01/", HTML)
    types.count("http://h.test/2026-11-03-x.html", HTML)
    shares = {
        date: types.likelihood(f"http://h.test/{date}/x").share
        for date in ("2026/12", "2026/11/30", "2026/09/01", "2026/07", "2025/11/21", "2009/01/01")
    }
    assert list(shares.values()) == [1.0, 1.0, 0.5, 0.25, 0.1, 0.1]
    assert types.likelihood("http://h.test/x", "http://h.test/feed/").share == 1.0
