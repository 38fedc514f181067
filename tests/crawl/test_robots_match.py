"""Patterns and rules against a slow reading of RFC 9309: one regular expression per rule, every rule tried."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from minicrawl.crawl.robots_match import Pattern, Rules, octets_of, respelt

UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
RESERVED = ":/?#[]@!$&'()*+,;="


def spelt(text: str) -> list[str]:
    """2.2.2, character after character."""
    found, place = [], 0
    while place < len(text):
        escape = re.compile("%([0-9A-Fa-f]{2})").match(text, place)
        octet = int(escape[1], 16) if escape else None
        if octet is not None:
            is_plain = chr(octet) in f"{UNRESERVED}*$"
            found.append(chr(octet) if is_plain else f"%{octet:02X}")
        elif text[place] in f"{UNRESERVED}{RESERVED}%":
            found.append(text[place])
        else:
            found += [f"%{octet:02X}" for octet in text[place].encode()]
        place += 3 if escape else 1
    return found


def slow_rule(path: str) -> tuple[int, re.Pattern[str]]:
    """Octets of a rule, and a regular expression for the URLs it matches (2.2.3)."""
    is_whole = path.endswith("$")
    parts = ["".join(spelt(part)) for part in path.removesuffix("$").split("*")]
    regex = ".*".join(map(re.escape, parts)) + (r"\Z" if is_whole else "")
    return sum(map(len, parts)) + len(parts) - 1 + is_whole, re.compile(regex)


def slowly_allows(rules: list[tuple[str, bool]], target: str) -> bool:
    octets = "".join(spelt(target))
    matches = [(0, True)]
    for path, is_allowed in rules:
        length, regex = slow_rule(path)
        if regex.match(octets):
            matches.append((length, is_allowed))
    return max(matches)[1]


PIECES = [
    "/",
    "a",
    "b",
    "ab",
    "*",
    "*",
    "$",
    "%",
    "%2F",
    "%2f",
    "%61",
    "%2a",
    "%24",
    "%7C",
    "|",
    "ü",
    "%c3%BC",
    "?",
    "&=",
]
PATHS = st.lists(st.sampled_from(PIECES), max_size=7).map("".join)
RULES = st.lists(st.tuples(PATHS.map("/{}".format) | PATHS.filter(bool), st.booleans()), max_size=8)


@given(RULES, PATHS)
@example([("/*a*b$", False)], "aabab")
@example([("/*ab*ab$", False)], "ab")
@example([("/a*", True), ("/*b", False)], "ab")
def test_rules_decide_as_the_slow_reading_does(rules, rest):
    octets = octets_of(f"https://h.test/{rest}")
    assert Rules([(path.encode(), is_allowed) for path, is_allowed in rules]).allow(octets) is slowly_allows(
        rules, f"/{rest}"
    )


@given(st.text(st.characters(codec="utf-8")))
def test_octets_are_ascii_and_spelt_in_one_way(text):
    octets = respelt(text.encode())
    assert octets == "".join(spelt(text))
    assert octets.isascii()


@pytest.mark.parametrize(
    ("url", "octets"),
    [
        ("http://h.test", "/"),
        ("http://h.test/", "/"),
        ("http://h.test?q", "/?q"),
        ("http://h.test/a/b?c=d/e#f", "/a/b?c=d/e"),
        ("http://h.test:81//a", "//a"),
        ("http://[::1]/a", "/a"),
        ("https://h.test/?u=http://x.test/y", "/?u=http://x.test/y"),
        ("https://h.test/?", "/?"),
        ("https://h.test/ü%7e%c3%bc%2f*%24", "/%C3%BC~%C3%BC%2F*$"),
    ],
)
def test_octets_of_a_url_are_those_of_path_and_query(url, octets):
    assert octets_of(url) == octets


class Watched(str):
    """A string that notes from where to where it was searched."""

    searches: list[tuple[int, int]]

    def find(self, part: str, start: int) -> int:  # type: ignore[override]
        place = super().find(part, start)
        self.searches.append((start, len(self) if place < 0 else place + len(part)))
        return place


@pytest.mark.parametrize("end", ["", "$", "b", "b$"])
@pytest.mark.parametrize("part", ["a", "aa", ""])
def test_a_pattern_of_many_stars_reads_a_path_once(part, end):
    """No octet lies in two searches, and every part is searched for at most once."""
    stars = 10_000
    pattern = Pattern.parse(f"/{f'*{part}' * stars}{end}".encode())
    octets = Watched("/" + "a" * 3 * stars)
    octets.searches = []
    assert pattern.matches(octets) is ("b" not in end)
    assert len(octets.searches) <= stars
    assert all(end <= start for (_, end), (start, _) in zip(octets.searches, octets.searches[1:], strict=False))


def test_stars_in_a_row_are_one_part_but_count_each():
    assert Pattern.parse(b"/a" + b"*" * 10_000 + b"b") == Pattern(("/a", "b"), False, 10_003)


def test_many_plain_rules_cost_one_look_per_length():
    """However many rules there are, a URL is compared with no more than one of each length."""
    looks = 0

    class Counted(dict[str, bool]):
        def get(self, key: str) -> bool | None:  # type: ignore[override]
            nonlocal looks
            looks += 1
            return super().get(key)

    rules = Rules([(f"/{number:05}".encode(), number % 2 == 0) for number in range(10_000)])
    rules._plain = Counted(rules._plain)
    assert rules.allow("/00002")
    assert not rules.allow("/00003/x")
    assert looks == 2


@pytest.mark.parametrize("rule", ["/*x{}*q", "/*page-{}*.pdf$", "/dir{}/*.html$", "/*.html?a={}", "/*{}", "/a*b*c{}$"])
def test_of_many_patterns_few_are_tried(rule, monkeypatch):
    """Those that have something in common with the URL which is rare among them."""
    tried = []
    matches = Pattern.matches
    monkeypatch.setattr(Pattern, "matches", lambda self, octets: tried.append(self) or matches(self, octets))
    rules = Rules([(rule.format(f"{number:04}").encode(), False) for number in range(5_000)])
    assert rules.allow("/some/page-77.html?id=12")
    assert not rules.allow("/dir1234/a/b/x1234/page-1234/c1234/q.html?a=12341.pdf") or rule.endswith("$")
    assert len(tried) < 100


@given(st.lists(st.tuples(PATHS.map("/{}".format), st.booleans()), min_size=8, max_size=60), PATHS, PATHS)
def test_many_rules_decide_as_the_slow_reading_does(rules, rest, more):
    octets = octets_of(f"https://h.test/{rest}{more}")
    assert Rules([(path.encode(), is_allowed) for path, is_allowed in rules]).allow(octets) is slowly_allows(
        rules, f"/{rest}{more}"
    )
