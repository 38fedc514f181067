"""Weights of links."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from minicrawl.crawler.admission.focus import Focus
from minicrawl.settings import CrawlSettings


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
