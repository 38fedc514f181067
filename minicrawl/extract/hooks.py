"""Functions of the user that a crawl calls in a child process (docs/extract.md, hooks): see
minicrawl.crawler.sources.hooked.

A function with none of the names in `KINDS` is an on_page. Exceptions of a hook are counted and logged, and the page
goes on without it.
"""

import errno
import importlib
import importlib.util
import json
import os
import re
import signal
import socket
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple  # Any: callables

from minicrawl.errors import SettingError
from minicrawl.sandbox.child import line_of, trace_of

if TYPE_CHECKING:
    from minicrawl.extract.document import Page

KINDS = ("on_page", "links", "request", "started", "stopped")
MOST_ITEMS = 10_000
"""Maximum items of one page."""
_HALVES = re.compile("[\ud800-\udfff]")
_CONTROLS = re.compile(r"(\\\\)|\\u00[01][0-9a-f]|\\[bf]|[\x7f-\x9f]")
"""In JSON; the group is an escaped backslash, which is none."""
MOST_BYTES = 4_000_000
"""Maximum characters of the items of one page, by selectors or by hooks."""
_LEAST_BETWEEN = 0.1
"""Seconds until a call that goes on is stopped again."""


class Hook(NamedTuple):
    """A function, its name for messages, and its kind, one of `KINDS`."""

    name: str
    kind: str
    call: Callable[..., Any]


class Failure(NamedTuple):
    """An error of a hook, in one line; `trace`: its traceback."""

    hook: str
    what: str
    trace: str = ""


class Hooks:
    """Calls hooks. None of its methods raises."""

    def __init__(self, hooks: Sequence[Hook], longest: float | None = None) -> None:
        """longest: maximum seconds of CPU time of a call."""
        self.all = tuple(hooks)
        self._longest = longest
        self._has_started = False

    def on_page(self, page: "Page") -> tuple[list[str], list[Failure]]:
        """The items of a page, as JSON, and failures."""
        items: list[str] = []

        def gather(hook: Hook) -> None:
            found = hook.call(page)
            if found is None:
                return
            several = [found] if isinstance(found, Mapping) else found
            for item in islice(several, MOST_ITEMS + 1 - len(items)):
                if len(items) == MOST_ITEMS:
                    raise ValueError(f"more than {MOST_ITEMS:,} items of one page; the rest is left out")
                items.append(_as_json(item))

        failures = self._each("on_page", gather)
        return within_size(items, failures), failures

    def links(self, page: "Page") -> tuple[frozenset[str] | None, list[Failure]]:
        """The links of a page to follow, None for all of them, and failures."""
        kept: frozenset[str] | None = None

        def choose(hook: Hook) -> None:
            nonlocal kept
            links = page.links if kept is None else tuple(link for link in page.links if link in kept)
            kept = frozenset(hook.call(page, links))

        failures = self._each("links", choose)
        return kept, failures

    def request(self, url: str) -> tuple[tuple[tuple[str, str], ...], list[Failure]]:
        """Headers to send with the request for a page, and failures."""
        headers: dict[str, str] = {}

        def ask(hook: Hook) -> None:
            given = hook.call(url) or {}
            for name, value in given.items():
                check_header(name, value)
            headers.update({str(name): str(value) for name, value in given.items()})

        failures = self._each("request", ask)
        return tuple(headers.items()), failures

    def started(self) -> list[Failure]:
        """Call the `started` hooks once. Returns failures."""
        has_started, self._has_started = self._has_started, True
        return [] if has_started else self._each("started", lambda hook: hook.call())

    def stopped(self) -> list[Failure]:
        return self._each("stopped", lambda hook: hook.call())

    def _each(self, kind: str, act: Callable[[Hook], None]) -> list[Failure]:
        """Act with each hook of a kind. Returns failures."""
        failures: list[Failure] = []
        for hook in self.all:
            if hook.kind != kind:
                continue
            try:
                within(self._longest, partial(act, hook))
            except BaseException as error:  # SystemExit and KeyboardInterrupt as well: a hook must not end the process
                advice = " (hooks have no network)" if _lacks_network(error) else ""
                failures.append(Failure(hook.name, line_of(error) + advice, trace_of(error)))
        return failures


