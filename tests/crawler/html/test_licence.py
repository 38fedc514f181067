"""The licence that a page names, as its kept text has it."""

import json

import pytest
from support.effort import growth

from minicrawl.crawler.html import parse_html
from minicrawl.model import Wanted
from minicrawl.store.texts.marked_text import unpack

URL = "http://a.test/page"
BY, SA = "https://creativecommons.org/licenses/by/4.0/", "https://creativecommons.org/licenses/by-sa/4.0/"


def licence(html: str) -> str | None:
    kept = parse_html(f"<p>text{html}".encode(), URL, "text/html", Wanted(kept=True)).kept
    return unpack(kept, URL).licence


def script(value: object) -> str:
    return f'<script type="application/ld+json">{value if isinstance(value, str) else json.dumps(value)}</script>'


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("", None),
        (f"<a href={BY}>no relation</a>", None),
        (f"<a rel='license noopener' href={BY}>badge</a> <a rel=LICENSE href='{BY}#deed'>by</a>", BY),
        (f"<link rel=license href={SA}>", SA),
        ("<a rel=license href=/copying>here</a>", "http://a.test/copying"),
        (f"<a rel=license href={BY}>text</a> <a rel=license href={SA}>pictures</a>", None),
        (f"<a rel=license href={BY}>text</a>" + script({"license": SA}), BY),
        (script({"@type": "Article", "license": BY}), BY),
        (
            script({"@graph": [{"@type": "ImageObject", "license": SA}, {"@type": "WebPage", "license": {"@id": BY}}]}),
            BY,
        ),
        (script([{"license": {"url": BY}}, {"license": BY, "text": "</b>"}]), BY),
        (script({"@type": ["ImageObject"], "license": BY}), None),
        (script([{"license": BY}, {"license": SA}]), None),
        (script({"license": "free of charge"}), None),
        (script({"license": ["x"], "@graph": 7}), None),
        (script('{"license": ') + script({"license": BY}), BY),
        (f'<script>x = {{"license": "{BY}"}}</script>', None),
    ],
)
def test_licence_of_a_page(html: str, found: str | None) -> None:
    assert licence(html) == found


def test_hostile_scripts_take_time_linear_in_their_length() -> None:
    for unit in ('<script type="application/ld+json">', '{"@graph":', "<script "):
        assert growth(lambda count, unit=unit: licence('"license"' + unit * count), 2_000) < 1.5  # type: ignore[misc]
