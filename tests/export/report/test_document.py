"""The file of a report: valid, small, and inert whatever the web has put into it."""

from html.parser import HTMLParser
from pathlib import Path

import pytest

from minicrawl.errors import SettingError
from minicrawl.export.report.document import Report, Section, Share, Url, write_report

_VOID = {"meta"}
_TAGS = {
    *(
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "main",
        "h1",
        "h2",
        "p",
        "dl",
        "div",
        "dt",
        "dd",
        "nav",
    ),
    *("ul", "li", "a", "figure", "figcaption", "section", "table", "thead", "tbody", "tr", "th", "td", "svg", "rect"),
}
HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "</td></table></style></title><script>",
    "<!-- -->]]><?php ?>",
    "&lt;script&gt;&#60;script&#62;",
    "\u202eevil\u2066 \u2028 \x00 \x1b[31m \x85",
    "javascript:alert(1)",
    "x" * 100_000,
    "😀" * 5_000,
]


class Checker(HTMLParser):
    """Reads a document: which elements, attributes and links it has, and whether each that opens is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.names: set[str] = set()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.names |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def checked(report: Report, path: Path) -> Checker:
    assert write_report(report, path) == path.stat().st_size
    found = Checker(path.read_text("utf-8"))
    assert found.open == []
    assert len(set(found.ids)) == len(found.ids)
    assert {link[1:] for link in found.links if link.startswith("#")} <= set(found.ids)
    return found


def hostile() -> Report:
    urls = [f"http://a.test/{text}" for text in HOSTILE] + HOSTILE
    rows = [(1, 0.5, Share(0.5), text, Url(url), None) for text in HOSTILE for url in urls]
    section = Section(HOSTILE[0], ("n", "x", "", HOSTILE[2], "page", "none"), rows, HOSTILE[4])
    return Report(HOSTILE[0], HOSTILE[4], [(HOSTILE[1], HOSTILE[3])], [(HOSTILE[0], "<svg></svg>")], [section])


def test_what_the_web_says_is_text_and_nothing_else(tmp_path: Path) -> None:
    found = checked(hostile(), tmp_path / "report.html")
    assert found.tags <= _TAGS
    assert not {name for name in found.names if name.startswith("on")} | ({"src", "style"} & found.names)
    assert all(link.startswith(("http://", "#")) for link in found.links)
    text = "".join(found.words)
    assert all(words in text for words in HOSTILE[:7])
    assert not [char for char in text if not char.isprintable() and char != "\n"]


def test_file_is_small_however_long_texts_are(tmp_path: Path) -> None:
    assert write_report(hostile(), tmp_path / "report.html") < 500_000


def test_policy_forbids_scripts_and_loading(tmp_path: Path) -> None:
    write_report(hostile(), tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text("utf-8")
    assert "content=\"default-src 'none'; style-src 'unsafe-inline'\"" in text
    assert text.index("Content-Security-Policy") < text.index("<title>")
    assert "url(" not in text
    assert "@import" not in text


def test_section_without_rows_says_so(tmp_path: Path) -> None:
    report = Report("t", "s", [], sections=[Section("Empty", ("a",), [], empty="No page is so.")])
    assert "No page is so." in checked(report, tmp_path / "report.html").words


def test_bad_place_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="cannot be written"):
        write_report(Report("t", "s", []), tmp_path / "no" / "report.html")
