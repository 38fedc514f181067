"""Counts of failures of hooks and extraction rules."""

import json
from collections import Counter
from typing import Self

from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.crawler.visits.turn import Turn
from minicrawl.errors import HookError
from minicrawl.store.writer import Writer

META = "hook_errors"


class HookFailures(Part):
    """Failures by hook, over all runs."""

    def __init__(self, writer: Writer, *, stops: bool) -> None:
        """stops: whether the first failure ends the crawl."""
        self._counts = Counter[str](writer.meta_json(META))
        self._stops = stops
        self._has_changed = False

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        settings = opening.settings
        is_on = settings.hook or settings.extract or settings.extract_rule or settings.extract_structured
        return cls(opening.state.writer, stops=settings.strict_hooks) if is_on else None

    def on_answer(self, turn: Turn) -> bool:
        """Raises HookError where the first failure is to end the crawl."""
        for hook, what in turn.parsed.hook_failures:
            if self._stops:
                url = turn.fetched.url
                raise HookError(f"hook {hook} failed over {url} ({what}); mend it, or leave out --strict-hooks")
            self._counts[hook] += 1
            self._has_changed = True
        return False

    def save(self, writer: Writer) -> None:
        if self._has_changed:
            writer.save_meta({META: json.dumps(self._counts)})
            self._has_changed = False
