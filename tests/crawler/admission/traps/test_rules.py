"""The question to all rules."""

from collections.abc import Callable

import pytest

from minicrawl.crawler.admission.traps import NO_CONTENT, Admission, Traps
from minicrawl.settings import CrawlSettings

FRONT = "http://a.test/"
TRAP = FRONT + "x" * 9_000


def is_ours(url: str) -> bool:
    return "b.test" not in url


@pytest.mark.parametrize("traps", [None, Traps()], ids=["no traps", "traps"])
@pytest.mark.parametrize("is_own", [None, is_ours], ids=["all ours", "shared"])
def test_every_url_gets_its_own_answer_in_its_own_place(
    traps: Traps | None, is_own: Callable[[str], bool] | None
) -> None:
    """Traps are asked of the URLs that are ours alone, so their answers are fewer, and must not slip."""
    urls = [FRONT + "1", "http://b.test/", TRAP, FRONT + "2", TRAP.replace("a.", "b."), FRONT + "3"]
    admission = Admission(CrawlSettings(), traps, is_own)
    is_judged = [len(url) > 1_000 and (traps is None or is_own is None or is_ours(url)) for url in urls]
    rule = "too-long" if traps is None else "trap-long-url"
    expected = [rule if is_trap else None for is_trap in is_judged]
    found = list(admission.refusals(FRONT, NO_CONTENT, urls))
    assert found == expected
    assert admission.refusal(FRONT, TRAP) == rule
