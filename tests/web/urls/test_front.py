"""Front pages, by their names."""

import pytest

from minicrawl.web.urls.front import FRONT_PAGES, folder_and_name, is_above, is_front_page, is_home, other_names
from minicrawl.web.urls.normalise import normalise


@pytest.mark.parametrize("folder", ["http://a.test/", "https://www.a.test/b/"])
def test_other_names_of_a_page_are_normalised_and_of_its_site(folder: str) -> None:
    path = folder.partition("a.test")[2]
    origins = ["http://a.test", "http://www.a.test", "https://a.test", "https://www.a.test"]
    fronts = {f"{origin}{path}{name}{end}" for origin in origins for name in ("", *FRONT_PAGES) for end in ("", "?")}
    for name in fronts:
        assert normalise(name) == name
        assert is_front_page(name)
        assert {name, *other_names(name)} == fronts
    assert {folder + "x", *other_names(folder + "x")} == fronts | {f"{origin}{path}x" for origin in origins}


def test_a_port_is_of_one_scheme() -> None:
    assert {url.rpartition("/")[0] for url in other_names("https://a.test:8443/x")} == {
        "https://a.test:8443",
        "https://www.a.test:8443",
    }


@pytest.mark.parametrize(
    "path",
    [
        "b",
        "index.html/b",
        "?a=1",
        "index.html?a=1",
        "Index.html",
        "b?",
        "b?a=/",
        "b?a=/index.html",
        "index",
        "reindex.html",
    ],
)
def test_other_files_are_no_front_pages(path: str) -> None:
    assert not is_front_page(f"http://a.test/{path}")


@pytest.mark.parametrize("name", ["", "?", *FRONT_PAGES, "index.html?", "index.shtml", "index.en.html", "index.aspx"])
@pytest.mark.parametrize("folder", ["http://a.test/", "http://a.test/b/c/"])
def test_an_index_with_any_ending_is_a_front_page(folder: str, name: str) -> None:
    assert is_front_page(folder + name)
    assert is_above(folder + name, folder)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://a.test/", True),
        ("https://[::1]:8080/", True),
        ("http://a.test/index.html", False),
        ("http://a.test/?", False),
        ("http://a.test/b/", False),
        ("http://a.test/?u=/", False),
    ],
)
def test_a_host_has_one_home(url: str, expected: bool) -> None:
    assert is_home(url) is expected


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("", True),
        ("index.php", True),
        ("index.php?a=/x", True),
        ("?lang=de", True),
        ("b", True),
        ("b/", True),
        ("b?c=1", True),
        ("b/index.jsp", True),
        ("b/start.html", False),
        ("b/c", False),
        ("bb/", False),
        ("c/index.html", False),
        ("c/?u=/b/", False),
    ],
)
def test_a_folder_is_below_its_own_front_page_and_those_above(page: str, expected: bool) -> None:
    assert is_above(f"http://a.test/{page}", "http://a.test/b/") is expected


@pytest.mark.parametrize("query", ["?a=1", "?u=http://b.test/x", "?u=/"])
def test_a_query_is_part_of_the_name_whatever_it_has(query: str) -> None:
    url = f"http://a.test/b/r{query}"
    assert folder_and_name(url) == ("http://a.test/b/", f"r{query}")
    assert {f"https://www.a.test/b/r{query}", "http://a.test/b/"} <= {*other_names(url)}
