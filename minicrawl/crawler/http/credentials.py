"""Headers and passwords that the user gives for hosts, and the origins that each may go to.

    no host           the origins of the seeds
    *                 every host
    NAME              https://NAME, and the seeds of that name
    NAME:PORT         https://NAME:PORT, and a seed of that name and port
    scheme://NAME...  that origin

A header that may carry no secret, such as Accept-Language, goes to all ports and schemes of NAME. The URL that is
requested decides, so no secret follows a link or a redirect.
"""

import re
from collections.abc import Sequence, Set

from minicrawl.crawler.net.addresses import PORTS, endpoint
from minicrawl.crawler.urls.normalise import normalise
from minicrawl.errors import SettingError
from minicrawl.settings import Header
from minicrawl.settings.requests import EVERYBODY


class Place:
    """A host as the user names it, with or without scheme and port. option: named in errors."""

    def __init__(self, text: str, option: str) -> None:
        """Raises SettingError for an invalid host."""
        scheme, name, port = re.fullmatch(r"(?:(https?)://)?(.*?)(?::(\d+))?", text, re.IGNORECASE).groups()  # type: ignore[union-attr]
        url = normalise(f"{scheme or 'http'}://{name}:{port}/" if port else f"{scheme or 'http'}://{name}/")
        if url is None:
            raise SettingError(f"{option} {text}=...: {text!r} is no host; write it as example.org or example.org:8080")
        self._name, own_port = endpoint(url)
        self._scheme = scheme and scheme.lower()
        self._port = own_port if port or scheme else None
        self._names_port = bool(port)

    def has(self, origin: str) -> bool:
        """True if the origin matches."""
        name, port = endpoint(f"{origin}/")
        return (
            name == self._name
            and self._port in (None, port)
            and (self._scheme is None or origin.startswith(f"{self._scheme}://"))
        )

    def may_have_secrets(self, origin: str, seed_origins: Set[str]) -> bool:
        """True if secrets may go to the origin."""
        return self.has(origin) and (self._is_meant(origin) or origin in seed_origins)

    def _is_meant(self, origin: str) -> bool:
        """True if the text names the very origin, with https as the default."""
        if self._scheme is not None:
            return True
        return origin.startswith("https://") and (self._names_port or endpoint(f"{origin}/")[1] == PORTS["https"])


class Headers:
    """The user's headers. seed_origins: scheme://host[:port] of every seed.

    passwords: an origin is sent the first of these that may go there, unless another header has its name.
    """

    def __init__(self, headers: Sequence[Header], seed_origins: Set[str], passwords: Sequence[Header] = ()) -> None:
        """Raises SettingError for an invalid host."""
        self._headers = [(header, _place(header, "--header")) for header in headers]
        self._passwords = [(header, _place(header, "--auth")) for header in passwords]
        self._seed_origins = seed_origins

    def going_to(self, origin: str) -> list[tuple[str, str]]:
        """Names and values of the headers for an origin, scheme://host[:port], in the order given."""
        going = [header for header, place in self._headers if self._goes(header, place, origin)]
        names = {header.name.lower() for header in going}
        fitting = (header for header, place in self._passwords if self._goes(header, place, origin))
        password = next(fitting, None)
        if password is not None and password.name.lower() not in names:
            going.append(password)
        return [(header.name, header.value) for header in going]

    def _goes(self, header: Header, place: Place | None, origin: str) -> bool:
        if place is None:
            return header.host == EVERYBODY or origin in self._seed_origins
        return place.may_have_secrets(origin, self._seed_origins) if header.is_secret else place.has(origin)


def _place(header: Header, option: str) -> Place | None:
    return None if header.host in (None, EVERYBODY) else Place(header.host, option)
