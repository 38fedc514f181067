"""Facts of pages for an audit, by snippets whose facts were counted by hand; both parsers find the same."""

from html import escape
from typing import Any
from urllib.parse import quote
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.crawler.html import parse_html
from minicrawl.crawler.html.facts import MAX_NAME_TEXT, MAX_NAMES, name_hash
from minicrawl.model import PageFacts, Wanted

WANTED = Wanted(places=True, facts=True)
HTTPS = "https://a.test/x/page"
FOR_PLAIN_TREE = "".join(f"<b x={number}>" for number in range(1_000)) + "<p>x"
"""Markup after which a page is parsed by the plain parser."""


def facts(html: str, url: str = HTTPS) -> PageFacts:
    found = parse_html(html.encode(), url, "text/html; charset=utf-8", WANTED).facts
    assert found is not None
    return found


def hashes(*names: str) -> bytes:
    return np.array(sorted({crc32(name.encode()) for name in names}), dtype="<u4").tobytes()


CASES: dict[str, dict[str, Any]] = {
    "": {},
    "<html lang=' de '><head><title>One</title><title>Two</title>": {"language": "de", "titles": 2},
    "<title>One</title><meta name=Viewport content=x><meta name=description content=' It  is\nso '>": {
        "titles": 1,
        "viewport": True,
        "description": "It is so",
    },
    f"<meta name=description content='{'d' * 400}'>": {"description": "d" * 320},
    "<h1>He<b>ad</b> \n line</h1><h2>x</h2><h1>y</h1>": {"h1": "Head line", "h1s": 2},
    "<h2>x</h2><h3>y</h3><h5>z</h5><h1>first</h1><h3>q</h3>": {"h1": "first", "h1s": 1, "skips": 35},
    "<h3>x</h3><h1>y</h1><h2>z</h2>": {"h1": "y", "h1s": 1},
    "<h1></h1><h1>Second</h1>": {"h1s": 2},
    "<img src=1><img src=2 alt><img src=3 alt=''><img src=4 alt=words><noscript><img src=5></noscript>": {
        "images": 5,
        "without_alt": 2,
    },
    "<img src=1 aria-label=x><img src=2 aria-labelledby=y><img src=3 title=z><img src=4 hidden><img src=5 role=None>"
    "<img src=6 aria-hidden=TRUE><img src=7 role='x presentation'>": {"images": 7},
    "<img src=1 aria-label=''><img src=2 aria-labelledby><img src=3 title=' '><img src=4 aria-hidden=false role=img>": {
        "images": 4,
        "without_alt": 4,
    },
    "<img alt src=/1 srcset='http://b.test/2 2x, /3 3x'><picture><source srcset='/4, http://b.test/5 1w'></picture>"
    "<i srcset=http:no></i>": {
        "images": 1,
        "mixed": ("http://b.test/2", "http://b.test/5"),
    },
    "<template><img><h1 id=no>no</h1></template><!-- <img id=no> --><script>'<img id=no>'</script>": {},
    "<p id=a><a name=b><svg id=c></svg><i ID='d e'></i><a id=a name=a></a><input name=no><p id=''>": {
        "ids": hashes("a", "b", "c", "d e"),
    },
    "<script type=application/ld+json>{'no': 1}</script><script type='application/LD+json; x'>[1]</script>"
    "<script type=application/ld+json> </script><script type=text/javascript>no JSON</script>": {"bad_json_ld": 1},
    "<script type=application/ld+json>" + "[" * 100_000 + "</script>": {"bad_json_ld": 1},
    "<img alt src=http://b.test/1.png><script src='HTTP://b.test/2.js'></script><link rel='x stylesheet' href=http:3>"
    "<a href=http://b.test/4>no</a><link rel=canonical href=http://a.test/><img alt src=//b.test/5><p>http:</p>"
    "<form action=http://b.test/6></form><video src=http://b.test/7></video><input src=http:no>": {
        "images": 2,
        "mixed": ("http://b.test/1.png", "HTTP://b.test/2.js", "http:3", "http://b.test/6", "http://b.test/7"),
    },
    "<a href=q#a>x</a><a href=q#a>x</a><a href='q#b%20c'>x</a><area href=q#d><a rel=nofollow href=q#e>": {
        "fragments": tuple(("https://a.test/x/q", name) for name in ("a", "b%20c", "d", "e")),
    },
    "<a href=#own>x</a>": {"fragments": ((HTTPS, "own"),)},
    "<a href=#>x</a><a href=#top>x</a><a href=q#TOP>x</a><a href='#:~:text=x'>x</a><a href=#!/x>x</a><a href=#/x>x</a>"
    "<a href=#tab=2>x</a><a href=mailto:x#y>x</a><a href='q#a b:~:text=x'>x</a><link rel=next href=q#no>": {
        "fragments": (("https://a.test/x/q", "a%20b"),),
    },
}


