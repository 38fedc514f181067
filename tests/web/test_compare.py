"""What is compared of answers: their own day and time are no change, those of events are; the lines that one of them
lacks at its end are no noise."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from minicrawl.web.compare.comparing import Memory, compare, first_view
from minicrawl.web.compare.view import Entry, View, dated_key

NOON = datetime(2026, 3, 5, 12, 0, tzinfo=UTC).timestamp()
HOUR = 3_600.0
LINES = [f"Paragraph {letter} of the guide." for letter in "abcdefghijklmnopqrst"]


@pytest.mark.parametrize(
    ("line", "later", "hours"),
    [
        ("It is 12:00", "It is 18:00", 6),
        ("It is 12:00:31", "It is 12:59:02", 1),
        ("Now 5:29 PM", "Now 11:31 PM", 6),
        ("As of 11:50", "As of 13:57", 2),
        ("Thursday, 5 March 2026, 13:00", "Friday, 6 March 2026, 11:01", 22),
        ("2026-03-05 12:00:00", "2026-03-06 12:00:00", 24),
        ("2026-03-05T12:00:00+02:00", "2026-03-06T17:00:00+02:00", 29),
        ("Updated Mar 5, 2026, 11:10 AM", "Updated Mar 5, 2026, 5:10 PM", 6),
        ("le 5 mars 2026 à 12h00", "le 6 mars 2026 à 13h00", 25),
        ("2026年3月5日", "2026年3月6日", 24),
        ("Thu Mar 5 12:00:00 UTC 2026", "Fri Mar 6 12:00:00 UTC 2026", 24),
        ("now: 1772712000", "now: 1772733600123", 6),
    ],
)
def test_the_day_and_time_of_an_answer_are_left_out(line: str, later: str, hours: int) -> None:
    assert dated_key(line, NOON) == dated_key(later, NOON + hours * HOUR)


@pytest.mark.parametrize(
    ("line", "later", "hours"),
    [
        ("Opens at 10:15", "Opens at 11:15", 6),
        ("Opens at 10:15", "Opens at 11:15", 0),
        ("Opens at 10:15 AM", "Opens at 10:15 PM", 12),
        ("On 9 March 2026, 10:15", "On 9 March 2026, 10:45", 24),
        ("Today, 5 March 2026, 15:00", "Today, 5 March 2026, 17:00", 0),
        ("Version 2.5 of 2026", "Version 2.6 of 2026", 24),
        ("Lot 1772712000", "Lot 1772798400", 1),
        ("On 9 March 2026", "On 10 March 2026", 1),
        ("Chapter 25:10", "Chapter 26:10", 1),
    ],
)
def test_those_of_an_event_stay(line: str, later: str, hours: int) -> None:
    assert dated_key(line, NOON) != dated_key(later, NOON + hours * HOUR)


def view(lines: list[str]) -> View:
    return View(NOON, "http://a.test/", 200, entries=tuple(Entry("text", line, line) for line in lines))


@pytest.mark.parametrize("kept", [18, 15, 9])
def test_the_lines_that_an_answer_lacks_at_its_end_are_no_noise(kept: int) -> None:
    """Wherever it stands among the first answers. Twin: lines in the middle."""
    cut = view([*LINES[:kept], LINES[kept][:5]])
    changed = view([*LINES[:-1], "The last one is new."])
    for answers in ([cut, view(LINES), view(LINES)], [view(LINES), view(LINES), cut]):
        memory = Memory()
        first = first_view(answers, memory, is_last=False)
        assert first is not None
        assert compare(first, [changed] * 3, memory).what == "changed"
        assert compare(first, [cut, view(LINES)], memory).what == "same"
    memory = Memory()
    first = first_view([view(LINES), view(LINES), view([*LINES[:5], *LINES[7:]])], memory, is_last=False)
    assert first is not None
    assert compare(first, [view([*LINES[:5], "An advertisement.", *LINES[7:]])] * 3, memory).what == "same"


@pytest.mark.parametrize(("banners", "is_told"), [((0, 1, 1), True), ((1, 1, 1), False)])
def test_what_most_answers_have_for_once_is_no_change_of_its_place(banners: tuple[int, ...], is_told: bool) -> None:
    """Of a place that has changed before; with one in all answers the third change is a habit."""
    first, memory = view([*LINES[:3], "A job.", *LINES[3:]]), Memory()
    gone = compare(first, [view(LINES)] * 3, memory, check=4)
    assert (gone.what, gone.base is not None) == ("changed", True)
    shown = [view([*LINES[:3], *["We ask you."] * banner, *LINES[3:]]) for banner in banners]
    stored = compare(view(LINES), shown, memory, check=7).base or view(LINES)
    verdict = compare(stored, [view([*LINES[:3], "Another job.", *LINES[3:]])] * 3, memory, check=8)
    assert ("Another job." in [entry.text for entry in verdict.added]) is is_told


@pytest.mark.parametrize(("is_beside", "is_told"), [(True, True), (False, False)])
def test_a_place_where_something_beside_the_content_changes_is_no_habit_of_the_content(
    is_beside: bool, is_told: bool
) -> None:
    stored, memory = view(LINES), Memory()
    for check in range(1, 5):
        banner = Entry("text", f"Banner {check * 'x'}.", f"Banner {check * 'x'}.", is_beside)
        now = replace(stored, entries=(*view(LINES[:3]).entries, banner, *view(LINES[3:]).entries))
        stored = compare(stored, [now] * 3, memory, check=check).base or stored
    verdict = compare(stored, [view([*LINES[:3], "A job.", *LINES[3:]])] * 3, memory, check=5)
    assert ("A job." in [entry.text for entry in verdict.added]) is is_told


def test_what_is_not_decided_stays_in_its_place() -> None:
    """Beside a change that is told: the next moment finds it where it was."""
    first, memory = view(["Buy oars.", *LINES]), Memory()
    now = [view([advertisement, *LINES[:-1], "New."]) for advertisement in ("Buy sails.", "Buy oars.", "Buy sails.")]
    told = compare(first, now, memory)
    assert [entry.text for entry in told.added] == ["New."]
    assert told.base is not None
    assert [entry.text for entry in told.base.entries] == ["Buy oars.", *LINES[:-1], "New."]
