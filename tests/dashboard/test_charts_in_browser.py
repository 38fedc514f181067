"""Charts in a real browser: values, ranges, lines switched off, keyboard, colours; and figures that are late."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from support.chromium import NEEDS_CHROMIUM, WAIT, dashboard, opened, says, wait_until
from support.sites import HOME, crawl

pytestmark = [pytest.mark.slow, NEEDS_CHROMIUM]
_LINES = """async (lines) => {
  const {Chart} = await import("/chart.js");
  const chart = new Chart("Numbers", "value", String);
  document.querySelector("main").replaceChildren(chart.node);
  chart.show(lines.map(([name, points, kind]) => ({name, points, kind})), "Two lines.");
  window.chart = chart;
}"""
SQUARES = ["squares", [[x, x * x] for x in range(11)]]
EVENS = ["evens", [[x, 10 * x] for x in range(0, 11, 2)], "dashed"]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of a dashboard without a crawl: it gives the scripts, under the policy that forbids markup and foreign ones."""
    store: Path = tmp_path_factory.mktemp("charts") / "crawl.db"
    with dashboard(store) as (address, _):
        yield address


def chart(page: Any, *lines: Any) -> Any:
    """A chart alone on the page, its lines drawn."""
    page.evaluate(_LINES, list(lines))
    page.locator("canvas").wait_for()
    return page.get_by_role("slider", name="Numbers. Two lines.")


def hover(page: Any, share: float) -> None:
    """Move the pointer to that share of the plot's width."""
    box = page.locator(".u-over").bounding_box()
    page.mouse.move(box["x"] + share * (box["width"] - 1), box["y"] + box["height"] / 2)


def read(page: Any) -> str:
    """The values that are shown, as one text."""
    return str(page.locator(".legend").inner_text()).replace("\n", " ")


def test_the_pointer_shows_the_values_of_all_lines(browser: Any, address: str) -> None:
    with opened(browser, address) as page:
        numbers = chart(page, SQUARES, EVENS)
        assert read(page) == "time of crawling: 10 s squares 100 evens 100"  # the last ones until it is there
        hover(page, 0.4)
        assert read(page) == "time of crawling: 4 s squares 16 evens 40"
        hover(page, 0.3)  # between two points of one line, on a point of the other
        assert "squares 9" in read(page)
        assert numbers.get_attribute("aria-valuetext").startswith("time of crawling: 3 s. squares 9, evens ")


def test_a_dragged_range_stays_while_values_come_and_ends_by_button_or_escape(browser: Any, address: str) -> None:
    with opened(browser, address) as page:
        numbers = chart(page, SQUARES)
        hover(page, 0.2)
        page.mouse.down()
        hover(page, 0.6)
        page.mouse.up()
        shown = "[chart.plot.scales.x.min, chart.plot.scales.x.max].map(Math.round)"
        assert page.evaluate(shown) == [2, 6]
        assert page.evaluate("chart.plot.scales.y.max") < 60
        page.evaluate("chart.show([{name: 'squares', points: Array.from({length: 21}, (_, x) => [x, x * x])}])")
        assert page.evaluate(shown) == [2, 6]
        page.get_by_role("button", name="Whole range").click()
        assert page.evaluate(shown) == [0, 20]
        page.get_by_role("slider").press("+")
        assert page.evaluate(shown) != [0, 20]
        page.get_by_role("slider").press("Escape")
        assert page.evaluate(shown) == [0, 20]
        assert page.get_by_role("button", name="Whole range").count() == 0
        assert numbers.count() == 0  # the words were replaced with the values


def test_arrow_keys_move_from_point_to_point_and_say_the_values(browser: Any, address: str) -> None:
    with opened(browser, address) as page:
        numbers = chart(page, SQUARES)
        numbers.focus()
        for key, said in (("Home", "0 s. squares 0"), ("ArrowRight", "1 s. squares 1"), ("End", "10 s. squares 100")):
            page.keyboard.press(key)
            assert numbers.get_attribute("aria-valuetext") == f"time of crawling: {said}"
        page.keyboard.press("ArrowRight")
        assert numbers.get_attribute("aria-valuenow") == numbers.get_attribute("aria-valuemax") == "10"


def test_a_line_can_be_switched_off_and_stays_so(browser: Any, address: str) -> None:
    with opened(browser, address) as page:
        chart(page, SQUARES, EVENS)
        evens = page.get_by_role("button", name="evens")
        evens.click()
        assert evens.get_attribute("aria-pressed") == "false"
        page.evaluate("window.before = chart.plot")
        page.emulate_media(color_scheme="dark")
        wait_until(page, "() => chart.plot !== before")  # it is drawn anew
        assert page.evaluate("chart.plot.series.map((one) => one.show)") == [True, True, False]
        page.get_by_role("button", name="evens").press("Enter")
        assert page.evaluate("chart.plot.series[2].show") is True


PAGES = {HOME: [f"{HOME}{name}" for name in "abcdefgh"]}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the dashboard of a crawl at rest."""
    store: Path = tmp_path_factory.mktemp("figures") / "crawl.db"
    with ThreadPoolExecutor(1) as pool:  # in this thread the browser has its loop
        pool.submit(lambda: crawl(PAGES, store, [HOME])).result()
    with dashboard(store) as (address, _):
        yield address


def test_figures_stay_with_their_time_while_new_ones_are_late_or_fail(browser: Any, crawled: str) -> None:
    with opened(browser, crawled) as page:
        page.click("#tab-sites")
        says(page, "#view-sites td", "a.test")
        answers: list[dict[str, Any]] = [
            {"status": 409, "json": {"failed": "the store is locked"}},
            {"json": {"hosts": [], "count": 0, "as_of": 1_700_000_000, "is_late": True}},
        ]
        page.route("**/api/hosts", lambda route: route.fulfill(**answers.pop()) if answers else route.continue_())
        for said in ("; new ones are on their way.", ": the store is locked."):
            page.evaluate("location.hash = 'log'")
            page.evaluate("location.hash = 'sites'")
            sentence = re.compile(rf"^Figures as of \d\d:\d\d:\d\d{re.escape(said)}$")
            page.locator(".as-of", has_text=sentence).wait_for(timeout=WAIT)
