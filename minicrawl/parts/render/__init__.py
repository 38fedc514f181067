"""Pages that scripts make: which need a browser, by experiment. Those that show next to nothing without one are told,
and read again once they are rendered (docs/render.md).

verdicts       which classes of a host's URLs need a browser
step           all that in a crawl
renderer       a fetched page goes in, a rendered one comes out
choice         which pages are rendered
comparison     what scripts add to a page
chromium       the user's browser, started, restarted, limited
tab            opens pages of an origin one after another, and is emptied between them
page_requests  answers the requests of a page's scripts: by our own fetcher, cached, at a polite pace
screenshots    what a page looks like
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import util
from logging import INFO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple  # Any: JSON

from minicrawl import installed, log
from minicrawl.errors import SettingError, counted
from minicrawl.log import printable
from minicrawl.model import State
from minicrawl.parts.part import Part, own
from minicrawl.parts.render.verdicts import ClassRow, pattern_of
from minicrawl.setting import FLAG, PATTERNS, REREADS, Kind, file, option, setting
from minicrawl.store.declaration import PageId, table
from minicrawl.web.urls.keys import authority, politeness_key

if TYPE_CHECKING:
    from minicrawl.audit.rules import Rule
    from minicrawl.crawler.sources.local import Equipment, SourceSpec
    from minicrawl.crawler.visits.step import Opening
    from minicrawl.crawler.visits.turn import Turn
    from minicrawl.settings import CrawlSettings
    from minicrawl.store.reader import Store
    from minicrawl.store.writer import Writer

log.declare("class-rendered", "pages like {host}{pattern} need Chromium, as {url} has shown", INFO)
log.declare("page-not-rendered", "{reason}: {url}: {why}")
log.declare("page-not-pictured", "no screenshot, or not all: {url}: {why}")
log.declare("chromium-caged", "{sentence}", INFO)
log.declare("chromium-exposed", "{sentence}")
log.declare("chromium-killed", "Chromium: killed a {kind} process that used {why}")
SHELL, PLAIN, RENDERED = "shell", "plain", "rendered"


def _read_render(name: str, given: Any) -> tuple[str, ...]:
    """Regular expressions and auto; or none, which stands alone."""
    found: tuple[str, ...] = PATTERNS["read"](name, given)
    if "none" in found and len(found) > 1:
        raise SettingError(f"{option(name)} none renders nothing: leave out {option(name)} {found[found[0] == 'none']}")
    return () if "none" in found else found


_RENDER: Kind = {**PATTERNS, "read": _read_render}


@dataclass(frozen=True)
class RenderSettings:
    render: tuple[str, ...] = setting(
        (),
        _RENDER,
        "Render pages with matching URLs in Chromium; auto: those that need it, by experiment; none: no pages. "
        "Repeatable.",
        REREADS,
    )
    chromium: Path | None = setting(
        None,
        file("FILE"),
        "Use this Chromium for --render. Default: the first chromium-headless-shell, chromium, chromium-browser or "
        "google-chrome on the PATH.",
    )
    screenshots: bool = setting(
        False,
        FLAG,
        "Keep screenshots of rendered pages in the archive, with style sheets, pictures and fonts. Needs --render "
        "and --archive.",
        REREADS,
    )


class ScriptedRow(NamedTuple):
    """A page with scripts, and how it was read."""

    page: PageId
    reading: Annotated[str, "shell: without scripts, and it shows next to nothing; plain: without; rendered"]
    seen_at: Annotated[float, "Unix seconds"]


class AddedRow(NamedTuple):
    """Words that scripts have added to pages of a host."""

    host: Annotated[str, "with its port, if it has one"]
    number: Annotated[int, "of the piece, in order"]
    hashes: Annotated[bytes, "of runs of three words, 4 bytes each"]


table("added", "words that scripts have added to pages of a host", AddedRow, keys="host number")
table("scripted", "pages with scripts: without --render auto those that need them", ScriptedRow, keys="page")

_BY_HOST = f"""
    SELECT count(*), max(url) FROM scripted CROSS JOIN pages ON pages.id = scripted.page
    WHERE reading = '{SHELL}' AND state = 'fetched' GROUP BY host ORDER BY 1 DESC, 2"""
_BY_POST = "SELECT host, sum(posts) AS pages, max(url) FROM rendered WHERE posts > 0 GROUP BY host ORDER BY 2 DESC, 1"
_MOST_HOSTS = 3
"""Hosts that are named."""


class Shells(Part):
    """Knows the pages of a crawl that show next to nothing, and has them rendered first where they are to be."""

    SETTINGS, TOPIC = RenderSettings, "rendering"

    def __init__(self, opening: "Opening") -> None:
        state = opening.state
        rows = state.writer.records(ScriptedRow, "scripted")
        self._known = {row.page for row in rows}
        self._new = dict[int, ScriptedRow]()
        self._gone = set[int]()
        if rows and (render := own(opening.settings, RenderSettings).render):
            from minicrawl.parts.render.choice import Choice  # noqa: PLC0415 - few crawls render

            choice = Choice(render)
            for page in (row.page for row in rows if row.reading == SHELL):
                if choice.is_auto or choice.renders(state.urls.url(page)):
                    state.frontier.put_first(page, opening.now)

    @classmethod
    def of(cls, opening: "Opening") -> "Shells":
        if "auto" in own(opening.settings, RenderSettings).render:
            from minicrawl.parts.render.step import Experiments  # noqa: PLC0415 - few crawls render

            return Experiments(opening)
        return cls(opening)

    @staticmethod
    def check(settings: "CrawlSettings") -> None:
        ours = own(settings, RenderSettings)
        if ours.screenshots and not (ours.render and settings.archive):
            raise SettingError(
                "--screenshots needs --render REGEX, the pages to show, and --archive DIR, to keep them in"
            )
        if ours.render:
            installed.find_chromium(ours.chromium)

    @staticmethod
    def equip(spec: "SourceSpec", equipment: "Equipment") -> None:
        if own(spec.settings, RenderSettings).render:
            from minicrawl.parts.render.renderer import Renderer  # noqa: PLC0415 - few crawls render

            equipment.renderer = partial(Renderer, spec.settings, seconds=spec.timing.render)

    def on_turn(self, turn: "Turn") -> None:
        if turn.parsed.is_shell or turn.page in self._known:
            self.note(turn, SHELL if turn.parsed.is_shell else None)

    def note(self, turn: "Turn", reading: str | None) -> None:
        """Note how a page was read. reading: None if it has no scripts that matter."""
        page = turn.page
        if reading is not None and turn.outcome.state is State.FETCHED:
            self._known.add(page)
            self._gone.discard(page)
            self._new[page] = ScriptedRow(page, reading, turn.now)
        elif page in self._known:
            self._known.remove(page)
            self._new.pop(page, None)
            self._gone.add(page)

    def save(self, writer: "Writer") -> None:
        if self._new or self._gone:
            writer.remove(ScriptedRow, [(page,) for page in self._gone])
            writer.put(ScriptedRow, list(self._new.values()))
            self._new.clear()
            self._gone.clear()

    @staticmethod
    def figures(store: "Store") -> Mapping[str, Any]:
        rendered, gains = store.row("SELECT coalesce(sum(rendered), 0), coalesce(sum(gains), 0) FROM rendered")
        hosts = [[authority(url), pages, url] for pages, url in store.rows(_BY_HOST)]
        return {"hosts": hosts, "rendered": rendered, "gains": gains, "posting": list(map(list, store.rows(_BY_POST)))}

    @staticmethod
    def status(figures: Mapping[str, Any]) -> Iterable[str]:
        yield from (f"scripts   {line}" for line in (*_lines(figures), *_posting(figures)))
        if rendered := figures.get("rendered", 0):
            yield f"scripts   {counted(rendered, 'page')} rendered to compare, {figures['gains']:,} show more"

    @staticmethod
    def ending(failures: Mapping[str, int], figures: Mapping[str, Any]) -> Iterable[str]:
        yield from (f"{line[0].upper()}{line[1:]}." for line in (*_lines(figures), *_posting(figures)))

    @staticmethod
    def explain(store: "Store", page: int) -> Iterable[str]:
        row = store.record(ScriptedRow, "scripted WHERE page = ?", page)
        if row is not None and row.reading == SHELL:
            yield "scripts     it shows next to nothing without them; 'minicrawl crawl --render auto' reads it again"
        url = store.page_table.url(page)
        host, pattern = politeness_key(url), pattern_of(url)
        found = store.record(ClassRow, "rendered WHERE host = ? AND pattern = ?", host, pattern)
        if found is not None:
            verb = "need Chromium" if found.needs_browser else "are read without scripts"
            yield f"scripts     pages like {printable(host + pattern)} {verb}: in {printable(found.url)} scripts add"
            yield f"            {found.own:,} of {found.words:,} words, and {counted(found.links, 'unknown link')}"

    @staticmethod
    def rules() -> "Iterable[Rule]":
        from minicrawl.audit.rules import Rule, Severity  # noqa: PLC0415 - only an audit needs it

        yield Rule(
            "made-by-scripts",
            f"SELECT page FROM scripted JOIN audited ON audited.id = page WHERE is_page AND reading = '{SHELL}'",
            "The page shows next to nothing without its scripts, which search engines and assistants may not run.",
            "Send its words and links from the server; crawl it with --render auto to audit what it shows.",
            Severity.WARNING,
            "content",
            says="{targets:# page shows|# pages show} next to nothing without scripts",
            instead_of=("dead-end", "h1-missing"),
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
        chromium = installed.adding_chromium() or "install Chromium"
        need = f"{installed.adding('render')}, {chromium}, and run " * (not _has_playwright())
        which = "it" if sum(pages for pages, _ in hosts.values()) == 1 else "them"
        yield f"to read {which} again, with scripts: {need}'minicrawl crawl --render auto'"


def _posting(figures: Mapping[str, Any]) -> Iterable[str]:
    """What to say of hosts whose applications ask by POST."""
    for host, pages, url in figures.get("posting", ())[:_MOST_HOSTS]:
        need = f"need{'s' if pages == 1 else ''} POST, which minicrawl does not send"
        yield f"{counted(pages, 'rendered page')} of {printable(host)} {need}: {printable(url)}"


def _has_playwright() -> bool:
    return util.find_spec("playwright") is not None
