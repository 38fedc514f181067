"""When pages are asked for on a condition."""

import random
from typing import Any

import pytest

from minicrawl.crawler.recognise.changes import Difference
from minicrawl.crawler.recognise.conditions import (
    evidence,
    host_doubt,
    is_conditional,
    needs,
    needs_more,
    page_doubt,
    repeated,
)
from minicrawl.settings import CrawlSettings

PLAIN: dict[str, Any] = {"deny": ("/x",), "text": True, "respect_usage": ("ai-train",)}


@pytest.mark.parametrize(
    ("changed", "is_more"),
    [
        ({"deny": ()}, True),
        ({"deny": ("/x", "/y")}, True),
        ({"max_depth": 3}, True),
        ({"extract": ("t=h1",)}, True),
        ({"search": True}, True),
        ({"text": False}, False),
        ({"respect_usage": ("search",)}, True),
        ({"respect_usage": ()}, True),  # what was withheld
        ({"delay": 5.0, "workers": 2, "pages": 10, "refresh": True}, False),
    ],
)
def test_pages_must_be_read_again_for_other_links_and_for_more_content(changed: dict[str, Any], is_more: bool) -> None:
    before, after = (needs(CrawlSettings.of(PLAIN | more)) for more in ({}, changed))
    assert needs_more(before, after) is is_more


def test_a_store_from_before_a_setting_needs_nothing_more() -> None:
    now = needs(CrawlSettings.of({"text": True}))
    assert not needs_more({name: value for name, value in now.items() if name != "respect_usage"}, now)


class Host:
    """Pages that change with a probability between two requests, asked for in turn.

    validator: of a version and a number of the answer. says_304: to a request that is conditional, by whether the
    validators are the current ones. noisy: the page differs at every full answer.
    """

    def __init__(self, kind: str, pages: int, change: float = 0.3) -> None:
        self.kind, self.change = kind, change
        self.random = random.Random(pages)
        self.host = 0
        self.pages: list[dict[str, Any]] = [
            {"version": 0, "seen": 0, "tag": self.tag(0), "repeats": 1, "doubt": 0, "304": 0} for _ in range(pages)
        ]
        self.asked = [[False] * 0 for _ in range(pages)]
        self.stale = 0

    def tag(self, version: int) -> float:
        return {"stuck": 0.0, "stuck, without 304": 0.0, "another each time": self.random.random()}.get(
            self.kind, version
        )

    def ask_all(self, turn: int) -> None:
        for number, page in enumerate(self.pages):
            page["version"] += self.random.random() < self.change
            conditional = is_conditional(number + turn, page["repeats"], page["doubt"], self.host)
            self.asked[number].append(conditional)
            tag = self.tag(page["version"])
            says_304 = {"always 304": True, "stuck, without 304": False}.get(self.kind, tag == page["tag"])
            if conditional and says_304:
                page["304"] = 1
                self.stale += page["seen"] != page["version"]
                continue
            is_change = page["version"] != page["seen"]
            differs = is_change or self.kind == "noisy"
            found = Difference(is_change, 0, 0, b"", is_certain=True, differs=differs)
            same = tag == page["tag"]
            proof = evidence(
                found, page["repeats"], is_same=same, was_conditional=conditional, after_304=bool(page["304"])
            )
            self.host = host_doubt(self.host, proof, page["doubt"])
            page |= {
                "repeats": repeated(page["repeats"], found, is_same=same), "doubt": page_doubt(page["doubt"], proof),
                "304": 0, "seen": page["version"], "tag": tag,
            }  # fmt: skip

    def share(self, since: int) -> float:
        """Conditional share of the requests."""
        some = [conditional for of_page in self.asked for conditional in of_page[since:]]
        return sum(some) / len(some)


HONEST = {"honest", "noisy", "another each time"}


@pytest.mark.parametrize("pages", [3, 10, 100])
@pytest.mark.parametrize("kind", ["honest", "noisy", "another each time", "stuck", "stuck, without 304", "always 304"])
def test_hosts_that_lie_are_found_out_for_all_their_pages_and_no_others(kind: str, pages: int) -> None:
    host = Host(kind, pages)
    for turn in range(1, 65):
        host.ask_all(turn)
    if kind in HONEST:
        assert host.share(0) >= 0.9
        assert host.host < 6
    else:
        assert host.share(48) <= 0.2
        assert host.host >= 6 or pages == 3
        for of_page in host.pages:
            of_page["seen"] = of_page["version"]
        host.kind = "honest"
        for turn in range(65, 513):
            host.ask_all(turn)
        assert host.share(448) >= 0.9


def test_one_page_that_lies_costs_its_host_nothing() -> None:
    host, liar = Host("honest", 20), Host("always 304", 1)
    liar.host = 0
    for turn in range(1, 129):
        host.host = liar.host
        host.ask_all(turn)
        liar.host = host.host
        liar.ask_all(turn)
    assert host.share(0) >= 0.9
    assert liar.share(64) <= 0.2
