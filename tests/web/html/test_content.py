"""The content of small pages of many kinds."""

import pytest
from support.effort import growth

from minicrawl.web.html.blocks import Walk
from minicrawl.web.html.browser_tree import BrowserTree
from minicrawl.web.html.content import content_of
from minicrawl.web.html.markdown import parts_of
from minicrawl.web.kept_text import blocks_of
from minicrawl.web.marks import Marks

SAY = "The committee met on Monday and decided, after a long debate, to build the bridge of stone and not of wood."
MORE = "Builders who were asked about it said that stone would last for longer, but that it would cost twice as much."
MENU = "<ul class=menu><li><a href=/a>Home</a><li><a href=/b>About us</a><li><a href=/c>Contact</a></ul>"
TITLES = ("A bridge opens", "A mayor resigns", "Rain")
LINKS = "".join(f"<li><a href=/{number}>{title}</a>" for number, title in enumerate(TITLES))


def walk(html: str) -> Walk:
    """html: as a parser writes it."""
    return Walk(html, "http://a.test/", str, str, 10**6)


PAGES = {
    "article and side column": (
        f"<header>The Daily{MENU}</header><main><article><h1>Stone bridge</h1><p class=byline>By A. Smith, 3 May</p>"
        f"<p>{SAY}</p><h2>The costs</h2><p>{MORE}</p><div class=share-buttons>Share this</div></article>"
        f"<div class='related-posts'><h3>Read next</h3><ul>{LINKS}</ul></div></main>"
        f"<div class=sidebar><p>{MORE}</p></div><footer>Imprint</footer>",
        ["Stone bridge", SAY, "The costs", MORE],
    ),
    "title and lead stand before the text": (
        f"<div class=page>{MENU}<h1>Stone bridge</h1><div class=intro><p>{MORE}</p></div><p>3 May</p>"
        f"<div class=entry-content>{f'<p>{SAY}</p>' * 5}</div></div>",
        ["Stone bridge", MORE, *[SAY] * 5],
    ),
    "documentation with a table of contents": (
        f"<div class=sphinxsidebar><ul>{LINKS}</ul></div><div class=document><div role=main><section id=footer>"
        f"<h1>Footers</h1><nav class=contents><ul>{LINKS}</ul></nav><p>{SAY}</p><pre>footer(1)</pre>"
        "<table><tr><th>Name<th>Type<tr><td><a href=#a>a</a><td>int</table>"
        f"<section id=related><h2>Related calls</h2><ul>{LINKS}</ul></section></section></div></div>",
        ["Footers", SAY, "footer(1)", "Name", "Type", "a", "int", "Related calls", *TITLES],
    ),
    "front page of nothing but links": (
        f"<nav>{MENU}</nav><div id=content><h2>Today</h2><ul>{LINKS}</ul></div><footer><a href=/z>Imprint</a></footer>",
        ["Today", *TITLES],
    ),
    "menu and nothing else": (f"<nav>{MENU}</nav>", ["Home", "About us", "Contact"]),
    "thread": (
        f"{MENU}<div id=thread>"
        + "".join(
            f"<div class=post><div class=post-body><p>{words}</p></div><div class=signature-tools>Quote</div></div>"
            for words in (SAY, MORE, SAY)
        )
        + "</div>",
        [SAY, MORE, SAY],
    ),
    "comments below an article": (
        f"<article><h1>Stone</h1><p>{SAY}</p><p>{MORE}</p><p>{SAY}</p></article>"
        f"<section class=comments><h2>2 comments</h2><p>{MORE}</p><p>{MORE}</p></section>",
        ["Stone", SAY, MORE, SAY],
    ),
    "comments and nothing else": (
        f"<h1>Stone or wood?</h1><div class=comments><div class=comment><p>{SAY}</p></div><div class=comment>"
        f"<p>{MORE}</p></div></div>",
        ["Stone or wood?", SAY, MORE],
    ),
    "product below its picture and, linked, that of the shop": (
        "<div class=breadcrumbs><a href=/>Shop</a></div><a href=/><img src=s alt=Shop></a><p><img src=l alt=Lamp></p>"
        f"<form class=product><h1>Lamp</h1><p>{SAY}</p><p>$ 12.50</p><button>Add to cart</button></form>"
        f"<div class=recommended><ul>{LINKS}</ul></div>",
        ["", "Lamp", SAY, "$ 12.50"],
    ),
    "layout named after its side column": (
        f"<div class=with-sidebar><div class='sidebar-layout nav'><p>{SAY}</p><p>{MORE}</p></div>"
        f"<div class=sidebar>{MENU}</div></div>",
        [SAY, MORE],
    ),
    "name of the site above the title": (
        f"<div class=navigation><h1><a href=/>The Daily</a></h1></div><article><h1>Stone</h1><p>{SAY}</p></article>",
        ["Stone", SAY],
    ),
    "cookie banner": (f"<div id=cookie-consent><p>{MORE}</p></div><p>{SAY}</p><p>{SAY}</p>", [SAY, SAY]),
    "terms below the title, and rows of links around": (
        f"<div class=navheader><table><tr><td><a href=/p>Prev</a><td>Part</table></div><h1>Terms</h1><dl><dt>stone</dt>"
        f"<dd>{SAY * 11}</dd><dt>wood</dt><dd>{MORE}</dd></dl><div class=navfooter><a href=/p>Prev</a></div>",
        ["Terms", "stone", SAY * 11, "wood", MORE],
    ),
    "articles to read next, each a link around a title and a teaser; and a lead that is mostly a link": (
        f"<h1>Stone</h1><p>{SAY} <a href=/m>{MORE}</a></p>{f'<p>{SAY}</p>' * 11}<h3>Read next</h3>"
        + f"<a href=/n><h3>Rain</h3><p>{MORE}</p></a>" * 3,
        ["Stone", f"{SAY} {MORE}", *[SAY] * 11],
    ),
    "captions beside what they caption": (
        f"<h1>Stone</h1><p>{SAY}</p><figure><img src=i alt=Map><figcaption>Fig. 1. Roads.</figcaption></figure>"
        "<figure><pre>x = 1</pre><figcaption>Listing 1.</figcaption></figure><figure><figcaption>Table 1.</figcaption>"
        "<table><tr><td>1<td>2<tr><td>3<td>4</table></figure>"
        f"<figure><blockquote>{MORE}</blockquote><figcaption>L. Strand</figcaption></figure><p>{SAY}</p>",
        [
            "Stone",
            SAY,
            "",
            "Fig. 1. Roads.",
            "x = 1",
            "Listing 1.",
            "Table 1.",
            "1",
            "2",
            "3",
            "4",
            MORE,
            "L. Strand",
            SAY,
        ],
    ),
    "lead and picture below the title of news": (
        f"<header class=site>{MENU}<p>News that you can read on any day</p></header><article><header><h1>Stone</h1>"
        "<p class=standfirst>The bridge is opened on Monday, at last.</p><ul><li>It cost two millions</ul>"
        "<p class=byline>By <a href=/a>A. Smith</a>, writer on bridges, 3 May</p><p>5 min read</p>"
        "<p><a href=/s>Share this article with all</a></p></header>"
        f"<figure><img src=i alt=Bridge></figure>{f'<p>{SAY}</p>' * 4}</article>",
        ["Stone", "The bridge is opened on Monday, at last.", "It cost two millions", "", *[SAY] * 4],
    ),
    "line that leads on to links at the end of an article, and a remark": (
        f"<h1>Stone</h1>{f'<p>{SAY}</p>' * 11}<p>What to do next on the bridge:</p><ul>{LINKS}</ul>",
        ["Stone", *[SAY] * 11, "What to do next on the bridge:"],
    ),
    "remark at the end of an article": (
        f"<h1>Stone</h1>{f'<p>{SAY}</p>' * 11}<p>Filed under news</p><ul>{LINKS}</ul>",
        ["Stone", *[SAY] * 11],
    ),
    "headings that are links at the end of an article": (
        f"<h1>Stone</h1>{f'<p>{SAY}</p>' * 11}<h2>More</h2>"
        + f"<h3><a href=/n>Rain in the hills</a></h3><p>3 May</p><p>{MORE}</p>" * 4
        + "<h3>About us</h3><p>We write.</p>",
        ["Stone", *[SAY] * 11],
    ),
    "headings that are links, and are what a page is about": (
        f"<h1>Projects</h1><p>{SAY}</p>" + f"<h3><a href=/n>Rain in the hills</a></h3><p>{MORE}</p>" * 11,
        ["Projects", SAY, *["Rain in the hills", MORE] * 11],
    ),
    "headings that are links to themselves": (
        f"<h1>Stone</h1>{f'<p>{SAY}</p>' * 11}"
        + f"<h3 id=n><a href='http://a.test/#n'>Rain in the hills</a></h3><p>{MORE}</p>" * 4,
        ["Stone", *[SAY] * 11, *["Rain in the hills", MORE] * 4],
    ),
    "note beside the text, address, form": (
        f"<h1>Stone</h1><p>{SAY}</p><aside class=note><p>{MORE}</p></aside><p>{SAY}</p><h2>Office</h2><address>1 Main"
        f" Street</address><form><p>{SAY}</p><p>{MORE}</p><label>Name <input></label><button>Send</button></form>"
        f"<aside><ul>{LINKS}</ul></aside><p>{SAY}</p>",
        ["Stone", SAY, MORE, SAY, "Office", "1 Main Street", SAY, MORE, "Name Send", SAY],
    ),
    "names that programs draw, and one that says what it is": (
        f"<div class=ad-box><p>{MORE}</p></div><h1>Stone</h1><div id=block-5ad1e0c2><p>{SAY}</p></div><p class=hAdRP>"
        f"{MORE}</p><div class=a-d><p>{SAY}</p></div>",
        ["Stone", SAY, MORE, SAY],
    ),
    "boxes of prose, of links, with a button, and of related prose": (
        f"<h1>Stone</h1><div class='widget cta'><p>{SAY} {MORE}</p></div>{f'<p>{SAY}</p>' * 6}<div class=widget><ul>"
        f"{LINKS}</ul></div><div class=widget><p>{SAY} {SAY}</p><button>Order</button></div>"
        f"<div class='widget related'><p>{MORE} {MORE}</p></div>",
        ["Stone", f"{SAY} {MORE}", *[SAY] * 6],
    ),
    "what a search has found, and its form": (
        f"<div class=search><a href=/s>Search</a></div><h1>Bridges</h1><p>{SAY}</p><div class=search-results><ul>"
        f"{LINKS}</ul></div><p>{SAY}</p>",
        ["Bridges", SAY, *TITLES, SAY],
    ),
    "menu around nearly all of a page of links": (
        f"<p>Beta</p><div id=__next><h1>Today</h1><ul>{LINKS * 3}</ul></div>",
        ["Beta", "Today", *TITLES * 3],
    ),
    "posts of a forum, which calls all but one of them comments": (
        f"<h1>Stone?</h1><div class=post-body>{f'<p>{SAY}</p>' * 3}</div><ul class=comments>"
        + f"<li class=comment><a href=/u>Ann</a><div class=post-body><p>{MORE}</p></div>" * 4
        + "</ul>",
        ["Stone?", *[SAY] * 3, *[MORE] * 4],
    ),
    "heading between answers, and one above links": (
        f"<div class=post-body><h1>Stone?</h1><p>{SAY}</p></div><h2>2 answers</h2><b>7</b><div class=post-body><p>"
        f"{MORE}</p></div><h2>Read next</h2><ul>{LINKS}</ul><div class=post-body><p>{SAY}</p></div>",
        ["Stone?", SAY, "2 answers", MORE, SAY],
    ),
    "slides, of which a script shows one": (
        f"<h1>Stone</h1>{f'<p>x</p><div hidden><p>{SAY}</p></div>' * 9}<p>9 slides</p>",
        ["Stone", *["x", SAY] * 9, "9 slides"],
    ),
    "hidden, and half of a page": (
        f"<h1>Stone</h1>{f'<p>x</p><div hidden><p>{SAY}</p></div>' * 9}{f'<p>{MORE}</p>' * 9}",
        ["Stone", *["x"] * 9, *[MORE] * 9],
    ),
    "article that goes on behind headings that are links": (
        f"<h1>Stone</h1>{f'<p>{SAY}</p>' * 11}{'<h3><a href=/n>Rain in the hills</a></h3>' * 3}{f'<p>{MORE}</p>' * 3}",
        ["Stone", *[SAY] * 11, *["Rain in the hills"] * 3, *[MORE] * 3],
    ),
    "hidden": (f"<div style='display: none'>Secret</div><div hidden>More</div><p>{SAY}</p>", [SAY]),
    "one sentence": ("<p>It works!</p>", ["It works!"]),
    "empty": ("<nav></nav><main></main>", []),
}


