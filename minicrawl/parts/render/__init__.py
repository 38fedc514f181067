"""Pages that show next to nothing without their scripts: counted, told, and read anew once they are rendered
(docs/render.md)."""

from collections.abc import Iterable, Mapping
from importlib import util
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple  # Any: JSON

from minicrawl import installed
from minicrawl.errors import counted
from minicrawl.log import printable
from minicrawl.model import State
from minicrawl.parts.part import Part
from minicrawl.store.declaration import PageId, table
from minicrawl.web.urls.keys import authority

if TYPE_CHECKING:
    from minicrawl.audit.rules import Rule
    from minicrawl.crawler.visits.step import Opening
    from minicrawl.crawler.visits.turn import Turn
    from minicrawl.store.reader import Store
    from minicrawl.store.writer import Writer


class ShellRow(NamedTuple):
    """A page that was read without its scripts, and shows next to nothing."""

    page: Annotated[PageId, "with scripts, and next to no words and links"]
    seen_at: Annotated[float, "Unix seconds"]


table("shells", "pages that show next to nothing without their scripts", ShellRow, keys="page")

_BY_HOST = """
    SELECT count(*), max(url) FROM shells CROSS JOIN pages ON pages.id = shells.page WHERE state = 'fetched'
    GROUP BY host ORDER BY 1 DESC, 2"""
_MOST_HOSTS = 3
"""Hosts that are named."""


class Shells(Part):
    """Knows the pages of a crawl that show next to nothing, and has them rendered first where they are to be."""

    def __init__(self, opening: "Opening") -> None:
        state = opening.state
        self._known = {row.page for row in state.writer.records(ShellRow, "shells")}
        self._new = dict[int, ShellRow]()
        self._gone = set[int]()
        if self._known and opening.settings.render:
            from minicrawl.crawler.rendering.choice import Choice  # noqa: PLC0415 - few crawls render

            choice = Choice(opening.settings.render)
            for page in self._known:
                if choice.is_auto or choice.renders(state.urls.url(page)):
                    state.frontier.put_first(page, opening.now)

    @classmethod
    def of(cls, opening: "Opening") -> "Shells":
        return cls(opening)

    def on_turn(self, turn: "Turn") -> None:
        page = turn.page
        if turn.parsed.is_shell and turn.outcome.state is State.FETCHED:
            self._known.add(page)
            self._gone.discard(page)
            self._new[page] = ShellRow(page, turn.now)
        elif page in self._known:
            self._known.remove(page)
            self._new.pop(page, None)
            self._gone.add(page)

    def save(self, writer: "Writer") -> None:
        if self._new or self._gone:
            writer.remove(ShellRow, [(page,) for page in self._gone])
            writer.put(ShellRow, list(self._new.values()))
            self._new.clear()
            self._gone.clear()

    @staticmethod
    def figures(store: "Store") -> Mapping[str, Any]:
        return {"hosts": [[authority(url), pages, url] for pages, url in store.rows(_BY_HOST)]}

    @staticmethod
    def status(figures: Mapping[str, Any]) -> Iterable[str]:
        yield from (f"scripts   {line}" for line in _lines(figures))

    @staticmethod
    def ending(failures: Mapping[str, int], figures: Mapping[str, Any]) -> Iterable[str]:
        yield from (f"{line}." for line in _lines(figures))

    @staticmethod
    def explain(store: "Store", page: int) -> Iterable[str]:
        if store.record(ShellRow, "shells WHERE page = ?", page) is not None:
            yield "scripts     it shows next to nothing without them; 'minicrawl crawl --render auto' reads it anew"

    @staticmethod
    def rules() -> "Iterable[Rule]":
        from minicrawl.audit.rules import Rule, Severity  # noqa: PLC0415 - only an audit needs it

        yield Rule(
            "made-by-scripts",
            "SELECT page FROM shells JOIN audited ON audited.id = shells.page WHERE is_page",
            "The page shows next to nothing without its scripts, which search engines and assistants may not run.",
            "Send its words and links from the server; crawl it with --render auto to audit what it shows.",
            Severity.WARNING,
            "content",
            says="{targets:# page shows|# pages show} next to nothing without scripts",
        )


def _lines(figures: Mapping[str, Any]) -> Iterable[str]:
    """What to say of hosts: those with the most such pages, and what to do."""
    hosts: dict[str, list[Any]] = {}  # of partitions: each may have pages of a host
    for host, pages, url in figures.get("hosts", ()):
        known = hosts.setdefault(host, [0, url])
        known[0] += pages
    most = sorted(hosts.items(), key=lambda one: (-one[1][0], one[0]))
    for host, (pages, url) in most[:_MOST_HOSTS]:
        shows = "shows" if pages == 1 else "show"
        example = "" if pages == 1 else f", such as {printable(url)}"
        yield f"{counted(pages, 'page')} of {printable(host)} {shows} next to nothing without scripts{example}"
    if others := most[_MOST_HOSTS:]:
        yield f"so do {counted(sum(pages for _, (pages, _) in others), 'page')} of {counted(len(others), 'other host')}"
    if most:
        need = f"{installed.adding('render')}, install chromium-headless-shell, and run " * (not _has_playwright())
        yield f"to read them anew, with scripts: {need}minicrawl crawl --render auto"


def _has_playwright() -> bool:
    return util.find_spec("playwright") is not None
