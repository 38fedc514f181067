"""Conditional requests as RFC 9110 and as servers have them, row by row."""

import pytest

from minicrawl.demo.changing.manners import MANNERS, is_not_modified, validators

VERSION, NOW = 1_767_225_600, 1_767_230_000.25
DATE, LATER = "Thu, 01 Jan 2026 00:00:00 GMT", "Thu, 01 Jan 2026 00:00:01 GMT"
EARLIER = "Wed, 31 Dec 2025 23:59:59 GMT"
TAG = '"6955b900"'


def test_a_version_has_its_tag_and_its_date():
    assert validators(MANNERS["nginx"], VERSION, NOW) == {"ETag": TAG, "Last-Modified": DATE}
    assert validators(MANNERS["weak ETag"], VERSION, NOW)["ETag"] == f"W/{TAG}"
    assert validators(MANNERS["nothing"], VERSION, NOW) == {}
    assert len(validators(MANNERS["long ETag"], VERSION, NOW)["ETag"]) > 2048


@pytest.mark.parametrize("manner", MANNERS)
def test_only_liars_say_the_same_of_two_versions_or_differ_of_one(manner):
    first, same, second = (
        validators(MANNERS[manner], version, now)
        for version, now in ((VERSION, NOW), (VERSION, NOW + 5), (VERSION + 9, NOW + 5))
    )
    assert (first == same) is (manner not in {"new ETag", "date of now"})
    assert (same != second) is (manner not in {"stuck ETag", "date of now", "nothing"})


def test_the_date_of_a_liar_is_in_the_future_or_now():
    assert validators(MANNERS["future date"], VERSION, NOW)["Last-Modified"] == "Fri, 01 Jan 2027 00:00:00 GMT"
    assert validators(MANNERS["date of now"], VERSION, NOW)["Last-Modified"] == "Thu, 01 Jan 2026 01:13:20 GMT"


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
        ("new ETag", f'"{NOW - 1!r}"', LATER, False),
        ("future date", None, "Fri, 01 Jan 2027 00:00:00 GMT", True),
        ("date of now", None, DATE, False),
        ("always 304", '"other"', None, True),
        ("always 304", None, EARLIER, True),
        ("always 304", None, None, False),
    ],
)
def test_is_not_modified(manner, tags, since, expected):
    asked = {"If-None-Match": tags, "If-Modified-Since": since}
    fields = validators(MANNERS[manner], VERSION, NOW)
    given = {name: value for name, value in asked.items() if value is not None}
    assert is_not_modified(MANNERS[manner], fields, given) is expected
