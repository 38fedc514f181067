"""Blocks of text, as a detector of changes and an index of words ask for them."""

from minicrawl.crawler.html.blocks import MOST, difference, hashes_of
from minicrawl.crawler.html.parse import parse_html
from minicrawl.model import Wanted


def blocks(html: str) -> bytes:
    return parse_html(html.encode(), "http://h.test/", None, Wanted(blocks=True)).blocks


def test_what_is_not_shown_is_no_change_and_a_sentence_is_one() -> None:
    page = "<script>{}</script><p>One.<p>Two <b>bold</b> words.{}<footer>now</footer>"
    before = blocks(page.format("nonce 1", ""))
    assert difference(before, blocks(page.format("nonce 2", ""))) == 0
    assert difference(before, blocks(page.format("nonce 2", "<p>Three."))) == 1


def test_of_many_blocks_those_that_are_known_of_both_are_compared() -> None:
    many = [f"block {number}" for number in range(2 * MOST)]
    assert difference(hashes_of(many), hashes_of(reversed(many))) == 0
    assert 0 < difference(hashes_of(many), hashes_of(many[MOST:])) <= MOST


def test_an_index_finds_text_and_headings_as_they_are_read() -> None:
    html = b"""<html lang=en><title>T</title><meta name=description content=" What  it is ">
        <h1>He<b>ad</b></h1><p>Long<wbr>word and <i>m</i>ore<style>p{}</style><ul><li>1<li>2</ul><h2>Second</h2>"""
    page = parse_html(html, "http://h.test/", None, Wanted(text=True, about=True))
    assert page.text == ("Head", "Longword and more", "1", "2", "Second")
    assert (page.headings, page.h1) == (("Head", "Second"), "Head")
    assert (page.language, page.description) == ("en", "What it is")
