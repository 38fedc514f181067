"""Kept texts, written by hand and read back."""

import zlib

import pytest
from support.effort import growth

from minicrawl.errors import StoreError
from minicrawl.web.kept_text import (
    ID_SHIFT,
    About,
    Anchor,
    KeptText,
    Repeated,
    about_of,
    beginning,
    block_number,
    blocks_of,
    key_of,
    pack,
    read,
    unpack,
    with_about,
    words_in,
)

URL = "http://a.test/"
ABOUT = About("A title", "en", None, True)
LINK = "](http://b.test/)"


def kept(content: str, rest: str = "") -> KeptText:
    return unpack(pack(ABOUT, content, rest), URL)


def test_what_is_known_beside_the_text_comes_back() -> None:
    about = About("Ti\ntle \N{SNOWMAN}", None, 'says "so"', False)
    page = unpack(pack(about, "words", "more"), URL)
    assert (page.url, page.title, page.language, page.description, page.index) == (
        *(URL, "Ti\ntle \N{SNOWMAN}", None, 'says "so"', False),
    )
    assert (page.content, page.rest, page.text) == ("words", "more", "words\nmore")


def test_what_is_known_is_set_anew_without_the_text() -> None:
    record = with_about(pack(ABOUT, "thé words", "more"), About("\ud800\n", "fr", index=False))
    page = unpack(record, URL)
    assert (about_of(record), page.content, page.rest) == (About("?\n", "fr", index=False), "thé words", "more")
    assert [beginning(record, size) for size in (2, 5, 6, 100)] == ["", "th", "thé", "thé words"]


def test_lines_are_blocks_and_so_are_listings() -> None:
    page = kept(
        "# One\n\ntwo\\\nthree\n\n### Four\n\n"
        "5. five\n   - - six\n\n     ````c\n     a\n\n       ```\n     ````\n\n> seven\n\n: 8",
        "Menu",
    )
    assert [row.texts for row in blocks_of("| a | b\\|c |\n| --- | --- |\n|  | `d \\| e` |")] == [
        ["a", "b|c"],
        ["d | e"],
    ]
    assert page.content_text == "One\ntwo\nthree\nFour\nfive\nsix\na\n\n  ```\nseven\n8"
    assert (page.h1, page.headings, page.text) == ("One", ["One", "Four"], f"{page.content_text}\nMenu")


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("a **b *c*** ~~d~~ `` `e` `` f_g", "a b c d `e` f_g"),
        ("\\*x\\* \\\\ \\_y &lt;b> &amp;lt; C:\\d", "*x* \\ _y <b> &lt; C:\\d"),
        (f"[a] [b{LINK} [c ![d](http://e.test/f) g", "[a] b [c  g"),
    ],
)
def test_words_are_those_without_markup(markdown: str, words: str) -> None:
    assert read(markdown)[0] == words


def test_what_the_host_repeats_is_no_content_around_it_in_menus_and_in_notices() -> None:
    menu = [f"- [{word}{LINK}" for word in ("Home", "News", "Shop", "Help", "Jobs")]
    labels = ["## Example", "| Throws |", "| --- |", "Since"]
    code, notice = "```\nimport x\n```", "All our pages are written with care; " * 4
    blocks = ["Site", *menu, "own title", *labels, code, "own text", *menu, "own end", notice, "own", "Imprint"]
    words = [" ".join(block.text.split()) for block in blocks_of("\n".join(blocks))]
    headings = [key_of(block.markdown, block.level) for block in blocks_of("\n".join(blocks)) if block.level]
    hashed = (*words, *headings)
    repeated = Repeated({block_number(each) >> ID_SHIFT for each in hashed if "own" not in each})
    left = ["own title", "Example", "Throws", "Since", "import x", "own text", "own end", "own"]

    def content(*blocks: str) -> list[str]:
        page = unpack(pack(ABOUT, "\n".join(blocks), ""), URL, repeated)
        assert sorted(words_in(page.text)) == sorted(words_in(kept("\n".join(blocks)).text))
        return page.content_text.split("\n")

    assert content(*blocks) == left
    assert content(code, *blocks, *labels[:3], code) == [b"import x".decode(), *left, "import x"]
    assert len(content("own", *labels, *menu[:4], "own")) == 9
    assert len(content(*labels, notice)) == 4, "all that the page has"
    links = [f"- [own {word}{LINK}" for word in ("a", "b")]
    assert content("own text", "Since", *links, "Imprint") == ["own text", "own a", "own b"]
    assert content("own text", "Since", *links, "own end") == ["own text", "Since", "own a", "own b", "own end"]
    assert content("own text", "## Example", *links, "Imprint") == ["own text", "Example", "own a", "own b"]


def test_of_a_long_block_a_relative_date_is_part_of_its_hash() -> None:
    one, other = (f"{'prose ' * 20}of {hours} hours ago" for hours in (2, 3))
    assert block_number(one[-20:]) == block_number(other[-20:])
    assert block_number(one) != block_number(other)


def test_the_end_of_a_word_and_a_number_are_no_relative_date() -> None:
    for one, other in (("vor 3 Tagen", "vor 5 Tagen"), ("Ana, hace 3 horas", "Ana, hace 5 horas")):
        assert block_number(one) == block_number(other)
    for one, other in (("Author 10 Novak", "Author 12 Novak"), ("Space 10 GB", "Space 12 GB")):
        assert block_number(one) != block_number(other)


def test_links_have_words_around_them_and_no_fragments() -> None:
    page = kept(f"See [the *manual*{LINK}, [this]({URL}#x).", "[again](<http://c.test/(d)#e>)")
    assert list(page.anchors()) == [
        Anchor("http://b.test/", "the manual", "See ", ", this."),
        Anchor("http://c.test/(d)", "again", "", ""),
    ]
    (anchor,) = kept(f"{'x' * 80}{'b' * 50}[y{LINK}{'a' * 50}{'x' * 80}").anchors()
    assert (anchor.before, anchor.after) == ("b" * 50, "a" * 50)


def test_long_lines_are_read_in_a_time_that_grows_with_them() -> None:
    line = f"[[a{LINK} `b` \\* ![c](d) **e** `` ` ``"
    assert growth(lambda times: read(line * (50 * times)), 2) < 1.5


@pytest.mark.parametrize(
    "record", [b"", b"no zlib", zlib.compress(b"1\nx"), b"{}\n" + zlib.compress(b"x"), pack(ABOUT, "x", "")[:-9]]
)
def test_what_is_no_record_is_one_sentence(record: bytes) -> None:
    with pytest.raises(StoreError, match=r"^the kept text of http://a\.test/ is damaged .*; read the page again$"):
        unpack(record, URL)
