"""Which of the user's headers go with a request: not every host is to know who we are.

A header that is for some host goes there. One whose name says that it is secret (Authorization, Cookie, ...) goes to
the origins of the seeds, where the user has sent us; any other to everybody. What counts is the URL that is asked for,
so that nothing secret goes along a link or a redirect.
"""

import re
from collections.abc import Iterable, Sequence, Set

from minicrawl.crawler.http.transport import Field
from minicrawl.crawler.net.addresses import endpoint
from minicrawl.crawler.urls.normalise import normalise
from minicrawl.errors import SettingError
from minicrawl.settings import Header


class Headers:
    """The headers of a crawl. seed_origins: scheme://host[:port] of every seed. Raises SettingError."""

    def __init__(self, headers: Sequence[Header], seed_origins: Set[str]) -> None:
        self._headers = [(header, _Place(header.host) if header.host is not None else None) for header in headers]
        self._seed_origins = seed_origins

    def going_to(self, origin: str) -> list[tuple[str, str]]:
        """Names and values of the headers for an origin, scheme://host[:port], in the order they were given."""
        return [
            (header.name, header.value)
            for header, place in self._headers
            if (place.has(origin) if place else not header.is_secret or origin in self._seed_origins)
        ]


class _Place:
    """A host by name, with any port and scheme where it says none."""

    def __init__(self, text: str) -> None:
        scheme, name, port = re.fullmatch(r"(?:(https?)://)?(.*?)(?::(\d+))?", text, re.IGNORECASE).groups()  # type: ignore[union-attr]
        url = normalise(f"{scheme or 'http'}://{name}:{port}/" if port else f"{scheme or 'http'}://{name}/")
        if url is None:
            raise SettingError(f"--header {text}=...: {text!r} is no host; write it as example.org or example.org:8080")
        self._name, own_port = endpoint(url)
        self._scheme = scheme and scheme.lower()
        self._port = own_port if port or scheme else None

    def has(self, origin: str) -> bool:
        """Whether an origin is meant."""
        name, port = endpoint(f"{origin}/")
        return (
            name == self._name
            and self._port in (None, port)
            and (self._scheme is None or origin.startswith(f"{self._scheme}://"))
        )


def as_fields(headers: Iterable[tuple[str, str]]) -> tuple[Field, ...]:
    """Headers as they are sent, a byte for each character."""
    return tuple((name.encode("latin-1"), value.encode("latin-1")) for name, value in headers)


def replaced(fields: Sequence[Field], others: Sequence[Field]) -> tuple[Field, ...]:
    """The fields but those that have the name of one of the others, then these."""
    names = {name.lower() for name, _ in others}
    return (*(field for field in fields if field[0].lower() not in names), *others)
