"""Alerts of changes (--on-change): a command is called with a line of JSON a change on its standard input.

The table `changes` is the queue. Beside the crawl a thread reads the committed rows behind `meta.alerted_until`, so the
crawl waits for no command, and what a run has not told, the next one tells, the last batch perhaps twice.
"""

import json
import math
import shlex
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self  # Any: JSON

from minicrawl import log
from minicrawl.errors import MinicrawlError
from minicrawl.parts.part import Part
from minicrawl.setting import ALONE, AT_REFRESH, COMMAND, ONE_RUN, setting

if TYPE_CHECKING:
    from minicrawl.crawler.visits.step import Opening
    from minicrawl.store.writer import Writer

log.declare("alerts-failed", "the command of --on-change failed ({why}); the next run with it sends the rest")

_MOST = 1_000  # changes that one call is told, the most important first
_FACTS = ("url", "title", "what", "at", "importance", "added", "removed", "kinds")


@dataclass(frozen=True)
class AlertSettings:
    on_change: str = setting(
        "",
        COMMAND,
        "Send new, changed and gone pages to this command's standard input, one line of JSON each. Give it at "
        "every run.",
        ONE_RUN,
        ALONE,
        AT_REFRESH,
    )


class Alerts(Part):
    """Tells a command of changes, until it fails once: the next run tells the rest. SECONDS: limit for a call."""

    SETTINGS, TOPIC, SECONDS = AlertSettings, "refresh", 30.0

    def __init__(self, writer: "Writer", command: str, now: float) -> None:
        """now: Unix seconds; pages read before the first run with alerts are not new."""
        self._writer, self._words = writer, shlex.split(command)
        if writer.meta("alerted_until") is None:
            with writer.transaction():
                writer.save_meta({"alerted_until": writer.refreshes.last_change(), "alerted_since": now})
        self._until = int(writer.meta("alerted_until") or 0)
        is_first = writer.refreshes.began() is None
        self._new_since = math.inf if is_first else float(writer.meta("alerted_since") or 0.0)
        self._thread = threading.Thread()
        self._has_failed, self._ends_at = False, math.inf

    @classmethod
    def of(cls, opening: "Opening") -> Self | None:
        asked = opening.settings_of(AlertSettings)
        return cls(opening.state.writer, asked.on_change, opening.now) if asked.on_change else None

    def save(self, writer: "Writer") -> None:
        writer.save_meta({"alerted_until": self._until})

    def after_commit(self) -> None:
        if not self._thread.is_alive() and self._writer.refreshes.last_change() > self._until:
            self._thread = threading.Thread(target=self._tell, daemon=True, name="minicrawl-alerts")
            self._thread.start()

    def finish(self) -> None:
        """Tell what is left, in about twice the time of a call."""
        self._ends_at = time.monotonic() + self.SECONDS
        if self._thread.is_alive():
            self._thread.join()
        self._tell()
        with self._writer.transaction():
            self.save(self._writer)

    def _tell(self) -> None:
        import subprocess  # noqa: PLC0415 - takes time, as the next

        from minicrawl.store.reader import open_store  # noqa: PLC0415

        try:
            with open_store(self._writer.path) as store:
                while not self._has_failed and (last := store.refreshes.last_change()) > self._until:
                    batch = store.refreshes.changes_after(self._until, last, self._new_since, _MOST)
                    if batch:
                        self._call([{name: getattr(page, name) for name in _FACTS} for page in batch.values()])
                    self._until = max(batch) if len(batch) == _MOST else last
        except (MinicrawlError, OSError, subprocess.SubprocessError) as error:
            self._has_failed = True
            why = str(error).replace(str(self._words), self._words[0])  # the rest may be secret
            log.event("alerts-failed", why=why)

    def _call(self, changes: list[dict[str, Any]]) -> None:
        changes.sort(key=lambda change: -change["importance"])
        import subprocess  # noqa: PLC0415

        lines = "".join(f"{json.dumps(change)}\n" for change in changes).encode()
        seconds = max(min(self.SECONDS, self._ends_at - time.monotonic()), 0.0)
        subprocess.run(self._words, input=lines, stdout=2, timeout=seconds, check=True, start_new_session=True)
