"""Events of the log, as docs/logs.md lists them.

An event is a function: its name, its level, its typed keys, and the sentence made of them, only if the level is
logged. bench/log_schema.py makes the JSON schema of a line of them. An `Output` is where lines go.
"""

import functools
import json
import logging
import os
import sys
import time
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import NamedTuple, ParamSpec

from minicrawl.errors import counted

Keys = ParamSpec("Keys")
EVENTS: dict[str, tuple[int, Callable[..., None]]] = {}
"""Level and function of each event, by name."""
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


class Output(NamedTuple):
    """A destination of log lines. file: None: standard error; run: id of the run of the command, on every line."""

    file: str | None
    is_json: bool
    run: str

    def begin(self) -> None:
        """Log to it from now on. Raises OSError."""
        _begun.append(_Lines(self))
        _log.addHandler(_begun[-1])
        _log.setLevel(logging.DEBUG)


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
        output.begin()


PARTITION: ContextVar[int | None] = ContextVar("partition", default=None)
"""The partition that tasks and threads of this context work for, which is in their lines."""


class _Lines(logging.Handler):
    """Writes each record as one line in a single write, so that several processes can share a file."""

    def __init__(self, output: Output) -> None:
        super().__init__()
        self.output = output
        appended = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        self._file = None if output.file is None else os.open(output.file, appended, 0o666)
        self._stream = sys.stderr
        if output.is_json:
            self.setFormatter(_JsonLines(output.run))
        else:
            self.setFormatter(_PrintableLines("%(asctime)s %(levelname)s %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = f"{self.format(record)}\n"
            if self._file is not None:
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
    """Formats a message as one printable line, as it may contain text from the web."""

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


def _event(level: int) -> Callable[[Callable[Keys, str]], Callable[Keys, None]]:
    def of(sentence: Callable[Keys, str]) -> Callable[Keys, None]:
        name = sentence.__name__.replace("_", "-")

        @functools.wraps(sentence)
        def log(*args: Keys.args, **keys: Keys.kwargs) -> None:
            if _log.isEnabledFor(level):
                values, found = dict(keys), keys.get("error")
                error = found if isinstance(found, Exception) else None
                if error is not None:
                    values["error"] = f"{type(error).__name__}: {error}"
                _log.log(level, "%s", sentence(*args, **keys), exc_info=error, extra={"event": name, "keys": values})

        EVENTS[name] = level, log
        return log

    return of


_debug, _info, _warning, _error = map(_event, (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR))


@_info
def crawl_started(*, store: str, seeds: int, settings: Mapping[str, object]) -> str:
    given = ", ".join(f"{name}={value}" for name, value in settings.items())
    return f"crawling into {store}, {counted(seeds, 'seed')} given; not default: {given or 'nothing'}"


@_info
def crawl_ended(*, store: str, reason: str, pages: int | None, seconds: float) -> str:
    return f"the crawl into {store} has ended ({reason}), {counted(pages or 0, 'page')} in {seconds:.1f} s"


@_debug
def asking(*, url: str) -> str:
    return f"asking for {url}"


@_debug
def asking_for_missing(*, url: str) -> str:
    return f"asking for {url}, which cannot exist"


@_debug
def asking_if_alive(*, url: str) -> str:
    return f"asking for {url}, to see whether anybody answers"


@_debug
def page_done(  # noqa: PLR0913
    *, url: str, state: str, reason: str, status: int | None, bytes: int, seconds: float
) -> str:
    return f"{state} {reason} {url}"


@_debug
def commit(*, rows: int, seconds: float) -> str:
    return f"committed {counted(rows, 'row')} in {seconds:.3f} s"


@_info
def page_again(*, url: str, reason: str, wait: float) -> str:
    return f"again in {wait:.0f} s: {reason} {url}"


@_debug
def robots_refused(*, url: str, reason: str) -> str:
    return f"robots.txt refuses {url} ({reason})"


@_info
def host_dead(*, host: str) -> str:
    return f"dead for now: {host}"


@_info
def host_alive(*, host: str) -> str:
    return f"it was dead, and answers again: {host}"


@_info
def host_resting(*, host: str, seconds: float) -> str:
    return f"to be left alone for {seconds:.0f} s: {host}"


@_info
def http2_tried(*, host: str) -> str:
    return f"{host} refuses HTTP/1.1, so HTTP/2 is tried"


@_info
def host_banned(*, host: str) -> str:
    return f"banned: {host}"


@_info
def host_unbanned(*, host: str) -> str:
    return f"no longer banned: {host}"


@_warning
def outage_began(*, since: float) -> str:
    began = time.strftime("%H:%M:%S", time.localtime(since))
    return f"nobody answers since {began}: pausing, and trying again every now and then"


@_warning
def outage_over(*, seconds: float) -> str:
    return f"somebody answers again, after {seconds:.0f} s"


@_warning
def files_full() -> str:
    return "too many files are open: requests wait; 'ulimit -n 4096' before the crawl makes it faster"


@_warning
def proxy_failed(*, proxy: str, why: str) -> str:
    return f"the proxy {proxy} cannot be used ({why}): pages for which there is no other wait"


@_warning
def proxy_works(*, proxy: str) -> str:
    return f"the proxy {proxy} can be used again"


@_error
def parser_failed(*, url: str, error: Exception) -> str:
    return f"could not read {url}: a part of minicrawl failed over it"


@_error
def worker_failed(*, asked: str, error: Exception) -> str:
    return f"a worker failed over {asked}"


@_warning
def page_not_rendered(*, url: str, reason: str, why: str) -> str:
    return f"{reason}: {url}: {why}"


@_warning
def page_not_pictured(*, url: str, why: str) -> str:
    return f"no screenshot, or not all: {url}: {why}"


@_info
def chromium_caged(*, kind: str, sentence: str) -> str:
    return sentence


@_warning
def chromium_exposed(*, kind: str, sentence: str) -> str:
    return sentence


@_warning
def chromium_killed(*, kind: str, why: str) -> str:
    return f"Chromium: killed a {kind} process: it has taken {why}"


@_warning
def child_exposed() -> str:
    return "the processes of large pages and hooks can use the network: this system has no seccomp, or refuses it"


@_warning
def page_not_extracted(*, url: str) -> str:
    return f"nothing is taken out of {url}: its tags could make a tree of any size"


@_error
def hook_failed(*, hook: str, over: str, why: str, trace: str) -> str:
    return f"hook {hook} failed over {over}: {why}\n{trace}".rstrip()


@_warning
def page_parser_died(*, url: str, why: str) -> str:
    return f"{url} is to be asked for again: the process that parsed it has died ({why})"


@_warning
def document_unread(*, url: str, why: str) -> str:
    return f"{url} cannot be read: {why}"


@_warning
def partition_refused(*, partition: int, why: str) -> str:
    return f"a message to partition {partition} is refused: {why}"


@_warning
def cookies_expired(*, file: str, expired: int, of: int) -> str:
    return f"{expired:,} of {of:,} cookies in --cookie-file {file} have expired and are not sent; log in anew"


@_warning
def cookie_file_unwritten(*, file: str, why: str | None) -> str:
    return f"--cookie-file {file} cannot be written: {why}; the store has all"


@_warning
def texts_missing(*, file: str, pages: int) -> str:
    return f"{file} is missing: the texts of {counted(pages, 'page')} are gone with it"


@_warning
def alerts_failed(*, why: str) -> str:
    return f"--on-change could not be told of changes ({why}); the next run with it tells the rest"


@_info
def index_caught_up(*, seconds: float) -> str:
    return f"the index has all texts, {seconds:.1f} s after the crawl's end"


@_warning
def index_behind() -> str:
    return "the index did not follow the crawl to its end: the next run takes in what is left, or 'minicrawl index'"


@_info
def archive_file_begun(*, file: str) -> str:
    return f"begun: {file}"


@_info
def archive_file_ended(*, file: str, bytes: int) -> str:
    return f"full or finished, {counted(bytes, 'byte')}: {file}"


@_info
def archive_indexed(*, files: int) -> str:
    return f"indexing {counted(files, 'WARC file')}, as there is no index of them that is up to date"


@_warning
def archive_damaged(*, why: str) -> str:
    return why


@_error
def command_failed(*, asked: str, error: Exception) -> str:
    return f"the crawl failed over what it was asked: {asked}"


@_error
def dashboard_failed(*, method: str, path: str, error: Exception) -> str:
    return f"the dashboard failed over {method} {path}"


@_info
def experiment_over(*, experiment: str, seconds: float) -> str:
    return f"{experiment} took {seconds:.1f} s"
