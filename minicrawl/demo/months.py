"""The calendar: a page for every month, made when it is asked for."""

import re

from minicrawl.demo.resources import Page

CALENDAR_START = 12 * 2026 + 10
"""The month that is linked: November 2026, months counted from the year 0."""
CALENDAR_MONTHS = 240
"""How many months the calendar goes on in each direction."""


def month_url(calendar: str, month: int) -> str:
    return f"{calendar}{month // 12}/{month % 12 + 1:02}"


def month_page(calendar: str, url: str, months: int | None) -> Page | None:
    """The calendar's page for a month, which links to the months beside it and to the host's home page.

    months: how many there are in each direction; None: no end.
    """
    match = re.fullmatch(r"(\d{4})/(0[1-9]|1[0-2])", url.removeprefix(calendar))
    if match is None:
        return None
    month = 12 * int(match[1]) + int(match[2]) - 1
    if months is not None and abs(month - CALENDAR_START) > months:
        return None
    page = Page(url, f"Calendar {match[0]}")
    page.link(calendar.removesuffix("calendar/"), "Home")
    for text, beside in (("Previous month", month - 1), ("Next month", month + 1)):
        if months is None or abs(beside - CALENDAR_START) <= months:
            page.link(month_url(calendar, beside), text)
    return page
