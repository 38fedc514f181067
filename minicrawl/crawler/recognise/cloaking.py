"""Cloaked pages: browsers get another page than crawlers do.

After B. Wu, B. D. Davison, "Cloaking and redirection: a preliminary study", AIRWeb 2005: pages differ from themselves,
too, so further copies for the same asker tell how much of a difference is the page's own. Copies are taken in turns,
C1 B1 C2 B2 C3 B3, the crawler's C first, as long as they are in doubt.

    share(x, y) = runs of three words in both / runs in the shorter        of the visible text, any number for any other
    near        = max share(B, C)
    steady      = min share(C, C')
    another page if steady >= STEADY and near < steady / 2

The shorter, as adverts and banners that one asker alone gets hide no text. Nor are pages judged that scripts complete:
they have few words, or fewer for browsers; so text that crawlers get on top of the browsers' counts where a word is too
frequent in all C and no B (html/text_spam.py). Links to other sites count that all C have and no B, where the text is
the same.
"""

import re
from bisect import insort
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from hashlib import blake2b
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.html.fingerprint import LONGEST, shingles_of, words_of
from minicrawl.crawler.html.text_spam import stuffing
from minicrawl.crawler.urls.keys import site_of
from minicrawl.model import Fetched, ParsedPage

COPIES = 3
"""Copies for each asker that make a page cloaked: two variants by chance come so once in 32 times."""
FEWEST_RUNS = 20
STEADY = 0.5
FEWEST_SITES = 3
MOST, ONE_IN = 5, 20
"""Pages of a site in the sample at most, and one in how many. Who cloaks does so on many pages, or on the first."""
_NUMBER = re.compile(r"\d+")


class Copy(NamedTuple):
    """An answer as it is compared. kind: page, missing, or the site it leads to; told: the same in words; runs: sorted
    distinct hashes of its runs of three words; sites: other sites that it links to; stuffed: by what its text is."""

    kind: str
    told: str
    runs: npt.NDArray[np.uint32]
    sites: frozenset[str] = frozenset()
    stuffed: str | None = None


_NO_RUNS = np.zeros(0, dtype=np.uint32)


def copy_of(fetched: Fetched, parsed: ParsedPage, leads_to: str | None) -> Copy | None:
    """The copy in an answer; None where it tells nothing, such as a refusal. leads_to: the URL that it redirects to."""
    own = site_of(fetched.url)
    if leads_to is not None:
        site = site_of(leads_to)
        return None if site == own else Copy(f"site {site}", f"is led to {site}", _NO_RUNS)
    if fetched.status in (404, 410):
        return Copy("missing", f"gets status {fetched.status}", _NO_RUNS)
    if fetched.status != 200 or fetched.digest is None:
        return None
    text = _NUMBER.sub("0", " ".join(parsed.text).lower()).encode()[:LONGEST]
    runs = np.unique(shingles_of(words_of(b" %b " % text)))
    title = f"the page '{parsed.title}'" if parsed.title else "a page without title"
    stuffed = next(filter(None, map(partial(stuffing, lists=False), parsed.text)), None)
    return Copy("page", f"gets {title}", runs, frozenset(map(site_of, parsed.outlinks)) - {own}, stuffed)


def difference(browser: Sequence[Copy], crawler: Sequence[Copy]) -> str | None:
    """What differs between the copies for a browser and for a crawler, in words; None: no more than may be chance."""
    one, other = browser[-1], crawler[-1]
    if len({copy.kind for copy in browser}) > 1 or len({copy.kind for copy in crawler}) > 1:
        return None
    if one.kind != other.kind:
        return f"a browser {one.told}, a crawler {other.told}"
    return _other_page(browser, crawler) if one.kind == "page" else None


def _other_page(browser: Sequence[Copy], crawler: Sequence[Copy]) -> str | None:
    """`difference` of copies that are pages, by their text, and by their links where the text is the same."""
    one, other = browser[-1], crawler[-1]
    if all(copy.stuffed for copy in crawler) and not any(copy.stuffed for copy in browser):
        return f"a text for crawlers alone is stuffed: {other.stuffed}"
    steady = min((_share(*pair) for pair in combinations(crawler, 2)), default=1.0)
    if steady < STEADY or min(len(copy.runs) for copy in (*browser, *crawler)) < FEWEST_RUNS:
        return None
    if max(_share(*pair) for pair in product(browser, crawler)) < steady / 2:
        common = len(np.intersect1d(one.runs, other.runs, assume_unique=True))
        return f"a browser {one.told}, a crawler another: {common} of its {len(one.runs)} runs of words are there"
    sites = frozenset.intersection(*(copy.sites for copy in crawler)).difference(*(copy.sites for copy in browser))
    if len(sites) < FEWEST_SITES or len(one.runs) < len(other.runs) / 2:
        return None
    return f"links to {len(sites)} sites are for crawlers alone, such as {min(sites)}"


def next_asker(browser: Sequence[Copy], crawler: Sequence[Copy]) -> str | None:
    """Who is to get the next copy, "crawler" or "browser"; None: the copies decide."""
    if not (browser and crawler):
        return "browser" if crawler else "crawler"
    if len(browser) == COPIES or difference(browser, crawler) is None:
        return None
    return "crawler" if len(crawler) == len(browser) else "browser"


def sample(pages: Iterable[tuple[int, str, bool]], key: bytes) -> list[int]:
    """The pages to check, of pages by number and URL, True for those that were: of each site the front page and one in
    ONE_IN others, by keyed hashes, so that nobody knows which."""
    sites, sizes = dict[str, list[tuple[bool, bytes, int, bool]]](), Counter[str]()
    for page, url, is_checked in pages:
        site, is_front = site_of(url), url.endswith("/") and url.count("/") == 3
        sizes[site] += 1
        first = sites.setdefault(site, [])
        insort(first, (not is_front, blake2b(url.encode(), digest_size=8, key=key).digest(), page, is_checked))
        del first[MOST:]
    return [
        page
        for site, first in sites.items()
        for _, _, page, is_checked in first[: 1 + -(-(sizes[site] - 1) // ONE_IN)]
        if not is_checked
    ]


def _share(one: Copy, other: Copy) -> float:
    """The share of the shorter copy's runs that both have."""
    common = np.intersect1d(one.runs, other.runs, assume_unique=True)
    return len(common) / max(min(len(one.runs), len(other.runs)), 1)