BUTTON = "<button aria-expanded=false>Of what is it built?</button>"
OPENED = {
    "button of class accordion": "<button class=accordion>Of what is it built?</button><div class=panel>{}</div>",
    "button of a hidden panel": "<button>Of what is it built?</button><div hidden>{}</div>",
    "button and its panel": f"{BUTTON}<div>{{}}</div>",
    "button in a heading": f"<h3>{BUTTON}</h3><div hidden>{{}}</div>",
    "heading": "<h3>Of what is it built?</h3><div style='display: none'>{}</div>",
    "control elsewhere": "<p>Of what is it built? <a aria-controls=p>It</a></p><p>x</p><div id=p hidden>{}</div>",
    "tab": "<p>Of what is it built?</p><div role=tabpanel hidden>{}</div>",
    "until found": "<p>Of what is it built?</p><div hidden=until-found>{}</div>",
    "answer behind a question": "<div class=q>Of what is it built?</div><div class=faq-answer hidden>{}</div>",
    "late part by React": '<p>Of what is it built?</p><div hidden id=S:0>{}</div><script>$RC("B:0","S:0")</script>',
    "body of an expander": "<p>Of what is it built?</p><div class=a-expander-content style='display:none'>{}</div>",
    "body of an accordion": "<p>Of what is it built?</p><div class=accordion-body style='display:none'>{}</div>",
}
NOT_OPENED = {
    "hidden": "<p>Of what is it built?</p><div hidden>{}</div>",
    "hidden, and React shows another": '<p>It</p><div hidden id=S:1>{}</div><script>$RC("B:0","S:0")</script>',
    "hidden, and another is opened": "<p>Of what is it built?</p><p><a href=#q>it</a></p><div id=p hidden>{}</div>",
    "dialog": "<button data-toggle=modal>Subscribe</button><div class=modal hidden>{}</div>",
    "notice with a button": "<div class=cookie-notice>{}<button>Accept</button></div>",
    "menu": "<button aria-expanded=false>Menu</button><ul hidden><li>{}</ul>",
    "menu of that name": "<p>Of what is it built?</p><ul class=collapse hidden><li>{}</ul>",
}


