"""Patterns and rules, against one regular expression per rule."""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.effort import ratio
from support.robots_cases import slowly_allows, spelt

from minicrawl.web.html.parse import parse_html
from minicrawl.web.robots.matching import Pattern, Rules, octets_of, respelt

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
    "\0",
    "\1",
]
PATHS = st.lists(st.sampled_from(PIECES), max_size=7).map("".join)
RULES = st.lists(st.tuples(PATHS.map("/{}".format) | PATHS.filter(bool), st.booleans()), max_size=60)


@given(RULES, PATHS)
@example([("/*a*b$", False)], "aabab")
@example([("/*ab*ab$", False)], "ab")
@example([("/a*", True), ("/*b", False)], "ab")
def test_rules_decide_as_the_slow_reading_does(rules: list[tuple[str, bool]], rest: str) -> None:
    octets = octets_of(f"https://h.test/{rest}")
    assert Rules([(path.encode(), is_allowed) for path, is_allowed in rules]).allow(octets) is slowly_allows(
        rules, f"/{rest}"
    )


@given(st.text(st.characters(codec="utf-8")))
def test_octets_are_ascii_and_spelt_in_one_way(text: str) -> None:
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
def test_octets_of_a_url_are_those_of_path_and_query(url: str, octets: str) -> None:
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
def test_a_pattern_of_many_stars_reads_a_path_once(part: str, end: str) -> None:
    """No octet lies in two searches, and every part is searched for at most once."""
    stars = 10_000
    pattern = Pattern.parse(f"/{f'*{part}' * stars}{end}".encode())
    octets = Watched("/" + "a" * 3 * stars)
    octets.searches = []
    assert pattern.matches(octets) is ("b" not in end)
    assert len(octets.searches) <= stars
    assert all(end <= start for (_, end), (start, _) in zip(octets.searches, octets.searches[1:], strict=False))


def test_stars_in_a_row_are_one_part_but_count_each() -> None:
    assert Pattern.parse(b"/a" + b"*" * 10_000 + b"b") == Pattern("/a", ("b",), False, 10_003)


def test_many_plain_rules_cost_one_look_per_length() -> None:
    """However many rules there are, a URL is compared with no more than one of each length."""
    looks = 0

    class Counted(dict[str, int]):
        def get(self, key: str) -> int | None:  # type: ignore[override]
            nonlocal looks
            looks += 1
            return super().get(key)

    rules = Rules([(f"/{number:05}".encode(), number % 2 == 0) for number in range(10_000)])
    rules._plain = Counted(rules._plain)
    assert rules.allow("/00002")
    assert not rules.allow("/00003/x")
    assert looks == 2


