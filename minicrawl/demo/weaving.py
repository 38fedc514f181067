"""Drawing a web from a seed: hosts, pages, links between them, and the oddities of real webs.

The sizes of hosts and the in-links of pages follow power laws: links choose pages by a popularity with P(n) ~ n^-2.1.
Four links of five stay on their host.
"""

from collections.abc import Sequence
from itertools import accumulate
from random import Random

from minicrawl.demo.resources import (
    CALENDAR_START,
    ENTRANCES,
    SECTIONS,
    Page,
    Reply,
    Resource,
    drawn_title,
    host_names,
    month_url,
    root_of,
    slug,
)

SEEDS = 5
CRAWL_DELAY = 0.2

_EXPONENT = 2.1
_LINKS = 11.0
"""Mean number of links drawn per page, beside those that connect its host; some are drawn twice."""
_ABROAD = 0.18
"""Fraction of links drawn from the whole web; with the dead ones a fifth of all links leaves its host."""
_WITHOUT_LINKS = 0.06
"""Fraction of leaf pages without links."""
_MOVED = 0.03
_DEAD = 0.03


def _file(content_type: str, body: bytes) -> Reply:
    return Reply(200, {"Content-Type": content_type}, body)


_FILES = (
    ("pdf", _file("application/pdf", b"%PDF-1.4\n%%EOF\n")),
    ("txt", _file("text/plain", b'<a href="http://text.test/">This is not a link.</a>\n')),
)


class Loom:
    """One web in the making. The steps of `weave` share the random generator, so their order matters."""

    def __init__(self, rng: Random, hosts: int, pages: int) -> None:
        self.rng = rng
        self.hosts = host_names(rng, hosts)
        self.calendar = f"{self.root(1)}calendar/"
        self.closed: set[str] = set()
        self.resources: dict[str, Resource] = {}
        self._pages: list[Page] = []
        self._popularity: dict[str, int] = {}
        self._old: dict[str, str] = {}
        """Former address of pages that have one."""
        self._popularities = range(1, max(10, pages // 10) + 1)
        """Drawn from P(n) ~ n^-2.1."""
        self._chances = list(accumulate(n**-_EXPONENT for n in self._popularities))
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
        sections = self.rng.sample(SECTIONS, min(len(SECTIONS), 1 + size // 15))
        pages = [Page(root, self.hosts[host].removesuffix(".test").replace("-", " ").title())]
        pages += [Page(f"{root}{section}/", section.title()) for section in sections]
        for number in range(len(pages), size):
            name = drawn_title(self.rng)
            section = self.rng.choice(sections)
            pages.append(Page(f"{root}{section}/{slug(name)}-{number}", name))
        popularity = self.rng.choices(self._popularities, cum_weights=self._chances, k=size)
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
        """Link the home page of every host that is not a seed from a page of a larger host."""
        for host in range(SEEDS, len(self._sites)):
            source = self.rng.choice(self.rng.choice(self._sites[:host]))
            source.link(self.root(host), self._sites[host][0].title)

    def _move_pages(self) -> None:
        """Give some pages an old address too, every tenth of them an address older still."""
        for number, page in enumerate(self.rng.sample(self._inner(), int(_MOVED * len(self._pages)))):
            root = root_of(page.url)
            old = f"{root}2019/{page.url.rstrip('/').rpartition('/')[2]}"
            self.resources[old] = page.url, 301
            if number % 10 == 0:
                older = f"{root}node/{1000 + number}"
                self.resources[older] = old, 302
                old = older
            self._old[page.url] = old
            self.rng.choice(self._linking).link(old, page.title)

    def _draw_links(self) -> None:
        """Draw links to pages in proportion to their popularity."""
        everywhere, *urns = [
            (pages, list(accumulate(self._popularity[page.url] for page in pages)))
            for pages in (self._pages, *self._sites)
        ]
        deaths = range(int(_DEAD * len(self._pages)))
        dead = [f"{self.root(number)}gone/{slug(drawn_title(self.rng))}-{number}" for number in deaths]
        host_of = {page.url: host for host, site in enumerate(self._sites) for page in site}
        for page in self._linking:
            page.link(root_of(page.url), "Home")
            for _ in range(round(self.rng.expovariate(1 / _LINKS))):
                if dead and self.rng.random() < _DEAD:
                    page.link(self.rng.choice(dead), drawn_title(self.rng))
                    continue
                pages, steps = everywhere if self.rng.random() < _ABROAD else urns[host_of[page.url]]
                (target,) = self.rng.choices(pages, cum_weights=steps)
                page.link(self._old.get(target.url, target.url), target.title)

    def _add_oddities(self) -> None:
        few = max(3, len(self._pages) // 200)
        self._link_files(few)
        self._print_versions(few)
        self._link_nofollow(2 * few)
        for page in self.rng.sample(self._inner(), 6):
            page.delay_seconds = round(self.rng.uniform(0.3, 1.0), 2)
        self._foreign_spelling(self._sites[2 % len(self._sites)])
        self._sites[0][1].base = f"{self.root(0)}archive/2024/"
        # Only one URL of the loop is linked, so the other one always closes it.
        here, there = f"{self.root(3)}session/start", f"{self.root(3)}session/check"
        self.resources[here], self.resources[there] = (there, 302), (here, 302)
        self._page(self.root(3)).link(here, "Sign in")
        self._page(self.root(1)).link(month_url(self.calendar, CALENDAR_START), "Calendar")

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
            self.resources[f"{root}robots.txt"] = _file("text/plain", rules.encode())

    def _furnish(self, prefix: str) -> None:
        for number in range(3):
            name = drawn_title(self.rng)
            page = Page(f"{prefix}{slug(name)}-{number}", name)
            page.link(f"{prefix}backstage", "Known to nobody who obeys robots.txt")
            self.resources[page.url] = page
            for _ in range(self.rng.randint(1, 4)):
                self.rng.choice(self._linking).link(page.url, name)

    def _page(self, url: str) -> Page:
        page = self.resources[url]
        assert isinstance(page, Page)
        return page

    def _inner(self) -> list[Page]:
        """All pages but home pages."""
        return [page for site in self._sites for page in site[1:]]


def _sizes(hosts: int, pages: int) -> list[int]:
    """Pages of every host, at least 5, largest first: the host of rank r has about 1/r of the largest."""
    weights = [1 / rank for rank in range(1, hosts + 1)]
    spare = pages - 5 * hosts
    sizes = [5 + int(spare * weight / sum(weights)) for weight in weights]
    sizes[0] += pages - sum(sizes)
    return sizes
