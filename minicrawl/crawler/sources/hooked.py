"""Call the user's hooks in a child process, so that they cannot harm the crawl.

All pages of this process go to the same child, one by one, so hooks may keep state from page to page. A child that died
or was killed is replaced by one without that state.
"""

from functools import cache
from itertools import compress
from typing import Any  # Any: messages

from minicrawl import log
from minicrawl.extract.document import Page, by_name
from minicrawl.extract.hooks import Failure, Hooks, load_hooks
from minicrawl.model import ParsedPage
from minicrawl.sandbox.cage import Cage
from minicrawl.sandbox.sandbox import ChildError, Limits, Sandbox

Headers = tuple[tuple[str, str], ...]
"""Names in lower case, and values."""
Failures = tuple[tuple[str, str], ...]
"""Pairs of hook and error."""


class HookedPages:
    """Shows the hooks all pages, and lets them choose links and request headers."""

    def __init__(self, specs: tuple[str, ...], longest: float, *, network: bool = False) -> None:
        """specs: see load_hooks. longest: seconds of CPU time that a call may take, and seconds it may wait.
        network: True if they may use it."""
        self._asked = specs, longest
        # Hooks are interrupted at their limit; the child is killed if Python cannot do that.
        limits = Limits(2 * longest, longest, Cage(network=network, forks=True))
        self._sandbox = Sandbox("minicrawl.crawler.sources.hooked:answer", limits)
        self._names: dict[str, list[str]] = {}
        self._logged: set[tuple[str, str]] = set()

    def has(self, *kinds: str) -> bool:
        return any(kind in self._names for kind in kinds)

    @property
    def pids(self) -> list[int]:
        """The process id of the child, if there is one."""
        return self._sandbox.pids

    async def started(self) -> None:
        for name, kind in (await self._call("all", "the start", ()))[0] or ():
            self._names.setdefault(kind, []).append(name)
        await self._call("started", "the start", ())

    async def request(self, url: str) -> tuple[Headers, Failures]:
        """Headers to add to the request for a page, and failures."""
        if not self.has("request"):
            return (), ()
        headers, failures = await self._call("request", url, (url,))
        return headers or (), failures

    async def page(
        self, parsed: ParsedPage, body: bytes, url: str, content_type: str | None, headers: Headers
    ) -> ParsedPage:
        """Add items and failures to the parsed page, and drop links that the hooks refuse. body: decoded."""
        if not self.has("on_page", "links"):
            return parsed
        page = body, url, content_type, headers, parsed.title, parsed.outlinks
        found, failures = await self._call("page", url, page)
        parsed = parsed._replace(hook_failures=(*parsed.hook_failures, *failures)) if failures else parsed
        items, kept = found or ((), None)
        parsed = parsed._replace(items=(*parsed.items, *items)) if items else parsed
        return parsed if kept is None else _with_links(parsed, kept)

    async def aclose(self) -> None:
        if self.has("stopped"):
            await self._call("stopped", "the end", ())
        await self._sandbox.aclose()

    async def _call(self, what: str, where: str, arguments: tuple[Any, ...]) -> tuple[Any, Failures]:
        """The result of the hooks, None if the child died, and failures, which are logged once each."""
        found: Any = None
        try:
            found, failures = await self._sandbox.call(*self._asked, what, arguments)
        except ChildError as error:
            kinds = ("on_page", "links") if what == "page" else (what,)
            names = [name for kind in kinds for name in self._names.get(kind, ())]
            failures = [Failure(", ".join(names) or "hooks", str(error))]
        for failure in failures:
            news = failure.hook, failure.what.partition(":")[0]
            if news not in self._logged:
                self._logged.add(news)
                log.hook_failed(hook=failure.hook, over=where, why=failure.what, trace=failure.trace)
        return found, tuple((failure.hook, failure.what) for failure in failures)


def _with_links(parsed: ParsedPage, kept: bytes) -> ParsedPage:
    """The page with those links that have a 1 in `kept`."""
    return parsed._replace(
        outlinks=tuple(compress(parsed.outlinks, kept)),
        anchors=tuple(compress(parsed.anchors, kept)),
        places=bytes(compress(parsed.places, kept)),
        refused=len(kept) - sum(kept),
    )


# In the child.


def answer(specs: tuple[str, ...], longest: float, what: str, arguments: tuple[Any, ...]) -> tuple[Any, list[Failure]]:
    """Call the hooks in this process, after their `started`. Returns the result and failures."""
    hooks = _hooks(specs, longest)
    if what == "all":
        return [(hook.name, hook.kind) for hook in hooks.all], []
    failures = hooks.started()
    found, failed = _found(hooks, what, *arguments)
    return found, failures + failed


@cache
def _hooks(specs: tuple[str, ...], longest: float) -> Hooks:
    return Hooks(load_hooks(specs), longest)


def _found(hooks: Hooks, what: str, *arguments: Any) -> tuple[Any, list[Failure]]:
    match what:
        case "page":
            return _of_page(hooks, *arguments)
        case "request":
            return hooks.request(*arguments)
        case "stopped":
            return None, hooks.stopped()
        case _:
            return None, []


def _of_page(  # noqa: PLR0913 - a page, taken apart
    hooks: Hooks,
    body: bytes,
    url: str,
    content_type: str | None,
    headers: Headers,
    title: str | None,
    links: tuple[str, ...],
) -> tuple[Any, list[Failure]]:
    from minicrawl.crawler.sources.page_reading import shown_html  # noqa: PLC0415 - parsers that only the child needs

    html = shown_html(body, url, content_type)
    if html is None:
        return None, []
    page = Page(url, 200, content_type, html, title, links, body, by_name(headers))
    kept, failures = hooks.links(page)
    items, failed = hooks.on_page(page)
    mask = None if kept is None else bytes(link in kept for link in links)
    return (items, mask), failures + failed