@pytest.mark.parametrize("name", [*OPENED, *NOT_OPENED])
def test_hidden_panel_is_content_if_something_opens_it(name: str) -> None:
    page = (OPENED | NOT_OPENED)[name].format(f"<a href=/x>{MORE}</a>" if "menu" in name else MORE)
    html = f"<main><h1>Stone</h1><p>{SAY}</p>{page}<p>{SAY}</p></main>"
    _, _, content, rest, _ = parts_of(walk(BrowserTree(Marks(html.encode())).html()))
    assert (MORE in content, MORE in rest) == (name in OPENED, name not in OPENED)
    if name in OPENED:
        assert "Of what is it built?" in content
    assert not {"Menu", "Accept", "Subscribe"} & {text for block in blocks_of(content) for text in block.texts}


CONTROLS = {
    "pictures": (f"<ul>{'<li><button aria-controls=a>Load the picture</button>' * 3}</ul>", "Load the picture"),
    "choice behind a button": (f"{BUTTON}<select><option>Load the picture</select><p>{MORE}</p>", "Load the picture"),
}


@pytest.mark.parametrize("name", CONTROLS)
def test_controls_that_open_nothing_are_no_content(name: str) -> None:
    controls, words = CONTROLS[name]
    html = f"<main><h1>Stone</h1><p>{SAY}</p>{controls}<p>{SAY}</p></main>"
    _, _, content, rest, _ = parts_of(walk(BrowserTree(Marks(html.encode())).html()))
    assert words not in content
    assert words in rest


