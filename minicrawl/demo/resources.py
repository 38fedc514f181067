"""Resources of the demo web: pages, redirects and files; a page as HTML; the words in them.

Links are written as people write them: relative, some twice, and some that are not links. Some pages are made up when
they are asked for: the calendar, a page a month, and traps without end under one folder.

shop/1f0c.../boots    a shop with four pages; every answer has new session ids in its links
about/team/           relative links that are resolved against any folder, and answered there too
search?color=red...   five parameters of six values, one changed at a time; the results differ
lost/any-word         "not found" with status 200, and links to more of the kind
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from random import Random
from urllib.parse import unquote

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
SECTIONS = [
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


def host_names(rng: Random, count: int) -> list[str]:
    """Distinct host names under .test, which RFC 2606 keeps out of the real name system."""
    names = [f"{place}-{kind}" for place in _PLACES for kind in _KINDS]
    rng.shuffle(names)
    for number in range(len(names), count):
        names.append(f"{names[number % len(names)]}-{number}")
    return [f"{name}.test" for name in names[:count]]


def slug(title: str) -> str:
    return "-".join(re.findall("[a-z]+", title.lower()))


def drawn_title(rng: Random) -> str:
    return f"{rng.choice(_QUALITIES)} {rng.choice(_THINGS)} {rng.choice(_EVENTS)}".capitalize()


def paragraphs(seed: str) -> Iterator[str]:
    """Three sentences, always the same for the same `seed`."""
    rng = Random(seed)
    for _ in range(3):
        words = rng.choices(_FILLER, k=12) + rng.sample(_THINGS, 4)
        rng.shuffle(words)
        yield f"{' '.join(words).capitalize()}."


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a request, after a delay."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    delay_seconds: float = 0.0


@dataclass(slots=True)
class Page:
    """An HTML page. `links`: by their target, the text of each, and False if it has rel=nofollow and is not counted.
    `base`: the base of its links, if it declares one.

    `says`: seed of its text; None: its URL, so that no two texts are equal.
    """

    url: str
    title: str
    links: dict[str, tuple[str, bool]] = field(default_factory=dict)
    canonical: str | None = None
    base: str | None = None
    charset: str = "utf-8"
    delay_seconds: float = 0.0
    says: str | None = None

    def link(self, url: str, text: str, *, is_counted: bool = True) -> None:
        """Link to `url`, unless the page does so already."""
        self.links.setdefault(url, (text, is_counted))

    def outlinks(self) -> list[str]:
        """Targets that a crawler counts."""
        return [url for url, (_, is_counted) in self.links.items() if is_counted and url != self.url]


Resource = Page | tuple[str, int] | Reply
"""A page, the target and status of a redirect, or something that is not HTML."""


def root_of(url: str) -> str:
    """Home page of a URL's host."""
    return url[: url.index("/", len("http://")) + 1]


def relative(url: str, base: str) -> str:
    """`url` without its host, where that is the host of `base`."""
    root = root_of(base)
    return f"/{url.removeprefix(root)}" if url.startswith(root) else url


def rendered(page: Page) -> str:
    """The page as text."""
    lines = [f'<meta charset="{page.charset}">', f"<title>{escape(page.title)}</title>"]
    if page.base is not None:
        lines.append(f'<base href="{escape(page.base)}">')
    if page.canonical is not None:
        lines.append(f'<link rel="canonical" href="{escape(page.canonical)}">')
    lines.append("</head><body>")
    if page.links:
        # Where there is a <base>, "#content" would be a link to that base.
        skip = '<a href="#content">Skip to content</a> ' if page.base is None else ""
        lines.append(f"<nav>{skip}{_home(page)}</nav>")
    lines.append(f'<h1 id="content">{escape(page.title)}</h1>')
    lines.extend(f"<p>{paragraph}</p>" for paragraph in paragraphs(page.says or page.url))
    if page.links:
        lines.append("<ul>")
        lines.extend(f"<li>{_anchor(url, page)}</li>" for url in page.links)
        lines.append(f'</ul><footer>{_home(page)} <a href="mailto:editor@example.test">Contact</a></footer>')
    return '<!doctype html><html lang="en"><head>' + "\n".join(lines) + "</body></html>\n"


