"""Microformats: examples of the specification and of its suite of tests (github.com/microformats/tests)."""

import pytest

from minicrawl.extract.document import Document
from minicrawl.extract.structured.bounded_page import BoundedPage
from minicrawl.extract.structured.microformats import Item, microformats

HOME = "http://a.test/b/"


def item(kind: str, more: Item | None = None, **properties: list[object]) -> Item:
    return {"type": [kind], "properties": properties} | (more or {})


REPLY: dict[str, list[object]] = {
    "in-reply-to": [item("h-cite", {"value": "http://a.test/c"}, name=["C"], url=["http://a.test/c"])]
}

# HTML, and its items
STANDARD: dict[str, tuple[str, list[Item]]] = {
    "implied by the text": ("<span class=h-card>Frances  Berriman</span>", [item("h-card", name=["Frances Berriman"])]),
    "implied by a link": (
        "<a class=h-card href=/ben>Ben Ward</a>",
        [item("h-card", name=["Ben Ward"], url=["http://a.test/ben"])],
    ),
    "implied by an image": (
        "<img class=h-card src=/c.jpg alt='Chris'>",
        [item("h-card", name=["Chris"], photo=[{"value": "http://a.test/c.jpg", "alt": "Chris"}])],
    ),
    "implied by an image in a link": (
        "<div class=h-card><a href=r><img src=r.jpg alt='R'></a></div>",
        [item("h-card", name=["R"], photo=[{"value": f"{HOME}r.jpg", "alt": "R"}], url=[f"{HOME}r"])],
    ),
    "nothing implied": (
        "<p class=h-card><b class=p-note>x</b><a class=u-email href=mailto:a@b>m</a></p>",
        [item("h-card", note=["x"], email=["mailto:a@b"])],
    ),
    "properties": (
        "<article class='h-entry extra' id=e><h1 class='p-name p-x'>T</h1>"
        "<time class=dt-published datetime='2013-06-13'>then</time>"
        "<p class=p-summary>In <img alt=which> I</p><abbr class=p-note title=full>f.</abbr>"
        "<data class=p-price value=9.50>9</data></article>",
        [
            item(
                "h-entry",
                {"id": "e"},
                name=["T"],
                x=["T"],
                published=["2013-06-13"],
                summary=["In which I"],
                note=["full"],
                price=["9.50"],
            )
        ],
    ),
    "markup": (
        "<p class=h-entry><span class=e-content> <b>B</b>c <script>1</script></span></p>",
        [item("h-entry", content=[{"html": "<b>B</b>c <script>1</script>", "value": "Bc"}])],
    ),
    "an item as property": (
        "<div class=h-entry><p class='p-author h-card'><a class='p-name u-url' href=/w>W</a> D</p>"
        "<i class=p-name>N</i></div>",
        [item("h-entry", author=[item("h-card", {"value": "W"}, name=["W"], url=["http://a.test/w"])], name=["N"])],
    ),
    "an item as URL": (
        "<div class=h-entry><a class='u-in-reply-to h-cite' href=/c>C</a></div>",
        [item("h-entry", None, **REPLY)],
    ),
    "an item within": (
        "<div class=h-feed><b class=p-name>F</b><p class=h-entry>E</p></div>",
        [item("h-feed", {"children": [item("h-entry", name=["E"])]}, name=["F"])],
    ),
    "parts of a value": (
        "<p class=h-event><b class=dt-start><i class=value>2009-06-26</i> at <i class=value>19:00</i></b>"
        "<b class=p-name><i class=value>a</i>x<i class=value-title title=b></i></b></p>",
        [item("h-event", start=["2009-06-26 19:00"], name=["ab"])],
    ),
    "two types, and classes that are none": (
        "<p class='h-card h-adr h-full h-10 H-x'>A</p><p class='h-full'>B</p><p class=hentry>C</p>",
        [{"type": ["h-adr", "h-card"], "properties": {"name": ["A"]}}],
    ),
}


def found(html: str) -> list[Item]:
    return microformats(BoundedPage(Document(html.encode()).tree, HOME, []))


@pytest.mark.parametrize("case", STANDARD)
def test_items_are_those_of_the_specification(case: str) -> None:
    html, expected = STANDARD[case]
    assert found(html) == expected


NAMES = " ".join(f"p-{'a' * number}" for number in range(1, 600))


@pytest.mark.parametrize(
    "html",
    [
        "<div class='h-entry e-content'>" * 5_000,
        "<div class='h-entry p-a e-b u-c'>" * 2_000,
        "<div class=h-entry>" + "<div class=p-name>xxxxxxxxxx" * 5_000,
        "<p class=h-card></p>" * 50_000,
        f"<p class=h-card><i class='{NAMES}'>" + "<b></b>" * 20_000,
        f"<p class=h-card><i class='{NAMES.replace('p-', 'e-')}'>" + "x" * 20_000,
    ],
    ids=["deep", "deep in several properties", "text in text", "many", "names of elements", "names of texts"],
)
def test_large_pages_end(html: str) -> None:
    assert len(str(found(html))) < 10_000_000
