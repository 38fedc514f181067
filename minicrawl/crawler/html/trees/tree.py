"""What a parser of HTML has to tell of a page, whichever parser it is (browser_tree.py, plain_tree.py)."""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Protocol

from minicrawl.store.texts.marked_text import BETWEEN_BLOCKS, plain

TAGS = ("a", "area", "base", "frame", "iframe", "link", "meta", "title")
"""Names of the elements that say something to a crawler."""

# What reads as one with the words around it. All other elements begin and end a block of text.
INLINE = frozenset(
    {"a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img"}
    | {"ins", "kbd", "label", "mark", "nobr", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike"}
    | {"strong", "sub", "sup", "time", "tt", "u", "var", "wbr"}
)
# What stands in these is not shown; of template, no parser tells.
HIDDEN = frozenset({"iframe", "noembed", "noframes", "script", "style", "template", "title"})
HEADINGS = frozenset({"h1", "h2", "h3"})
FORMATS = b"b big code em font i nobr s small strike strong tt u".split()
"""Elements that are open again in the next block if they were not closed (HTML 13.2.4.3). An a is one, too, but has no
other inside."""
KEPT = frozenset(TAGS) | HIDDEN - {"template"} | {"plaintext", "textarea", "xmp"}
"""Elements that the plain parser keeps."""
NAMES_KEPT = b"(?:%b)" % "|".join(sorted(KEPT)).encode()
"""Their names, as a regular expression."""
REST_OF_TAG = rb"""[^<>"']*+(?:(?:"[^"<>]*"|'[^'<>]*')[^<>"']*+)*+"""
"""What follows the name of a tag, as far as it is clear where it ends."""


Element = tuple[str, Mapping[str, str | None], Callable[[], str], bool, int]
"""An element that says something: tag, attributes, what gives the text inside, whether it is a link element in the
head, the number of its `minicrawl.model.Place`. An empty value of an attribute may be None."""


class Text(NamedTuple):
    """What a page shows, in document order, white space as it was written.

    `blocks`: text between two elements that do not read as one with it, headings included; `headings`: tags h1 to h3,
    each with its text.
    """

    blocks: list[str]
    headings: list[tuple[str, str]]


class Marked(NamedTuple):
    """What a page shows, with the marks of minicrawl.store.texts.marked_text, white space as it was written.

    `references`: where the links among it lead, up to the "#" and with that, in document order; `headings`: see `Text`.
    """

    text: str
    references: list[str]
    headings: list[tuple[str, str]]

    @property
    def plain(self) -> Text:
        """The same without marks."""
        return Text(plain(self.text).split(BETWEEN_BLOCKS), self.headings)


class Tree(Protocol):
    """A page, parsed."""

    def elements(self, best: Mapping[str, int] | None = None) -> Iterator[Element]:
        """The elements in `TAGS`, in document order.

        best: by reference up to its "#", the best place of the links so far: where a link cannot better it,
        that is given instead of its own. None: all stand in a list.
        """

    def language(self) -> str | None:
        """What the html element says."""

    def h1(self) -> str | None:
        """The text of the first h1 element."""

    def text(self) -> Text:
        """What the page shows. To be asked for last: it takes the tree apart."""

    def marked_text(self) -> Marked:
        """The same with marks, in place of `text`."""


def up_to_fragment(reference: str) -> str:
    """A reference without its fragment. The mark stays, as white space before it is part of the URL."""
    return reference[: reference.index("#") + 1] if "#" in reference else reference
