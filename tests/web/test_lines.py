"""The lines of pages."""

import hashlib
import random
import re
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.effort import growth, ratio

from minicrawl.web.lines import (
    LONGEST,
    MOST,
    SAMPLED,
    WORDS_OF_A_PICTURE,
    Lines,
    lines_of,
    pack,
    title_hash,
    title_parts,
    unpack,
)
from minicrawl.web.marks import UNREAD_NAMES, Marks

URL = "http://a.test/list"
ROWS = "<table><tr><td>Rose<td>4 EUR<tr><td>Tulip<td>2 EUR</table>"


def read(html: str | bytes, url: str = URL) -> Lines:
    return lines_of(Marks(html.encode() if isinstance(html, str) else html), url)


def told(lines: Lines) -> dict[int, int]:
    """The words of each line by its hash."""
    return dict(zip(lines.hashes.tolist(), lines.words.tolist(), strict=True))


@pytest.mark.parametrize(
    "other",
    [
        pytest.param("<table><tr><td>Tulip<td>2 EUR<tr><td>Rose<td>4 EUR</table>", id="order of rows"),
        pytest.param(ROWS + "<p>Rose", id="a line again"),
        pytest.param(ROWS.replace("Rose", " rose, "), id="case, spaces, punctuation"),
    ],
)
def test_same_lines_are_the_same_listing(other: str) -> None:
    assert read(other).listing == read(ROWS).listing != 0


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(ROWS.replace("4", "5"), id="a digit"),
        pytest.param(ROWS + "<p>Lily", id="a line more"),
        pytest.param(ROWS.replace("<td>4", " 4"), id="two lines in one"),
        pytest.param(ROWS + "<img src=a.png>", id="an image"),
    ],
)
def test_other_lines_are_another_listing(other: str) -> None:
    assert read(other).listing != read(ROWS).listing


def test_titles_parts_are_found_among_lines() -> None:
    lines = told(read("<h1>Rose &amp; Tulip</h1><p>Shop of 12"))
    assert [lines[part] for part in title_parts("Rose & Tulip – Shop of 13")] == [2, 3]
    assert title_parts("garden: 36b5e611a817 rose.c · tip") == title_parts("garden: 9e2cf8839222a rose.c · tip")
    assert title_parts("a: facade12 rose.c") != title_parts("a: facades rose.c")
    assert title_hash("Page 2  of 3") == title_hash("page 1 of\n1") != title_hash("page 12 of 1")


@pytest.mark.parametrize(
    ("other", "is_same"), [("9E2cf8839222a", True), ("0", True), ("facades", False), ("36b5e6", False)]
)
def test_hexadecimal_names_are_one_number_in_lines(other: str, is_same: bool) -> None:
    """Of a title too; the listing tells them apart."""
    one, another = read("<p>Rose at 36b5e611a817"), read(f"<p>Rose at {other}")
    assert (told(one) == told(another)) == is_same
    assert one.listing != another.listing
    assert title_parts("Shop - Rose at 36b5e611a817")[1] in told(one)


def test_lines_cross_processes_as_bytes() -> None:
    one, other = read(ROWS), unpack(pack(read(ROWS)))
    assert (told(one), one.listing, one.numbers, one.all_words) == (told(other), other.listing, 2, 6)
    assert told(unpack(pack(read("")))) == {}


def runs(*rows: str) -> set[int]:
    lines = read(f"<table>{''.join(rows)}")
    assert unpack(pack(lines)).numbered.tolist() == lines.numbered.tolist() == sorted({*lines.numbered.tolist()})
    return {*lines.numbered.tolist()}


