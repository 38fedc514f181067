"""What is read in a page comes back from another process as it went in."""

import json
import pickle

import pytest

from minicrawl.crawler.html.fingerprint import Identity
from minicrawl.crawler.sources.page_reading import read_apart, read_page
from minicrawl.model import ParsedPage, Wanted

BODY = b"<html lang=en><link rel=alternate hreflang=de href=/de><h1>Head</h1><p>Some words and <a href=/x>a link</a>"


@pytest.mark.parametrize(
    "wanted", [Wanted(), Wanted(anchors=True, places=True, text=True, blocks=True, about=True, extract=("title=h1",))]
)
def test_a_page_taken_apart_is_the_page(wanted: Wanted) -> None:
    url = "http://h.test/dir/page"
    parsed, identity = pickle.loads(pickle.dumps(read_apart(BODY, url, None, wanted)))
    assert (ParsedPage(*parsed), Identity(*identity)) == read_page(BODY, url, None, wanted)


def test_what_selectors_find_is_part_of_it() -> None:
    parsed, _ = read_page(BODY, "http://h.test/", None, Wanted(extract=("title=h1",)))
    assert [json.loads(item) for item in parsed.items] == [{"title": "Head"}]
    assert read_page(BODY, "http://h.test/", None, Wanted())[0].items == ()
