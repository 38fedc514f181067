"""Times of changes; conditional requests as RFC 9110 and as servers have them, row by row."""

import math
from itertools import pairwise
from random import Random

import pytest

from minicrawl.demo.changing.versions import BEGINNING, MANNERS, Absences, Changes, is_not_modified, validators

NOW = 1_800_000_000.0


@pytest.mark.parametrize("rate", [1e-5, 3e-4, 0.01])
def test_counts_are_those_of_a_poisson_process(rate: float) -> None:
    """Mean and variance of the counts in many stretches are both what the rate says, within five deviations."""
    stretch, pages = 30.0 / rate, 300
    counts = [len(Changes(f"page {page}", rate).between(NOW - stretch, NOW)) for page in range(pages)]
    mean = sum(counts) / pages
    # Two changes within a second are one.
    expected = stretch * -math.expm1(-rate)
    assert mean == pytest.approx(expected, abs=5 * math.sqrt(expected / pages))
    variance = sum((count - mean) ** 2 for count in counts) / (pages - 1)
    assert variance == pytest.approx(expected, rel=5 * math.sqrt(2 / pages))


def test_gaps_have_no_memory() -> None:
    """As many are longer than the mean as an exponential distribution has: a share of 1 / e."""
    times = Changes("a page", 0.001).between(NOW - 5e6, NOW)
    gaps = [after - before for before, after in pairwise(times)]
    share = sum(gap > 1000 for gap in gaps) / len(gaps)
    assert share == pytest.approx(1 / math.e, abs=5 * math.sqrt(0.25 / len(gaps)))


@pytest.mark.parametrize("rate", [0.0, 1e-12, 1e-6, 0.02, 0.1])
def test_the_last_change_is_the_last_of_them(rate: float) -> None:
    random, changes = Random(0), Changes("a page", rate)
    for _ in range(50):
        now = NOW + random.uniform(-1e6, 1e6)
        last = changes.last(now)
        assert BEGINNING <= last <= now
        assert changes.between(last, now) == []
        assert last == BEGINNING or changes.between(last - 1, now) == [last]


def test_what_has_been_never_changes() -> None:
    """Asked later, or for another stretch, the same changes stand in the same places."""
    changes = Changes("a page", 0.003)
    whole = changes.between(NOW - 10_000, NOW)
    assert len(whole) > 10
    assert [time for time in changes.between(NOW - 20_000, NOW + 5_000) if NOW - 10_000 < time <= NOW] == whole
    assert Changes("another", 0.003).between(NOW - 10_000, NOW) != whole


def test_nothing_happens_before_the_beginning() -> None:
    assert Changes("a page", 0.1).last(BEGINNING - 1e6) == BEGINNING


@pytest.mark.parametrize("lasting", [0, 1, 30])
def test_away_and_back_take_turns(lasting: int) -> None:
    absences = Absences("a page", 100.5, lasting)
    seconds = [NOW + second for second in range(3000)]
    states = [absences.is_away(second) for second in seconds]
    turned = [
        int(second)
        for second, before, after in zip(seconds[1:], states, states[1:], strict=False)
        if before is not after
    ]
    assert absences.turns(seconds[0], seconds[-1]) == turned
    assert sum(states) == pytest.approx(3000 / 100.5 * lasting, abs=lasting)
    assert absences.last_turn(seconds[-1]) == (turned[-1] if lasting else BEGINNING)


VERSION, ASKED_AT = 1_767_225_600, 1_767_230_000.25
DATE, LATER = "Thu, 01 Jan 2026 00:00:00 GMT", "Thu, 01 Jan 2026 00:00:01 GMT"
EARLIER = "Wed, 31 Dec 2025 23:59:59 GMT"
TAG = '"6955b900"'


def test_a_version_has_its_tag_and_its_date() -> None:
    assert validators(MANNERS["nginx"], VERSION, ASKED_AT) == {"ETag": TAG, "Last-Modified": DATE}
    assert validators(MANNERS["weak ETag"], VERSION, ASKED_AT)["ETag"] == f"W/{TAG}"
    assert validators(MANNERS["nothing"], VERSION, ASKED_AT) == {}
    assert len(validators(MANNERS["long ETag"], VERSION, ASKED_AT)["ETag"]) > 2048


@pytest.mark.parametrize("manner", MANNERS)
def test_only_liars_say_the_same_of_two_versions_or_differ_of_one(manner: str) -> None:
    first, same, second = (
        validators(MANNERS[manner], version, now)
        for version, now in ((VERSION, ASKED_AT), (VERSION, ASKED_AT + 5), (VERSION + 9, ASKED_AT + 5))
    )
    assert (first == same) is (manner not in {"new ETag", "date of now"})
    assert (same != second) is (manner not in {"stuck ETag", "date of now", "nothing"})


def test_the_date_of_a_liar_is_in_the_future_or_now() -> None:
    assert validators(MANNERS["future date"], VERSION, ASKED_AT)["Last-Modified"] == "Fri, 01 Jan 2027 00:00:00 GMT"
    assert validators(MANNERS["date of now"], VERSION, ASKED_AT)["Last-Modified"] == "Thu, 01 Jan 2026 01:13:20 GMT"


@pytest.mark.parametrize(
    ("manner", "tags", "since", "expected"),
    [
        ("nginx", None, None, False),
        ("nginx", TAG, None, True),
        ("nginx", f"W/{TAG}", None, True),  # compared weakly, 13.1.2
        ("nginx", f'"other", W/"x,y" ,{TAG}', None, True),
        ("nginx", "*", None, True),
        ("nginx", '"other"', None, False),
        ("nginx", TAG.strip('"'), None, False),  # without its quotes it is no tag
        ("nginx", "", None, False),
        ("nginx", '"other"', DATE, False),  # If-None-Match goes first, 13.2.2
        ("nginx", TAG, EARLIER, True),
        ("nginx", None, DATE, True),
        ("nginx", None, LATER, False),  # equal or nothing
        ("nginx", None, EARLIER, False),
        ("nginx", None, "Thursday, 01-Jan-26 00:00:00 GMT", False),  # the same time, not the same bytes
        ("Apache", None, DATE, True),
        ("Apache", None, LATER, True),
        ("Apache", None, EARLIER, False),
        ("Apache", None, "yesterday", False),
        ("Apache", None, "", False),
        ("Apache", '"other"', LATER, False),
        ("dates only", TAG, None, False),
        ("dates only", TAG, DATE, True),  # whoever has no tags looks at the date
        ("weak ETag", f"W/{TAG}", None, True),
        ("weak ETag", TAG, None, True),
        ("ETag only", None, LATER, False),
        ("nothing", TAG, DATE, False),
        ("stuck ETag", '"1"', None, False),  # says the same of every version, and 200
        ("new ETag", f'"{ASKED_AT - 1!r}"', LATER, False),
        ("future date", None, "Fri, 01 Jan 2027 00:00:00 GMT", True),
        ("date of now", None, DATE, False),
        ("always 304", '"other"', None, True),
        ("always 304", None, EARLIER, True),
        ("always 304", None, None, False),
    ],
)
def test_is_not_modified(manner: str, tags: str | None, since: str | None, expected: bool) -> None:
    asked = {"If-None-Match": tags, "If-Modified-Since": since}
    fields = validators(MANNERS[manner], VERSION, ASKED_AT)
    given = {name: value for name, value in asked.items() if value is not None}
    assert is_not_modified(MANNERS[manner], fields, given) is expected
