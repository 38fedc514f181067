"""A generated web: what every URL answers, and how important every page truly is.

Pure and seeded: the same arguments make the same web to the byte. Power laws govern the sizes of hosts and
how often a page is linked: links choose pages by a popularity with P(n) ~ n^-2.1. Four links of five stay on
their host. Real webs' oddities are in it: robots.txt, redirects, dead links, nofollow, print versions, slow
pages, files, an ISO-8859-1 page, a <base href>, and a calendar that goes on and on. It ends after 240 months
in each direction, so that the web is finite and its truth exact; with the traps that `generate` adds on
demand it does not.
"""

import re
from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import accumulate
from random import Random
from urllib.parse import unquote

import numpy as np

from minicrawl.demo.traps import ENTRANCES, trap_page
from minicrawl.errors import SettingError
from minicrawl.rank import Graph, pagerank

SEEDS = 5
CALENDAR_START = 12 * 2026 + 10
"""The month that is linked: November 2026, months counted from the year 0."""
CALENDAR_MONTHS = 240
"""How many months the calendar goes on in each direction."""
CRAWL_DELAY = 0.2

_EXPONENT = 2.1
_LINKS = 11.0
"""Mean number of links drawn per page, beside those that hold its host together; some are drawn twice."""
_ABROAD = 0.18
"""Share of the links drawn from the whole web; with the dead ones a fifth of all links leaves its host."""
_WITHOUT_LINKS = 0.06
"""Share of the pages without links, of those that nothing hangs on."""
_MOVED = 0.03
_DEAD = 0.03

# Words made to be put together; titles become slugs.
# fmt: off
_PLACES = [
    "harbor", "maple", "river", "alpine", "north", "copper", "cedar", "summit", "willow", "granite",
    "meadow", "coast", "amber", "lantern",
]
_KINDS = [
    "news", "shop", "wiki", "blog", "times", "lab", "garden", "museum", "review", "archive", "guide",
    "forum", "radio", "press", "school", "sport",
]
_SECTIONS = [
    "world", "science", "culture", "travel", "food", "health", "money", "people", "nature", "music",
    "books", "history",
]
_QUALITIES = [
    "quiet", "golden", "early", "hidden", "modern", "local", "bright", "ancient", "simple", "open", "late",
    "rare", "green", "busy", "small",
]
_THINGS = [
    "bridge", "market", "orchard", "library", "festival", "railway", "island", "kitchen", "theatre",
    "workshop", "lake", "museum", "tower",
]
_EVENTS = [
    "opens again", "wins a prize", "needs volunteers", "turns fifty", "explained", "in pictures",
    "for beginners",
]
_FILLER = [
    "the", "of", "and", "a", "visitors", "season", "every", "town", "with", "old", "new", "after", "many",
    "years", "plans", "first", "from", "says",
]
# fmt: on


