"""Which pages are rendered (--render)."""

import re
from collections.abc import Iterable

from minicrawl.model import ParsedPage, Rendering

AUTO = "auto"
"""In place of a pattern: pages that need it, as an experiment says."""
_OWN_WORDS, _OWN_SHARE = 10, 0.15
"""Words of its own that a page shows at least, and their share of all. On 19 sites of which 143 pages of 338 need
scripts, shares of .1 to .2 and 5 to 20 words told the same pages."""
_FEW_WORDS, _MOST = 3, 1 / 2
"""The same of a page that shows hardly anything else."""


def has_own_words(own: int, words: int) -> bool:
    """True if a page that shows so many words, some of its own, says something that others do not."""
    return (own >= _OWN_WORDS and own >= _OWN_SHARE * words) or (own >= _FEW_WORDS and own > _MOST * words)


class Choice:
    """Those whose URL matches a pattern, and with AUTO those that a request names."""

    def __init__(self, render: Iterable[str]) -> None:
        words = set(render)
        self.is_auto = AUTO in words
        self._patterns = [re.compile(pattern) for pattern in words - {AUTO}]

    def renders(self, url: str) -> bool:
        """True if the page at a URL is to be rendered, if it is HTML."""
        return any(pattern.search(url) for pattern in self._patterns) or ("#" in url and not self.is_auto)

    def is_due(self, asked: Rendering, parsed: ParsedPage) -> bool:
        """True if a page of which no pattern says so is to be rendered."""
        scripts = parsed.scripts
        if parsed.refresh is not None:
            return False
        if scripts is None or scripts.was_shell:
            return scripts is not None and asked.shells
        return asked.others and scripts.files not in asked.spared
