"""Which pages of a host need a browser: by experiment, a class of its URLs at a time.

class    URLs of one pattern; the front page is one of its own
gain     a page has it whose scripts add enough words or links
own      words that neither the page as sent has, nor scripts have added to another page of its host
suspect  a page with scripts that shows next to nothing without them
sample   another page with scripts, rendered to find out what suspects do not tell

A class is rendered from the first gain on, until as many pages in a row have none. Suspects of a class without gain,
or that has none any more, are rendered a few times more. No clock, no draw.
"""

from collections.abc import Mapping
from typing import Annotated, NamedTuple

from minicrawl.model import Rendering
from minicrawl.store.declaration import table
from minicrawl.web.urls.front import is_home
from minicrawl.web.urls.shapes import shape_of

LINKS = 3
"""Links that nobody knew, which are a gain: on the sites of `has_own_words`, 1 to 4 told the same pages."""
DRY, SUSPECTS = 3, 2
"""Pages in a row without gain after which a class that had some is plain; suspects after which one that had none is."""
SAMPLED_FROM, SAMPLED = 3, 3
"""Known URLs from which on a class has a sample; and classes of a host, beside its front page, that have one."""
AGAIN = 200
"""Pages with scripts of a plain class of which one is rendered."""
AGREEING = 3
"""Classes of a host whose verdict is that of its small classes."""
HOSTS = 3
"""Hosts on which pages with the same scripts had no gain, after which these are spared as samples."""
FRONT = "/"


class Gain(NamedTuple):
    """What scripts have added to a page. links: in scope, and known from no other page. leads_to_routes: as only a
    rendered page does."""

    url: str
    own: int
    words: int
    links: int
    leads_to_routes: bool = False

    @property
    def counts(self) -> bool:
        from minicrawl.parts.render.choice import has_own_words  # noqa: PLC0415 - few crawls render

        return has_own_words(self.own, self.words) or self.links >= LINKS or self.leads_to_routes


class ClassRow(NamedTuple):
    """A class of a host of which pages were rendered."""

    host: Annotated[str, "with its port, if it has one"]
    pattern: Annotated[str, "of its URLs"]
    rendered: Annotated[int, "pages"] = 0
    gains: Annotated[int, "of these, those to which scripts have added something"] = 0
    dry: Annotated[int, "rendered pages since the last of these"] = 0
    is_sampled: Annotated[bool, "one was rendered that shows something without scripts"] = False
    unseen: Annotated[int, "pages with scripts that were read without them since"] = 0
    scrolled: Annotated[int, "rendered pages of which scrolling has brought links"] = 0
    posts: Annotated[int, "rendered pages without gain or links, whose scripts have asked their site by POST"] = 0
    files: Annotated[int, "a number for the scripts of the page that was rendered last"] = 0
    url: Annotated[str, "of the page that made the verdict"] = ""
    own: Annotated[int, "words that its scripts have added, and not to another page"] = 0
    words: Annotated[int, "all that it shows"] = 0
    links: Annotated[int, "that its scripts have added, and that no other page had"] = 0

    @property
    def needs_browser(self) -> bool:
        return self.gains > 0 and self.dry < DRY

    @property
    def is_plain(self) -> bool:
        """True if experiments say so; a class may have no verdict."""
        return not self.needs_browser and self.dry >= SUSPECTS

    @property
    def tries_suspects(self) -> bool:
        return self.dry < (DRY + 1 if self.gains else SUSPECTS)

    def after(self, gain: Gain, files: int, *, is_sample: bool, scrolled: int = 0) -> "ClassRow":
        """The class after one more of its pages was rendered."""
        known = self._replace(
            rendered=self.rendered + 1,
            gains=self.gains + gain.counts,
            dry=0 if gain.counts else self.dry + 1,
            is_sampled=self.is_sampled or is_sample,
            unseen=0,
            scrolled=self.scrolled + (scrolled > 0),
            files=files,
        )
        if known.needs_browser and not gain.counts:
            return known
        return known._replace(url=gain.url, own=gain.own, words=gain.words, links=gain.links)


_NEW = ClassRow("", "")
table("rendered", "pages of hosts that scripts add something to, or not, by classes", ClassRow, keys="host pattern")


def pattern_of(url: str) -> str:
    """The pattern of the class of a URL."""
    return FRONT if is_home(url) else shape_of(url).pattern


def asked(classes: Mapping[str, ClassRow], pattern: str, known: int, spared: frozenset[int] | None) -> Rendering:
    """How the next page of a class is rendered. classes: of its host, by pattern; known: URLs of this one; spared: sets
    of scripts of which there is no sample; None: there is time for none."""
    found = classes.get(pattern, _NEW)
    if found.needs_browser:
        return Rendering(others=True, scrolls=found.scrolled > 0)
    is_small = known < SAMPLED_FROM and pattern != FRONT
    if is_small and not found.rendered and (verdict := _agreed(classes)) is not None:
        return Rendering(shells=verdict, others=verdict, scrolls=False)
    is_due = found.unseen + 1 >= AGAIN
    is_first = not found.is_sampled and not is_small and (pattern == FRONT or sampled(classes) < SAMPLED)
    others = spared is not None and (is_due or is_first)
    return Rendering(found.tries_suspects or (others and is_due), others, spared=spared or frozenset())


def sampled(classes: Mapping[str, ClassRow]) -> int:
    """The number of classes of a host that had a sample, beside its front page."""
    return sum(one.is_sampled for one in classes.values() if one.pattern != FRONT)


def _agreed(classes: Mapping[str, ClassRow]) -> bool | None:
    """True if the classes of a host need a browser, False if none does, None if too few agree."""
    need = sum(one.needs_browser for one in classes.values())
    plain = sum(one.is_plain for one in classes.values())
    return None if max(need, plain) < AGREEING or (need and plain) else need > 0
