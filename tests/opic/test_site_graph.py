"""Links between sites as they come and go, against a plain count."""

import random
from collections import Counter, defaultdict

import numpy as np
import pytest

from minicrawl.opic.sites import FRAME, SiteGraph, Voices


def voices(rows: list[tuple[int, int, int]]) -> Voices:
    return Voices(*np.array(rows, dtype=np.int64).reshape(-1, 3).T)


def sixteenths(links: int) -> int:
    """Of a voice in full: two links in the content, or one, or none but such in the frame."""
    frame, content = divmod(links, FRAME)
    return min(frame, 2) if not content else 4 if content == 1 else 16


def counted(found: Voices) -> dict[tuple[int, int], int]:
    return {(page, site): links for page, site, links in zip(*(column.tolist() for column in found), strict=True)}


@pytest.mark.parametrize("seed", range(5))
def test_graph_is_what_a_plain_count_says(seed: int) -> None:
    draw, graph, expected = random.Random(seed), SiteGraph(), Counter[tuple[int, int]]()
    site_of = np.array([draw.randrange(1, 5) for _ in range(30)])
    for _ in range(40):
        placed = (1, 1, FRAME)
        rows = [(draw.randrange(30), draw.randrange(1, 5), draw.choice(placed)) for _ in range(draw.randrange(6))]
        there = [(voice, 1) for voice, links in expected.items() if links % FRAME]
        there += [(voice, FRAME) for voice, links in expected.items() if links >= FRAME]
        rows += [(*voice, -each) for voice, each in draw.sample(there, min(len(there), draw.randrange(5)))]
        before = Counter(expected)
        for page, site, links in rows:
            expected[page, site] += links
        changes = {voice: expected[voice] - before[voice] for voice in {*expected, *before}}
        assert counted(graph.add(voices(rows))) == {voice: change for voice, change in changes.items() if change}
        expected = +expected
        if draw.random() < 0.5:
            assert counted(graph.voices()) == expected
    pairs, voiced = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    for (page, site), links in expected.items():
        pairs[site, int(site_of[page])] += links
        voiced[site, int(site_of[page])] += sixteenths(links)
    source, target, links, found = (column.tolist() for column in graph.pairs(site_of))
    assert counted(graph.voices()) == expected
    assert dict(zip(zip(source, target, strict=True), links, strict=True)) == pairs
    assert dict(zip(zip(source, target, strict=True), found, strict=True)) == voiced


@pytest.mark.parametrize("most", [3, 100])
def test_voices_for_a_page_are_added_up_but_for_generated_links_and_names(most: int) -> None:
    """Sites 6 and 7 are names of site 5: of a site's voices by these, as many count as by one of them."""
    draw, graph = np.random.default_rng(most), SiteGraph()
    site_of, whole = draw.integers(1, 9, 200), np.array([0, 1, 2, 3, 4, 5, 5, 5, 8])
    voice = draw.integers(0, 257, 9)
    assert graph.voices_for(site_of, voice, whole).sum() == 0
    pages, sites = draw.integers(0, 200, 500), draw.integers(1, 9, 500)
    sites[pages < 40] = 1  # links to many pages of a site
    across = sites != site_of[pages]
    graph.add(Voices(pages[across], sites[across], links := draw.choice([1, FRAME], len(pages))[across]))
    found, expected = graph.voices_for(site_of, voice, whole, most), [0] * 200
    linked: defaultdict[tuple[int, int], Counter[int]] = defaultdict(Counter)
    for page, site, each in zip(pages[across].tolist(), sites[across].tolist(), links.tolist(), strict=True):
        linked[site, int(site_of[page])][page] += each
    linked = defaultdict(Counter, {pair: of_pair for pair, of_pair in linked.items() if len(of_pair) <= most})
    said = {pair: sum(map(sixteenths, of_pair.values())) for pair, of_pair in linked.items()}
    for (site, target), of_pair in linked.items():
        by_name = [said.get((site, name), 0) for name in range(9) if whole[name] == whole[target]]
        for page, links in of_pair.items():
            expected[page] += int(voice[site]) * sixteenths(links) // 16 * max(by_name) // sum(by_name)
    assert found.any()
    assert found.tolist() == expected