def test_runs_of_lines_with_numbers_are_known_again_in_another_order() -> None:
    """Those that lie in a row, and no others."""
    rows = [f"<tr><td>{n}<td>rose {n * 7}<td>red<td>4 EUR<td>2026<td>lily {n}" for n in range(400)]
    other = [rows[n * 319 % 400] for n in range(400)]
    inside = set[int]().union(*map(runs, rows))
    assert len(inside) == pytest.approx(3 * 400 / SAMPLED, rel=0.3)
    assert runs(*rows) & runs(*other) == inside
    assert not runs(*rows) & runs(*(row.replace("rose", "oak").replace("4", "5") for row in rows))
    assert runs("<p>No<p>number<p>is<p>here<p>at<p>all") == runs("<p>1<p>2<p>3") == set()


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        pytest.param("<p>Price: 12 EUR</p>", ["price 99 eur"], id="digits"),
        pytest.param("<p>a<b>b</b>c", ["a", "b", "c"], id="tags"),
        pytest.param("<p>a > b", ["a b"], id="sign"),
        pytest.param("<p>It&#39;s &nbsp; Tom&amp;Jerry &eacute;t&eacute;", ["it s tom jerry t"], id="entities"),
        pytest.param("<p>AT&T; &verylongname;", ["at verylongname"], id="hardly entities"),
        pytest.param("<title>x</title><body><p>y", ["y"], id="body"),
        pytest.param("<p>y<title>x</title>", ["y"], id="a title in it"),
        pytest.param("<select><option>x<option>y</select>z<textarea><b>x</textarea>", ["z"], id="fields"),
        pytest.param("<script>a>b<c</SCRIPT>z<style>p>a</style><noscript><p>x</noscript>", ["z"], id="hidden"),
        pytest.param("<!-- a > b --><p>x<!-- <p>c --> y <!-- > --> z <!--> w", ["x", "y", "z", "w"], id="comments"),
        pytest.param("<strong>x</strong><selection>y</selection>", ["x", "y"], id="names that begin alike"),
        pytest.param("<p>x<script>never closed<p>y", ["x"], id="not closed"),
        pytest.param("<p> - </p>&nbsp;<p>...", [], id="no word"),
        pytest.param("<p>花の名前 Ünï", ["花の名前 Ünï"], id="other letters"),
        pytest.param(
            "<p>a\nb<PRE >c\n\nd e\n<b>f\r\ng</b> h</pre>i\nj", ["a b", "c", "d e", "f", "g", "h", "i j"], id="listing"
        ),
        pytest.param("<pre>a<!-- b\nc --><i title='d\ne'>f\ng", ["a", "f", "g"], id="listing without an end"),
        pytest.param("<prefix>a\nb</prefix>", ["a b"], id="a name that begins like pre"),
        pytest.param("<script>'<pre>'</script><p>a\nb<pre>c\nd</pre>", ["a b", "c", "d"], id="a listing in a script"),
    ],
)
def test_lines_of_a_page(html: str, lines: list[str]) -> None:
    assert told(read(html)) == told(read("<p>" + "<p>".join(lines)))
    assert len(told(read(html))) == len(lines)


@pytest.mark.parametrize(
    ("query", "text", "rest"),
    [
        ("q=roses", "Results for Roses", "results for"),
        ("q=red+roses", "“red, roses” 12", "“red roses” 00"),
        ("q=%72oses%20", "roses: no results", "no results"),
        ("page=7", "Page 3 of 12", "3 of 12"),
        ("q=rose", "Roses", "roses"),
        ("q=roses", "roses", ""),
        ("", "Results for roses", "results for roses"),
    ],
)
def test_words_of_the_query_do_not_count_in_lines(query: str, text: str, rest: str) -> None:
    assert told(read(f"<p>{text}", f"{URL}?{query}")) == told(read(f"<p>{rest}"))
    assert read(f"<p>{text}", f"{URL}?{query}").listing == read(f"<p>{text}").listing, "but in the listing"


def test_images_are_lines_by_their_path() -> None:
    one = read("<img src='/a/1.png?x=1'>")
    assert told(one) == told(read('<IMG alt="" SRC=/a/2.png>')) != told(read("<img src=/b/1.png>"))
    assert one.listing == read("<img src=/a/1.png?y>").listing != read("<img src=/a/2.png>").listing
    assert list(told(one).values()) == [1]
    assert told(read("<noscript><img src=/a/1.png></noscript><!-- <img src=b> -->")) == {}


