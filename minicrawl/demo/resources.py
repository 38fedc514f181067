"""What a URL of the demo web is: a page, a redirect, a file; and what a request is answered."""

from collections.abc import Mapping
from dataclasses import dataclass, field


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

    `says`: what its text is drawn from; None: its URL, so that no two pages say the same. `below`: HTML that stands
    below its text.
    """

    url: str
    title: str
    links: dict[str, Link] = field(default_factory=dict)
    canonical: str | None = None
    base: str | None = None
    charset: str = "utf-8"
    delay_seconds: float = 0.0
    says: str | None = None
    below: tuple[str, ...] = ()

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


def root_of(url: str) -> str:
    """Home page of a URL's host."""
    return url[: url.index("/", len("http://")) + 1]


def relative(url: str, base: str) -> str:
    """`url` without its host, where that is the host of `base`."""
    root = root_of(base)
    return f"/{url.removeprefix(root)}" if url.startswith(root) else url
