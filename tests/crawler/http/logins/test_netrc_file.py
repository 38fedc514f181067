"""netrc files, as curl reads them."""

import pytest

from minicrawl.crawler.http.logins.netrc_file import Entry, NetrcError, read_netrc


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("machine a.test login me password hush", [Entry("a.test", "me", "hush")]),
        ("machine a.test\n  login me\n\tpassword hush\r\n", [Entry("a.test", "me", "hush")]),
        ("machine a password p login l machine b login m", [Entry("a", "l", "p"), Entry("b", "m", "")]),
        ("# a comment\nmachine a login l password p # another\n", [Entry("a", "l", "p")]),
        ("machine a login l password #p", [Entry("a", "l", "#p")]),
        ("machine a login l password p#q", [Entry("a", "l", "p#q")]),
        ('machine a login "l m" password "p \\"q\\" \\\\"', [Entry("a", "l m", 'p "q" \\')]),
        ("machine a login login password password", [Entry("a", "login", "password")]),
        ("machine machine login l", [Entry("machine", "l", "")]),
        ("machine a login l account x password p", [Entry("a", "l", "p")]),
        ("default login all password p", [Entry(None, "all", "p")]),
        ("machine a\nmacdef init\n cd /x\n machine evil\n\nmachine b", [Entry("a", "", ""), Entry("b", "", "")]),
        ("macdef init\n machine evil", []),
        ('machine a login "" password ""', [Entry("a", "", "")]),
        ("machine a login l password p machine a login m", [Entry("a", "l", "p"), Entry("a", "m", "")]),
    ],
)  # fmt: skip
def test_entries_stand_in_the_order_of_the_file(text: str, expected: list[Entry]) -> None:
    assert read_netrc(text) == expected


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\n\nmachine", 3),
        ("machine a\nlogin", 2),
        ("hush", 1),
        ("login hush", 1),
        ("machine a login l\npassword a hush", 2),
        ('machine a login l\npassword "hush', 2),
        ('machine a login "l\nm" hush', 2),
    ],
)
def test_what_is_wrong_is_told_by_its_line_without_its_words(text: str, line: int) -> None:
    with pytest.raises(NetrcError, match=f"^line {line}: ") as caught:
        read_netrc(text)
    assert "hush" not in str(caught.value)