@pytest.mark.parametrize("html", CASES)
@pytest.mark.parametrize("ending", ["", FOR_PLAIN_TREE], ids=["browser", "plain"])
def test_facts_are_those_counted_by_hand(html: str, ending: str) -> None:
    assert facts(html + ending) == PageFacts(**CASES[html])


def test_plain_pages_have_no_facts() -> None:
    assert parse_html(b"<h1>x</h1>", HTTPS).facts is None


def test_an_http_page_has_no_mixed_content() -> None:
    assert facts("<img alt src=http://b.test/1.png>", "http://a.test/").mixed == ()


TEXTS = st.sampled_from(["", "x", "some words"])
NAMES = st.sampled_from(["", " id=a", " id='b c'", " name=d", " id=e name=f", " alt", " alt=x", " src=http://b.test/1"])
VOID = st.sampled_from(["img", "input", "br"])
TAGS = st.sampled_from(["h1", "h2", "h3", "h4", "h6", "div", "p", "ul", "li", "span", "section", "object", "video"])
LINKS = st.sampled_from(["<a href=#a>x</a>", "<a name=g>x</a>", "<a href='/q#b%20c' id=h>x</a>", "<a href=#>x</a>"])
LEAVES = TEXTS | LINKS | st.builds("<{}{}>".format, VOID, NAMES)


def inside(blocks: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    content = st.lists(blocks, max_size=4).map("".join)
    return st.builds(lambda tag, name, words: f"<{tag}{name}>{words}</{tag}>", TAGS, NAMES, content)


@given(page=st.lists(st.recursive(LEAVES, inside, max_leaves=12), max_size=4).map("".join))
def test_both_parsers_find_the_same_facts(page: str) -> None:
    """Headings inside headings or paragraphs, which browsers close, have their texts where the parsers see them."""
    one, other = (facts(f"<title>x</title><body>{page}{ending}")._replace(h1=None) for ending in ("", FOR_PLAIN_TREE))
    assert one == other


@given(name=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), min_size=1, max_size=8))
def test_a_fragment_means_the_element_that_a_browser_finds(name: str) -> None:
    found = facts(f'<p id="{escape(name)}">')
    assert found.ids == np.array([name_hash(quote(name))], dtype="<u4").tobytes()


def test_hostile_pages_are_bounded_and_told() -> None:
    """A million names, and as many links to parts: kept up to the bound."""
    pages = [
        "".join(f"<p id=p{number}>" for number in range(1_000_000)),
        "".join(f"<a href=#p{number}>x</a>" for number in range(60_000)),
        "<a href=#" + "x" * 2_000_000 + ">x</a>" + "<p>" * 50,
    ]
    found = [facts(page) for page in pages]
    assert [some.is_cut for some in found] == [True, True, False]
    assert all(len(some.ids) <= 4 * MAX_NAMES and len(some.fragments) <= MAX_NAMES for some in found)
    assert all(sum(len(name) for _, name in some.fragments) <= MAX_NAME_TEXT for some in found)