@pytest.mark.parametrize(
    ("title", "has_it"),
    [
        ("A bridge of stone - The Daily", True),
        ("The Daily: A bridge of stone", True),
        ("The Daily", False),
        ("", False),
    ],
)
def test_a_heading_that_the_title_of_the_page_has_is_content_whatever_its_level(title: str, has_it: bool) -> None:
    posts = "".join(f"<div class=post><div class=body>{words}</div></div>" for words in (SAY, MORE, SAY))
    html = f"<h3>Most read</h3><p>Rain</p><h2>A bridge of stone</h2>{posts}<h3>A mayor resigns</h3><p>News</p>"
    content = parts_of(walk(BrowserTree(Marks(html.encode())).html()), title).content
    headings = ["A bridge of stone"] if has_it else []
    assert [word for block in blocks_of(content) for word in block.texts] == [*headings, SAY, MORE, SAY]
    article = f"<h2>A bridge of stone</h2><article><h1>A bridge of stone #</h1><p>{SAY}</p><p>{MORE}</p></article>"
    content = parts_of(walk(BrowserTree(Marks(article.encode())).html()), title).content
    assert content.count("A bridge of stone") == 1


@pytest.mark.parametrize("page", PAGES)
def test_content_is_what_a_page_is_about(page: str) -> None:
    html, expected = PAGES[page]
    _, _, content, *_ = parts_of(walk(BrowserTree(Marks(html.encode())).html()))
    assert [word for block in blocks_of(content) for word in block.texts] == expected


@pytest.mark.parametrize(
    "html",
    [
        "<div class=nav>" * 400 + "x",
        "<div class=post>word <a href=/x>link</a>" * 400,
        "<header><div class=comment>" * 200 + SAY,
        "<main class=main><h1>a</h1>" * 200,
    ],
)
def test_nested_containers_cost_no_more_than_others(html: str) -> None:
    whole = BrowserTree(Marks(html.encode())).html()
    assert growth(lambda times: parts_of(walk(whole * times)), 2) < 1.5


@pytest.mark.parametrize(
    ("before", "opening"),
    [
        ("<div class=comment>", "<div class=post-body>word"),
        ("<div class=comment>word</div>", "<div class=post-body>word"),
        (f"<p>{SAY}", f"<div class=related><p>{SAY}"),
        (f"<p>{SAY}", f"<div class=nav><p>{SAY}"),
    ],
)
def test_depth_costs_no_more_than_width(before: str, opening: str) -> None:
    pages = {
        depth: walk(BrowserTree(Marks(f"{before}{opening * depth}".encode())).html()).page for depth in (500, 5_000)
    }
    assert growth(lambda depth: content_of(pages[depth]), 500) < 1.5
