"""Log in by hand in a Chromium of the user's, and take its cookies: for scripts, second factors and single sign-on."""

import asyncio
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any  # Any: JSON

from playwright.async_api import Error, async_playwright

from minicrawl.parts.logins.session import LoginError


async def cookies_of_browser(
    program: Path, url: str, wait: Callable[[], None], *, headless: bool = False
) -> list[dict[str, Any]]:
    """Open a URL in a window, and return the cookies that the browser has once `wait` has returned: rows of a storage
    state. Its profile is deleted. Raises LoginError if there is no window."""
    async with async_playwright() as playwright:
        with tempfile.TemporaryDirectory() as profile:
            try:
                context = await playwright.chromium.launch_persistent_context(
                    profile, executable_path=program, headless=headless
                )
                page = context.pages[0] if context.pages else await context.new_page()
                await page.goto(url)
            except Error as error:
                raise LoginError(f"Chromium did not open {url}: {str(error).partition(chr(10))[0]}") from error
            await asyncio.to_thread(wait)
            cookies = [dict(cookie) for cookie in await context.cookies()]
            await context.close()
            return cookies
