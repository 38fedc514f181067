"""Trust of sites, their voices and jumps: loops that do what the formulas say."""

import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import growth

from minicrawl.opic.sites import FRAME, NAMED, VOICE_UNIT, SiteGraph, SiteLinks, Voices, site_trust


def trust(links: dict[tuple[int, int], int], roots: list[int]) -> tuple[Any, Any, float]:
    """links: {(source, target): number}. roots: of every site."""
    sources, targets = np.array(list(links), dtype=np.int64).reshape(-1, 2).T
    counts = np.array(list(links.values()), dtype=np.int64)
    return site_trust(sources, targets, counts, np.array(roots, float), len(roots))


def slow_trust(links: dict[tuple[int, int], int], roots: list[int]) -> tuple[list[float], list[float]]:
    """The same by the formulas, site by site, three hundred times: t, and g."""
    size, d, root = len(roots), 0.85, [each / sum(roots) for each in roots]

    def said(count: int) -> float:
        return 0.0 if count == 0 else 0.25 if count == 1 else 1.0 if count in (2, 3) else math.log2(1 + count)

    def weight(count: int) -> float:
        return said(count % FRAME) + said(count // FRAME) / 8

    w = {pair: weight(count) for pair, count in links.items() if pair[0] != pair[1]}
    out = [sum(one for (a, _), one in w.items() if a == site) for site in range(size)]
    u = [0.0] * size
    for _ in range(3):
        u = [
            d * sum(w.get((a, b), 0) / (out[a] or 1) * (1 if root[b] else u[b]) for b in range(size))
            for a in range(size)
        ]
    x = {(a, b): d * one / (2 + out[a]) * u[a] / (u[a] + 0.5) for (a, b), one in w.items()}
    t = root
    for _ in range(300):
        got = [sum(t[a] * x.get((a, b), 0) for a in range(size)) for b in range(size)]
        t = [here + (1 - sum(got)) * of for here, of in zip(got, root, strict=True)]
    most = [max(t[a] * x.get((a, b), 0) for a in range(size)) for b in range(size)]
    tau = math.exp(sum(one * math.log(one) for one in t if one))
    less = [one if root[site] else one - most[site] for site, one in enumerate(t)]
    return t, [min(1.0, one / (tau / 2)) ** 2 for one in less]


@st.composite
def graphs_of_sites(draw: Callable[..., Any]) -> tuple[dict[tuple[int, int], int], list[int]] | None:
    size = draw(st.integers(1, 7))
    site = st.integers(0, size - 1)
    number = st.sampled_from([1, 2, 3, 4, 99, FRAME, 3 * FRAME, 50 * FRAME + 1, FRAME + 7])
    links = draw(st.dictionaries(st.tuples(site, site), number, max_size=20))
    roots = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size).filter(any))
    return links, roots


@given(graphs_of_sites())
def test_trust_is_what_the_formulas_say(graph: tuple[dict[tuple[int, int], int], list[int]]) -> None:
    links, roots = graph
    (t, voice, _), (expected, g) = trust(links, roots), slow_trust(links, roots)
    assert t == pytest.approx(expected, abs=1e-9)
    assert t.sum() == pytest.approx(1.0)
    assert voice / VOICE_UNIT == pytest.approx(g, abs=0.51 / VOICE_UNIT)


@pytest.mark.parametrize("farm", [1, 10, 100])
def test_a_site_from_which_nobody_comes_back_passes_nothing_on(farm: int) -> None:
    """The farm's domains link to each other, and one honest site to the first of them."""
    ring = {(2 + i, 2 + (i + 1) % farm): 5 for i in range(farm) if farm > 1}
    links = {(0, 1): 9, (1, 0): 9, (1, 2): 1} | ring
    t, voice, _ = trust(links, [1, 0] + [0] * farm)
    assert t[3:].sum() == 0.0
    assert t[2] < 0.02
    assert not voice[2:].any()


def site_links(
    seeds: Sequence[int],
    pairs: dict[tuple[int, int], tuple[int, int]],
    pages: Sequence[tuple[int, int]],
    leads_to: Mapping[int, int] = MappingProxyType({}),
) -> SiteLinks:
    """pairs: number of links and of voices by source and target. pages: those known and those read, of each site."""
    ends = np.array(list(pairs), dtype=np.int64).reshape(-1, 2).T
    numbers = np.array(list(pairs.values()), dtype=np.int64).reshape(-1, 2).T
    leads = np.array([leads_to.get(site, site) for site in range(len(pages))])
    has_seed, names = np.isin(np.arange(len(pages)), seeds), [f"{site}.test" for site in range(len(pages))]
    known, read = np.array(pages).reshape(-1, 2).T
    return SiteLinks(names, has_seed, known, read, leads, *ends, *numbers)


def test_a_typical_site_has_a_jump_and_a_voice_half_of_one() -> None:
    """Two roots have all trust, as no link leads back from the third, which has no voice to name the fourth."""
    shares = site_links([0, 1], {(0, 2): (5, 3 * 16), (2, 3): (5, 16)}, [(1, 1)] * 4).shares(total=2**40)
    assert shares.trust.tolist() == [0.5, 0.5, 0.0, 0.0]
    assert shares.voice.tolist() == [VOICE_UNIT, VOICE_UNIT, 0, 0]
    assert shares.vouchers.tolist() == [0.0, 0.0, 1.0, 0.0]
    assert shares.heard.tolist() == [True, True, True, False]
    jump = 2**40 / (2 + 1.5)
    assert shares.homes == pytest.approx(2 * jump)
    assert shares.voice_level * VOICE_UNIT == pytest.approx(jump / 2, rel=1e-6)


