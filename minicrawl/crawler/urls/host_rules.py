"""What users say of single hosts, by the names that hosts have in a crawl."""

from collections.abc import Iterable
from typing import TypeVar

from minicrawl.crawler.urls.keys import politeness_key
from minicrawl.crawler.urls.normalise import normalise

_Value = TypeVar("_Value")


def by_host(rules: Iterable[tuple[str, _Value]]) -> dict[str, _Value]:
    """Values by politeness key, of rules for hosts as users write them; the first one of a host counts."""
    values: dict[str, _Value] = {}
    for host, value in rules:
        url = normalise(f"http://{host.removesuffix(':443')}/")
        values.setdefault(politeness_key(url) if url else host, value)
    return values
