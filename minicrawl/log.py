"""Events of the log, as docs/logs.md lists them.

An event has a name, a level, keys, and a sentence made of them, only if the level is logged. An `Output` is where
lines go.
"""

import json
import logging
import os
import signal
import sys
import threading
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from logging import DEBUG, ERROR, INFO, WARNING
from typing import NamedTuple

from minicrawl.system import has_terminal

_log = logging.getLogger("minicrawl")
_PARTS_OF_WORDS = "\u200c\u200d\u200e\u200f\xa0\u202f\u2009\u3000"
"""Joiners, which emoji and some scripts need, and spaces that do not break or have another width."""
_BREAKS = dict.fromkeys((0xAD, 0x200B))
_MARKS = 4
"""Most combining marks in a row: more of them would cover other lines."""


def few_marks(text: str) -> str:
    """A text without the combining marks of a row that are one too many."""
    if text.isascii():
        return text
    kept, row = [], 0
    for char in text:
        row = row + 1 if unicodedata.category(char).startswith("M") else 0
        if row <= _MARKS:
            kept.append(char)
    return "".join(kept)


def printable(text: str) -> str:
    """One line of text without control characters, overrides of the writing direction and places to break; of more than
    four combining marks in a row, four."""
    text = few_marks(text)
    if text.isprintable():
        return text
    shown = (char if char.isprintable() or char in _PARTS_OF_WORDS else "�" for char in text.translate(_BREAKS))
    return "".join(shown)


LEVELS = ("debug", "info", "warning", "error")


class Output(NamedTuple):
    """A destination of log lines: its file, None for standard error; True for JSON; the id of the run of the command,
    which is on every line; the least level."""

    file: str | None
    is_json: bool
    run: str
    level: str = LEVELS[0]


def begin(output: Output) -> None:
    """Log to a destination from now on. Raises OSError."""
    _begun.append(_Lines(output))
    _log.addHandler(_begun[-1])
    _log.setLevel(min(handler.level for handler in _begun))
    is_main = threading.current_thread() is threading.main_thread()
    if output.file is not None and is_main and signal.getsignal(signal.SIGHUP) == signal.SIG_DFL and not has_terminal():
        signal.signal(signal.SIGHUP, lambda *_: None)  # the file was moved, and the next line is written to a new one


def outputs() -> tuple[Output, ...]:
    """The outputs of this process."""
    return tuple(handler.output for handler in _begun if handler in _log.handlers)


def log_only_to(given: Sequence[Output]) -> None:
    """Log to the outputs of another process, and to no other."""
    if outputs() == tuple(given):
        return
    for handler in _begun:
        _log.removeHandler(handler)
        handler.close()
    _begun.clear()
    for output in given:
        begin(output)


Follower = Callable[[str, str, Mapping[str, object]], object]
"""Is told of an event: its name, sentence and keys."""
Told = tuple[str, str, Mapping[str, object]]
"""What a follower is told."""


@contextmanager
def following(names: Collection[str], follower: Follower) -> Iterator[None]:
    """Tell a function of these events, which are more than debugging, during the block."""
    before = _log.level
    following = _Following(names, follower)
    handlers: list[logging.Handler] = [following]
    if not _log.handlers and logging.lastResort is not None:
        handlers.append(logging.lastResort)  # it prints warnings where nobody else handles them
    for handler in handlers:
        _log.addHandler(handler)
    _log.setLevel(min(before or INFO, INFO))
    _followers.append(following)
    try:
        yield
    finally:
        _followers.remove(following)
        for handler in handlers:
            _log.removeHandler(handler)
        _log.setLevel(before)


class _Following(logging.Handler):
    def __init__(self, names: Collection[str], follower: Follower) -> None:
        super().__init__()
        self.names, self.follower = frozenset(names), follower

    def emit(self, record: logging.LogRecord) -> None:
        name = getattr(record, "event", "")
        if name in self.names:
            self.follower(name, printable(record.getMessage()), getattr(record, "keys", {}))