@pytest.mark.parametrize("longest", [3, 7, 30, 100])
@pytest.mark.parametrize("size", [60, 2_000])
def test_a_crowd_of_pieces_of_the_url_decides_as_each_pattern_does(longest: int, size: int) -> None:
    """Of which some are there often, some once, and some are long; what decides is taken out until nothing does."""
    random = Random(f"{longest}{size}")
    octets = "/" + "".join(random.choices("abcd", k=size // 2)) + "".join(random.choices(LETTERS, k=size // 2))

    def piece() -> str:
        at = random.randrange(len(octets))
        return octets[at : at + random.randint(1, longest)]

    def path() -> str:
        return "*".join(["/", *(piece() for _ in range(random.randint(1, 5)))]) + random.choice(["", "$", "d"])

    rules = {path(): random.random() < 0.5 for _ in range(3_000)}
    patterns = {path: Pattern.parse(path.encode()) for path in rules}
    matching = sorted(
        (pattern.length, rules[path], path) for path, pattern in patterns.items() if pattern.matches(octets)
    )
    assert matching
    while matching:
        made = Rules([(path.encode(), is_allowed) for path, is_allowed in rules.items()])
        assert made.allow(octets) is matching[-1][1]
        for _, _, known in matching[len(matching) // 2 :]:
            del rules[known]
        del matching[len(matching) // 2 :]
    assert Rules([(path.encode(), False) for path in rules]).allow(octets)


LETTERS = "abcdefghijklmnopqrstuvwxyz"
TARGET = f"/{LETTERS[::-1]}/{LETTERS}/page-12345?q=thequickbrownfox"
HOSTILE: dict[str, Callable[[Random], str]] = {
    "letters": lambda random: "".join(f"*{letter}" for letter in random.choices(LETTERS, k=4)),
    "letters-to-the-end": lambda random: "".join(f"*{letter}" for letter in random.choices(LETTERS, k=3)) + "$",
    "two-letters": lambda random: "".join(f"*{letter}" for letter in random.choices("ab", k=20)) + "*_",
    "pieces-of-the-url": lambda random: "".join(f"*{TARGET[at : at + 3]}" for at in random.choices(range(50), k=3)),
    "longer-pieces": lambda random: f"*{_piece(random)}*{_piece(random)}*_",
    "heads": lambda random: "".join(random.choices(LETTERS, k=4)) + "*a",
    "escapes": lambda random: "".join(f"*%{octet:02x}" for octet in random.choices(range(0x41, 0x5B), k=4)),
}


LONG = "/" + "".join(Random(0).choices(f"{LETTERS}/-?=&", k=1_999))
HOSTILE_TO_LONG: dict[str, tuple[str, Callable[[Random], str]]] = {
    "letters": (LONG, HOSTILE["letters"]),
    "its-pieces": (LONG, lambda random: f"*{_piece(random, LONG)}*{_piece(random, LONG)}*_"),
    "its-short-pieces": (LONG, lambda random: "".join(f"*{_piece(random, LONG, 4)}" for _ in range(6)) + "*_"),
    "within-one-another": ("/" + "a" * 1_999, lambda random: f"*{'a' * random.randint(1, 1_000)}*_"),
    "also-twice": ("/" + "a" * 1_999, lambda random: "".join(f"*{'a' * random.randint(1, 60)}" for _ in "12") + "*_"),
}


def _piece(random: Random, target: str = TARGET, longest: int = 30) -> str:
    at = random.randrange(len(target))
    return target[at : at + random.randrange(1, longest)]


def hostile(path: Callable[[Random], str]) -> list[tuple[bytes, bool]]:
    """A file's worth of rules."""
    random = Random(0)
    rules: list[tuple[bytes, bool]] = []
    left = 500_000
    while left > 0:
        rules.append((f"/{path(random)}".encode(), False))
        left -= len(rules[-1][0]) + len("Disallow:\n")
    return rules


PAGE = b"".join(b"<p>some words of page %d <a href=/%d>a link</a></p>" % (at, at) for at in range(10_000))[:500_000]


def pages(work: Callable[[], object]) -> float:
    """How many pages of the same size could be read in the CPU time of some work."""
    return ratio(work, lambda: parse_html(PAGE, "http://h.test/", "text/html"))


@pytest.mark.parametrize("kind", HOSTILE)
def test_500_kb_of_patterns_with_stars_cost_little(kind: str) -> None:
    """To make ready, and a question, no more than a page: the test allows for three times that."""
    rules = hostile(HOSTILE[kind])
    made, octets = Rules(rules), octets_of(f"http://h.test{TARGET}")
    assert pages(lambda: Rules(rules)) < 3
    assert pages(lambda: made.allow(octets)) < 3


@pytest.mark.parametrize("kind", HOSTILE_TO_LONG)
def test_500_kb_of_patterns_cost_a_long_url_no_more_than_a_page(kind: str) -> None:
    """Again the test allows for three times that."""
    octets, path = HOSTILE_TO_LONG[kind]
    made = Rules(hostile(path))
    assert pages(lambda: made.allow(octets)) < 3


def test_a_pattern_of_more_stars_than_any_url_has_octets() -> None:
    rules = Rules([(b"/" + b"*a" * stars + b"$", False) for stars in (*range(1, 100), 2_999, 3_000, 3_001)])
    for length in (1, 99, 100, 2_998, 2_999, 4_000):
        assert not rules.allow("/" + "a" * length)
    assert rules.allow("/" + "a" * 3_000 + "b")
    only_long = Rules([(b"/" + b"*a" * stars, False) for stars in range(3_000, 3_100)])
    assert only_long.allow("/" + "a" * 2_999)
    assert not only_long.allow("/" + "a" * 3_000)
