"""Pictures: well-formed, inside their frame, and of what they were given."""

import re

import pytest
from lxml import etree

from minicrawl.export.report.charts import bar, degree_chart, line_chart, short


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
