"""Scripts of JSON-LD, sound and damaged."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.web.html.json_ld import json_ld_values

PLAIN = '{"@type": "Book", "name": "B // /* <!-- ,] "}'
BOOK = json.loads(PLAIN)


DAMAGED = {
    "line breaks and tabs in texts": ('{"a": "x\n\ty\r"}', [{"a": "x\n\ty\r"}]),
    "comments": (f'// one\n{PLAIN[:-1]}, /* two\n */ "a": 1 // "b\n}}', [BOOK | {"a": 1}]),
    "comments without end": (f"{PLAIN} /* two", [BOOK]),
    "comments of HTML": (f'<!-- "a" -->{PLAIN}<!-- b -->', [BOOK]),
    "hidden in a comment": (f"<!--\n{PLAIN}\n-->", [BOOK]),
    "a section of CDATA": (f"<![CDATA[{PLAIN}]]>", [BOOK]),
    "a section in comments": (f"//<![CDATA[\n{PLAIN}\n//]]>", [BOOK]),
    "a section in comments of one line": (f"/*<![CDATA[*/{PLAIN}/*]]>*/", [BOOK]),
    "trailing commas": ('{"a": [1, 2, ], "b": ",]",\n}', [{"a": [1, 2], "b": ",]"}]),
    "needless escapes": (r'{"a": "it\'s \u00e9 \x \\"}', [{"a": "it's é x \\"}]),
    "several values": (f"{PLAIN}\n{PLAIN} , [{PLAIN}]", [BOOK, BOOK, [BOOK]]),
    "text around it": (f"var data = {PLAIN};", [BOOK]),
    "a byte order mark": (f"\ufeff{PLAIN}", [BOOK]),
    "escaped as HTML": ("{&quot;a&quot;: &quot;b&quot;}", [{"a": "b"}]),
    "entities in texts": ('{"a": "R&amp;B"}', [{"a": "R&amp;B"}]),
    "the beginning is sound": ('{"a": 1} {"b": ', [{"a": 1}]),
    "numbers that are none": ("[NaN, 1e999, -Infinity, 1.5]", [[None, None, None, 1.5]]),
    "no JSON": ("{'a': 1}", []),
    "nothing": (" \n", []),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_damaged_json(case: str) -> None:
    text, expected = DAMAGED[case]
    assert json_ld_values(text) == expected


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES, st.booleans())
def test_any_json_is_read_as_it_is(value: object, is_ascii: bool) -> None:
    assert json_ld_values(json.dumps(value, ensure_ascii=is_ascii)) == [value]


@given(VALUES)
def test_any_json_survives_the_mending(value: object) -> None:
    """Behind a comment, which is not JSON, texts keep what looks like comments and trailing commas."""
    assert json_ld_values(f"/* a */ [{json.dumps(value)}]") == [[value]]


@given(st.text(alphabet='{}[]",:\\/*<!->a1 \n&quot;'))
def test_no_text_raises(text: str) -> None:
    json_ld_values(text)


@pytest.mark.parametrize(
    "text",
    ['"\\' * 200_000, "/*" * 200_000, "<!--" * 100_000, "{" * 200, "," * 200_000, " " * 200_000, '{"a":"' * 9_000],
)
def test_long_damage_is_looked_at_once(text: str) -> None:
    """Linear: a quadratic search of these texts takes minutes."""
    assert json_ld_values(f"{{x {text}") == []
