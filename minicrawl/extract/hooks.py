"""Functions of the user that a crawl calls, in the process that fetches and parses.

on_page(page)        once for every page of HTML that was read; what it returns or yields, if anything, are items: dicts
links(page, links)   returns those of its links that are to be followed
request(url)         returns headers, a dict, to send with the request for a page
started(), stopped() when a process begins and ends to fetch

A function of another name is an on_page. Whatever a hook raises is counted and logged, and the page goes on without it.
"""

import importlib
import importlib.util
import json
import logging
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.metadata import entry_points
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from minicrawl.errors import SettingError

if TYPE_CHECKING:
    from minicrawl.extract.page import Page

KINDS = ("on_page", "links", "request", "started", "stopped")
MOST_ITEMS = 10_000
"""Items of one page."""
_HALVES = re.compile("[\ud800-\udfff]")
_SLOW = 0.05
_LEAST_BETWEEN = 0.1
"""Seconds after which a call that goes on is stopped again."""
_log = logging.getLogger("minicrawl")


class Hook(NamedTuple):
    """A function, as it is named in messages, and which of `KINDS` it is."""

    name: str
    kind: str
    call: Callable[..., Any]


class Failure(NamedTuple):
    """What a hook raised or did wrong."""

    hook: str
    what: str


class Hooks:
    """Calls the hooks of a crawl. None of its methods raises."""

    def __init__(self, hooks: Sequence[Hook], longest: float | None = None, slow: float = _SLOW) -> None:
        """longest: seconds that one call may take; slow: seconds after which the log names a hook, once."""
        self._of = {kind: [hook for hook in hooks if hook.kind == kind] for kind in KINDS}
        self._longest = longest
        self._slow = slow
        self._named: set[tuple[str, str]] = set()

    def has(self, kind: str) -> bool:
        return bool(self._of[kind])

    def on_page(self, page: "Page") -> tuple[list[str], list[Failure]]:
        """The items of a page, as JSON, and what went wrong."""
        items: list[str] = []
        failures: list[Failure] = []

        def gather(hook: Hook) -> None:
            found = hook.call(page)
            if found is None:
                return
            for item in islice(_items(found), MOST_ITEMS + 1 - len(items)):
                if len(items) == MOST_ITEMS:
                    raise ValueError(f"more than {MOST_ITEMS:,} items of one page; the rest is left out")
                items.append(_as_json(item))

        for hook in self._of["on_page"]:
            self._call(hook, page.url, gather, failures)
        return items, failures

    def links(self, page: "Page") -> tuple[frozenset[str] | None, list[Failure]]:
        """The links of a page that are to be followed, None for all of them, and what went wrong."""
        kept: frozenset[str] | None = None
        failures: list[Failure] = []

        def choose(hook: Hook) -> None:
            nonlocal kept
            links = page.links if kept is None else tuple(link for link in page.links if link in kept)
            kept = frozenset(hook.call(page, links))

        for hook in self._of["links"]:
            self._call(hook, page.url, choose, failures)
        return kept, failures

    def request(self, url: str) -> tuple[tuple[tuple[str, str], ...], list[Failure]]:
        """Headers to send with the request for a page, and what went wrong."""
        headers: dict[str, str] = {}
        failures: list[Failure] = []

        def ask(hook: Hook) -> None:
            given = hook.call(url) or {}
            headers.update(_headers(given))

        for hook in self._of["request"]:
            self._call(hook, url, ask, failures)
        return tuple(headers.items()), failures

    def started(self) -> None:
        for hook in self._of["started"]:
            self._call(hook, "the start", lambda hook: hook.call(), [])

    def stopped(self) -> None:
        for hook in self._of["stopped"]:
            self._call(hook, "the end", lambda hook: hook.call(), [])

    def _call(self, hook: Hook, where: str, act: Callable[[Hook], None], failures: list[Failure]) -> None:
        began = time.perf_counter()
        try:
            within(self._longest, lambda: act(hook))
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            failures.append(Failure(hook.name, what))
            if self._is_news(hook, type(error).__name__):
                _log.error("hook %s failed over %s", hook.name, where, exc_info=error)
        seconds = time.perf_counter() - began
        if seconds > self._slow and self._is_news(hook, "slow"):
            _log.warning(
                "hook %s took %.0f ms for %s: nothing else is done meanwhile", hook.name, 1000 * seconds, where
            )

    def _is_news(self, hook: Hook, what: str) -> bool:
        """Whether that was not told of a hook before."""
        is_news = (hook.name, what) not in self._named
        self._named.add((hook.name, what))
        return is_news


