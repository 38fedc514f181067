"""Copies of a page for two askers: when they differ by more than chance, and which pages of a site are checked."""

import random
from collections import defaultdict
from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.prose import WORDS

from minicrawl.crawler.recognise.cloaking import COPIES, Copy, copy_of, difference, next_asker, sample
from minicrawl.crawler.urls.keys import site_of
from minicrawl.model import Fetched, ParsedPage

URL = "http://a.test/page"
SITES = [f"http://shop{number}.test/" for number in range(4)]


def said(seed: int, words: int = 200) -> list[str]:
    return random.Random(seed).choices(WORDS, k=words)


def page(*words: str, title: str | None = "T", links: list[str] | None = None, more: str = "") -> Copy:
    """more: a block of text behind that of the words."""
    parsed = ParsedPage(title=title, text=(" ".join(words), more), outlinks=tuple(links or ()))
    copy = copy_of(Fetched(URL, status=200, digest=1), parsed, None)
    assert copy is not None
    return copy


def answer(status: int, leads_to: str | None = None) -> Copy:
    copy = copy_of(Fetched(URL, status=status), ParsedPage(), leads_to)
    assert copy is not None
    return copy


ONE, OTHER = said(1), said(2)
OURS = page(*ONE)
STUFFED = "cheap red shoes " * 30
STABLE = {
    "another text": (page(*OTHER), OURS, "a browser gets the page 'T', a crawler another: 0 of its 198 runs of words"),
    "a text within one template": (page(*ONE[:60], *OTHER), OURS, "58 of its 258 runs"),
    "a site": (answer(302, "http://casino.test/in"), OURS, "a browser is led to casino.test, a crawler gets the page"),
    "another site": (answer(302, "http://b.test/"), answer(301, "http://c.test/"), "a browser is led to b.test, a cr"),
    "a 404": (answer(404), OURS, "a browser gets status 404, a crawler gets the page 'T'"),
    "no 404": (page(*ONE, title=None), answer(410), "a browser gets a page without title, a crawler gets status 410"),
    "links": (OURS, page(*ONE, links=SITES), "links to 4 sites are for crawlers alone, such as shop0.test"),
    "stuffed text": (OURS, page(*ONE, more=STUFFED), 'a text for crawlers alone is stuffed: "cheap" 30 times in 90'),
    "nothing else": (OURS, page(STUFFED), "a text for crawlers alone is stuffed"),
}
ALIKE = {
    "stuffed for both": (page(*ONE, more=STUFFED), page(*ONE, more=STUFFED)),
    "nothing": (OURS, OURS),
    "a clock": (page(*ONE, "12:45"), page("12:46", *ONE)),
    "adverts": (page(*said(3, 300), *ONE, links=SITES), OURS),
    "a first part": (page(*ONE[:50]), page(*ONE, links=SITES)),
    "a shell": (page("Loading", "the", "page"), OURS),
    "a few links": (OURS, page(*ONE, links=SITES[:2])),
    "status 404 and 410": (answer(404), answer(410)),
    "the path on one site": (answer(302, "http://b.test/1"), answer(302, "http://www.b.test/2")),
    "no text": (page(), page()),
}


@pytest.mark.parametrize("name", STABLE)
def test_what_a_browser_gets_in_place_of_a_page_is_told(name: str) -> None:
    browser, crawler, told = STABLE[name]
    for copies in range(1, COPIES + 1):
        assert told in (difference([browser] * copies, [crawler] * copies) or "")


@pytest.mark.parametrize("name", ALIKE)
def test_what_two_askers_get_by_chance_or_for_their_comfort_is_no_difference(name: str) -> None:
    assert difference([ALIKE[name][0]], [ALIKE[name][1]]) is None


@pytest.mark.parametrize("status", [200, 204, 403, 429, 500, 503])
def test_answers_that_tell_nothing_are_no_copies(status: int) -> None:
    """A 200 without a digest is no HTML."""
    assert copy_of(Fetched(URL, status=status), ParsedPage(), None) is None
    assert copy_of(Fetched(URL, status=302), ParsedPage(), "http://www.a.test/other") is None


def cloaks(answers: list[Copy]) -> tuple[bool, int]:
    """Whether a page is cloaked that answers so, whoever asks; and how many answers that took."""
    copies: dict[str, list[Copy]] = {"browser": [], "crawler": []}
    for taken, copy in enumerate(answers):
        asker = next_asker(**copies)
        if asker is None:
            return difference(**copies) is not None, taken
        copies[asker].append(copy)
    return difference(**copies) is not None, len(answers)


def test_pages_that_differ_from_themselves_are_asked_for_a_third_time_and_no_more() -> None:
    assert cloaks([page(*said(number)) for number in range(6)]) == (False, 3)
    assert cloaks([OURS] * 6) == (False, 2)


def test_two_variants_by_chance_are_cloaked_once_in_32_pages() -> None:
    """All of the 64 ways in which six answers may have one of two variants."""
    variants = [page(*ONE), page(*OTHER)]
    found = [cloaks([variants[ways >> at & 1] for at in range(6)]) for ways in range(64)]
    assert sum(is_cloaked for is_cloaked, _ in found) == 2
    assert {taken for is_cloaked, taken in found if is_cloaked} == {6}


URLS = st.builds(
    "http://{}{}/{}".format, st.sampled_from(["", "www."]), st.sampled_from(["a.test", "b.test"]), st.integers(0, 300)
)


@given(st.sets(URLS, max_size=150), st.booleans(), st.binary(max_size=16))
def test_a_sample_has_the_front_page_and_one_in_twenty(urls: set[str], has_front: bool, key: bytes) -> None:
    urls |= {"http://a.test/"} if has_front else set()
    numbered = {url: number for number, url in enumerate(sorted(urls))}
    of_site = defaultdict(list)
    for url, number in numbered.items():
        digest = blake2b(url.encode(), digest_size=8, key=key).digest()
        of_site[site_of(url)].append((url != "http://a.test/", digest, number))
    expected = set()
    for found in of_site.values():
        size = 1 + sum(1 for at in range(1, len(found)) if at % 20 == 1)
        expected |= {page for _, _, page in sorted(found)[: min(size, 5)]}
    pages = [(number, url, False) for url, number in numbered.items()]
    assert set(sample(pages, key)) == expected
    random.Random(1).shuffle(pages)
    assert set(sample(pages, key)) == expected
    assert sample([(number, url, number in expected) for number, url, _ in pages], key) == []
