"""Text from the web as text of a document: never markup, script, or a character that changes the text's direction.

URLs are links where they are http or https, and not too long. Long texts are shortened.
"""

from html import escape

from minicrawl.crawler.urls.normalise import percent_encoded
from minicrawl.log import few_marks

_LONGEST_TEXT, _LONGEST_LINK, _START, _END = 200, 600, 60, 34
_JOINERS = "\u200c\u200d"


def escaped(text: str) -> str:
    return escape("".join(char if char.isprintable() or char in _JOINERS else "\ufffd" for char in few_marks(text)))


def plain(text: str, longest: int = _LONGEST_TEXT) -> str:
    """Text on one line, shortened."""
    line = " ".join(text.split())
    return escaped(line if len(line) <= longest else f"{line[: longest - 1]}…")


def href(url: str) -> str:
    """The attribute that makes a link of an element; "" for what must not be one."""
    address = percent_encoded(url)
    if len(address) > _LONGEST_LINK or not url.startswith(("http://", "https://")):
        return ""
    return f' href="{escaped(address)}" rel="noreferrer nofollow"'


def link(url: str) -> str:
    """A URL, without "https://" and shortened, as a link."""
    name = url.removeprefix("https://")
    shown = escaped(name if len(name) <= _START + _END else f"{name[:_START]}…{name[-_END:]}")
    return f"<a{address}>{shown}</a>" if (address := href(url)) else shown
