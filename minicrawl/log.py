"""Events of the log, as docs/logs.md lists them.

An event is a function: its name, its level, its typed keys, and the sentence made of them, only if the level is
logged.
"""

import functools
import logging
import time
from collections.abc import Callable
from typing import ParamSpec

Keys = ParamSpec("Keys")
EVENTS: dict[str, tuple[int, Callable[..., None]]] = {}
"""Level and function of each event, by name."""
_log = logging.getLogger("minicrawl")


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


@_info
def page_again(*, url: str, reason: str, wait: float) -> str:
    return f"again in {wait:.0f} s: {reason} {url}"


@_info
def host_dead(*, host: str) -> str:
    return f"dead for now: {host}"


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
def partition_refused(*, partition: int, why: str) -> str:
    return f"a message to partition {partition} is refused: {why}"


@_warning
def cookie_file_unwritten(*, file: str, why: str | None) -> str:
    return f"--cookie-file {file} cannot be written: {why}; the store has all"


@_warning
def store_damaged(*, file: str, why: str) -> str:
    return f"{file}: {why}; the rows of these pages are read instead, which takes longer"


@_warning
def texts_missing(*, file: str, pages: int) -> str:
    return f"{file} is missing: the texts of {pages} pages are gone with it"


@_warning
def alerts_failed(*, why: str) -> str:
    return f"changes could not be delivered to --on-change ({why}); they are kept, and tried again"


@_warning
def index_behind() -> str:
    return "the index did not follow the crawl to its end; 'minicrawl index' brings it up to date"


@_info
def archive_indexed(*, files: int) -> str:
    return f"indexing {files} WARC files, as there is no index of them that is up to date"


@_warning
def clocks_not_shared(*, why: str) -> str:
    return f"other crawls of this machine may ask the same hosts at the same time: {why}"


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
