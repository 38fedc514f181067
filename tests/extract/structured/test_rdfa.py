"""RDFa: the examples of RDFa Lite 1.1 and of the RDFa 1.1 primer, as expanded JSON-LD."""

import pytest

from minicrawl.extract.document import Document
from minicrawl.extract.structured.bounded_page import BoundedPage
from minicrawl.extract.structured.rdfa import rdfa

HOME = "http://a.test/i"
SCHEMA, DC, FOAF = "http://schema.org/", "http://purl.org/dc/terms/", "http://xmlns.com/foaf/0.1/"
USES = "http://www.w3.org/ns/rdfa#usesVocabulary"


def texts(*values: str) -> list[dict[str, str]]:
    return [{"@value": value} for value in values]


def ids(*values: str) -> list[dict[str, str]]:
    return [{"@id": value} for value in values]


# HTML, and its nodes
STANDARD: dict[str, tuple[str, list[dict[str, object]]]] = {
    "vocab, typeof, property": (
        "<p vocab='http://schema.org/' typeof=Person><span property=name>Manu Sporny</span>"
        "<a property=url href='http://manu.sporny.org/'>my homepage</a></p>",
        [
            {"@id": HOME, USES: ids(SCHEMA)},
            {
                "@id": "_:b0",
                "@type": [f"{SCHEMA}Person"],
                f"{SCHEMA}name": texts("Manu Sporny"),
                f"{SCHEMA}url": ids("http://manu.sporny.org/"),
            },
        ],
    ),
    "resource": (
        "<p vocab='http://schema.org/' resource='#manu' typeof=Person><img property=image src=/m.png></p>",
        [
            {"@id": HOME, USES: ids(SCHEMA)},
            {"@id": f"{HOME}#manu", "@type": [f"{SCHEMA}Person"], f"{SCHEMA}image": ids("http://a.test/m.png")},
        ],
    ),
    "prefix": (
        "<p prefix='ov: http://open.vocab.org/terms/ X: http://x.test/' resource='#m'>"
        "<span property='ov:animal x:y none:z plain'>Liger</span></p>",
        [{"@id": f"{HOME}#m", "http://open.vocab.org/terms/animal": texts("Liger"), "http://x.test/y": texts("Liger")}],
    ),
    "the page itself": (
        "<html><head prefix='v: http://v.test/'><body><h2 property='http://purl.org/dc/terms/title'>The Trouble</h2>"
        "<meta property='dc:created' content='2011'><meta property=og:title content=T>",
        [{"@id": HOME, f"{DC}title": texts("The Trouble"), f"{DC}created": texts("2011")}],
    ),
    "two resources, one in the other": (
        "<body vocab='http://purl.org/dc/terms/'><div resource=/bob><h2 property=title>Bob</h2>"
        "<div resource='http://b.test/s.jpg'><i property=title>Sunset</i></div></div>",
        [
            {"@id": HOME, USES: ids(DC)},
            {"@id": "http://a.test/bob", f"{DC}title": texts("Bob")},
            {"@id": "http://b.test/s.jpg", f"{DC}title": texts("Sunset")},
        ],
    ),
    "a node as value": (
        "<div vocab='http://schema.org/' typeof=Product><div property=offers typeof=Offer>"
        "<meta property=price content=9.50><time property=validFrom datetime=2026-01-01>then</time></div></div>",
        [
            {"@id": HOME, USES: ids(SCHEMA)},
            {"@id": "_:b0", "@type": [f"{SCHEMA}Product"], f"{SCHEMA}offers": ids("_:b1")},
            {
                "@id": "_:b1",
                "@type": [f"{SCHEMA}Offer"],
                f"{SCHEMA}price": texts("9.50"),
                f"{SCHEMA}validFrom": texts("2026-01-01"),
            },
        ],
    ),
    "datatype and language": (
        "<html lang=en><body prefix='foaf: http://xmlns.com/foaf/0.1/'><div about='[foaf:x]' lang=de>"
        "<i property=foaf:name>Jo</i><time property=foaf:day datatype=xsd:date>1990-07-04</time></div>",
        [
            {
                "@id": f"{FOAF}x",
                f"{FOAF}name": [{"@value": "Jo", "@language": "de"}],
                f"{FOAF}day": [{"@value": "1990-07-04", "@type": "http://www.w3.org/2001/XMLSchema#date"}],
            }
        ],
    ),
    "xmlns, rel, and a link that holds a text": (
        "<div xmlns:v='http://v.test/#'><span typeof=v:Breadcrumb>"
        "<a rel='v:url next' property=v:title href=/x>X</a></span><a href=/y><i property=v:title>Y</i></a></div>",
        [
            {
                "@id": "_:b0",
                "@type": ["http://v.test/#Breadcrumb"],
                "http://v.test/#url": ids("http://a.test/x"),
                "http://v.test/#title": texts("X"),
            },
            {"@id": "http://a.test/y", "http://v.test/#title": texts("Y")},
        ],
    ),
    "a blank node with a name": (
        "<p resource='_:a' property=foaf:nick typeof=foaf:Person></p><p about='_:a'><i property=foaf:nick>x</i></p>",
        [
            {"@id": "_:a", "@type": [f"{FOAF}Person"], f"{FOAF}nick": texts("x")},
            {"@id": HOME, f"{FOAF}nick": ids("_:a")},
        ],
    ),
    "nothing": ("<meta property=og:title content=T><a rel=next href=/>x</a>", []),
}


def found(html: str) -> list[dict[str, object]]:
    return rdfa(BoundedPage(Document(html.encode()).tree, HOME, []))


@pytest.mark.parametrize("case", STANDARD)
def test_nodes_are_those_of_the_specification(case: str) -> None:
    html, expected = STANDARD[case]
    assert found(html) == expected


@pytest.mark.parametrize(
    "html",
    [
        "<div typeof=schema:Thing property=schema:part>" * 5_000,
        "<div property=schema:text>xxxxxxxxxx" * 5_000,
        f"<base href='/{'x' * 50_000}/'>" + "<p resource=a property=schema:b></p>" * 5_000,
        "<p prefix='a: http://a.test/'>" * 5_000 + "<p property=a:b>",
        "<p property=schema:x>1</p>" * 50_000,
        "".join(f"<p prefix='a{number}: http://a.test/'>" for number in range(20_000)) + "<i property=a1:b>",
    ],
    ids=["deep", "text in text", "URLs", "prefixes", "many", "many prefixes"],
)
def test_large_pages_end(html: str) -> None:
    assert len(str(found(html))) < 10_000_000
