"""Canonical URLs in the header field Link."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.crawler.html.link_header import canonicals

URL = "http://h.test/folder/page"
VALUES = {
    "usual": ('<http://h.test/x>; rel="canonical"', ["http://h.test/x"]),
    "token, relative": ("<x>;rel=canonical", ["http://h.test/folder/x"]),
    "case, other relations": ('</x> ; REL = "alternate Canonical"', ["http://h.test/x"]),
    "second of two links": ('</a>; rel="next", </b>; rel=canonical', ["http://h.test/b"]),
    "comma and quote within": (r'</a,b>; title="a, \"b\"; c"; rel=canonical', ["http://h.test/a,b"]),
    "first rel counts": ("</a>; rel=next; rel=canonical", []),
    "of another page": ('</a>; rel=canonical; anchor="/other"', []),
    "two that differ": ("</a>; rel=canonical, </b>; rel=canonical", ["http://h.test/a", "http://h.test/b"]),
    "twice the same": ("</a>; rel=canonical, </a>; rel=canonical", ["http://h.test/a"]),
    "no http": ("<mailto:a@b>; rel=canonical", []),
    "not closed": ("</a; rel=canonical", []),
    "nothing": ("", []),
}


@pytest.mark.parametrize(("value", "expected"), VALUES.values(), ids=VALUES.keys())
def test_value_says(value: str, expected: list[str]) -> None:
    assert canonicals(value, URL) == expected


@given(st.text('<>;,=" \\relcanonical/', max_size=60))
def test_any_value_is_read(value: str) -> None:
    assert all(url.startswith("http://") for url in canonicals(value, URL))
