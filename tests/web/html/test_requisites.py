"""What HTML and CSS need, by snippets whose URLs were derived by hand from the standards."""

import pytest
from support.effort import growth

from minicrawl.model import RequisiteKind, Wanted
from minicrawl.web.html import parse_html
from minicrawl.web.html.facts import MAX_REQUISITES, candidates, requisites_of_style, style_references

WHOLE = Wanted(places=True, requisites=True)
FILE, STYLE, FRAME = RequisiteKind.FILE, RequisiteKind.STYLE, RequisiteKind.FRAME
PAGE = "http://a.test/x/page"


def found(html: str) -> dict[str, RequisiteKind]:
    """Kinds by URL, those in the folder of the page by the rest of it."""
    parsed = parse_html(html.encode(), PAGE, "text/html; charset=utf-8", WHOLE)
    return {url.removeprefix("http://a.test/x/"): kind for url, kind in parsed.requisites}


FILES = {
    '<img src="1.png">': ["1.png"],
    '<img src=" 1.png\n">': ["1.png"],
    '<img src="1.png" srcset="2.png, 3.png 2x, 4.png 480w">': ["1.png", "2.png", "3.png", "4.png"],
    '<picture><source srcset="1.avif"><img src=1.png></picture>': ["1.avif", "1.png"],
    '<img src="data:image/gif;base64,R0lG" data-src=1.png data-srcset="2.png 2x">': ["1.png", "2.png"],
    "<p><noscript><img src=1.png></noscript>": ["1.png"],
    "<head><noscript><img src=1.png></noscript></head>": [],
    "<input type=IMAGE src=1.png><input type=text src=2.png>": ["1.png"],
    '<svg><image href=1.png /><image xlink:href="2.png"/></svg>': ["1.png", "2.png"],
    '<svg><use href="icons.svg#a"/><use href="#b"/></svg>': ["icons.svg"],
    "<body background=1.png><table background=2.png><td background=3.png>": ["1.png", "2.png", "3.png"],
    "<p style=\"background: url('1.png')\">": ["1.png"],
    '<p style="background: url(&quot;1.png&quot;)">': ["1.png"],
    "<style>a { cursor: url(1.cur), auto }</style>": ["1.cur"],
    "<svg><style>a { fill: url(1.svg#f) }</style></svg>": ["1.svg"],
    "<video src=1.mp4 poster=1.png><track src=1.vtt></video>": ["1.mp4", "1.png", "1.vtt"],
    "<audio><source src=1.ogg></audio>": ["1.ogg"],
    "<script src=1.js></script><script src=2.js type=text/ecmascript></script>": ["1.js", "2.js"],
    "<script type=module src=1.js></script><link rel=modulepreload href=2.js>": ["1.js", "2.js"],
    '<script src=1.js type="text/template"></script>': [],
    '<link rel="shortcut ICON" href=1.ico><link rel=apple-touch-icon href=2.png>': ["1.ico", "2.png"],
    "<link rel=mask-icon href=1.svg><link rel=manifest href=m.json>": ["1.svg", "m.json"],
    "<link rel=preload as=font href=1.woff2><link rel=preload as=script href=1.js>": ["1.woff2", "1.js"],
    "<link rel=canonical href=a><link rel=next href=b><link rel=dns-prefetch href=//c.test>": [],
    "<a href=1.png>1</a><area href=2.png>": [],
    "<template><img src=1.png></template>": [],
    "<img src=''><img src='#a'><img src='page'><img src='javascript:x'><img src='blob:x'><img src='about:blank'>": [],
    "<base href=/y/><img src=1.png><img src=//b.test/2.png>": ["http://a.test/y/1.png", "http://b.test/2.png"],
    "<img src='http://user:secret@b.test/1.png?q=1#f'>": ["http://b.test/1.png?q=1"],
    "<img src='http://b.test/1.png?utm_source=x'>": ["http://b.test/1.png?utm_source=x"],
    "<IMG\nSRCSET='1.png'><video\tPOSTER='2.png'></video><table\nBACKGROUND=3.png>": ["1.png", "2.png", "3.png"],
    "<svg><filter><feImage href=1.png /></filter></svg>": ["1.png"],
    "<!-- <img src=1.png> --><textarea><img src=2.png></textarea>": [],
}


@pytest.mark.parametrize(("html", "urls"), FILES.items())
def test_files_of_a_page(html: str, urls: list[str]) -> None:
    assert sorted(found(html)) == sorted(urls)
    assert set(found(html).values()) <= {FILE}


