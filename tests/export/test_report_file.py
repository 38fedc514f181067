"""The file of a report: valid, small, and inert whatever the web has put into it."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from lxml import etree

from minicrawl.errors import SettingError
from minicrawl.export.report_file import Report, Section, Share, Url, bar, degree_chart, line_chart, short, write_report


def points(picture: etree._Element, kind: str) -> list[tuple[float, float]]:
    (line,) = picture.findall(kind)
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in line.get("points", "").split())]


def test_line_rises_as_its_points_do_and_stays_in_the_frame() -> None:
    picture = etree.fromstring(line_chart([(0, 0), (1, 10), (4, 70)], "a & b", "<x>", ("0", "9 <&>")))
    assert picture.get("aria-label") == "a & b"
    (x0, y0), (x1, y1), (x2, y2) = points(picture, "polyline")
    assert (x1 - x0) / (x2 - x0) == pytest.approx(1 / 4, abs=0.01)
    assert (y0 - y1) / (y0 - y2) == pytest.approx(1 / 7, abs=0.01)
    assert all(0 <= x <= 380 and 0 <= y <= 220 for x, y in points(picture, "polygon"))
    texts = [text.text for text in picture.findall("text")]
    assert texts == ["0", "20", "40", "60", "80", "0", "9 <&>", "<x>"]


@pytest.mark.parametrize("some", [[], [(0, 0)], [(0, 0), (0, 0)], [(5, 1e12)], [(1, 1e-9)]])
def test_line_of_little_is_a_picture_too(some: list[tuple[float, float]]) -> None:
    picture = etree.fromstring(line_chart(some, "n", "x", ("", "")))
    assert len(picture.findall("text")) == 8
    assert "nan" not in etree.tostring(picture).decode()


@pytest.mark.parametrize(
    "series", [[("in", [(1.0, 1000.0), (10.0, 100.0), (1000.0, 1.0)]), ("out", [])], [("in", [(1.0, 1.0)])]]
)
def test_degrees_are_dots_on_logarithmic_scales(series: list[tuple[str, list[tuple[float, float]]]]) -> None:
    picture = etree.fromstring(degree_chart(series, "degrees"))
    dots = [(float(dot.get("cx", "")), float(dot.get("cy", ""))) for dot in picture.iter("circle")]
    assert len(dots) == sum(len(some) for _, some in series) + len(series)  # each has a dot in the legend
    assert all(0 <= x <= 380 and 0 <= y <= 220 for x, y in dots)
    if len(series) == 2:
        (x0, y0), (x1, y1), (x2, y2) = dots[:3]
        assert (x2 - x0) == pytest.approx(3 * (x1 - x0), abs=0.3)
        assert (y2 - y0) == pytest.approx(3 * (y1 - y0), abs=0.3)


@pytest.mark.parametrize(("share", "width"), [(0, "0.0"), (0.5, "50.0"), (1, "100.0"), (7, "100.0"), (-1, "0.0")])
def test_bar_is_as_long_as_its_share(share: float, width: str) -> None:
    assert re.findall(r'rect class="fill" width="([\d.]+)"', bar(share)) == [width]


@pytest.mark.parametrize(("number", "text"), [
    (0, "0"), (1, "1"), (0.25, "0.25"), (950, "950"), (1200, "1.2k"), (30_000, "30k"), (4e6, "4M"), (2.5e9, "2.5G"),
])  # fmt: skip
def test_numbers_are_short(number: float, text: str) -> None:
    assert short(number) == text


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