def _home(page: Page) -> str:
    """A link to the home page, for pages that have it among their links; a home page links to itself."""
    home = root_of(page.url)
    return '<a href="/">Home</a>' if home in page.links or home == page.url else ""


def _anchor(url: str, page: Page) -> str:
    (text, is_counted), reference = page.links[url], relative(url, page.url)
    if page.base is not None and reference.startswith("/"):
        reference = f"../..{reference}"
    if page.charset != "utf-8":
        reference = unquote(reference)
    rel = "" if is_counted else ' rel="nofollow"'
    return f'<a href="{escape(reference)}"{rel}>{escape(text)}</a>'


CALENDAR_START = 12 * 2026 + 10
"""The month that is linked: November 2026, months counted from the year 0."""
CALENDAR_MONTHS = 240
"""Months of the calendar in each direction."""


def month_url(calendar: str, month: int) -> str:
    return f"{calendar}{month // 12}/{month % 12 + 1:02}"


def month_page(calendar: str, url: str, months: int | None) -> Page | None:
    """The calendar's page for a month, which links to the months beside it and to the host's home page.

    months: their number in each direction; None: no end, and all say the same.
    """
    match = re.fullmatch(r"(\d{4})/(0[1-9]|1[0-2])", url.removeprefix(calendar))
    if match is None:
        return None
    month = 12 * int(match[1]) + int(match[2]) - 1
    if months is not None and abs(month - CALENDAR_START) > months:
        return None
    page = Page(url, f"Calendar {match[0]}", says="" if months else "nothing happens in any month")
    page.link(calendar.removesuffix("calendar/"), "Home")
    for text, beside in (("Previous month", month - 1), ("Next month", month + 1)):
        if months is None or abs(beside - CALENDAR_START) <= months:
            page.link(month_url(calendar, beside), text)
    return page


ENTRANCES = (
    "shop/0123456789abcdef0123456789abcdef/boots",
    "about/",
    "search?color=red&size=s&sort=price&view=list&brand=north",
    "lost/and-found",
)

_GOODS = ("boots", "coats", "gloves", "hats")
_FOLDERS = ("team/", "history/", "contact/")
_CHOICES = {
    "color": ("red", "blue", "green", "black", "white", "grey"),
    "size": ("xs", "s", "m", "l", "xl", "xxl"),
    "sort": ("price", "name", "age", "rating", "stock", "weight"),
    "view": ("list", "grid", "table", "tiles", "map", "text"),
    "brand": ("north", "south", "east", "west", "up", "down"),
}
_SYLLABLES = ("al", "be", "co", "du", "el", "fi", "go", "ha")


def trap_page(path: str) -> tuple[str, str, Iterator[str]] | None:
    """Title, seed of the text and linked paths for a path under the traps' folder; None: no such page."""
    kind, _, rest = re.sub(r"[/?]", " ", path, count=1).partition(" ")
    if kind == "shop":
        session, goods = hashlib.blake2b(path.encode(), digest_size=16).hexdigest(), rest.rpartition("/")[2]
        return goods.title(), goods, (f"shop/{session}/{other}" for other in _GOODS)
    if kind == "about" and (not rest or rest.endswith("/")):
        return "About us", "about", (f"about/{rest}{folder}" for folder in _FOLDERS)
    if kind == "search":
        return "Found", rest.rpartition("=")[2], _other_searches(rest)  # other choices find nothing else
    if kind == "lost":
        rng = Random(rest)
        return "Nothing here", "lost", (f"lost/{''.join(rng.choices(_SYLLABLES, k=4))}" for _ in range(10))
    return None


def _other_searches(query: str) -> Iterator[str]:
    chosen = dict(part.partition("=")[::2] for part in query.split("&"))
    for name, values in _CHOICES.items():
        for value in values:
            yield "search?" + "&".join(f"{key}={old}" for key, old in (chosen | {name: value}).items())
