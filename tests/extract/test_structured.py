"""What pages say about themselves for machines."""

import pytest

from minicrawl.extract.document import Document
from minicrawl.extract.structured import structured

LD = '<script type="application/ld+json">{}</script>'.replace("{}", "%s")


@pytest.mark.parametrize(
    ("html", "found"),
    [
        (LD % '{"@type": "Book", "name": "B"}', {"jsonld": [{"@type": "Book", "name": "B"}]}),
        (LD % "[1, {}]" + "<script type=application/LD+json>3</script>", {"jsonld": [1, {}, 3]}),
        (LD % '{"no: json', {}),
        (LD % ("[" * 100_000), {}),
        (LD % ('{"a":' * 900 + "1" + "}" * 900), {}),
        (LD % '{"a": NaN}', {"jsonld": [{"a": None}]}),
        (LD % "[1e999, -1e999, 1.5]", {"jsonld": [None, None, 1.5]}),
        (
            "<meta property='og:Title' content=' T '><meta property=og:image content=1>"
            "<meta property=og:image content=2><meta name=twitter:card content=c>"
            "<meta name=author content=x><meta property=og:url>",
            {"opengraph": {"og:title": "T", "og:image": ["1", "2"], "twitter:card": "c"}},
        ),
        ("<p>nothing", {}),
    ],
    ids=["object", "list", "no-json", "deep", "deep-json", "nan", "infinite", "properties", "nothing"],
)
def test_structured(html: str, found: dict[str, object]) -> None:
    assert structured(Document(html.encode()), "http://a.test/") == found
