"""Admission of URLs, and the cash that they are born with."""

from collections.abc import Callable

import pytest

from minicrawl.crawler.admission.traps import NO_CONTENT, Admission, Traps
from minicrawl.settings import CrawlSettings

HOME = "http://a.test/"
TRAP = HOME + "x" * 2_000


def is_ours(url: str) -> bool:
    return "b.test" not in url


@pytest.mark.parametrize("traps", [None, Traps()], ids=["no traps", "traps"])
@pytest.mark.parametrize("is_own", [None, is_ours], ids=["all ours", "shared"])
def test_every_url_gets_its_own_answer_in_its_own_place(
    traps: Traps | None, is_own: Callable[[str], bool] | None
) -> None:
    """Traps are asked of the URLs that are ours alone, so their answers are fewer, and must not slip."""
    urls = [HOME + "1", "http://b.test/", TRAP, HOME + "2", TRAP.replace("a.", "b."), HOME + "3"]
    admission = Admission(CrawlSettings(), traps, is_own)
    is_judged = [traps is not None and len(url) > 1_000 and (is_own is None or is_ours(url)) for url in urls]
    expected = ["trap-long-url" if is_trap else None for is_trap in is_judged]
    found = list(admission.refusals(HOME, NO_CONTENT, urls))
    assert (found or [None] * len(urls)) == expected  # no answers at all: nothing is refused
    assert admission.refusal(HOME, TRAP) == (None if traps is None else "trap-long-url")