def test_pictures_are_told_apart_by_all_of_their_paths() -> None:
    def pictures(html: str) -> list[int]:
        lines = read(html)
        assert unpack(pack(lines)).pictures.tolist() == lines.pictures.tolist()
        return [int(picture) for picture in lines.pictures]

    one, two = pictures("<p>Photo<img src='/a/1.png?x=1'>"), pictures("<p>Photo<img src=/a/2.png>")
    assert (len(one), len(two)) == (1, 1)
    assert one != two
    assert pictures("<img src=/a/1.png>" * 2 + "<form>Find</form><img src=/a/2.png>") == sorted(one + two)
    assert pictures("<Form action=/x><img src=/a/1.png></form><img src=/a/2.png><form><img src=/a/3.png>") == two
    assert pictures("<formula><img src=/a/1.png>") == one
    assert pictures("<img src=/a/1.png>" + "<p>word" * WORDS_OF_A_PICTURE) == one
    assert pictures("<img src=/a/1.png>" + "<p>word" * (WORDS_OF_A_PICTURE + 1)) == []


def test_longer_pages_have_the_lines_of_their_beginning() -> None:
    line = "<p>one two</p>"
    whole = line * (LONGEST // len(line))
    assert told(read(whole + "<p>other")) == told(read(line))
    assert read(whole + "<p>other").listing != read(whole + "<p>another").listing
    many = "<i>x" * MOST
    assert told(read(many + "<p>other")) == told(read(many))


# The same by the obvious means.

WORD = rb"[0-9A-Za-z\x80-\xff]+"
HIDDEN = re.compile(
    rb"<(%b)(?=[\s/>]).*?(?:</\1(?=[\s/>])|\Z)|<!(?=--).*?(?:--(?=>)|\Z)" % b"|".join(UNREAD_NAMES), re.DOTALL | re.I
)


LISTING = re.compile(rb"<pre(?=[\s/>]).*?(?:</pre(?=[\s/>])|\Z)", re.DOTALL | re.I)


def words(text: bytes) -> list[bytes]:
    return re.findall(WORD, text.lower())


def slow(body: bytes, url: str) -> tuple[list[bytes], list[bytes]]:
    """The lines of a page as tags of pages of one line: without the words of the query, and with them."""
    start = re.search(rb"<body(?=[\s/>])", body, re.I)
    body = HIDDEN.sub(b"<", body[start.start() if start else 0 :])
    known = {re.sub(rb"\d", b"0", word) for word in words(unquote_to_bytes(url.partition("?")[2].replace("+", " ")))}
    known = {word for word in known if word.strip(b"0")}
    body = LISTING.sub(lambda found: re.sub(rb"\n(?=[^<>]*(?:<|\Z))", b"<br>", found[0]), body)
    images = [b"<img src=%b>" % path for path in re.findall(rb"""(?i)<img\s[^<>]*?\bsrc=["']?([^"'\s<>?]*)""", body)]
    texts = re.findall(rb">([^<]+)", body[body.find(b"<") :]) if b"<" in body else []
    lines = [words(re.sub(rb"&#?%b;" % WORD.replace(b"+", b"{1,9}"), b" ", text)) for text in texts]
    new = [[word for word in line if re.sub(rb"\d", b"0", word) not in known] for line in lines]
    return [b"<p>" + b" ".join(line) for line in new if line] + images, [
        b"<p>" + b" ".join(line) for line in lines
    ] + images


TAGS = [
    b"p",
    b"b",
    b"pre",
    b"Pre",
    b"td",
    b"strong",
    b"section",
    b"body",
    b"Script",
    b"script",
    b"option",
    *UNREAD_NAMES,
]
ATTRIBUTES = [b"", b" a='x > y'", b' src="/a.png?b"', b" hidden/", b" title=>"]
TEXTS = [
    "Rose",
    "rose 12",
    "Rose 7",
    "a > b",
    "&amp;",
    "Tom&nbsp;&#39;s",
    "&x",
    "花の 名前",
    "ünï-cödé",
    " \n",
    "a\nb",
    "it's",
    "-",
    "no-where",
]
PIECES = st.one_of(
    st.sampled_from([text.encode() for text in TEXTS]),
    st.builds(lambda name, rest: b"<%b%b>" % (name, rest), st.sampled_from(TAGS), st.sampled_from(ATTRIBUTES)),
    st.sampled_from([b"</%b>" % name for name in TAGS]),
    st.sampled_from(
        [b"<!--", b"-->", b"<!-- x -->", b"<img alt src=b/1.png>", b"<IMG SRC='c.png?1'>", b"<", b">", b"&", b";", b"#"]
    ),
)


@given(
    st.lists(PIECES, max_size=30).map(b"".join),
    st.sampled_from(["", "?q=rose", "?n=7&x=a+%E8%8A%B1%E3%81%AE", "?rose"]),
)
@example(b"><p>x", "")
@example(b"<p>&", "")
@example(b"<p>x&#", "?x")
def test_lines_are_those_found_slowly(body: bytes, query: str) -> None:
    lines, exact = slow(body, URL + query)
    found = read(body, URL + query)
    expected = [read(line) for line in lines]
    assert told(found) == {number: count for line in expected for number, count in told(line).items()}
    assert found.listing == read(b"".join(exact)).listing
    assert list(found.hashes) == sorted(set(found.hashes.tolist()))


def prose(seed: int) -> bytes:
    """A page of some hundred lines."""
    draw = random.Random(seed)
    said = ["rose", "Tulip", "12", "7", "花", "&amp;", "of", "x" * 20]

    def line() -> str:
        return " ".join(draw.choices(said, k=draw.randint(0, 9)))

    tags = ["p", "td", "h2", "option", "textarea", "strong"]
    rows = (f"<{tag} class='a'>{line()}</{tag}>\n" for tag in draw.choices(tags, k=300))
    return f"<html><head><title>{line()}</title></head><body class=x>{''.join(rows)}".encode()


@pytest.mark.parametrize("seed", range(5))
def test_lines_of_long_pages_are_those_found_slowly(seed: int) -> None:
    body = prose(seed)
    lines, exact = slow(body, URL + "?q=of+12")
    found = read(body, URL + "?q=of+12")
    assert set(told(found)) == {number for line in lines for number in told(read(line))}
    assert found.listing == read(b"".join(exact)).listing


UNITS = [
    b"<",
    b">",
    b"<>",
    b"><",
    b"<p>",
    b"a",
    b"a ",
    b"1",
    b"1 ",
    b"&",
    b"&a;",
    b"&#1;",
    b"<!--",
    b"<!-->",
    b"<title>",
]
UNITS += [
    b"<script></script>",
    b"<Script>",
    b"<img src=",
    b"<img src=a>",
    b"</p",
    b"<!-- > -->x",
    b"<body ",
    b"<a>x</a>\xff",
    b"<pre>\n",
    b"<pre>a\nb</pre>",
]


@pytest.mark.parametrize("unit", UNITS)
def test_hostile_pages_take_linear_time(unit: bytes) -> None:
    def page(size: int) -> Marks:
        return Marks(b"<p>" + unit * (size // len(unit)))

    # What leaves a cache takes a few times as long: little in the power of so many times the size.
    assert growth(lambda size: lines_of(page(size), URL), LONGEST // 32, times=32) < 1.5
    large = page(10 * LONGEST)
    assert len(lines_of(large, URL).hashes) <= 2 * MOST
    assert ratio(lambda: lines_of(large, URL), lambda: hashlib.blake2b(large.body), 2) < 100


def test_long_queries_take_linear_time() -> None:
    body = Marks(b"<p>" + b"a b " * 20_000)
    assert growth(lambda times: lines_of(body, f"{URL}?q={'a+' * times}{'%20b' * times}"), 500) < 1.5
