"""Pictures of a report: where things are, and texts of the web in them."""

import re

import numpy as np
import pytest
from lxml import etree

from minicrawl.report.charts import bar, flow_picture, folders_picture
from minicrawl.report.shape import Shape


@pytest.mark.parametrize(("share", "width"), [(0, "0.0"), (0.5, "50.0"), (1, "100.0"), (7, "100.0"), (-1, "0.0")])
def test_bar_is_as_long_as_its_share(share: float, width: str) -> None:
    assert re.findall(r'rect class="fill" width="([\d.]+)"', bar(share)) == [width]


URLS = ["http://a.test/", "http://a.test/x<b>/1", "http://b.test/2", "http://b.test/\u202e/3", "http://c.test/4"]
IMPORTANCE = np.array([0.2, 0.4, 0.2, 0.19, 0.01])


def cells(picture: etree._Element) -> dict[str, tuple[float, float, float, float]]:
    """Left, width (percent), top and height of the boxes with a title, by the first word of that."""
    found = {}
    for box in picture.iter("svg"):
        title = box.findtext("title")
        if title:
            place = (box.get(name, "").rstrip("%") for name in ("x", "width", "y", "height"))
            left, width, top, height = map(float, place)
            found[title.partition(": ")[0]] = left, width, top, height
    return found


def test_folder_is_as_high_as_its_share_and_stands_beside_the_one_it_is_in() -> None:
    tree = Shape(URLS, IMPORTANCE, IMPORTANCE > 0).tree()
    picture = etree.fromstring(folders_picture(tree, URLS))
    found, whole = cells(picture), float(picture.get("height", ""))
    assert found.keys() == {"a.test/", "a.test/x<b>/", "b.test/", "b.test/\ufffd/"}  # c.test is too small for a label
    assert found["a.test/"] == pytest.approx((0, 33.33, 0, 0.6 * whole), abs=0.1)
    assert found["a.test/x<b>/"] == pytest.approx((33.33, 66.67, 0, 0.4 * whole), abs=0.1)
    assert found["b.test/"][2:] == pytest.approx((0.6 * whole, 0.39 * whole), abs=0.1)
    links = {link.get("href") for link in picture.iter("a")}
    assert {"http://a.test/x%3Cb%3E/1", "http://b.test/2"} <= links
    assert all("wide" in text.get("class", "") or len(text.text or "") <= 15 for text in picture.iter("text"))


def test_bands_are_as_thick_as_what_flows() -> None:
    shape = Shape(URLS, IMPORTANCE, IMPORTANCE > 0)
    flow = shape.flow(3, np.array([0, 0, 2, 3]), np.array([1, 2, 0, 4]))
    picture = etree.fromstring(flow_picture(flow))
    thick = {}
    for band in picture.iter("path"):
        top, bottom = re.findall(r"[MC]?0 ([\d.]+)[CZ]", band.get("d", ""))
        thick[(band.findtext("title") or "").partition(":")[0]] = float(bottom) - float(top)
    scale = sum(thick.values()) / flow.given.sum()
    named = {
        f"{a.name} to {b.name}": flow.given[i, j] * scale
        for i, a in enumerate(flow.sections)
        for j, b in enumerate(flow.sections)
        if flow.given[i, j]
    }
    assert thick == pytest.approx(named, abs=0.2)
    assert len(list(picture.iter("text"))) == 4 * len(flow.sections)
