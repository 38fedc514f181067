"""Trust, topics and reversed links against networkx, dense solutions, and cases that can be derived."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.link_webs import by_networkx, heavy_graph

from minicrawl.rank import Graph, pagerank
from minicrawl.rank.trust import inverse_pagerank, topic_pagerank, topic_shares, trustrank

GRAPH_OF_4 = Graph.from_links([[1], [2], [3], [0]])


@pytest.mark.parametrize("seed", range(5))
def test_inverse_ranks_are_those_of_the_reversed_web(seed: int) -> None:
    graph = heavy_graph(seed, 60)
    assert inverse_pagerank(graph) == pytest.approx(by_networkx(graph.reverse()[0]), abs=1e-11)


def test_inverse_ranks_know_weights() -> None:
    """Only the link 0 -> 1 weighs anything, so backwards only 1 leads on."""
    ranks = inverse_pagerank(Graph.from_links([[1, 2], [], [1]]), weights=np.array([2.0, 0.0, 0.0]))
    y = np.array([1.85, 1, 1])
    assert ranks == pytest.approx(y / y.sum(), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_trust_is_pagerank_from_the_trusted_pages(seed: int) -> None:
    graph = heavy_graph(seed, 60)
    expected = by_networkx(graph, preference=np.isin(np.arange(60), [3, 7, 40]))
    assert trustrank(graph, [3, 7, 40]) == pytest.approx(expected, abs=1e-11)
    assert trustrank(graph, [7, 3, 40, 7]) == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("seed", range(5))
def test_blend_is_pagerank_of_the_blended_preference(seed: int) -> None:
    graph, rng = heavy_graph(seed, 60), np.random.default_rng(seed)
    topics = [rng.choice(60, size, replace=False).tolist() for size in (1, 4, 9)]
    shares = rng.random(3)
    preference = sum(
        share * np.isin(np.arange(60), topic) / len(topic) for share, topic in zip(shares, topics, strict=True)
    )
    assert topic_pagerank(graph, topics, shares) == pytest.approx(pagerank(graph, preference=preference), abs=1e-11)


def test_words_say_which_topic_a_query_is_of() -> None:
    """Vocabulary: ball, goal, court and any other word, so 4. P(goal | k) is 4/10 and 1/8, P(law | k) 1/10 and 1/8."""
    counts = [{"ball": 3, "goal": 3}, {"court": 4}]
    goal, law = np.array([4 / 10, 1 / 8]), np.array([1 / 10, 1 / 8])
    both = goal * law
    assert topic_shares(counts, ["goal"]) == pytest.approx(goal / goal.sum())
    assert topic_shares(counts, ["goal", "law"]) == pytest.approx(both / both.sum())
    assert topic_shares(counts, ["goal"], prior=[1, 3]) == pytest.approx(goal * [1, 3] / (goal @ [1, 3]))
    assert topic_shares(counts, []).tolist() == [0.5, 0.5]
    assert topic_shares(counts, ["goal"], prior=[0, 1]).tolist() == [0.0, 1.0]


def test_long_queries_do_not_underflow() -> None:
    shares = topic_shares([{"a": 1}, {"b": 1}], ["a"] * 5000)
    assert shares.tolist() == [1.0, 0.0]
    assert not math.isnan(topic_shares([{"a": 1}, {"b": 1}], ["a", "b"] * 5000).sum())


def test_graph_without_pages_has_no_trust() -> None:
    empty = Graph.from_links([])
    assert trustrank(empty, []).shape == inverse_pagerank(empty).shape == (0,)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: trustrank(GRAPH_OF_4, []), "trusted pages must be at least one of 0 to 3"),
        (lambda: trustrank(GRAPH_OF_4, [4]), "trusted pages must be at least one of 0 to 3"),
        (lambda: trustrank(GRAPH_OF_4, [-1]), "trusted pages must be at least one of 0 to 3"),
        (lambda: trustrank(GRAPH_OF_4, [0.5]), "trusted pages must be at least one of 0 to 3"),  # type: ignore[list-item]
        (lambda: trustrank(GRAPH_OF_4, [0], damping=1.0), "damping must be at least 0 and below 1, not 1.0"),
        (lambda: topic_pagerank(GRAPH_OF_4, [[0], []], [1, 1]), "pages of topic 1 must be at least one of 0 to 3"),
        (lambda: topic_pagerank(GRAPH_OF_4, [[0]], [0]), "shares must be 1 numbers, one per topic"),
        (lambda: topic_pagerank(GRAPH_OF_4, [[0]], [1, 1]), "shares must be 1 numbers, one per topic"),
        (lambda: topic_shares([], ["a"]), "at least one topic, not none"),
        (lambda: topic_shares([{"a": 1}], ["a"], smoothing=0), "smoothing must be more than 0, not 0"),
        (lambda: topic_shares([{"a": 1}], ["a"], prior=[-1]), "prior must be 1 numbers"),
    ],
)
def test_what_cannot_be_meant_is_refused(call: Callable[..., Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
