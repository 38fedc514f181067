"""Commands from the page: those of a running crawl, and starting one as a process that outlives the dashboard.

Seeds are parsed as typed by people; no command names a file.
"""

import os
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any  # Any: JSON

from minicrawl.control.asking import ask
from minicrawl.control.messages import Message, connected
from minicrawl.crawler.admission.seeds import guesses
from minicrawl.errors import ConfigError, CrawlEndedError, SeedError, SettingError
from minicrawl.setting import ON_DASHBOARD
from minicrawl.settings import SETTINGS, option
from minicrawl.store.database import beside
from minicrawl.system import running

_ALLOWED = frozenset({"pause", "resume", "stop", "set", "add", "ban", "unban", "again"})
_MOST_SEEDS = 1_000


def done(store: Path, asked: Any) -> Message:
    """Carry out a command of a page, and return its answer once it is in the store. Raises MinicrawlError."""
    if not isinstance(asked, dict) or str(asked.get("do")) not in _ALLOWED:
        raise ConfigError(f"a page may have done {', '.join(sorted(_ALLOWED))}")
    if asked["do"] == "add":
        asked = {"do": "add", **seeds_of(asked.get("seeds"))}
    return ask(store, [asked], begins=2.0, answers=30.0)[0]


def seeds_of(texts: object) -> Message:
    """Parse seeds as typed by people. `urls`: the seeds; `guessed`: those with a guessed scheme.

    Seeds are URLs or hosts, never files: a page must not have files read. Raises SeedError.
    """
    if not isinstance(texts, list) or not texts or len(texts) > _MOST_SEEDS:
        raise SeedError(f"name 1 to {_MOST_SEEDS:,} seeds, one per line")
    urls, guessed = [], []
    for text in texts:
        meant = guesses(text.strip()) if isinstance(text, str) else []
        if not meant:
            raise SeedError(f"{str(text)[:80]!r} is not an http or https URL; write it as https://host/path")
        urls.append(meant[0])
        if len(meant) > 1:
            guessed.append(meant[0])
    return {"urls": urls, "guessed": guessed}


_PATIENCE = 10.0
_LOOKS_APART = 0.02
_LOG_SHOWN = 4096


def started(store: Path, asked: Any, patience: float = _PATIENCE) -> Message:
    """Start a crawl on a store, or resume the one there, and wait until it listens. Raises MinicrawlError.

    asked: `seeds`, as typed by people, none to resume; `settings` by name. Its output goes to a file beside the store.
    patience: seconds to wait; it may still listen later.
    """
    if not isinstance(asked, dict) or not asked.keys() <= {"seeds", "settings"}:
        raise SettingError("a crawl is started with seeds and settings")
    given, texts = asked.get("settings") or {}, asked.get("seeds") or []
    if not isinstance(given, dict):
        raise SettingError("settings are given by name")
    words = ["--store", str(store), "--no-progress", *options(given)]
    lines = b""
    if texts:
        seeds_of(texts)
        words += ["-"]
        lines = "\n".join(text.strip() for text in texts).encode("utf-8", "replace") + b"\n"
    line = connected(store, 1.0)
    if line is not None:
        line.close()
        raise SettingError("a crawl is already running on this store")
    return _run(store, words, lines, patience)


def options(given: Mapping[str, Any]) -> Iterator[str]:
    """Settings as command-line options, each a single word. Raises SettingError."""
    for name, value in given.items():
        if name not in SETTINGS or ON_DASHBOARD not in SETTINGS[name].marks:
            raise SettingError(f"the dashboard cannot set {str(name)[:40]!r}")
        if isinstance(SETTINGS[name].default, bool):
            if not isinstance(value, bool):
                raise SettingError(f"{option(name)} must be yes or no")
            if value != SETTINGS[name].default:
                yield option(name) if value else f"--no-{option(name)[2:]}"
        else:
            values = value if isinstance(value, list) else [value]
            if not all(isinstance(one, str | int | float) and not isinstance(one, bool) for one in values):
                raise SettingError(f"{option(name)} must be text or a number")
            yield from (f"{option(name)}={one}" for one in values)


def _run(store: Path, words: list[str], lines: bytes, patience: float) -> Message:
    store.parent.mkdir(parents=True, exist_ok=True)
    log = beside(store, ".log")
    with log.open("ab") as output:
        start = output.seek(0, os.SEEK_END)
        process = subprocess.Popen(
            running("minicrawl", "crawl", *words),
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # so that Ctrl-C ends the dashboard alone
        )
    assert process.stdin is not None
    try:
        process.stdin.write(lines)
        process.stdin.close()
    except BrokenPipeError:  # the process has ended; its log has the reason
        pass
    until = time.monotonic() + patience
    while time.monotonic() < until:
        if process.poll() is not None:
            if process.returncode:
                raise CrawlEndedError(f"the crawl has not begun: {_reason(log, start)}")
            break
        if (line := connected(store, 1.0)) is not None:
            line.close()
            break
        time.sleep(_LOOKS_APART)
    threading.Thread(target=process.wait, daemon=True, name="minicrawl-crawl").start()
    return {"pid": process.pid, "log": str(log)}


def _reason(log: Path, start: int) -> str:
    """The error message with which a crawl has ended."""
    with log.open("rb") as file:
        file.seek(start)
        text = file.read(_LOG_SHOWN).decode("utf-8", "replace")
    lines = [line for line in text.splitlines() if line.startswith("Error: ")]
    return lines[-1].removeprefix("Error: ") if lines else f"see {log}"
