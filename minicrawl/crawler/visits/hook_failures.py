"""What hooks did wrong, counted."""

import json
from collections import Counter
from collections.abc import Sequence

from minicrawl.errors import HookError
from minicrawl.store.writer import Writer

META = "hook_errors"


class HookFailures:
    """How often each hook has failed, in all runs. stops: whether the first failure ends the crawl."""

    def __init__(self, writer: Writer, *, stops: bool) -> None:
        self._counts = Counter[str](writer.meta_json(META))
        self._stops = stops
        self._has_changed = False

    def note(self, url: str, failures: Sequence[tuple[str, str]]) -> None:
        """Raises HookError where the first failure is to end the crawl."""
        for hook, what in failures:
            if self._stops:
                raise HookError(f"hook {hook} failed over {url} ({what}); mend it, or leave out --strict-hooks")
            self._counts[hook] += 1
            self._has_changed = True

    def save(self, writer: Writer) -> None:
        if self._has_changed:
            writer.save_meta({META: json.dumps(self._counts)})
            self._has_changed = False