@dataclass(frozen=True, slots=True)
class Reply:
    """What a request is answered, and after how long."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    delay_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Link:
    """A link in a page. One that is not counted says rel=nofollow."""

    url: str
    text: str
    is_counted: bool = True


@dataclass(slots=True)
class Page:
    """An HTML page; `links` by their target. `base`: what its links are relative to, if it says so.

    `says`: what its text is drawn from; None: its URL, so that no two pages say the same.
    """

    url: str
    title: str
    links: dict[str, Link] = field(default_factory=dict)
    canonical: str | None = None
    base: str | None = None
    charset: str = "utf-8"
    delay_seconds: float = 0.0
    says: str | None = None

    def link(self, url: str, text: str, *, is_counted: bool = True) -> None:
        """Link to `url`, unless the page does so already."""
        self.links.setdefault(url, Link(url, text, is_counted))

    def outlinks(self) -> list[str]:
        """Targets that a crawler counts."""
        return [link.url for link in self.links.values() if link.is_counted and link.url != self.url]


@dataclass(frozen=True, slots=True)
class Redirect:
    """A URL that points to another one."""

    target: str
    status: int


@dataclass(frozen=True, slots=True)
class File:
    """Something that is not HTML."""

    content_type: str
    body: bytes


Resource = Page | Redirect | File

_FILES = (
    ("pdf", File("application/pdf", b"%PDF-1.4\n%%EOF\n")),
    ("txt", File("text/plain", b'<a href="http://text.test/">This is no link.</a>\n')),
)


@dataclass(frozen=True)
class DemoWeb:
    """A web of `hosts`, largest first, to be crawled from `seeds`: the home pages of the largest."""

    hosts: tuple[str, ...]
    seeds: tuple[str, ...]
    calendar: str
    """URL under which the calendar's months are made when they are asked for."""
    closed: frozenset[str]
    """URL prefixes that robots.txt forbids."""
    _resources: Mapping[str, Resource] = field(repr=False)
    traps: str | None = None
    """URL prefix under which pages are made up without end; None: there are no such."""

    @classmethod
    def generate(cls, seed: int = 0, hosts: int = 40, pages: int = 4000, *, traps: bool = False) -> "DemoWeb":
        """A web of that many hosts and that many pages; redirects, files, the calendar and such come on top.

        traps: add traps, and let the calendar go on for ever; there is no truth then. Raises SettingError.
        """
        if hosts < 2:
            raise SettingError(f"a demo web needs at least 2 hosts, not {hosts}")
        if pages < 10 * hosts:
            raise SettingError(f"a demo web needs 10 pages per host: at least {10 * hosts}, not {pages}")
        loom = _Loom(Random(seed), hosts, pages)
        loom.weave()
        prefix = loom.set_traps() if traps else None
        return cls(
            tuple(loom.hosts),
            tuple(f"http://{host}/" for host in loom.hosts[:SEEDS]),
            loom.calendar,
            frozenset(loom.closed),
            loom.resources,
            prefix,
        )

    def respond(self, url: str) -> Reply:
        """The answer to a GET of a normalised URL."""
        resource = self._resource(url)
        if resource is None:
            body = b"<!doctype html><title>Not found</title><p>There is no such page."
            return Reply(404, {"Content-Type": "text/html; charset=utf-8"}, body)
        if isinstance(resource, Redirect):
            return Reply(resource.status, {"Location": _relative(resource.target, url)}, b"")
        if isinstance(resource, File):
            return Reply(200, {"Content-Type": resource.content_type}, resource.body)
        headers = {"Content-Type": f"text/html; charset={resource.charset}"}
        return Reply(200, headers, _html(resource).encode(resource.charset), resource.delay_seconds)

    def truth(self) -> dict[str, float]:
        """Exact importance of every URL that a crawl of everything gets to know, sum 1.

        That is PageRank with damping .85 over counted links: distinct URLs but the page's own, no nofollow.
        Redirects and print versions (rel=canonical) are aliases and have 0: they hand all they get to the
        page they stand for, their part of the jumps too. Links are counted before that, so links to a page
        and to its alias are two, and a link to one's own print version leads back to oneself. Dead URLs,
        files and what robots.txt forbids are pages without links. Jumps, and what pages without links have,
        go to all known URLs alike.
        """
        outlinks, aliases = self._walked()
        pages = [url for url in outlinks if url not in aliases]
        number = {url: page for page, url in enumerate(pages)}
        for url in aliases:
            number[url] = number[_followed(url, aliases)]
        graph = Graph.from_links([[number[target] for target in outlinks[url]] for url in pages])
        urls_of_page = np.bincount([number[url] for url in outlinks]).astype(np.float64)
        ranks = pagerank(graph, preference=urls_of_page, tolerance=1e-13).tolist()
        return {url: 0.0 if url in aliases else ranks[number[url]] for url in outlinks}

    def _resource(self, url: str) -> Resource | None:
        resource = self._resources.get(url)
        if resource is None and url.startswith(self.calendar):
            return _month_page(self.calendar, url, CALENDAR_MONTHS if self.traps is None else None)
        if resource is None and self.traps is not None and url.startswith(self.traps):
            return _trap_page(self.traps, url)
        return resource

    def _walked(self) -> tuple[dict[str, list[str]], dict[str, str]]:
        """Counted outlinks of every known URL, in the order of discovery, and what the aliases stand for."""
        queue = list(self.seeds)
        outlinks: dict[str, list[str]] = {url: [] for url in queue}
        aliases: dict[str, str] = {}
        for url in queue:
            outlinks[url], alias = self._read(url)
            found = list(outlinks[url])
            # A redirect that leads back to where it came from is an error, so a page without links.
            if alias is not None and _followed(alias, aliases) != url:
                aliases[url] = alias
                found.append(alias)
            for target in found:
                if target not in outlinks:
                    outlinks[target] = []
                    queue.append(target)
        return outlinks, aliases

    def _read(self, url: str) -> tuple[list[str], str | None]:
        """Counted outlinks of a URL, and the URL it stands for, if it does."""
        resource = None if url.startswith(tuple(self.closed)) else self._resource(url)
        if isinstance(resource, Redirect):
            return [], resource.target
        return (resource.outlinks(), resource.canonical) if isinstance(resource, Page) else ([], None)