def _lacks_network(error: BaseException | None) -> bool:
    """True for the errors of resolvers and sockets in a cage, and for those raised because of them."""
    while error is not None:
        if isinstance(error, socket.gaierror) or getattr(error, "errno", None) == errno.EAFNOSUPPORT:
            return True
        error = error.__cause__ or error.__context__
    return False


def load_hooks(specs: tuple[str, ...]) -> list[Hook]:
    """Load the hooks that are named: MODULE, MODULE:FUNCTION, FILE.py, FILE.py:FUNCTION, or the name of an entry point
    in the group minicrawl.hooks. Raises SettingError."""
    return [hook for spec in specs for hook in _loaded(spec)]


def wrong_hook(specs: tuple[str, ...]) -> str | None:
    """The reason why hooks cannot be called; None if they can."""
    try:
        load_hooks(specs)
    except SettingError as error:
        return str(error)
    return None


def within(seconds: float | None, act: Callable[[], None]) -> None:
    """Run `act` under a limit of CPU time. TimeoutError is raised in it repeatedly, in case `act` catches it, as soon
    as Python code runs. Works in the main thread only."""
    is_main = threading.current_thread() is threading.main_thread()
    if seconds is None or not is_main:
        act()
        return
    is_over = False

    def stop(*_: object) -> None:
        if not is_over:
            raise TimeoutError(f"it took more than {seconds:g} s")

    before = signal.signal(signal.SIGPROF, stop)
    try:
        try:
            signal.setitimer(signal.ITIMER_PROF, seconds, max(seconds, _LEAST_BETWEEN))
            act()
        finally:
            is_over = True
    finally:  # also if stopped at its very end, with no second stop so soon
        is_over = True
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def within_size(items: list[str], failures: list[Failure]) -> list[str]:
    """The items of a page; if they are too long, none, and one failure more."""
    if sum(map(len, items)) <= MOST_BYTES:
        return items
    failures.append(Failure("items", f"the items of a page are longer than {MOST_BYTES:,} characters: left out"))
    return []


def _loaded(spec: str) -> list[Hook]:
    from importlib.metadata import entry_points  # noqa: PLC0415 - whoever reads structured data has no hooks

    place, _, function = spec.partition(":")
    try:
        points = entry_points(group="minicrawl.hooks", name=spec)
        found: Any = next((point.load() for point in points), None) or imported(place)
    except BaseException as error:  # the user's module may raise any exception when imported
        raise SettingError(f"--hook {spec}: {place} cannot be imported ({type(error).__name__}: {error})") from error
    if not function and callable(found):
        return [Hook(spec, spec if spec in KINDS else "on_page", found)]
    names = [function] if function else [name for name in KINDS if hasattr(found, name)]
    if not names:
        raise SettingError(f"--hook {spec}: it has none of {', '.join(KINDS)}; name the function: {spec}:FUNCTION")
    hooks = []
    for name in names:
        call = getattr(found, name, None)
        if not callable(call):
            raise SettingError(f"--hook {spec}: {place} has no function {name}")
        hooks.append(Hook(f"{place}:{name}", name if name in KINDS else "on_page", call))
    return hooks


def imported(place: str) -> ModuleType:
    """The module of a name, also in the working directory, or of a path that ends in .py."""
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


def _as_json(item: object) -> str:
    if not isinstance(item, Mapping):
        raise TypeError(f"an item is a dict, not {type(item).__name__}")
    return as_json({str(name): value for name, value in item.items()})


def as_json(item: Mapping[str, object]) -> str:
    r"""An item as JSON in Unicode, without control characters other than tabs and line ends. Lone surrogates, as
    "\ud800", become U+FFFD: UTF-8 cannot encode them."""
    return _HALVES.sub("\ufffd", _CONTROLS.sub(r"\1", json.dumps(item, ensure_ascii=False, allow_nan=False)))


def check_header(name: str, value: str) -> None:
    """Raise ValueError for what cannot be sent as a header."""
    if any(char in f"{name}{value}" for char in "\r\n\0") or not name.isascii() or ":" in name:
        raise ValueError(f"{name!r} cannot be a header")
