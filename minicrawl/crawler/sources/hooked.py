"""Call the user's hooks in a child process, so that they cannot harm the crawl.

All pages of this process go to the same child, one by one, so hooks may keep state from page to page. A child that died
or was killed is replaced by one without that state.
"""

import json
from functools import cache
from itertools import compress
from typing import Any  # Any: messages

from msgspec import Struct
from msgspec.structs import replace

from minicrawl import log
from minicrawl.extract.document import Page, by_name
from minicrawl.extract.hooks import Failure, Hooks, check_header, load_hooks
from minicrawl.model import ParsedPage
from minicrawl.sandbox.cage import Cage
from minicrawl.sandbox.sandbox import ChildError, Limits, Sandbox
from minicrawl.timing import STANDARD

Headers = tuple[tuple[str, str], ...]
"""Names in lower case, and values."""
Failures = tuple[tuple[str, str], ...]
"""Pairs of hook and error."""
_MOST_ANSWER = 2**25
"""Bytes of an answer: the items of a page, four a character, and the errors of hooks."""


class Found(Struct, array_like=True, frozen=True):
    """What hooks say. `hooks`: names and kinds of all; `headers`: for a request; `items`: of a page, each a line of
    JSON; `kept`: a 1 for each of its links to follow; None for all of them.

    It is checked where it is made, and again where it comes from a child: hooks can do with theirs what they like.
    """

    failures: tuple[Failure, ...] = ()
    hooks: tuple[tuple[str, str], ...] = ()
    headers: Headers = ()
    items: tuple[str, ...] = ()
    kept: bytes | None = None

    def __post_init__(self) -> None:
        for header in self.headers:
            check_header(*header)
        for item in self.items:
            if "\n" in item or type(json.loads(item)) is not dict:
                raise ValueError("an item is a JSON object in one line")


class HookedPages:
    """Shows the hooks all pages, and lets them choose links and request headers."""

    def __init__(self, specs: tuple[str, ...], longest: float = STANDARD.hook) -> None:
        """specs: see load_hooks. longest: seconds of CPU time that a call may take, and seconds it may wait."""
        self._asked = specs, longest
        # Hooks are interrupted at their limit; the child is killed if Python cannot do that.
        limits = Limits(2 * longest, longest, Cage(forks=True), _MOST_ANSWER)
        self.sandbox = Sandbox(answer, limits)
        self._names: dict[str, list[str]] = {}
        self._logged: set[tuple[str, str]] = set()

    def has(self, *kinds: str) -> bool:
        return any(kind in self._names for kind in kinds)

    async def started(self) -> None:
        for name, kind in (await self._call("all", "the start", ()))[0].hooks:
            self._names.setdefault(kind, []).append(name)
        await self._call("started", "the start", ())

    async def request(self, url: str) -> tuple[Headers, Failures]:
        """Headers to add to the request for a page, and failures."""
        if not self.has("request"):
            return (), ()
        found, failures = await self._call("request", url, (url,))
        return found.headers, failures

    async def page(
        self, parsed: ParsedPage, body: bytes, url: str, content_type: str | None, headers: Headers
    ) -> ParsedPage:
        """Add items and failures to the parsed page, and drop links that the hooks refuse. body: decoded."""
        if not self.has("on_page", "links"):
            return parsed
        page = body, url, content_type, headers, parsed.title, parsed.outlinks
        found, failures = await self._call("page", url, page)
        parsed = parsed._replace(hook_failures=(*parsed.hook_failures, *failures)) if failures else parsed
        parsed = parsed._replace(items=(*parsed.items, *found.items)) if found.items else parsed
        if found.kept is None:
            return parsed
        outlinks = tuple(compress(parsed.outlinks, found.kept))
        return parsed._replace(
            outlinks=outlinks,
            anchors=tuple(compress(parsed.anchors, found.kept)),
            places=bytes(compress(parsed.places, found.kept)),
            refused=len(parsed.outlinks) - len(outlinks),
        )

    async def aclose(self) -> None:
        if self.has("stopped"):
            await self._call("stopped", "the end", ())
        await self.sandbox.aclose()

    async def _call(self, what: str, where: str, arguments: tuple[Any, ...]) -> tuple[Found, Failures]:
        """What the hooks say, nothing if the child died, and failures, which are logged once each."""
        try:
            found = await self.sandbox.call(*self._asked, what, arguments)
        except ChildError as error:
            kinds = ("on_page", "links") if what == "page" else (what,)
            names = [name for kind in kinds for name in self._names.get(kind, ())]
            found = Found((Failure(", ".join(names) or "hooks", str(error)),))
        for failure in found.failures:
            news = failure.hook, failure.what.partition(":")[0]
            if news not in self._logged:
                self._logged.add(news)
                log.event("hook-failed", hook=failure.hook, over=where, why=failure.what, trace=failure.trace)
        return found, tuple((failure.hook, failure.what) for failure in found.failures)


# In the child.


def answer(specs: tuple[str, ...], longest: float, what: str, arguments: tuple[Any, ...]) -> Found:
    """Call the hooks in this process, after their `started`."""
    hooks, found = _hooks(specs, longest), Found()
    failures = hooks.started() if what != "all" else []
    match what:
        case "all":
            found = Found(hooks=tuple((hook.name, hook.kind) for hook in hooks.all))
        case "page":
            found = _of_page(hooks, *arguments)
        case "request":
            headers, failed = hooks.request(*arguments)
            found = Found(tuple(failed), headers=headers)
        case "stopped":
            found = Found(tuple(hooks.stopped()))
    return replace(found, failures=(*failures, *found.failures)) if failures else found


@cache
def _hooks(specs: tuple[str, ...], longest: float) -> Hooks:
    return Hooks(load_hooks(specs), longest)


def _of_page(  # noqa: PLR0913 - a page, taken apart
    hooks: Hooks,
    body: bytes,
    url: str,
    content_type: str | None,
    headers: Headers,
    title: str | None,
    links: tuple[str, ...],
) -> Found:
    from minicrawl.crawler.sources.page_reading import shown_html  # noqa: PLC0415 - parsers that only the child needs

    html = shown_html(body, url, content_type)
    if html is None:
        return Found()
    page = Page(url, 200, content_type, html, title, links, body, by_name(headers))
    kept, failures = hooks.links(page)
    items, failed = hooks.on_page(page)
    mask = None if kept is None else bytes(link in kept for link in links)
    return Found((*failures, *failed), items=tuple(items), kept=mask)