def test_voices_have_no_more_than_a_jump_for_each_two_sites() -> None:
    """From one seed the site and all that it names have half of the jumps each; a site has 64 voices in full."""
    for named in (3, 64, 1_024):
        shares = site_links([0], {(0, 1): (2 * named, 16 * named)}, [(1, 1)] * 2).shares(total=2**40)
        voices = shares.voice.item(0) * named
        assert voices == VOICE_UNIT * min(named, NAMED)
        assert shares.homes == pytest.approx(2**39)
        assert shares.voice_level * voices == pytest.approx(2**39, rel=1e-6)


@pytest.mark.parametrize(("sites", "heard"), [(20, 64), (32, 64), (256, 8), (1_024, 2)])
def test_among_many_sites_each_has_few_voices_in_full(sites: int, heard: int) -> None:
    """Who has bought one of the seeds names 250 pages of his own."""
    shares = site_links(list(range(sites)), {(0, sites): (500, 16 * 250)}, [(1, 1)] * (sites + 1)).shares()
    assert shares.voice.item(0) * 250 / VOICE_UNIT == pytest.approx(heard, rel=0.05)


def test_sites_that_redirect_to_one_are_names_of_it() -> None:
    """Sites 3 and 4 lead to 2, 5 to 4, 6 and 7 to each other. Of what 0 says by three names, the most counts."""
    links = {(0, 2): (1, 8), (0, 3): (3, 16), (0, 5): (1, 8), (1, 4): (2, 16), (2, 0): (9, 16), (2, 5): (9, 16)}
    pages = [(7, 1), (7, 1), (3, 1), *[(1, 0)] * 3, (2, 0), (2, 0)]
    found = site_links([0, 1, 4], links, pages, {3: 2, 4: 2, 5: 4, 6: 7, 7: 6}).shares()
    folded = {(0, 2): (3, 16), (1, 2): (2, 16), (2, 0): (9, 16)}
    expected = site_links([0, 1, 2], folded, [(7, 1), (7, 1), (6, 1), (2, 0), (2, 0)]).shares()
    assert found.whole.tolist() == [0, 1, 2, 2, 2, 2, 6, 7]
    assert found.trust[[0, 1, 2, 6, 7]] == pytest.approx(expected.trust)
    assert not found.trust[3:6].any()
    assert (found.homes, found.voice_level) == pytest.approx((expected.homes, expected.voice_level))
    assert found.vouchers[:3] == pytest.approx(expected.vouchers[:3])


@pytest.mark.parametrize(
    ("seeds", "pages", "expected"),
    [
        ([0, 1, 2], [(7, 1), (7, 7), (1000, 1)], [3, 3, math.log2(33)]),  # by what it has, once it has answered
        ([0, 1, 2, 3], [(3, 1), (7, 1), (15, 1), (900, 0)], [2, 3, 4, 3]),  # one that has not as the median
        ([0, 1], [(3, 0), (900, 0)], [1, 1]),  # none has
        ([0, 1], [(3, 1), (0, 0)], [2, 0]),  # of one nothing is there
        ([0], [(3, 1), (900, 5)], [2, 0]),
        ([], [(3, 1), (900, 5)], [1, 1]),
        ([0], [(0, 0), (0, 0)], [1, 1]),
    ],
)
def test_seeds_share_by_the_pages_that_are_known(
    seeds: list[int], pages: list[tuple[int, int]], expected: list[float]
) -> None:
    trust = site_links(seeds, {}, pages).shares().trust
    assert trust.tolist() == pytest.approx([each / sum(expected) for each in expected])


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
    """Sites 6 and 7 are names of site 5: of a site's voices by these, as many count as by one; of its own none."""
    draw, graph = np.random.default_rng(most), SiteGraph()
    site_of, whole = draw.integers(1, 9, 200), np.array([0, 1, 2, 3, 4, 5, 5, 5, 8])
    voice = draw.integers(0, 257, 9)
    assert graph.voices_for(site_of, voice, whole).sum() == 0
    pages, sites = draw.integers(0, 200, 500), draw.integers(1, 9, 500)
    sites[pages < 40] = 1  # links to many pages of a site
    graph.add(Voices(pages, sites, places := draw.choice([1, FRAME], len(pages))))
    found, expected = graph.voices_for(site_of, voice, whole, most), [0] * 200
    linked: defaultdict[tuple[int, int], Counter[int]] = defaultdict(Counter)
    for page, site, each in zip(pages.tolist(), sites.tolist(), places.tolist(), strict=True):
        linked[site, int(site_of[page])][page] += each
    linked = defaultdict(
        Counter,
        {
            pair: of_pair
            for pair, of_pair in linked.items()
            if len(of_pair) <= most and whole[pair[0]] != whole[pair[1]]
        },
    )
    said = {pair: sum(map(sixteenths, of_pair.values())) for pair, of_pair in linked.items()}
    for (site, target), of_pair in linked.items():
        by_name = [said.get((site, name), 0) for name in range(9) if whole[name] == whole[target]]
        for page, links in of_pair.items():
            expected[page] += int(voice[site]) * sixteenths(links) // 16 * max(by_name) // sum(by_name)
    assert found.any()
    assert found.tolist() == expected


def test_sharing_out_is_linear_in_the_number_of_sites() -> None:
    """Ten times as many take ten times as long."""

    def share_out(size: int) -> None:
        draw = np.random.default_rng(size)
        source, target = draw.integers(0, size, (2, 3 * size))
        one, pairs = np.ones(size, np.int64), np.ones(3 * size, np.int64)
        names, is_root, itself = [""] * size, draw.random(size) < 0.1, np.arange(size)
        SiteLinks(names, is_root, 9 * one, one, itself, source, target, 2 * pairs, 16 * pairs).shares()

    assert growth(share_out, 10_000) < 1.5
