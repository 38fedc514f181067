"""tdmrep.json: a row for each rule of TDMRep, and when it is asked for again."""

import json
from typing import Any  # Any: JSON

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from minicrawl.crawler.robots.preferences import combined
from minicrawl.crawler.robots.rules import LIFETIME, MAX_BYTES
from minicrawl.crawler.robots.tdmrep import (
    MOST_RULES,
    TdmrepState,
    judged_tdmrep,
    parse_tdmrep,
    restored_tdmrep,
)
from minicrawl.model import Fetched
from minicrawl.timing import Timing

ORIGIN = "https://h.test"
FILE = f"{ORIGIN}/.well-known/tdmrep.json"
NOW = 1_000_000.0


def state(body: bytes) -> TdmrepState:
    return judged_tdmrep(Fetched(FILE, status=200, body=body), NOW)


def says(body: bytes | list[Any], path: str) -> str | None:
    found = state(body if isinstance(body, bytes) else json.dumps(body).encode())
    shown = found.statements(ORIGIN + path, FILE)
    assert combined(each.preferences for each in shown) == found.preferences(ORIGIN + path)
    return found.preferences(ORIGIN + path).text


def rule(location: object, reservation: object = 1, **more: object) -> dict[str, object]:
    return {"location": location, "tdm-reservation": reservation, **more}


RESERVED, FREE = "ai-input=n, ai-train=n", "ai-input=y, ai-train=y"
# The second example of the specification.
GROUPS = [
    rule("/directory-a/"),
    rule("/directory-b/html/", **{"tdm-policy": "https://provider.com/policies/policy.json"}),
    rule("/directory-b/images/*.jpg", 0),
]


@pytest.mark.parametrize(
    ("rules", "path", "expected"),
    [
        ([rule("/")], "/any/where?x=1", RESERVED),
        (GROUPS, "/directory-a/x.pdf", RESERVED),
        (GROUPS, "/directory-b/html/", RESERVED),
        (GROUPS, "/directory-b/images/a/b.jpg", FREE),
        (GROUPS, "/directory-b/images/a.png", None),
        (GROUPS, "/", None),
        # The most specific match is the first in sequence, however long.
        ([rule("/"), rule("/free/", 0)], "/free/x", RESERVED),
        ([rule("/free/", 0), rule("/")], "/free/x", FREE),
        # Patterns: case, stars, ends, escapes.
        ([rule("/A")], "/a", None),
        ([rule("/this/*/then")], "/this/and/then", RESERVED),
        ([rule("/this/path/exactly$")], "/this/path/exactly", RESERVED),
        ([rule("/this/path/exactly$")], "/this/path/exactly/not", None),
        ([rule("/path/foo-%24")], "/path/foo-$", RESERVED),
        ([rule("/%7Euser/")], "/~user/", RESERVED),
        ([rule("/ü")], "/%C3%BC", RESERVED),
        ([rule("*")], "/any", RESERVED),
        ([rule("no-slash")], "/no-slash", None),
        ([rule("")], "/any", RESERVED),
        # Values but 1 and 0 are errors, by which the reservation is unset.
        ([rule("/", 2), rule("/")], "/", None),
        ([rule("/", None)], "/", None),
        ([{"location": "/"}], "/", None),
        ([rule("/", "1")], "/", RESERVED),
        ([rule("/", "0")], "/", FREE),
        ([rule("/", True)], "/", RESERVED),
        ([rule("/", False)], "/", FREE),
        ([rule("/", 1.0)], "/", None),
        ([rule("/", [1])], "/", None),
        # Rules that are none are left out.
        (["nonsense", None, 1, [], {}, rule(1), {"tdm-reservation": 1}, rule("/")], "/", RESERVED),
        ([rule("/", other=1, **{"tdm-policy": 7})], "/", RESERVED),
        ([], "/", None),
        # Files that are none.
        (b'{"location": "/", "tdm-reservation": 1}', "/", None),  # the brackets are mandatory
        (b'[{"location": "/", "tdm-reservation": 1}', "/", None),
        (b"<html>not found</html>", "/", None),
        (b"", "/", None),
        (b"\xff\xfe", "/", None),
        (b'\xef\xbb\xbf[{"location": "/", "tdm-reservation": 1}]', "/", RESERVED),
        (b"[" * 100_000, "/", None),
        (b"[" + b"1" * 10_000 + b"]", "/", None),
        (b'["\\ud800", {"location": "/\\ud800", "tdm-reservation": 1}]', "/", None),
        (b'[{"location": "/", "tdm-reservation": 1}]' + b" " * MAX_BYTES, "/", None),
        ([rule(f"/{number}") for number in range(MOST_RULES - 1)] + [rule("/")], "/x", RESERVED),
        ([rule(f"/{number}") for number in range(MOST_RULES)] + [rule("/")], "/x", None),
    ],
)
def test_rule(rules: bytes | list[Any], path: str, expected: str | None) -> None:
    assert says(rules, path) == expected


def test_rule_is_shown_with_its_policy() -> None:
    (shown,) = state(json.dumps(GROUPS).encode()).statements(f"{ORIGIN}/directory-b/html/", FILE)
    assert (shown.place, shown.url) == ("tdmrep.json", FILE)
    assert shown.said == (
        "location /directory-b/html/, tdm-reservation 1, tdm-policy https://provider.com/policies/policy.json"
    )
    (long,) = state(json.dumps([rule("/" + "*" * 9_000)]).encode()).statements(f"{ORIGIN}/", FILE)
    assert len(long.said) == 500


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["location", "tdm-reservation", "tdm-policy"]) | st.text(max_size=5), inner, max_size=4
        )
    ),
    max_leaves=20,
)


@given(st.binary(max_size=300) | JSON.map(lambda value: json.dumps(value).encode()))
@example(b'[{"location": "/", "tdm-reservation": ' + b"9" * 4_000 + b"}]")
def test_any_file_is_read(body: bytes) -> None:
    assert len(parse_tdmrep(body)) <= MOST_RULES
    state(body).preferences(f"{ORIGIN}/a")


@pytest.mark.parametrize("status", [200, 204, 301, 404, 410, 403])
def test_an_answer_holds_for_a_day(status: int) -> None:
    body = json.dumps([rule("/")]).encode()
    found = judged_tdmrep(Fetched(FILE, status=status, body=body), NOW)
    assert (found.expires, found.attempts, found.reason) == (NOW + LIFETIME, 0, None)
    assert found.preferences(ORIGIN).text == (RESERVED if status < 300 else None)


@pytest.mark.parametrize(
    ("fetched", "reason"),
    [
        (Fetched(FILE, status=503), "http-503"),
        (Fetched(FILE, status=429), "http-429"),
        (Fetched(FILE, reason="reset"), "reset"),
    ],
)
def test_a_failure_reserves_nothing_and_is_asked_again_sooner(fetched: Fetched, reason: str) -> None:
    timing = Timing(robots_retry=10.0)
    waits = [judged_tdmrep(fetched, NOW, attempts, timing).expires - NOW for attempts in (0, 1, 2, 30, 10_000)]
    assert waits == [10.0, 20.0, 40.0, LIFETIME, LIFETIME]
    found = judged_tdmrep(fetched, NOW, 3)
    assert (found.rules, found.attempts, found.reason) == ((), 4, reason)


def test_state_is_kept_in_the_store() -> None:
    for fetched in (Fetched(FILE, status=200, body=json.dumps(GROUPS).encode()), Fetched(FILE, reason="reset")):
        before = judged_tdmrep(fetched, NOW)
        assert restored_tdmrep(before.row(ORIGIN)) == before
