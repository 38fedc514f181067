"""Which of the user's headers go with a request: not every host is to know who we are.

A header whose name says that it is secret (Authorization, Cookie, ...) goes to the origins of the seeds, where the user
has sent us; any other to everybody. One that is for some host goes there alone. If that host is a name without scheme,
what is secret goes to https://name and to seeds of that name, not to whatever port or scheme a link may name there.
What counts is the URL that is asked for, so that nothing secret goes along a link or a redirect.
"""

import re
from collections.abc import Iterable, Sequence, Set

from minicrawl.crawler.http.transport import Field
from minicrawl.crawler.net.addresses import PORTS, endpoint
from minicrawl.crawler.urls.normalise import normalise
from minicrawl.errors import SettingError
from minicrawl.settings import Header


class Headers:
    """The headers of a crawl. seed_origins: scheme://host[:port] of every seed.

    passwords: of these the first that is for an origin goes there, unless the user gives that header otherwise.
    """

    def __init__(self, headers: Sequence[Header], seed_origins: Set[str], passwords: Sequence[Header] = ()) -> None:
        """Raises SettingError for a host that is none."""
        self._headers = [(header, _place(header, "--header")) for header in headers]
        self._passwords = [(header, _place(header, "--auth")) for header in passwords]
        self._seed_origins = seed_origins

    def going_to(self, origin: str) -> list[tuple[str, str]]:
        """Names and values of the headers for an origin, scheme://host[:port], in the order they were given."""
        going = [header for header, place in self._headers if self._goes(header, place, origin)]
        names = {header.name.lower() for header in going}
        fitting = (header for header, place in self._passwords if self._goes(header, place, origin))
        password = next(fitting, None)
        if password is not None and password.name.lower() not in names:
            going.append(password)
        return [(header.name, header.value) for header in going]

    def _goes(self, header: Header, place: "_Place | None", origin: str) -> bool:
        if place is None:
            return not header.is_secret or origin in self._seed_origins
        if not place.has(origin):
            return False
        return not header.is_secret or place.is_meant_by_name(origin) or origin in self._seed_origins


def _place(header: Header, option: str) -> "_Place | None":
    return _Place(header.host, option) if header.host is not None else None


class _Place:
    """A host by name, with any port and scheme where it says none."""

    def __init__(self, text: str, option: str) -> None:
        scheme, name, port = re.fullmatch(r"(?:(https?)://)?(.*?)(?::(\d+))?", text, re.IGNORECASE).groups()  # type: ignore[union-attr]
        url = normalise(f"{scheme or 'http'}://{name}:{port}/" if port else f"{scheme or 'http'}://{name}/")
        if url is None:
            raise SettingError(f"{option} {text}=...: {text!r} is no host; write it as example.org or example.org:8080")
        self._name, own_port = endpoint(url)
        self._scheme = scheme and scheme.lower()
        self._port = own_port if port or scheme else None
        self._names_port = bool(port)

    def has(self, origin: str) -> bool:
        """Whether an origin is meant."""
        name, port = endpoint(f"{origin}/")
        return (
            name == self._name
            and self._port in (None, port)
            and (self._scheme is None or origin.startswith(f"{self._scheme}://"))
        )

    def is_meant_by_name(self, origin: str) -> bool:
        """Whether an origin that it has is the very one that its text names, if https is what goes without saying."""
        if self._scheme is not None:
            return True
        return origin.startswith("https://") and (self._names_port or endpoint(f"{origin}/")[1] == PORTS["https"])


def as_fields(headers: Iterable[tuple[str, str]]) -> tuple[Field, ...]:
    """Headers as they are sent, a byte for each character."""
    return tuple((name.encode("latin-1"), value.encode("latin-1")) for name, value in headers)


def replaced(fields: Sequence[Field], others: Sequence[Field]) -> tuple[Field, ...]:
    """The fields but those that have the name of one of the others, then these."""
    names = {name.lower() for name, _ in others}
    return (*(field for field in fields if field[0].lower() not in names), *others)