@pytest.mark.parametrize(
    ("html", "kinds"),
    [
        (
            "<link rel=stylesheet href=1.css><link rel='alternate stylesheet' href=2.css>",
            {"1.css": STYLE, "2.css": STYLE},
        ),
        ("<link rel=preload as=style href=1.css>", {"1.css": STYLE}),
        ("<style>@import '1.css';</style>", {"1.css": STYLE}),
        ("<iframe src=1></iframe><iframe data-src=2></iframe>", {"1": FRAME, "2": FRAME}),
        ("<frameset><frame src=1></frameset>", {"1": FRAME}),
        ("<object data=1.svg></object><embed src=2.swf>", {"1.svg": FRAME, "2.swf": FRAME}),
    ],
)
def test_style_sheets_and_frames_need_more_in_turn(html: str, kinds: dict[str, RequisiteKind]) -> None:
    assert found(html) == kinds


@pytest.mark.parametrize(
    ("css", "references"),
    [
        ("a { b: url(1.png) }", ["1.png"]),
        ("a { b: URL( '1.png' ) }", ["1.png"]),
        ('a { b: url("1 (2).png") }', ["1 (2).png"]),
        (r"a { b: url(1\(2\).png) url('\31 .png') url(\68 i.png) }", ["1(2).png", "1.png", "hi.png"]),
        ("/* url(1.png) */ a { b: url(2.png) } /* url(3.png)", ["2.png"]),
        ("a { content: 'url(1.png)' } b { c: url(2.png) }", ["2.png"]),
        (
            "@import '1.css'; @import url(2.css) print; @IMPORT/**/url( \"3.css\" ) layer(x);",
            ["1.css", "2.css", "3.css"],
        ),
        ("@charset 'utf-8'; @media (x) { @import '1.css' }", ["1.css"]),
        ("@font-face { src: local('x'), url(1.woff2) format('woff2'), url(1.ttf) }", ["1.woff2", "1.ttf"]),
        ("a { b: -webkit-image-set(url('1.png') 1x) }", ["1.png"]),
        ("a { b: my-url(1.png) }", []),
        ("a { b: url(1 2.png) } c { d: url(3.png) }", ["3.png"]),  # a bad url: white space within
        ("a { b: 'broken\n; c: url(1.png) }", ["1.png"]),  # a bad string ends with its line
        ("a { b: url(1.png", ["1.png"]),  # the end of the file ends everything
        ("a { b: url('1.png", ["1.png"]),
        ("}}} a {{ b:: url(1.png); ) ] @", ["1.png"]),
        ("a { b: url() url('') url( ) }", ["", "", ""]),
    ],
)
def test_references_of_a_style_sheet(css: str, references: list[str]) -> None:
    assert [reference for reference, _ in style_references(css)] == references


def test_a_style_sheet_resolves_by_its_own_url_in_its_own_encoding() -> None:
    body = b'@charset "windows-1252"; @import "b.css"; a { b: url(../\xe9.png?\xe9) }'
    urls = [url for url, _ in requisites_of_style(body, "http://c.test/x/y.css", "text/css")]
    assert urls == ["http://c.test/x/b.css", "http://c.test/%C3%A9.png?%E9"]
    assert [kind for _, kind in requisites_of_style(body, "http://c.test/x/y.css", "text/css")] == [STYLE, FILE]


@pytest.mark.parametrize(
    ("srcset", "references"),
    [
        ("1.png", ["1.png"]),
        (" ,, 1.png 1x,2.png 2x , 3.png", ["1.png", "2.png", "3.png"]),
        ("1.png,, 2.png", ["1.png", "2.png"]),
        ("data:image/gif;base64,R0lG 1x, 2.png 2x", ["data:image/gif;base64,R0lG", "2.png"]),
        ("1.png,2.png", ["1.png,2.png"]),
        ("1.png (a, b) 1x, 2.png", ["1.png", "2.png"]),
        ("1.png (a, 2.png", ["1.png"]),
        (", ,", []),
    ],
)
def test_references_of_a_srcset(srcset: str, references: list[str]) -> None:
    assert list(candidates(srcset)) == references


@pytest.mark.parametrize(
    "piece", ["a{b:url(x)}", "url(", "image-set(", "(", '"', "'\\", "/*", "/**/", "@import ", "url('"]
)
def test_a_megabyte_of_css_takes_time_linear_in_its_length(piece: str) -> None:
    def count(size: int) -> int:
        return sum(1 for _ in style_references(piece * (size // len(piece))))

    assert growth(count, 100_000) < 1.5


def test_so_many_of_a_document_count() -> None:
    css = "".join(f"a{{b:url({number}.png)}}" for number in range(80_000)).encode()
    assert len(css) > 1_000_000
    assert len(requisites_of_style(css, PAGE, "text/css")) == MAX_REQUISITES


def test_what_is_not_wanted_is_not_looked_for() -> None:
    assert parse_html(b"<img src=1.png>", PAGE, None, Wanted(places=True)).requisites == ()
