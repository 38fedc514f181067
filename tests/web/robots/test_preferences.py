"""Statements on the use of a page: a row for each rule of the vocabularies, and how statements combine."""

import http_sf
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from minicrawl.web.robots.preferences import (
    NOTHING,
    Preferences,
    Statement,
    Verdict,
    combined,
    decisions,
    of_page,
    preferences_of,
    read,
)

U, A, D = Verdict.UNKNOWN, Verdict.ALLOWED, Verdict.DISALLOWED


def says(name: str, value: str) -> str | None:
    return read(name, value).text


USAGE = [
    ("train-ai=n", "ai-train=n"),
    ("train-ai=y, search=n", "search=n, ai-train=y"),
    ("search=y", "search=y"),
    ("  train-ai=n  ", "ai-train=n"),
    ("train-ai=n\t,\tsearch=y", "search=y, ai-train=n"),
    # Labels and answers are case-sensitive; a capital in a key makes it no dictionary at all.
    ("Train-AI=n", None),
    ("search=n, Train-AI=n", None),
    ("train-ai=N", None),
    ("train-ai=no", None),
    # Values that are no tokens: no errors, but unknown.
    ("train-ai", None),
    ("train-ai=?0, search=n", "search=n"),
    ('train-ai="n", search=n', "search=n"),
    # Labels and parameters that are unknown are ignored.
    ("bots=n, train-ai=y", "ai-train=y"),
    ("train-ai=n;until=@1893456000;for=cats", "ai-train=n"),
    ("train-ai;allow=n, train-ai=y", "ai-train=y"),
    # Labels of earlier drafts.
    ("train-genai=n", None),
    ("ai-train=n", None),  # of the other vocabulary
    # Of a repeated key the last value counts.
    ("train-ai=n, train-ai=y", "ai-train=y"),
    ("train-ai=y, train-ai=n", "ai-train=n"),
    ('train-ai=y, train-ai, search=n, search="n"', None),
    # What fails to parse says nothing.
    ("train-ai=n,", None),
    ("train-ai=n search=n", None),
    ("train-ai=n, =y", None),
    ("train-ai=n, search=n\0", None),
    ("", None),
    ("train-ai=n" + " " * 990, "ai-train=n"),
    ("train-ai=n" + " " * 991, None),
    ("a=1, " * 198 + "train-ai=n", "ai-train=n"),
]
SIGNAL = [
    ("search=yes, ai-input=no, ai-train=no", "search=y, ai-input=n, ai-train=n"),
    ("search=yes,ai-train=no", "search=y, ai-train=n"),
    ("Search = Yes , AI-TRAIN = NO", "search=y, ai-train=n"),
    ("use=reference, ai-train=no", "ai-train=n"),
    ("train-ai=no", None),
    ("ai-train=n", None),
    ("ai-train", None),
    ("ai-train=no=yes", None),
    ("ai-train=no; search=yes", None),
    ("ai-train=yes, ai-train=no", "ai-train=n"),
    ("ai-train=no, ai-train=yes", "ai-train=n"),
    (", ,=,ai-train=no,", "ai-train=n"),
    ("ai-train=no\0", None),
    ("", None),
]


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        *(("Content-Usage", *row) for row in USAGE),
        *(("Content-Signal", *row) for row in SIGNAL),
        ("X-Robots-Tag", "noai", "ai-input=n, ai-train=n"),
        ("robots", "noai, noimageai", "ai-input=n, ai-train=n"),
        ("robots", "noimageai", None),
        ("X-Other", "train-ai=n", None),
    ],
)
def test_what_fields_and_directives_say(name: str, value: str, expected: str | None) -> None:
    assert says(name, value) == expected


PREFERENCES = st.builds(Preferences, *[st.sampled_from(Verdict)] * 3)


@given(st.lists(PREFERENCES, max_size=5))
def test_most_restrictive_verdict_holds(several: list[Preferences]) -> None:
    """The process of the vocabulary, section Combining Preferences, word for word."""
    for at, verdict in enumerate(combined(several)):
        of_use = [each[at] for each in several]
        assert verdict == (D if D in of_use else A if A in of_use else U)


VALUES = st.text(max_size=60) | st.lists(
    st.sampled_from(
        ["train-ai", "search", "=", "y", "n", ",", " ", ";", '"', "(", ")", "?1", ":", "%", "@9", "\0", "é"]
    ),
    max_size=30,
).map("".join)


@given(VALUES)
@example("train-ai=@99999999999999")
@example("train-ai=" + "(" * 500)
@example("train-ai=n" + ";a" * 400)
@example("\ud800")
def test_any_value_is_read(value: str) -> None:
    """As the library reads it, and no value raises an error."""
    for name in ("Content-Usage", "Content-Signal", "X-Robots-Tag", "robots", "other"):
        assert isinstance(read(name, value), Preferences)
    try:
        found = http_sf.parse(value.encode(), tltype="dictionary")
    except ValueError:
        found = {}
    assert isinstance(found, dict)
    tokens = {"y": A, "n": D}
    expected = NOTHING
    for label, use in (("search", "search"), ("train-ai", "ai_train")):
        member = found.get(label)
        if isinstance(member, tuple) and isinstance(member[0], http_sf.Token):
            expected = expected._replace(**{use: tokens.get(str(member[0]), U)})
    assert read("Content-Usage", value) == expected


def test_lines_of_a_page_are_read() -> None:
    lines = "\n".join(
        ["header Content-Usage: search=y", "meta robots: noai", "meta nonsense", "body Content-Usage: train-ai=n", ""]
    )
    assert of_page(lines) == (
        Statement("header", "Content-Usage: search=y", Preferences(search=A)),
        Statement("meta", "robots: noai", Preferences(U, D, D)),
    )


@given(st.lists(st.tuples(st.sampled_from(["robots.txt", "header", "meta"]), PREFERENCES), max_size=6))
def test_first_of_the_most_restrictive_statements_decides(several: list[tuple[str, Preferences]]) -> None:
    statements = [Statement(place, f"Content-Usage: {at}", says) for at, (place, says) in enumerate(several)]
    found = decisions(statements)
    assert tuple(verdict for verdict, _ in found.values()) == preferences_of(statements)
    for at, (verdict, by) in enumerate(found.values()):
        deciding = [each for each in statements if each.preferences[at] == verdict]
        assert by == (deciding[0] if verdict else None)


def test_uses_that_are_forbidden() -> None:
    one = Preferences(A, U, D)
    assert [one.forbids([use]) for use in ("search", "ai-input", "ai-train")] == [False, False, True]
    assert one.forbids(["search", "ai-train"])
    assert not one.forbids([])
