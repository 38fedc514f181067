"""Which origins a secret is for, that the user has given for a host.

    no host           the origins of the seeds
    NAME              https://NAME, and the seeds of that name
    NAME:PORT         https://NAME:PORT, and a seed of that name and port
    scheme://NAME...  that origin

What counts is the URL that is asked for, so that nothing secret goes along a link or a redirect.
"""

import re
from collections.abc import Set

from minicrawl.crawler.net.addresses import PORTS, endpoint
from minicrawl.crawler.urls.normalise import normalise
from minicrawl.errors import SettingError


class Place:
    """A host by name, with any port and scheme where it says none. option: what names it."""

    def __init__(self, text: str, option: str) -> None:
        """Raises SettingError for what is no host."""
        scheme, name, port = re.fullmatch(r"(?:(https?)://)?(.*?)(?::(\d+))?", text, re.IGNORECASE).groups()  # type: ignore[union-attr]
        url = normalise(f"{scheme or 'http'}://{name}:{port}/" if port else f"{scheme or 'http'}://{name}/")
        if url is None:
            raise SettingError(f"{option} {text}=...: {text!r} is no host; write it as example.org or example.org:8080")
        self._name, own_port = endpoint(url)
        self._scheme = scheme and scheme.lower()
        self._port = own_port if port or scheme else None
        self._names_port = bool(port)

    def has(self, origin: str) -> bool:
        """Whether an origin is one of its own."""
        name, port = endpoint(f"{origin}/")
        return (
            name == self._name
            and self._port in (None, port)
            and (self._scheme is None or origin.startswith(f"{self._scheme}://"))
        )

    def may_have_secrets(self, origin: str, seed_origins: Set[str]) -> bool:
        """Whether what is secret goes to an origin of its own."""
        return self.has(origin) and (self._is_meant(origin) or origin in seed_origins)

    def _is_meant(self, origin: str) -> bool:
        """Whether an origin is the very one that the text names, if https is what goes without saying."""
        if self._scheme is not None:
            return True
        return origin.startswith("https://") and (self._names_port or endpoint(f"{origin}/")[1] == PORTS["https"])

    def endpoints(self) -> set[tuple[str, int]]:
        """Host and port of the https origin that is meant, if it is one."""
        return set() if self._scheme == "http" else {(self._name, self._port or PORTS["https"])}

    def of(self, seed_origins: Set[str]) -> set[str]:
        """The origins of seeds that are its own."""
        return {origin for origin in seed_origins if self.has(origin)}