@lru_cache(maxsize=8)
def load_hooks(specs: tuple[str, ...], longest: float | None = None) -> Hooks:
    """The hooks that are named: MODULE, MODULE:FUNCTION, FILE.py, FILE.py:FUNCTION, or the name of an entry point in
    the group minicrawl.hooks. longest: seconds of one call. Raises SettingError."""
    return Hooks([hook for spec in specs for hook in _loaded(spec)], longest)


def within(seconds: float | None, act: Callable[[], None]) -> None:
    """Act, and raise TimeoutError in it once it has taken so long, as soon as Python itself runs again, and again and
    again, lest somebody catches it. Only a main thread can be stopped, and not on Windows."""
    is_main = threading.current_thread() is threading.main_thread()
    if seconds is None or not is_main or not hasattr(signal, "setitimer"):
        act()
        return
    is_over = False

    def stop(*_: object) -> None:
        if not is_over:
            raise TimeoutError(f"it took more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds, max(seconds, _LEAST_BETWEEN))
            act()
        finally:
            is_over = True
    finally:  # even if it was stopped in the very moment in which it was done; not again so soon
        is_over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _loaded(spec: str) -> list[Hook]:
    place, _, function = spec.partition(":")
    try:
        found = _entry_point(spec) or _module(place)
    except Exception as error:  # whatever the user's module does when it is imported
        raise SettingError(f"--hook {spec}: {place} cannot be imported ({type(error).__name__}: {error})") from error
    if not function and callable(found):
        return [Hook(spec, spec if spec in KINDS else "on_page", found)]
    names = [function] if function else [name for name in KINDS if hasattr(found, name)]
    if not names:
        raise SettingError(
            f"--hook {spec}: there is none of {', '.join(KINDS)} in it; name the function: {spec}:FUNCTION"
        )
    hooks = []
    for name in names:
        call = getattr(found, name, None)
        if not callable(call):
            raise SettingError(f"--hook {spec}: {place} has no function {name}")
        hooks.append(Hook(f"{place}:{name}", name if name in KINDS else "on_page", call))
    return hooks


def _entry_point(name: str) -> Any:
    for point in entry_points(group="minicrawl.hooks", name=name):
        return point.load()
    return None


def _module(place: str) -> ModuleType:
    if not place.endswith(".py"):
        if os.getcwd() not in sys.path:
            sys.path.insert(0, os.getcwd())
        return importlib.import_module(place)
    path = Path(place).resolve()
    spec = importlib.util.spec_from_file_location(f"minicrawl_hooks_{path.stem}", path)
    assert spec is not None, "a file that ends in .py can be a module"
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _items(found: object) -> Iterable[Any]:
    """The items that a hook returned: one, or several."""
    return [found] if isinstance(found, Mapping) else found  # type: ignore[return-value]


def _as_json(item: object) -> str:
    if not isinstance(item, Mapping):
        raise TypeError(f"an item is a dict, not {type(item).__name__}")
    return as_json({str(name): value for name, value in item.items()})


def as_json(item: Mapping[str, object]) -> str:
    r"""An item as JSON in Unicode: JSON can say half a character, "\ud800", which no file in UTF-8 can hold."""
    return _HALVES.sub("\ufffd", json.dumps(item, ensure_ascii=False))


def _headers(given: Mapping[str, str]) -> dict[str, str]:
    for name, value in given.items():
        if any(char in f"{name}{value}" for char in "\r\n\0") or not name.isascii() or ":" in name:
            raise ValueError(f"{name!r} cannot be a header")
    return {str(name): str(value) for name, value in given.items()}