def _followed(url: str, aliases: Mapping[str, str]) -> str:
    """The URL that `url` stands for in the end."""
    while url in aliases:
        url = aliases[url]
    return url


class _Loom:
    """One web in the making. The steps of `weave` share the random generator, so their order matters."""

    def __init__(self, rng: Random, hosts: int, pages: int) -> None:
        self.rng = rng
        self.hosts = _names(rng, hosts)
        self.calendar = f"{self.root(1)}calendar/"
        self.closed: set[str] = set()
        self.resources: dict[str, Resource] = {}
        self._pages: list[Page] = []
        self._popularity: dict[str, int] = {}
        self._old: dict[str, str] = {}
        """Former address of pages that have one."""
        self._popularities = _Zipf(max(10, pages // 10))
        self._sites = [self._site(host, size) for host, size in enumerate(_sizes(hosts, pages))]
        self._linking: list[Page] = []
        """Pages that have links."""

    def root(self, host: int) -> str:
        """Home page of the host of that number; the number may be any."""
        return f"http://{self.hosts[host % len(self.hosts)]}/"

    def weave(self) -> None:
        self._hold_together()
        self._linking = [page for page in self._pages if page.links or self.rng.random() > _WITHOUT_LINKS]
        self._move_pages()
        self._draw_links()
        self._add_oddities()
        self._close_doors()

    def set_traps(self) -> str:
        """Link traps from the home page of the second host; returns the prefix of their URLs."""
        prefix = f"{self.root(1)}traps/"
        for entrance in ENTRANCES:
            self._page(self.root(1)).link(f"{prefix}{entrance}", entrance.partition("/")[0].title())
        return prefix

    def _site(self, host: int, size: int) -> list[Page]:
        """The pages of one host as a tree: home page, sections, articles. Home is the most popular."""
        root = self.root(host)
        sections = self.rng.sample(_SECTIONS, min(len(_SECTIONS), 1 + size // 15))
        pages = [Page(root, self.hosts[host].removesuffix(".test").replace("-", " ").title())]
        pages += [Page(f"{root}{section}/", section.title()) for section in sections]
        for number in range(len(pages), size):
            title = self._title()
            section = self.rng.choice(sections)
            pages.append(Page(f"{root}{section}/{_slug(title)}-{number}", title))
        popularity = self._popularities.draw(self.rng, size)
        most = popularity.index(max(popularity))
        popularity[0], popularity[most] = popularity[most], popularity[0]
        self._popularity.update(zip((page.url for page in pages), popularity, strict=True))
        self._grow_tree(pages, 1 + len(sections))
        self.resources.update((page.url, page) for page in pages)
        self._pages += pages
        return pages

    def _grow_tree(self, pages: Sequence[Page], first_article: int) -> None:
        home = pages[0]
        for number, page in enumerate(pages[1:], 1):
            # Articles hang on articles that are a little older: so a large host is also a deep one.
            oldest = max(1, number - 60) if number >= first_article else 0
            parent = pages[self.rng.randrange(oldest, number)] if oldest else home
            parent.link(page.url, page.title)

    def _hold_together(self) -> None:
        """Link the home page of every host that is no seed from a page of a larger host."""
        for host in range(SEEDS, len(self._sites)):
            source = self.rng.choice(self.rng.choice(self._sites[:host]))
            source.link(self.root(host), self._sites[host][0].title)

    def _move_pages(self) -> None:
        """Give some pages an old address too, every tenth of them an address older still."""
        for number, page in enumerate(self.rng.sample(self._inner(), int(_MOVED * len(self._pages)))):
            root = _root(page.url)
            old = f"{root}2019/{page.url.rstrip('/').rpartition('/')[2]}"
            self.resources[old] = Redirect(page.url, 301)
            if number % 10 == 0:
                older = f"{root}node/{1000 + number}"
                self.resources[older] = Redirect(old, 302)
                old = older
            self._old[page.url] = old
            self.rng.choice(self._linking).link(old, page.title)

    def _draw_links(self) -> None:
        """Links to pages in proportion to their popularity: what is linked often is linked more often."""
        urns = [_Urn(site, self._popularity) for site in self._sites]
        everywhere = _Urn(self._pages, self._popularity)
        deaths = range(int(_DEAD * len(self._pages)))
        dead = [f"{self.root(number)}gone/{_slug(self._title())}-{number}" for number in deaths]
        host_of = {page.url: host for host, site in enumerate(self._sites) for page in site}
        for page in self._linking:
            page.link(_root(page.url), "Home")
            for _ in range(round(self.rng.expovariate(1 / _LINKS))):
                if dead and self.rng.random() < _DEAD:
                    page.link(self.rng.choice(dead), self._title())
                    continue
                urn = everywhere if self.rng.random() < _ABROAD else urns[host_of[page.url]]
                target = urn.draw(self.rng)
                page.link(self._old.get(target.url, target.url), target.title)

    def _add_oddities(self) -> None:
        few = max(3, len(self._pages) // 200)
        self._link_files(few)
        self._print_versions(few)
        self._link_nofollow(2 * few)
        for page in self.rng.sample(self._inner(), 6):
            page.delay_seconds = round(self.rng.uniform(0.3, 1.0), 2)
        self._foreign_spelling(self._sites[2 % len(self._sites)])
        self._use_base(self._sites[0][1])
        # Only one URL of the loop is linked, so it is always the other one that closes it.
        here, there = f"{self.root(3)}session/start", f"{self.root(3)}session/check"
        self.resources[here], self.resources[there] = Redirect(there, 302), Redirect(here, 302)
        self._page(self.root(3)).link(here, "Sign in")
        self._page(self.root(1)).link(_month_url(self.calendar, CALENDAR_START), "Calendar")

    def _link_files(self, count: int) -> None:
        for number in range(count):
            ending, file = _FILES[number % len(_FILES)]
            url = f"{self.root(number)}files/report-{2000 + number}.{ending}"
            self.resources[url] = file
            for _ in range(self.rng.randint(1, 3)):
                self.rng.choice(self._linking).link(url, f"Report {2000 + number} ({ending})")

    def _print_versions(self, count: int) -> None:
        for page in self.rng.sample([page for page in self._linking if page.url[-1] != "/"], count):
            url = f"{page.url}?print=1"
            title = f"{page.title} (print version)"
            self.resources[url] = Page(url, title, dict(page.links), canonical=page.url)
            page.link(url, "Print this page")

    def _link_nofollow(self, count: int) -> None:
        """Paid links to real pages, and to log-ins that nothing else links to."""
        for number in range(count):
            source = self.rng.choice(self._linking)
            if number % 2:
                target = self.rng.choice(self._pages)
                source.link(target.url, f"Advertisement: {target.title}", is_counted=False)
            else:
                url = f"{self.root(number)}login"
                self.resources[url] = Page(url, "Log in")
                source.link(url, "Log in", is_counted=False)

    def _foreign_spelling(self, site: Sequence[Page]) -> None:
        """A page whose URL needs more than ASCII, linked from one in ISO-8859-1 that spells it out."""
        home = site[0]
        url = f"{home.url}caf%C3%A9-d%C3%A9j%C3%A0-vu"
        cafe = Page(url, "Café Zürich: déjà vu")
        cafe.link(home.url, "Home")
        self.resources[url] = cafe
        source = next(page for page in site[1:] if page.links)
        source.charset = "iso-8859-1"
        source.title += " à la carte"
        source.link(url, cafe.title)

    def _use_base(self, page: Page) -> None:
        page.base = f"{_root(page.url)}archive/2024/"

    def _close_doors(self) -> None:
        """robots.txt everywhere; every third host forbids /private/, to which pages link all the same."""
        for host in range(len(self.hosts)):
            root = self.root(host)
            rules = "User-agent: *\n"
            if host % 3 == 0:
                rules += "Disallow: /private/\n"
                self.closed.add(f"{root}private/")
                self._furnish(f"{root}private/")
            else:
                rules += "Disallow:\n"
            if host == len(self.hosts) - 1:
                rules += f"Crawl-delay: {CRAWL_DELAY}\n"
            self.resources[f"{root}robots.txt"] = File("text/plain", rules.encode())

    def _furnish(self, prefix: str) -> None:
        for number in range(3):
            title = self._title()
            page = Page(f"{prefix}{_slug(title)}-{number}", title)
            page.link(f"{prefix}backstage", "Known to nobody who obeys robots.txt")
            self.resources[page.url] = page
            for _ in range(self.rng.randint(1, 4)):
                self.rng.choice(self._linking).link(page.url, title)

    def _page(self, url: str) -> Page:
        page = self.resources[url]
        assert isinstance(page, Page)
        return page

    def _inner(self) -> list[Page]:
        """All pages but home pages."""
        return [page for site in self._sites for page in site[1:]]

    def _title(self) -> str:
        rng = self.rng
        return f"{rng.choice(_QUALITIES)} {rng.choice(_THINGS)} {rng.choice(_EVENTS)}".capitalize()


class _Zipf:
    """Draws from P(n) ~ n^-2.1, n = 1 .. largest."""

    def __init__(self, largest: int) -> None:
        self._numbers = range(1, largest + 1)
        self._steps = list(accumulate(n**-_EXPONENT for n in self._numbers))

    def draw(self, rng: Random, count: int) -> list[int]:
        return rng.choices(self._numbers, cum_weights=self._steps, k=count)


class _Urn:
    """Pages to draw from, each as often as it is popular."""

    def __init__(self, pages: Sequence[Page], popularity: Mapping[str, int]) -> None:
        self._pages = pages
        self._steps = list(accumulate(popularity[page.url] for page in pages))

    def draw(self, rng: Random) -> Page:
        return self._pages[bisect(self._steps, rng.random() * self._steps[-1])]


def _sizes(hosts: int, pages: int) -> list[int]:
    """Pages of every host, at least 5, largest first: the host of rank r has about 1/r of the largest."""
    weights = [1 / rank for rank in range(1, hosts + 1)]
    spare = pages - 5 * hosts
    sizes = [5 + int(spare * weight / sum(weights)) for weight in weights]
    sizes[0] += pages - sum(sizes)
    return sizes


def _names(rng: Random, count: int) -> list[str]:
    """Distinct host names under .test, which RFC 2606 keeps out of the real name system."""
    names = [f"{place}-{kind}" for place in _PLACES for kind in _KINDS]
    rng.shuffle(names)
    for number in range(len(names), count):
        names.append(f"{names[number % len(names)]}-{number}")
    return [f"{name}.test" for name in names[:count]]


def _slug(title: str) -> str:
    return "-".join(re.findall("[a-z]+", title.lower()))


# The calendar.


def _month_url(calendar: str, month: int) -> str:
    return f"{calendar}{month // 12}/{month % 12 + 1:02}"


def _month_page(calendar: str, url: str, months: int | None) -> Page | None:
    """The calendar's page for a month, which links to the months beside it and to the host's home page.

    months: how many there are in each direction; None: no end.
    """
    match = re.fullmatch(r"(\d{4})/(0[1-9]|1[0-2])", url.removeprefix(calendar))
    if match is None:
        return None
    month = 12 * int(match[1]) + int(match[2]) - 1
    if months is not None and abs(month - CALENDAR_START) > months:
        return None
    page = Page(url, f"Calendar {match[0]}")
    page.link(calendar.removesuffix("calendar/"), "Home")
    for text, beside in (("Previous month", month - 1), ("Next month", month + 1)):
        if months is None or abs(beside - CALENDAR_START) <= months:
            page.link(_month_url(calendar, beside), text)
    return page


def _trap_page(prefix: str, url: str) -> Page | None:
    found = trap_page(url.removeprefix(prefix))
    if found is None:
        return None
    title, says, paths = found
    page = Page(url, title, says=says)
    for path in paths:
        page.link(f"{prefix}{path}", "More")
    return page


# HTML.


def _html(page: Page) -> str:
    """The page as text. Links are written as people write them: relative, some twice, some that are none."""
    lines = [f'<meta charset="{page.charset}">', f"<title>{escape(page.title)}</title>"]
    if page.base is not None:
        lines.append(f'<base href="{escape(page.base)}">')
    if page.canonical is not None:
        lines.append(f'<link rel="canonical" href="{escape(page.canonical)}">')
    lines.append("</head><body>")
    if page.links:
        lines.append(_navigation(page))
    lines.append(f'<h1 id="content">{escape(page.title)}</h1>')
    lines.extend(f"<p>{paragraph}</p>" for paragraph in _paragraphs(page.says or page.url))
    if page.links:
        lines.append("<ul>")
        lines.extend(f"<li>{_anchor(link, page)}</li>" for link in page.links.values())
        lines.append(f'</ul><footer>{_home(page)} <a href="mailto:editor@example.test">Contact</a></footer>')
    return '<!doctype html><html lang="en"><head>' + "\n".join(lines) + "</body></html>\n"


def _navigation(page: Page) -> str:
    # Where there is a <base>, "#content" would be a link to that base.
    skip = '<a href="#content">Skip to content</a> ' if page.base is None else ""
    return f"<nav>{skip}{_home(page)}</nav>"


def _home(page: Page) -> str:
    """A link to the home page, for pages that have it among their links; a home page links to itself."""
    home = _root(page.url)
    return '<a href="/">Home</a>' if home in page.links or home == page.url else ""


def _anchor(link: Link, page: Page) -> str:
    reference = _relative(link.url, page.url)
    if page.base is not None and reference.startswith("/"):
        reference = f"../..{reference}"
    if page.charset != "utf-8":
        reference = unquote(reference)
    rel = "" if link.is_counted else ' rel="nofollow"'
    return f'<a href="{escape(reference)}"{rel}>{escape(link.text)}</a>'


def _relative(url: str, base: str) -> str:
    """`url` without its host, where that is the host of `base`."""
    root = _root(base)
    return f"/{url.removeprefix(root)}" if url.startswith(root) else url


def _root(url: str) -> str:
    """Home page of a URL's host."""
    return url[: url.index("/", len("http://")) + 1]


def _paragraphs(url: str) -> Iterable[str]:
    rng = Random(url)
    for _ in range(3):
        words = rng.choices(_FILLER, k=12) + rng.sample(_THINGS, 4)
        rng.shuffle(words)
        yield f"{' '.join(words).capitalize()}."
