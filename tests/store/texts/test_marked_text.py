"""Marked text, written by hand and read back."""

import zlib

import pytest

from minicrawl.errors import StoreError
from minicrawl.store.texts.marked_text import (
    BETWEEN_BLOCKS,
    CELL,
    CODE,
    END_OF_FRAME,
    END_OF_LINK,
    FRAME,
    HEADING,
    ID_SHIFT,
    ITEM,
    LINK,
    ROW,
    About,
    Anchor,
    KeptText,
    Kind,
    Link,
    frames,
    pack,
    plain,
    plain_blocks,
    unpack,
)

URL = "http://a.test/"
ABOUT = About("A title", "en", None, True)


def read(*blocks: str, urls: tuple[str, ...] = (), targets: tuple[int, ...] = ()) -> KeptText:
    return unpack(pack(ABOUT, BETWEEN_BLOCKS.join(blocks), urls, targets), URL)


def test_what_is_known_beside_the_text_comes_back() -> None:
    about = About("Ti\ntle \N{SNOWMAN}", None, 'says "so"', False)
    kept = unpack(pack(about, "words", (), ()), URL)
    assert (kept.url, kept.title, kept.language, kept.description, kept.index) == (
        *(URL, "Ti\ntle \N{SNOWMAN}", None, 'says "so"', False),
    )
    assert kept.text == "words"


def test_a_mark_says_what_its_block_is_and_alone_what_the_next_is() -> None:
    kept = read(f"{HEADING[0]}One", "two", HEADING[2], "Three", f"{ITEM}four", f"{CODE}a\n  b")
    assert [(block.kind, block.level, block.text) for block in kept.blocks] == [
        (Kind.HEADING, 1, "One"),
        (Kind.PARAGRAPH, 0, "two"),
        (Kind.HEADING, 3, "Three"),
        (Kind.ITEM, 0, "four"),
        (Kind.CODE, 0, "a\n  b"),
    ]
    assert (kept.h1, kept.headings, kept.text) == ("One", ("One", "Three"), "One\ntwo\nThree\nfour\na\n  b")


def test_cells_say_where_a_row_begins() -> None:
    kept = read(ROW, f"{CELL}a", f"{CELL}b", f"{ROW}{CELL}c", f"{CELL}d")
    assert [(block.kind, block.level, block.text) for block in kept.blocks] == [
        (Kind.CELL, 1, "a"),
        (Kind.CELL, 0, "b"),
        (Kind.CELL, 1, "c"),
        (Kind.CELL, 0, "d"),
    ]


def test_a_frame_lasts_to_its_end() -> None:
    kept = read("a", f"{FRAME}b", f"c{END_OF_FRAME}", "d", FRAME, FRAME, "e", END_OF_FRAME, "f", END_OF_FRAME, "g" * 99)
    assert [block.text[0] for block in kept.blocks if block.is_frame] == ["b", "c", "e", "f"]
    assert "".join(block.text[0] for block in kept.content) == "adg"


def test_a_page_that_is_all_frame_is_content() -> None:
    kept = read(f"{FRAME}menu", f"about{END_OF_FRAME}")
    assert kept.content == kept.blocks
    assert kept.content_text == "menu\nabout"


def test_what_the_host_repeats_is_no_content_around_it_in_menus_and_in_notices() -> None:
    menu = [f"{ITEM}{LINK}{word}{END_OF_LINK}" for word in ("Home", "News", "Shop", "Help", "Jobs")]
    labels = [f"{HEADING[1]}Example", f"{ROW}{CELL}Throws", "Since"]
    code, notice = f"{CODE}import x", "All our pages are written with care; " * 4
    blocks = ["Site", *menu, "own title", *labels, code, "own text", *menu, "own end", notice, "own", "Imprint"]
    repeated = {zlib.crc32(block) >> ID_SHIFT for block in plain_blocks("\0".join(blocks)) if b"own" not in block}
    left = [b"own title", b"Example", b"Throws", b"Since", b"import x", b"own text", b"own end", b"own"]

    def content(*blocks: str) -> list[bytes]:
        text = "\0".join(blocks)
        return [block for block, is_out in zip(plain_blocks(text), frames(text, repeated), strict=True) if not is_out]

    assert content(*blocks) == left
    assert content(code, *blocks, *labels[:2], code) == [b"import x", *left, b"import x"]
    assert content("own", *labels, *menu[:4], "own") == plain_blocks("\0".join(["own", *labels, *menu[:4], "own"]))
    assert len(content(*labels, notice)) == 4, "all that the page has"


def test_links_lead_where_the_head_says() -> None:
    kept = read(
        f"See {LINK}the manual{END_OF_LINK}, {LINK}nothing{END_OF_LINK} and {LINK}this{END_OF_LINK}.",
        f"{LINK}again{END_OF_LINK}",
        urls=("http://b.test/", "http://c.test/"),
        targets=(0, -1, 1, 0),
    )
    assert kept.blocks[0].text == "See the manual, nothing and this."
    assert kept.blocks[0].links == (Link(4, 14, "http://b.test/"), Link(28, 32, "http://c.test/"))
    assert list(kept.anchors()) == [
        Anchor("http://b.test/", "the manual", "See ", ", nothing and this."),
        Anchor("http://c.test/", "this", "See the manual, nothing and ", "."),
        Anchor("http://b.test/", "again", "", ""),
    ]


def test_a_link_around_blocks_is_one_of_the_first() -> None:
    kept = read(f"before{LINK}", "Title", "more", f"{END_OF_LINK}after", urls=("http://b.test/",), targets=(0,))
    assert [(block.text, len(block.links)) for block in kept.blocks] == [
        *(("before", 0), ("Title", 0), ("more", 0), ("after", 0)),
    ]
    kept = read(LINK, "Title", "more", END_OF_LINK, urls=("http://b.test/",), targets=(0,))
    assert [(block.text, len(block.links)) for block in kept.blocks] == [("Title", 1), ("more", 0)]


def test_what_stands_around_a_link_is_fifty_characters() -> None:
    before, after = "x" * 80 + "b" * 50, "a" * 50 + "x" * 80
    (anchor,) = read(f"{before}{LINK}y{END_OF_LINK}{after}", urls=("http://b.test/",), targets=(0,)).anchors()
    assert (anchor.before, anchor.after) == ("b" * 50, "a" * 50)


def test_permalinks_are_no_part_of_a_heading() -> None:
    assert read(f"{HEADING[1]}Make a request ¶").headings == ("Make a request",)
    assert read(f"{HEADING[1]}¶").headings == ("¶",)


def test_plain_text_has_no_marks() -> None:
    assert plain(f"{ITEM}a {LINK}b{END_OF_LINK}") == "a b"


@pytest.mark.parametrize("record", [b"", b"no zlib", pack(ABOUT, "x", (), (3,)), pack(ABOUT, "x", (), ())[:-9]])
def test_what_is_no_record_is_one_sentence(record: bytes) -> None:
    with pytest.raises(
        StoreError, match=r"^the kept text of http://a\.test/ is damaged .*; let the page be read again$"
    ):
        unpack(record, URL)
