"""Facts of pages for an audit, by snippets whose facts were counted by hand."""

from typing import Any

import pytest

from minicrawl.model import PageFacts, Wanted
from minicrawl.web.html import parse_html
from minicrawl.web.html.facts import MOST_PARTS, name_hash

WANTED = Wanted(places=True, facts=True)
HTTPS = "https://a.test/x/page"


def facts(html: str, url: str = HTTPS) -> PageFacts:
    found = parse_html(html.encode(), url, "text/html; charset=utf-8", WANTED).facts
    assert found is not None
    return found


CASES: dict[str, dict[str, Any]] = {
    "": {},
    "<html lang=' de '><title>One</title><meta name=description content=' It  is\nso '>": {
        "language": "de",
        "description": "It is so",
    },
    f"<meta name=description content='{'d' * 400}'>": {"description": "d" * 320},
    "<h1>He<b>ad</b> \n line</h1><h2>x</h2><h1>y</h1>": {"h1": "Head line", "h1s": 2},
    "<h1></h1><h1>Second</h1>": {"h1s": 2},
    "<img src=1><img src=2 alt><img src=3 alt=''><img src=4 alt=words><noscript><img src=5></noscript>": {
        "without_alt": 2
    },
    "<img src=1 aria-label=x><img src=2 aria-labelledby=y><img src=3 title=z><img src=4 hidden><img src=5 role=None>"
    "<img src=6 aria-hidden=TRUE><img src=7 role='x presentation'>": {},
    "<img src=1 aria-label=''><img src=2 aria-labelledby><img src=3 title=' '><img src=4 aria-hidden=false role=img>": {
        "without_alt": 4
    },
    "<img alt src=/1 srcset='http://b.test/2 2x, /3 3x'><picture><source srcset='/4, http://b.test/5 1w'></picture>": {
        "mixed": ("http://b.test/2", "http://b.test/5")
    },
    "<template><img><h1 id=no>no</h1></template><!-- <img id=no> --><script>'<img id=no>'</script>": {},
    "<img alt src=http://b.test/1.png><script src='HTTP://b.test/2.js'></script><link rel='x stylesheet' href=http:3>"
    "<a href=http://b.test/4>no</a><link rel=canonical href=http://a.test/><img alt src=//b.test/5><p>http:</p>"
    "<form action=http://b.test/6></form><video src=http://b.test/7></video><input src=http:no>": {
        "mixed": ("http://b.test/1.png", "http://b.test/2.js", "http://0.0.0.3/", "http://b.test/7", "http://b.test/6")
    },
    '<script type="application/ld+json">{"@graph": [{"@type": ["Thing", "https://schema.org/Product"], "name": "x",'
    ' "offers": {"@type": "Offer", "price": "", "priceCurrency": "EUR"}}, {"@type": "Event", "name": "y"}]}</script>'
    '<script type="application/ld+json">{"@type": "Recipe", "name": "z", "image": "/z.png"}, [</script>'
    '<script type="text/json">{"@type": "Movie"}</script>': {
        "lacking": ("Event: startDate", "Event: location", "Offer: price or priceSpecification")
    },
    "<p id=a><a name=b%20c>x</a><p id='b c'><p name=no><svg><g id=D></svg><template><p id=no></template><p id=''>": {
        "parts": "".join(sorted(map(name_hash, ("a", "b c", "D"))))
    },
    "<a href=#own>x</a><a href=q#a>x</a><map><area href='/x/q# b%20c\n'></map><a href=q#a rel=nofollow>y</a>"
    "<a href=q#d:~:text=e>x</a><a href=page#top>x</a><a href=#>x</a><a href=#!x>x</a><a href=#/x>x</a>"
    "<a href=#a=b>x</a><a href=#:~:text=e>x</a><a href=mailto:a@b.test#c>x</a><a>x</a><link href=#no><base href=''>": {
        "to_parts": ((HTTPS, "own"), *(("https://a.test/x/q", name) for name in ("a", "b%20c", "d"))),
        "no_urls": ("mailto:a@b.test",),
    },
    f'<script type="application/ld+json">{"[" * 100_000}</script>': {},
    f'<script type="application/ld+json">[{", ".join(["{}"] * 9_999)}]</script>': {},
}


@pytest.mark.parametrize("html", CASES)
def test_facts_are_those_counted_by_hand(html: str) -> None:
    assert facts(html) == PageFacts(**CASES[html])


def test_of_a_page_with_too_many_parts_none_is_known() -> None:
    assert facts("".join(f"<p id=p{number}>" for number in range(MOST_PARTS))).parts
    assert facts("".join(f"<p id=p{number}>" for number in range(MOST_PARTS + 1))).parts is None


def test_plain_pages_have_no_facts() -> None:
    assert parse_html(b"<h1>x</h1>", HTTPS).facts is None


def test_an_http_page_has_no_mixed_content() -> None:
    assert facts("<img alt src=http://b.test/1.png>", "http://a.test/").mixed == ()
