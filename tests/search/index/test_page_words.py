"""What the index takes from a kept text: compared with what its reader makes of it."""

import pytest

from minicrawl.crawler.html import parse_html
from minicrawl.errors import StoreError
from minicrawl.model import Wanted
from minicrawl.search.index.page_words import LONGEST_TEXT, page_words, text_begins, text_words
from minicrawl.store.texts.marked_text import unpack

URL = "http://a.test/"
PAGES = {
    "plain": "<title>T</title><p>one <b>two</b></p><p>three</p>",
    "headings": "<h1>First <a href=/x>one</a></h1><pre>code\n  x</pre><h2>Second</h2><p>text<h5>no</h5>",
    "links": "<ul><li><a href=/x>The x</a>, <a href=/y>y <i>page</i></a></ul><a href=#top>here</a><a href=/z>next</a>",
    "frame": "<nav><a href=/n>Menu</a></nav><table><tr><td>a<td><a href=http://b.test/>b</a></table>",
    "language": "<html lang=de><title>Ü</title><meta name=robots content=noindex><p>ä",
}


@pytest.mark.parametrize("name", sorted(PAGES))
def test_words_are_those_of_the_text(name):
    record = parse_html(PAGES[name].encode(), URL, wanted=Wanted(kept=True)).kept
    words, kept = page_words(record, URL), unpack(record, URL)
    assert words.text.replace("\0", " ").split() == kept.text.split()
    assert (words.title, words.language, words.shown) == (kept.title or "", kept.language, kept.index)
    assert words.anchors == tuple(
        (url, " ".join(text.split())) for url, text, *_ in kept.anchors() if text not in {"next", "here"}
    )
    assert (
        words.headings.split() == [word for text in kept.headings if text != "no" for word in (". " + text).split()][1:]
    )
    assert text_words(record, URL).split() == kept.text.split()


def test_what_is_long_is_cut():
    body = f"<title>{'t' * 500_000}</title><h1>{'h ' * 100_000}</h1><p>{'w ' * 1_000_000}<a href=/x>{'a ' * 9_999}</a>"
    words = page_words(parse_html(body.encode(), URL, wanted=Wanted(kept=True)).kept, URL)
    assert len(words.title) <= 300
    assert len(words.headings) <= 200
    assert len(words.text) <= LONGEST_TEXT
    assert all(len(text) <= 100 for _, text in words.anchors)


@pytest.mark.parametrize("record", [b"", b"x", b"x\x9c\x03\x00\x00\x00\x00\x01"])
def test_damaged_text_is_said_with_its_page(record):
    with pytest.raises(StoreError, match=r"http://a\.test/ is damaged"):
        page_words(record, URL)


def test_begins_of_a_text_are_unpacked_as_far_as_they_are_asked_for():
    links = "".join(f"<a href=/{i}-{'x' * 200}>{i}</a> " for i in range(99))
    body = f"<title>T</title><p>{links}<p>{'wörd ' * 20_000}"
    record = parse_html(body.encode(), URL, wanted=Wanted(kept=True)).kept
    whole = text_words(record, URL)
    begins = list(text_begins(record, URL, (50, 4_000, 50_000, 500_000)))
    assert all(whole.startswith(begin.strip()) for begin in begins)
    assert [len(begin) > length * 0.2 for begin, length in zip(begins, (50, 4_000, 50_000), strict=False)] == [True] * 3
    assert begins[-1] == whole
    assert list(text_begins(record[:-50], URL, (50,))) == begins[:1]


@pytest.mark.parametrize("record", [b"", b"x", b"x\x9c\x03\x00\x00\x00\x00\x01"])
def test_begin_of_a_damaged_text_is_said_with_its_page(record):
    with pytest.raises(StoreError, match=r"http://a\.test/ is damaged"):
        list(text_begins(record, URL, (10, 20)))
