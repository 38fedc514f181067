"""Which pages are rendered (--render)."""

import re
from collections.abc import Iterable

AUTO = "auto"
"""In place of a pattern: pages that show next to nothing without their scripts."""


class Choice:
    """Those whose URL matches a pattern, and with AUTO those that turn out to be shells."""

    def __init__(self, render: Iterable[str]) -> None:
        words = set(render)
        self.is_auto = AUTO in words
        self._patterns = [re.compile(pattern) for pattern in words - {AUTO}]

    def renders(self, url: str) -> bool:
        """True if the page at a URL is to be rendered, if it is HTML."""
        return any(pattern.search(url) for pattern in self._patterns)
