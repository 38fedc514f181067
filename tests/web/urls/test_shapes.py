"""The shape of a URL, and what two of them have in common."""

from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.web.urls.shapes import differs_by_a_number, leads_back, looks_random, shape_of, without, word_of

SHAPES = {
    "/": ("", "/", ()),
    "/a": ("", "{}", ()),
    "/12": ("", "{n}", ()),
    "/12/": ("", "{n}/", ()),
    "/a/b/c/d.html": ("/a/b", "*.html", ()),
    "/7/b/12/": ("/{n}/b", "{n}/", ()),
    "/a//b.PHP?b=1&a=2&b": ("/a", "*.php", ("a", "b")),
    "/.well-known": ("", "{}", ()),
    "/v1.2": ("", "{}", ()),
    "/x?": ("", "{}", ()),
}


@pytest.mark.parametrize(("path", "expected"), SHAPES.items())
def test_shape(path: str, expected: tuple[str, str, tuple[str, ...]]) -> None:
    shape = shape_of(f"http://a.test{path}")
    assert (shape.folder, shape.form, shape.names) == expected


PATHS = st.lists(st.sampled_from(["a", "b1", "22", "", "c.html"]), max_size=5).map("/".join)
QUERIES = st.lists(st.sampled_from(["a=1", "a=2", "b=", "b", "c=x=y", "", "=1"]), max_size=5).map("&".join)


@given(PATHS, QUERIES, st.sampled_from(["a", "b", "c", "", "d"]))
def test_parameters_are_taken_out_by_name_and_nothing_else(path: str, query: str, name: str) -> None:
    url = f"http://a.test/{path}" + (f"?{query}" if query else "")
    shape, parts = shape_of(url), query.split("&") if query else []
    assert [f"{name}={value}" for name, value in shape.parameters] == [
        part if "=" in part else f"{part}=" for part in parts
    ]
    kept = [part for part in parts if part.partition("=")[0] != name]
    assert without(url, name) == f"http://a.test/{path}" + (f"?{'&'.join(kept)}" if any(kept) else "")
    assert shape.path == urlsplit(url).path


PAGERS = [
    ("/news?page=3", "/news?page=2", True),
    ("/news?page=2", "/news", True),
    ("/news?a=1&page=2", "/news?a=1", True),
    ("/news?page=3&a=1", "/news?a=1&page=2", False),
    ("/a/page/2/", "/a/", True),
    ("/a/page/12", "/a/page/11", True),
    ("/a/2", "/a/", True),
    ("/a/2", "/b/", False),
    ("/a/b/page/2", "/a", False),
    ("/2026/11/", "/2026/10/", True),
    ("/2026/11/", "/2025/10/", False),
    ("/news?page=2", "/news?page=2", False),
    ("/news?page=two", "/news?page=one", False),
    ("/news?page=2", "/other?page=1", False),
    ("/news?q=a", "/news", False),
    ("/news?page=2&sort=1", "/news", False),
]


FORMS = [
    ("/login?next=/basket", "/basket", True),
    ("/login?next=%2Fbasket%3Fa%3D1&b=2", "/basket?a=1", True),
    ("/login?next=/basket", "/basket?a=1", True),
    ("/login?service=http%3A//a.test/basket", "/basket", True),
    ("/login?next=/basket/2", "/basket", False),
    ("/show?id=12", "/p/12", False),
    ("/login", "/basket", False),
]


@pytest.mark.parametrize(("url", "source", "expected"), FORMS)
def test_a_form_leads_back_to_the_page_that_sent_there(url: str, source: str, expected: bool) -> None:
    assert leads_back(f"http://a.test{url}", f"http://a.test{source}") is expected


@pytest.mark.parametrize(("url", "source", "expected"), PAGERS)
def test_a_pager_differs_from_its_source_by_one_number(url: str, source: str, expected: bool) -> None:
    assert differs_by_a_number(f"http://a.test{url}", f"http://a.test{source}") is expected


RANDOM = [
    "cc8cf0596231f9a7dba4da6e77c29db3",
    "CC8CF0596231F9A7",
    "0b0a9df4-7a04-4f0e-8cd0-15e0a9f2a3b1",
    "deadbee7",
    "aB3dE5gH7jK9mN1pQ3sT",
    "x-aB3dE5gH7jK9mN1pQ3sT",
]
MADE = ["", "12345678", "abcdefab", "20261128", "keynote2024machinelearning", "a-rather-long-question", "ABCDEFGH1JKLM"]


@pytest.mark.parametrize(("value", "expected"), [*((each, True) for each in RANDOM), *((each, False) for each in MADE)])
def test_a_value_that_looks_random(value: str, expected: bool) -> None:
    assert looks_random(value) is expected


NUMBERS = [
    "7",
    "0acbbd0",
    "+0acbbd0e12",
    "0ACBBD0E12",
    "cc8cf0596231f9a7dba4da6e77c29db3",
    "0b0a9df4-7a04-4f0e-8cd0-15e0a9f2a3b1",
]
NAMES = ["deadbeef", "+deadbeef", "0acbbd", "0acbbd0e12.txt", "20261128-2027", "rose-7a04", "facade42-rose"]


@pytest.mark.parametrize("segment", NUMBERS)
def test_a_number_may_be_hexadecimal(segment: str) -> None:
    shape = shape_of(f"http://a.test/files/{segment}/{segment}")
    assert (shape.folder, shape.form, word_of(segment)) == ("/files/{n}", "{n}", "0")


@pytest.mark.parametrize("segment", NAMES)
def test_a_name_is_no_number(segment: str) -> None:
    assert shape_of(f"http://a.test/{segment}/x").folder == f"/{segment}"


@given(st.text("az0123", max_size=12))
def test_a_word_is_the_same_for_all_numbers(segment: str) -> None:
    assert word_of(word_of(segment)) == word_of(segment)
    assert word_of(f"{segment}z7") == word_of(f"{segment}z1234")
