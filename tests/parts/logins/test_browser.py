"""Cookies of a Chromium in which somebody has logged in."""

import asyncio
from pathlib import Path

import pytest
from support.members import Members, serving
from support.needs import CHROMIUM, needs

from minicrawl.web.http.cookies import cookies_of_rows


@pytest.mark.slow
@needs("chromium")
def test_the_cookies_of_a_window_are_those_of_a_crawl() -> None:
    from minicrawl.parts.logins.browser import cookies_of_browser

    with serving(Members()) as front:
        rows = asyncio.run(cookies_of_browser(Path(CHROMIUM or ""), f"{front}login", lambda: None, headless=True))
    assert [(cookie.name, cookie.domain, cookie.path) for cookie in cookies_of_rows(rows, 0.0)] == [
        ("csrf", "127.0.0.1", "/")
    ]
