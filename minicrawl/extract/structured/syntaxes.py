"""The structured data of a page, by syntax."""

from collections.abc import Callable

from minicrawl.extract.document import Document
from minicrawl.extract.structured.bounded_page import BoundedPage
from minicrawl.extract.structured.json_ld import json_ld
from minicrawl.extract.structured.meta import open_graph
from minicrawl.extract.structured.microdata import microdata

_READERS: dict[str, Callable[[BoundedPage], object]] = {
    "jsonld": json_ld,
    "microdata": microdata,
    "opengraph": open_graph,
}
SYNTAXES = tuple(_READERS)
"""Names of the syntaxes as fields of items, the most telling first."""


def structured(document: Document, url: str, failures: list[str]) -> dict[str, object]:
    """The values of each syntax that a page has. Reasons why values are left out are added to `failures`."""
    page = BoundedPage(document.tree, url, failures)
    found = {name: read(page) for name, read in _READERS.items()}
    return {name: values for name, values in found.items() if values}
