"""The things that a page tells of: records of each kind, and of several syntaxes together."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.extract.document import Document
from minicrawl.extract.structured.syntaxes import SYNTAXES, structured
from minicrawl.extract.structured.things import COLUMNS, Thing, things

URL = "http://a.test/p"


def found(html: str) -> list[Thing]:
    return things(structured(Document(html.encode()), URL, []), URL)


def ld(*values: object) -> str:
    return "".join(f'<script type="application/ld+json">{json.dumps(value)}</script>' for value in values)


KINDS: dict[str, tuple[str, list[Thing]]] = {
    "article": (
        ld(
            {
                "@type": ["NewsArticle"],
                "headline": "R&amp;D <b>now</b>",
                "mainEntityOfPage": {"@id": "/p#main"},
                "author": [{"name": "A"}, "B", "https://fb.test/c"],
                "publisher": {"@type": "Organization", "name": "P"},
                "datePublished": "2026-01-02",
                "dateModified": "2026-01-03",
                "image": [{"url": "/i.png"}],
                "name": "other",
            }
        ),
        [
            {
                "kind": "article",
                "name": "R&D now",
                "link": "http://a.test/p#main",
                "author": "A, B",
                "publisher": "P",
                "published": "2026-01-02",
                "modified": "2026-01-03",
                "image": "http://a.test/i.png",
            }
        ],
    ),
    "product": (
        ld(
            {
                "@type": "Product",
                "name": "Anvil",
                "brand": {"name": "ACME"},
                "sku": 925872,
                "description": "Sleek",
                "aggregateRating": {"ratingValue": "4,4", "reviewCount": "89"},
                "offers": [{"price": "1.299,00", "priceCurrency": "EUR", "availability": "https://schema.org/InStock"}],
            }
        ),
        [
            {
                "kind": "product",
                "name": "Anvil",
                "description": "Sleek",
                "brand": "ACME",
                "sku": "925872",
                "price": 1299.0,
                "currency": "EUR",
                "availability": "InStock",
                "rating": 4.4,
                "ratings": 89,
            }
        ],
    ),
    "offers of several sellers": (
        ld(
            {
                "@type": "Product",
                "name": "A",
                "offers": {"@type": "AggregateOffer", "lowPrice": 9.5, "priceCurrency": "USD"},
            }
        ),
        [{"kind": "product", "name": "A", "price": 9.5, "currency": "USD"}],
    ),
    "a specified price": (
        ld({"@type": "Product", "name": "A", "offers": {"priceSpecification": {"price": 3, "priceCurrency": "CHF"}}}),
        [{"kind": "product", "name": "A", "price": 3.0, "currency": "CHF"}],
    ),
    "event": (
        ld(
            {
                "@type": "MusicEvent",
                "name": "E",
                "startDate": "2026-05-01T20:00",
                "endDate": "2026-05-02",
                "location": {"name": "Hall", "address": {"streetAddress": "1 Road", "addressLocality": "Town"}},
            }
        ),
        [
            {
                "kind": "event",
                "name": "E",
                "starts": "2026-05-01T20:00",
                "ends": "2026-05-02",
                "location": "Hall, 1 Road, Town",
            }
        ],
    ),
    "organisation": (
        ld({"@type": "LocalBusiness", "name": "O", "url": "https://o.test", "address": "1 Road"}),
        [{"kind": "organisation", "name": "O", "link": "https://o.test", "location": "1 Road"}],
    ),
    "breadcrumb": (
        ld(
            {
                "@type": "BreadcrumbList",
                "itemListElement": [
                    {"position": 2, "name": "Two", "item": "/2"},
                    {"position": "1", "item": {"@id": "/1", "name": "One"}},
                ],
            }
        ),
        [{"kind": "breadcrumb", "name": "One > Two", "link": "http://a.test/2"}],
    ),
    "questions": (
        ld(
            {
                "@type": "FAQPage",
                "mainEntity": [{"@type": "Question", "name": "Why?", "acceptedAnswer": {"text": "<p>So.</p>"}}],
            }
        ),
        [{"kind": "question", "name": "Why?", "description": "So."}],
    ),
    "a graph with references": (
        ld(
            {
                "@graph": [
                    {"@type": "WebPage", "@id": "#w", "breadcrumb": {"@id": "#b"}},
                    {"@type": "Article", "headline": "H", "author": {"@id": "#p"}, "publisher": {"@id": "#o"}},
                    {"@type": "Person", "@id": "#p", "name": "A"},
                    {"@type": "Organization", "@id": "#o", "name": "O"},
                    {"@type": "BreadcrumbList", "@id": "#b", "itemListElement": [{"name": "One"}]},
                ]
            }
        ),
        [
            {"kind": "breadcrumb", "name": "One"},
            {"kind": "article", "name": "H", "author": "A", "publisher": "O"},
            {"kind": "organisation", "name": "O"},
        ],
    ),
    "microdata": (
        "<div itemscope itemtype='https://schema.org/Recipe'><b itemprop=name>Soup</b><a itemprop=url href=/s></a>"
        "<i itemprop=author itemscope itemtype='https://schema.org/Person'><b itemprop=name>Ann</b></i></div>",
        [{"kind": "recipe", "name": "Soup", "link": "http://a.test/s", "author": "Ann"}],
    ),
    "OpenGraph": (
        "<meta property=og:type content=product><meta property=og:title content=A>"
        "<meta property=og:image content=/a.png><meta property=product:price:amount content=9.50>"
        "<meta property=product:price:currency content=EUR>"
        "<meta name=twitter:creator content=@x><meta property=og:url content=/p>",
        [
            {
                "kind": "product",
                "name": "A",
                "image": "http://a.test/a.png",
                "price": 9.5,
                "currency": "EUR",
                "link": URL,
            }
        ],
    ),
    "no kind, no name, no things": (
        ld({"@type": "WebSite", "name": "S"}, {"@type": "Product", "price": 3}) + "<meta property=og:title content=T>",
        [],
    ),
}


@pytest.mark.parametrize("case", KINDS)
def test_kinds(case: str) -> None:
    html, expected = KINDS[case]
    assert found(html) == expected


def micro(kind: str, **properties: str) -> str:
    values = "".join(f"<meta itemprop={name} content='{value}'>" for name, value in properties.items())
    return f"<div itemscope itemtype='http://schema.org/{kind}'>{values}</div>"


def product(**more: object) -> dict[str, object]:
    return {"@type": "Product", **more}


TOGETHER: dict[str, tuple[str, list[Thing]]] = {
    "the only ones of their kind": (
        ld(product(name="A")) + micro("Product", name="A here", sku="1"),
        [{"kind": "product", "name": "A", "sku": "1"}],
    ),
    "the same URL, in other spellings": (
        ld(product(name="A", url="https://www.a.test/1/"), product(name="B"))
        + micro("Product", name="C", url="//a.test/1#x"),
        [{"kind": "product", "name": "A", "link": "https://www.a.test/1/"}, {"kind": "product", "name": "B"}],
    ),
    "the same name": (
        ld(product(name="A", sku="1"), product(name="B")) + micro("Product", name="b", sku="2"),
        [{"kind": "product", "name": "A", "sku": "1"}, {"kind": "product", "name": "B", "sku": "2"}],
    ),
    "the same name and other URLs": (
        ld(product(name="A", url="/1"), product(name="A", url="/2")),
        [
            {"kind": "product", "name": "A", "link": "http://a.test/1"},
            {"kind": "product", "name": "A", "link": "http://a.test/2"},
        ],
    ),
    "the page itself": (
        ld(product(name="A"), product(name="B")) + "<meta property=og:title content='B | Shop'>"
        "<meta property=og:description content=D><meta name=DC.date content=2026>",
        [{"kind": "product", "name": "A"}, {"kind": "product", "name": "B", "description": "D"}],
    ),
}


@pytest.mark.parametrize("case", TOGETHER)
def test_syntaxes_together(case: str) -> None:
    html, expected = TOGETHER[case]
    assert found(html) == expected


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("119.99", 119.99),
        ("1.299,00 €", 1299.0),
        ("$ 1,299", 1299.0),
        ("1 299,5", 1299.5),
        ("CHF 12'500.-", 12500.0),
        ("1.234.567", 1234567.0),
        ("free", None),
        ("9" * 400, 10.0**18),
        ("1e3", 1000.0),
        ("1.5E-2 EUR", 0.015),
        ("1 euro", 1.0),
    ],
)
def test_numbers(text: str, price: float | None) -> None:
    (thing,) = found(ld(product(name="A", offers={"price": text})))
    assert thing.get("price") == (pytest.approx(price) if price is not None else None)


NAMES = ("@type", "@id", "name", "url", "offers", "author", "itemListElement", "@graph", "location", "properties")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(NAMES),
            inner | st.sampled_from(["Product", "Event", "BreadcrumbList", "_:a", "http://[x"]),
            max_size=4,
        )
    ),
)


@given(st.dictionaries(st.sampled_from(SYNTAXES), JSON))
def test_whatever_the_values_things_have_their_columns(values: dict[str, object]) -> None:
    for thing in things(values, URL):
        assert all(type(value) is COLUMNS[name] for name, value in thing.items())


def test_nodes_that_refer_to_one_another_end() -> None:
    nodes = [
        {"@type": "ItemList", "@id": f"#{n}", "hasPart": [{"@id": f"#{m}"} for m in range(100)]} for n in range(100)
    ]
    assert found(ld({"@graph": nodes})) == []
    deep: object = product(name="A")
    for _ in range(150):
        deep = {"item": deep}
    assert found(ld(deep)) == []


def test_large_nodes_that_many_refer_to_are_read_once() -> None:
    """Each of the articles would go through all keys and names of its author."""
    author = {"@id": "#a", "name": [1] * 20_000, **{f"k{number}": 1 for number in range(20_000)}}
    articles = [{"@type": "Article", "headline": f"H{number}", "author": {"@id": "#a"}} for number in range(5_000)]
    assert len(found(ld([author, *articles]))) == 1_000
