"""Text from the web is text, and a link only where it is one."""

import pytest

from minicrawl.report import escaped, href, link, plain


@pytest.mark.parametrize(("text", "shown"), [
    ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
    ("\"'&amp;", "&quot;&#x27;&amp;amp;"),
    ("a\x00\x1b\u202e\u2066\ud800b", "a\ufffd\ufffd\ufffd\ufffd\ufffdb"),
])  # fmt: skip
def test_text_is_neither_markup_nor_steering(text: str, shown: str) -> None:
    assert escaped(text) == shown


def test_text_is_one_line_and_bounded() -> None:
    assert plain(" a \n\t b ") == "a b"
    assert len(plain("x" * 10_000)) == 200


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "//a.test/", "", "http://a.test/" + "x" * 600]
)
def test_what_must_not_be_followed_is_no_link(url: str) -> None:
    assert href(url) == ""
    assert "<" not in link(url)


def test_link_has_the_whole_url_and_shows_its_ends() -> None:
    url = f"https://a.test/{'x' * 300}?end"
    assert f'href="{url}"' in link(url)
    assert link(url).split(">")[1].startswith("a.test/xxx")
    assert "?end</a" in link(url)
    assert link('http://a.test/"<b>').count("<") == 2


def test_address_is_escaped_and_its_text_is_not() -> None:
    assert 'href="http://a.test/#%3Cb%3E%7C"' in link("http://a.test/#<b>|")
    assert link("http://a.test/#<b>|").endswith(">http://a.test/#&lt;b&gt;|</a>")
