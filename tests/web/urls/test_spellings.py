"""Spellings of one URL, and the names under which a page may be found once more."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from minicrawl.web.urls.front import FRONT_PAGES, is_front_page
from minicrawl.web.urls.normalise import normalise
from minicrawl.web.urls.spellings import differ_by_spelling, other_names, simplest, spellings

SIMPLER = [
    ("http://a.test/b?", {"?": "http://a.test/b"}),
    ("http://a.test/b/?", {"?": "http://a.test/b/", "/": "http://a.test/b?"}),
    ("http://a.test/b/?c=/", {"/": "http://a.test/b?c=/"}),
    ("http://a.test/b//", {"/": "http://a.test/b/"}),
    ("http://a.test/A/b?C=D", {"case": "http://a.test/a/b?C=D"}),
    ("http://a.test/%C3%84B", {"case": "http://a.test/%C3%84b"}),
    ("http://a.test./", {".": "http://a.test/"}),
    ("http://a.test.:8080/x", {".": "http://a.test:8080/x"}),
    ("http://www.a.test/", {"www.": "http://a.test/"}),
    ("http://www.www.a.test/", {"www.": "http://www.a.test/"}),
    ("http://a.test/?b=2&a=1&b=1", {"order": "http://a.test/?a=1&b=2&b=1"}),
    ("http://a.test/b/index.html", {"front": "http://a.test/b/"}),
    ("http://a.test/index.php?a=1", {"front": "http://a.test/?a=1"}),
    ("http://a.test/b/index.jsp", {"front": "http://a.test/b/"}),
    ("http://a.test/Default.aspx", {"case": "http://a.test/default.aspx", "front": "http://a.test/"}),
    ("http://a.test/default.asp", {"front": "http://a.test/"}),
]
SIMPLE = ["http://a.test/", "http://a.test/b", "http://a.test/?b=2&b=1", "http://www/", "http://[::1]:8080/a?a&b"]
SIMPLE += ["http://a.test/home.html", "http://a.test/default", "http://a.test/?q=/index.html", "http://a.test/%C3%84"]
HOSTS = st.sampled_from(["a.test", "www.a.test", "www.www.a.test.", "www.", ".", "a.1..", "[::1]", "www..b", "1.2.3.4"])
PATHS = st.text("aB/.?&=%C3index", max_size=30)
URLS = st.builds("{}://{}{}/{}".format, st.sampled_from(["http", "https"]), HOSTS, st.sampled_from(["", ":81"]), PATHS)


@pytest.mark.parametrize(("url", "expected"), SIMPLER)
def test_each_difference_has_its_simpler_url(url: str, expected: dict[str, str]) -> None:
    assert spellings(url) == expected


@pytest.mark.parametrize("url", SIMPLE)
def test_a_simple_url_has_no_simpler_one(url: str) -> None:
    assert spellings(url) == {}


@given(URLS | st.text().map("http://a.test/{}".format))
@example("http://a.1../")
@example("http://www.:81/")
def test_simpler_urls_are_normalised_and_the_simplest_has_no_simpler_one(text: str) -> None:
    url = normalise(text)
    if url is None:
        return
    for difference, simpler in spellings(url).items():
        assert simpler == normalise(simpler)
        again = spellings(simpler).get(difference, "")
        assert len(again) < len(simpler)  # a slash, a dot or www. may be repeated
        assert not again or difference in ("/", ".", "www.")
    assert spellings(simplest(url)) == {}
    assert url not in other_names(url)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("http://www.a.test./B/Index.html?", "https://a.test/b", True),
        ("http://a.test/?a=1&b=2", "http://a.test/index.php?b=2&a=1", True),
        ("http://a.test:8080/b", "http://a.test:8080/B/", True),
        ("http://a.test:8080/", "https://a.test:8080/", False),
        ("http://a.test/b", "http://a.test/c", False),
        ("http://a.test/?a=B", "http://a.test/?a=b", False),
        ("http://a.test/?a=1&a=2", "http://a.test/?a=2&a=1", False),
        ("http://a.test/%2F", "http://a.test/%2f", False),
        ("http://www2.a.test/", "http://a.test/", False),
    ],
)
def test_two_spellings_are_of_one_url(one: str, other: str, expected: bool) -> None:
    assert differ_by_spelling(one, other) is differ_by_spelling(other, one) is expected


@pytest.mark.parametrize("folder", ["http://a.test/", "https://www.a.test/b/"])
def test_other_names_of_a_page_are_normalised_and_of_its_site(folder: str) -> None:
    path = folder.partition("a.test")[2]
    origins = ["http://a.test", "http://www.a.test", "https://a.test", "https://www.a.test"]
    fronts = {f"{origin}{path}{name}{end}" for origin in origins for name in ("", *FRONT_PAGES) for end in ("", "?")}
    for name in fronts:
        assert normalise(name) == name
        assert is_front_page(name)
        assert fronts <= {name, *other_names(name)}
        assert all(differ_by_spelling(name, other) for other in other_names(name))
    assert {folder + "x", *other_names(folder + "x")} == fronts | {f"{origin}{path}x" for origin in origins}


def test_a_port_is_of_one_scheme() -> None:
    assert {url.rpartition("/")[0] for url in other_names("https://a.test:8443/x")} == {
        "https://a.test:8443",
        "https://www.a.test:8443",
    }


@pytest.mark.parametrize("query", ["?a=1", "?u=http://b.test/x", "?u=/"])
def test_a_query_is_part_of_the_name_whatever_it_has(query: str) -> None:
    assert {f"https://www.a.test/b/r{query}", "http://a.test/b/"} <= {*other_names(f"http://a.test/b/r{query}")}


def test_other_names_have_no_dot_and_one_www_at_most() -> None:
    assert {"http://a.test/b", "https://www.a.test/b"} <= {*other_names("http://www.www.a.test./b")}
