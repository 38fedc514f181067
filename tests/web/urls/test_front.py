"""Front pages, by their names."""

import pytest

from minicrawl.web.urls.front import FRONT_PAGES, folder_and_name, is_above, is_front_page, is_home


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
        "default",
        "defaults.html",
    ],
)
def test_other_files_are_no_front_pages(path: str) -> None:
    assert not is_front_page(f"http://a.test/{path}")


@pytest.mark.parametrize("name", ["", "?", *FRONT_PAGES, "index.html?", "index.en.html", "Default.aspx"])
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
