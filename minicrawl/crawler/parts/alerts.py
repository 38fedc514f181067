"""Alerts of changes (--on-change), to a webhook or a command.

The table `changes` is the queue: beside the crawl, a thread reads the rows behind `meta.alerted_until` that are
committed, delivers them, and ends when there are no more. A commit only starts it, and saves how far it is. So the
crawl waits for no receiver, nothing is dropped, and changes of a killed run are delivered by the next, the last batch
perhaps twice.
"""

import json
import math
import subprocess
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Self

from minicrawl import log
from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.errors import MinicrawlError
from minicrawl.settings import is_webhook
from minicrawl.store.read.refreshes import NotedChange
from minicrawl.store.reader import Store, open_file
from minicrawl.store.writer import Writer
from minicrawl.timing import Timing

META = "alerted_until"
_MOST = 1_000
"""Changes in a batch."""
_RETRIES = 3
_EXCERPT = 500
"""Characters of the blocks that came."""

Send = Callable[[list[dict[str, object]], float], str | None]
"""Delivers a batch within so many seconds; returns why it has failed."""


class Alerts(Part):
    """Delivers changes in batches, the most important of a batch first. `undelivered`: number left at the end."""

    def __init__(self, writer: Writer, send: Send, timing: Timing, now: float) -> None:
        """now: Unix seconds; pages that were read before the first run with alerts are not new."""
        self._writer = writer
        self._send = send
        self._timing = timing
        if writer.meta(META) is None:
            with writer.transaction():
                writer.save_meta({META: writer.refreshes.last_change(), "alerted_since": now})
        self._until = self._saved = int(writer.meta(META) or 0)
        is_first = writer.refreshes.began() is None
        self._new_since = math.inf if is_first else float(writer.meta("alerted_since") or 0.0)
        self._thread: threading.Thread | None = None
        self._rests_until = 0.0
        self._ends_at: float | None = None
        self._has_warned = False
        self.undelivered = 0

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        receiver, ca_file = opening.settings.on_change, opening.settings.ca_file
        if not receiver:
            return None
        send = partial(_posted, receiver, ca_file) if is_webhook(receiver) else partial(_called, receiver)
        return cls(opening.state.writer, send, opening.timing, opening.now)

    def save(self, writer: Writer) -> None:
        if self._until != self._saved:
            self._saved = self._until
            writer.save_meta({META: self._saved})

    def after_commit(self) -> None:
        is_busy = self._thread is not None and self._thread.is_alive()
        if is_busy or time.monotonic() < self._rests_until or self._writer.refreshes.last_change() <= self._until:
            return
        self._thread = threading.Thread(target=self._deliver, daemon=True, name="minicrawl-alerts")
        self._thread.start()

    def finish(self) -> None:
        """Deliver the changes that are left, as far as that can be done in time."""
        self._ends_at, self._rests_until = time.monotonic() + self._timing.alerts, 0.0
        if self._thread is not None:
            self._thread.join(self._timing.alerts)
        self.after_commit()
        if self._thread is not None:
            self._thread.join(max(self._ends_at - time.monotonic(), 0.0))
        with self._writer.transaction():
            self.save(self._writer)
        self.undelivered = self._writer.refreshes.changes_behind(self._until)

    # In the thread.

    def _deliver(self) -> None:
        failures = 0
        try:
            with open_file(self._writer.path) as store:
                while failures <= _RETRIES and (until := store.refreshes.last_change()) > self._until:
                    batch = store.refreshes.changes_after(self._until, until, self._new_since, _MOST)
                    why = self._sent(store, batch)
                    if why is None:
                        self._until, failures = batch[-1].id if len(batch) == _MOST else until, 0
                        continue
                    failures += 1
                    self._warn(why)
                    if failures <= _RETRIES:
                        time.sleep(self._left(self._timing.alert_retry * 4 ** (failures - 1)))
        except MinicrawlError as error:  # of the store: the crawl will find it as well
            self._warn(str(error))
        self._rests_until = time.monotonic() + self._timing.alerts if failures else 0.0

    def _sent(self, store: Store, batch: list[NotedChange]) -> str | None:
        if not batch:
            return None
        alerts = [_alert(store, change) for change in sorted(batch, key=lambda change: -change.importance)]
        seconds = self._left(self._timing.alert)
        return self._send(alerts, seconds) if seconds > 0 else "no time is left"

    def _left(self, most: float) -> float:
        """At most so many seconds, as far as the run lasts."""
        return most if self._ends_at is None else min(max(self._ends_at - time.monotonic(), 0.0), most)

    def _warn(self, why: str) -> None:
        if not self._has_warned:
            log.alerts_failed(why=why)
            self._has_warned = True


def _alert(store: Store, change: NotedChange) -> dict[str, object]:
    facts = {name: getattr(change, name) for name in ("url", "title", "what", "at", "importance", "added", "removed")}
    return facts | {"excerpt": _excerpt(store, change)}


def _excerpt(store: Store, change: NotedChange) -> str | None:
    """The beginning of the blocks that came, if texts are kept."""
    versions = store.texts.versions(change.page) if change.what == "changed" else []
    place = next((at for at, version in enumerate(versions) if version.at == change.at), 0)
    if not place:
        return None
    from minicrawl.store.texts.difference import CAME, difference  # noqa: PLC0415 - few crawls have alerts

    before, after = (store.texts.version(versions[at], change.url).text.split("\n") for at in (place - 1, place))
    return "\n".join(line.text for line in difference(before, after) if line.sign == CAME)[:_EXCERPT]


def _posted(url: str, ca_file: Path | None, changes: list[dict[str, object]], seconds: float) -> str | None:
    from minicrawl.crawler.http.httpx_transport import posted  # noqa: PLC0415 - takes 0.1 s, and few need it

    return posted(url, json.dumps({"changes": changes}).encode(), seconds, ca_file)


def _called(command: str, changes: list[dict[str, object]], seconds: float) -> str | None:
    """Call a command with the changes on its standard input, a line of JSON each; its output goes to standard error."""
    import shlex  # noqa: PLC0415 - few crawls have alerts

    words = shlex.split(command)
    lines = "".join(f"{json.dumps(change)}\n" for change in changes).encode()
    try:
        done = subprocess.run(words, input=lines, stdout=2, timeout=seconds, check=False, start_new_session=True)
    except subprocess.TimeoutExpired:
        return f"the command takes more than {seconds:.0f} s"
    except (OSError, ValueError) as error:
        return f"the command cannot be called: {error}"
    return f"the command ends with exit code {done.returncode}" if done.returncode else None
