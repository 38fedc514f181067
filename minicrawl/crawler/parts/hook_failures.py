"""Counts of failures of hooks and extraction."""

import json
from collections import Counter
from typing import Self

from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.crawler.visits.turn import Turn
from minicrawl.store.writer import Writer

META = "hook_errors"


class HookFailures(Part):
    """Failures by hook, over all runs."""

    def __init__(self, writer: Writer) -> None:
        self._counts = Counter[str](writer.meta_json(META))
        self._has_changed = False

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        is_on = opening.settings.hook or opening.settings.extracts
        return cls(opening.state.writer) if is_on else None

    def on_answer(self, turn: Turn) -> bool:
        for hook, _ in turn.parsed.hook_failures:
            self._counts[hook] += 1
            self._has_changed = True
        return False

    def save(self, writer: Writer) -> None:
        if self._has_changed:
            writer.save_meta({META: json.dumps(self._counts)})
            self._has_changed = False