_followers: list[_Following] = []


def followed() -> frozenset[str]:
    """The names of all events that functions of this process follow."""
    return frozenset[str]().union(*(each.names for each in _followers))


def pass_on(told: Told) -> None:
    """Tell those who follow an event that happened in another process, which has logged it."""
    for each in _followers:
        if told[0] in each.names:
            each.follower(*told)


PARTITION: ContextVar[int | None] = ContextVar("partition", default=None)
"""The partition that tasks and threads of this context work for, which is in their lines."""


class _Lines(logging.Handler):
    """Writes each record as one line in a single write, so that several processes can share a file."""

    def __init__(self, output: Output) -> None:
        super().__init__()
        self.output = output
        self.setLevel(output.level.upper())
        self._file: int | None = None
        self._open()
        self._stream = sys.stderr
        if output.is_json:
            self.setFormatter(_JsonLines(output.run))
        else:
            self.setFormatter(_PrintableLines("%(asctime)s %(levelname)s %(message)s"))

    def _open(self) -> None:
        if self.output.file is not None:
            before, self._file = self._file, os.open(self.output.file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
            if before is not None:
                os.close(before)

    def _is_moved(self) -> bool:
        """True if the file has another name by now. Of several processes that write to it, one gets a signal."""
        assert self._file is not None
        try:
            return not os.path.samestat(os.stat(str(self.output.file)), os.fstat(self._file))
        except FileNotFoundError:
            return True

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = f"{self.format(record)}\n"
            if self._file is not None:
                if self._is_moved():
                    self._open()
                os.write(self._file, line.encode("utf-8", "backslashreplace"))
            else:
                self._stream.write(line)
                self._stream.flush()
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            os.close(file)
        super().close()


_begun: list[_Lines] = []


class _PrintableLines(logging.Formatter):
    """Formats a message as one printable line, because it may contain text from the web."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        partition = PARTITION.get()
        if partition is not None:
            record.message = f"partition {partition}: {record.message}"
        return printable(super().formatMessage(record))


class _JsonLines(logging.Formatter):
    """Formats a message as a JSON object: the name of its event, and its keys, see docs/logs.md."""

    def __init__(self, run: str) -> None:
        super().__init__()
        self._run = run

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        partition = PARTITION.get()
        fields = {
            "time": moment.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "run": self._run,
            **({} if partition is None else {"partition": partition}),
            "event": getattr(record, "event", "message"),
            "message": record.getMessage(),
            **getattr(record, "keys", {}),
        }
        if record.exc_info or record.exc_text:
            fields["traceback"] = record.exc_text or self.formatException(record.exc_info or (None, None, None))
        return json.dumps(fields)


def event(name: str, **keys: object) -> None:
    """Log an event of EVENTS with its keys; `error` may be an exception, whose traceback comes with it."""
    level, sentence = EVENTS[name]
    if _log.isEnabledFor(level):
        error = keys.get("error")
        message = sentence.format_map(keys).rstrip()
        trace = error if isinstance(error, Exception) else None
        if trace is not None:
            keys["error"] = f"{type(trace).__name__}: {trace}"
        _log.log(level, "%s", message, exc_info=trace, extra={"event": name, "keys": keys})


def declare(name: str, sentence: str, level: int = WARNING) -> None:
    """Declare an event of a part."""
    EVENTS[name] = level, sentence


EVENTS = {
    "store-upgraded": (WARNING, "upgraded {store} from schema {before} to {after} in {seconds:.1f} s"),
    "crawl-started": (INFO, "crawling into {store}; seeds given: {seeds}; not default: {settings}"),
    "crawl-ended": (INFO, "the crawl into {store} has ended ({reason}) after {seconds:.1f} s; pages: {pages}"),
    "asking": (DEBUG, "requesting {url}"),
    "asking-for-missing": (DEBUG, "requesting {url}, which cannot exist"),
    "asking-if-alive": (DEBUG, "requesting {url}, to see whether any host answers"),
    "page-done": (DEBUG, "{state} {reason} {url}"),
    "commit": (DEBUG, "committed {rows:,} rows in {seconds:.3f} s"),
    "page-again": (INFO, "trying {url} again in {wait:.0f} s ({reason})"),
    "robots-refused": (DEBUG, "robots.txt refuses {url} ({reason})"),
    "asking-witness": (DEBUG, "requesting {url}, to see whether its host is well"),
    "host-ill": (INFO, "{host} is {kind} ({reason}): its pages wait; next try in {seconds:.0f} s"),
    "host-back": (INFO, "{host} is well again"),
    "host-resting": (INFO, "{host} asks for a rest of {seconds:.0f} s"),
    "host-gone": (WARNING, "{host} seems to be gone for good: no run has reached it for days ({reason})"),
    "crawl-stalled": (WARNING, "only pages of ill hosts are left, and no host has been well for {seconds:.0f} s"),
    "disk-short": (WARNING, "the disk of {path} has only {free:,} bytes left: the crawl pauses until there are more"),
    "disk-enough": (WARNING, "the disk of {path} has room again: the crawl continues"),
    "http2-tried": (INFO, "{host} refuses HTTP/1.1, so minicrawl tries HTTP/2"),
    "host-banned": (INFO, "{host} is banned"),
    "host-unbanned": (INFO, "{host} is no longer banned"),
    "outage-began": (WARNING, "no host answers: the crawl pauses and tries again from time to time"),
    "outage-over": (WARNING, "a host answers again, after {seconds:.0f} s"),
    "files-full": (WARNING, "too many files are open, so requests wait; run 'ulimit -n 4096' before the crawl"),
    "proxy-failed": (WARNING, "the proxy {proxy} cannot be used ({why}): pages without another proxy wait"),
    "proxy-works": (WARNING, "the proxy {proxy} can be used again"),
    "parser-failed": (ERROR, "could not read {url}: a part of minicrawl failed on it"),
    "partition-failed": (ERROR, "a partition failed: {why}"),
    "worker-failed": (ERROR, "a worker failed on {asked}"),
    "child-exposed": (
        WARNING,
        "processes for large pages and hooks can use the network: this system has no seccomp, or refuses it",
    ),
    "child-unfenced": (
        WARNING,
        "processes for large pages can read your files: this system has no Landlock (Linux 5.13)",
    ),
    "page-not-extracted": (WARNING, "minicrawl extracts nothing from {url}: its tags could make a huge tree"),
    "hook-failed": (ERROR, "hook {hook} failed on {over}: {why}\n{trace}"),
    "page-parser-died": (WARNING, "{url} gets another try: the process that parsed it died ({why})"),
    "document-unread": (WARNING, "{url} cannot be read: {why}"),
    "cookie-file-unwritten": (WARNING, "--cookie-file {file} cannot be written: {why}; the store has the cookies"),
    "index-caught-up": (INFO, "the index has all texts, {seconds:.1f} s after the crawl's end"),
    "index-behind": (WARNING, "the index is behind the crawl: the next run or 'minicrawl index' catches up"),
    "archive-file-begun": (INFO, "began {file}"),
    "archive-file-ended": (INFO, "finished {file}, {bytes:,} bytes"),
    "archive-indexed": (INFO, "minicrawl reads {files:,} WARC files, because no index is up to date"),
    "archive-damaged": (WARNING, "{why}"),
    "command-failed": (ERROR, "the crawl failed on a command: {asked}"),
    "dashboard-failed": (ERROR, "the dashboard failed on {method} {path}"),
    "experiment-over": (INFO, "{experiment} took {seconds:.1f} s"),
}
"""Level and sentence of each event, by name."""
