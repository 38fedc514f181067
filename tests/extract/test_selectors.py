"""Fields as --extract names them."""

import pytest

from minicrawl.errors import SettingError
from minicrawl.extract.document import Document, SelectorError
from minicrawl.extract.selectors import Field, read_field, read_fields

PAGE = Document(b"<h1>One</h1><img src=/a.png><img src=/b.png><p class=price>5 &euro;")


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("title=h1", Field("title", "h1", False, None, False), "One"),
        ("title=css:h1::text", Field("title", "h1", False, None, False), "One"),
        ("image=css:img::attr(src)", Field("image", "img", False, "src", False), "/a.png"),
        ("image[]=img::attr( src )", Field("image", "img", False, "src", True), ["/a.png", "/b.png"]),
        ("price=p[class='price']", Field("price", "p[class='price']", False, None, False), "5 €"),
        ("src=xpath://img[2]/@src", Field("src", "//img[2]/@src", True, None, False), "/b.png"),
        ("none[]=table", Field("none", "table", False, None, True), None),
    ],
)
def test_field_is_read_and_found(text: str, field: Field, value: object) -> None:
    assert read_field(text) == field
    assert field.value(PAGE) == value


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("h1", "--extract takes NAME=SELECTOR, such as title=h1, not 'h1'"),
        ("title=", "--extract takes NAME=SELECTOR, such as title=h1, not 'title='"),
        ("url=h1", "--extract 'url=h1': every item has a field url already; choose another name"),
        ("a=p[", "--extract 'a=p[': 'p[' is not a CSS selector; write xpath: before an XPath"),
        ("a=xpath://p[", "--extract 'a=xpath://p[': '//p[' is not an XPath"),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(SettingError) as error:
        read_field(text)
    assert str(error.value).startswith(sentence)
    assert "\n" not in str(error.value)


def test_two_fields_of_one_name_are_refused() -> None:
    with pytest.raises(SettingError, match="gives the field a twice"):
        read_fields(("a=p", "b=p", "a=h1"))


def test_a_path_that_fails_in_a_page_only_says_so() -> None:
    with pytest.raises(SelectorError, match=r"//h1\[nosuch\(\.\)\]: Unregistered function"):
        read_field("a=xpath://h1[nosuch(.)]").value(PAGE)
