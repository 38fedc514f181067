"""Which pages are rendered (--render)."""

import re
from collections.abc import Iterable

from minicrawl.model import ParsedPage, Rendering

AUTO = "auto"
"""In place of a pattern: pages that need it, as an experiment says."""


class Choice:
    """Those whose URL matches a pattern, and with AUTO those that a request names."""

    def __init__(self, render: Iterable[str]) -> None:
        words = set(render)
        self.is_auto = AUTO in words
        self._patterns = [re.compile(pattern) for pattern in words - {AUTO}]

    def renders(self, url: str) -> bool:
        """True if the page at a URL is to be rendered, if it is HTML."""
        return any(pattern.search(url) for pattern in self._patterns)

    def is_due(self, asked: Rendering, parsed: ParsedPage) -> bool:
        """True if a page of which no pattern says so is to be rendered."""
        scripts = parsed.scripts
        if parsed.refresh is not None:
            return False
        if scripts is None or scripts.was_shell:
            return scripts is not None and asked.shells
        return asked.others and scripts.files not in asked.spared
