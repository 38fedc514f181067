"""What the user wants more of."""

from typing import Any

import pytest

from minicrawl.crawler.admission.scope import Focus
from minicrawl.settings import CrawlSettings


def focus(**settings: Any) -> Focus:
    return Focus(CrawlSettings(**settings))


def test_without_focus_every_page_counts_alike() -> None:
    assert focus().is_off
    assert (focus().boost("http://a.test/"), focus().topic("http://a.test/", "cats", "cats")) == (1.0, 1.0)


@pytest.mark.parametrize("settings", [{"boost": ("x=2",)}, {"topic": "cats"}])
def test_any_setting_turns_focus_on(settings: dict[str, Any]) -> None:
    assert not focus(**settings).is_off


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
    ],
)
def test_boosts_multiply(boosts: tuple[str, ...], url: str, factor: float) -> None:
    assert focus(boost=boosts).boost(url) == pytest.approx(factor)


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
def test_each_topic_word_of_a_link_adds_three_hundred(url: str, anchor: str, found: int) -> None:
    assert focus(topic="Cats, dogs").topic(url, anchor) == 1.0 + 300.0 * found


def test_topic_words_of_any_script_count() -> None:
    assert focus(topic="котики 猫").topic("http://h.test/", "Котики и 猫") == 601.0


def test_the_title_of_the_linking_page_multiplies() -> None:
    assert focus(topic="cats").topic("http://h.test/", "more", "My cats") == 4.0
    assert focus(topic="cats").topic("http://h.test/my_cats", "more", "My cats") == 4.0 * 301.0
