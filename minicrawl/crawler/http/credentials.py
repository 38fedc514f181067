"""Headers, passwords and certificates that the user gives for hosts, and the origins that each may go to.

    no host           the origins of the seeds
    *                 every host
    NAME              https://NAME, and the seeds of that name
    NAME:PORT         https://NAME:PORT, and a seed of that name and port
    scheme://NAME...  that origin

A header that may carry no secret, such as Accept-Language, goes to all ports and schemes of NAME. The URL that is
requested decides, so no secret follows a link or a redirect.
"""

import os
import re
from base64 import b64encode
from collections.abc import Iterator, Sequence, Set
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

from minicrawl.crawler.net.addresses import PORTS, endpoint
from minicrawl.crawler.net.tls import HTTP_1, Contexts, showing
from minicrawl.crawler.urls.normalise import normalise
from minicrawl.errors import SettingError
from minicrawl.settings import CrawlSettings, Header, Login
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

    def endpoints(self) -> set[tuple[str, int]]:
        """Host and port of the https origin that the text names, if any."""
        return set() if self._scheme == "http" else {(self._name, self._port or PORTS["https"])}

    def of(self, seed_origins: Set[str]) -> set[str]:
        """The seeds' origins that match."""
        return {origin for origin in seed_origins if self.has(origin)}


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


AUTHORIZATION = "Authorization"


def password_headers(settings: CrawlSettings) -> list[Header]:
    """Passwords of --auth and the netrc file as headers (RFC 7617); the first for an origin counts.

    A netrc entry is for a host by name, like a header for NAME; its entry `default` is sent to nobody. Raises
    SettingError for a netrc file that cannot be read.
    """
    logins = list(settings.logins)
    if settings.netrc:
        logins += _of_netrc(Path(os.environ.get("NETRC") or "~/.netrc").expanduser())
    return [Header(AUTHORIZATION, _basic(login), login.host) for login in logins]


def _of_netrc(path: Path) -> list[Login]:
    try:
        entries = read_netrc(path.read_text("utf-8"))
    except NetrcError as error:
        raise SettingError(f"--netrc: {path}, {error}") from error
    except UnicodeDecodeError as error:
        raise SettingError(f"--netrc: {path} is not UTF-8 text") from error
    except OSError as error:
        raise SettingError(f"--netrc: {path} cannot be read: {error.strerror}") from error
    return [
        Login(name, password, f"[{machine}]" if ":" in machine else machine)
        for machine, name, password in entries
        if machine is not None
    ]


def _basic(login: Login) -> str:
    return "Basic " + b64encode(f"{login.name}:{login.password}".encode()).decode()


# A comment, the end of a line, or a word, which may stand in quotes.
_PIECE = re.compile(r'(#[^\n]*)|(\n)|"((?:[^"\\]|\\.)*)"|([^\s"][^\s]*)|"', re.DOTALL)
_KEYS = frozenset({"login", "password", "account"})


class Entry(NamedTuple):
    """An entry of a netrc file. `machine`: None for `default`."""

    machine: str | None
    login: str
    password: str


class NetrcError(ValueError):
    """A syntax error. Its message has the line's number but none of its words, which may be passwords."""


def read_netrc(text: str) -> list[Entry]:
    """The entries of a netrc file, in order, parsed as by curl. Raises NetrcError.

    Python's netrc module reads some comments as machines, and its errors repeat words that may be passwords.
    """
    entries: list[Entry] = []
    machine: str | None = None
    found: dict[str, str] | None = None
    words = _words(_without_macros(text))
    for number, word in words:
        if word in ("machine", "default"):
            if found is not None:
                entries.append(_entry(machine, found))
            machine, found = (_next(words, number, word) if word == "machine" else None), {}
        elif word in _KEYS and found is not None:
            found[word] = _next(words, number, word)
        else:
            raise NetrcError(f"line {number}: a word that is neither machine, default, login, password nor account")
    if found is not None:
        entries.append(_entry(machine, found))
    return entries


def _entry(machine: str | None, found: dict[str, str]) -> Entry:
    return Entry(machine, found.get("login", ""), found.get("password", ""))


def _next(words: Iterator[tuple[int, str]], number: int, after: str) -> str:
    try:
        return next(words)[1]
    except StopIteration:
        raise NetrcError(f"line {number}: nothing stands behind the word {after}") from None


def _without_macros(text: str) -> str:
    """The text with macros, which end with an empty line, blanked."""
    return re.sub(r"^[ \t]*macdef\b.*?(?=\n\n|\Z)", lambda macro: "\n" * macro[0].count("\n"), text, flags=re.M | re.S)


def _words(text: str) -> Iterator[tuple[int, str]]:
    """The words with their line numbers. A comment begins a line, or follows the value of a key."""
    number = 1
    is_value = False
    at = 0
    while (piece := _PIECE.search(text, at)) is not None:
        comment, line_end, quoted, plain = piece.groups()
        at = piece.end()
        if line_end is not None:
            number += 1
        elif comment is not None and not is_value:
            continue
        elif comment is not None:  # a password that begins with #
            word = comment.split()[0]
            at = piece.start() + len(word)
            is_value = False
            yield number, word
        elif quoted is not None or plain is not None:
            word = re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else plain
            is_value = quoted is None and not is_value and (word in _KEYS or word == "machine")
            yield number, word
            number += (quoted or "").count("\n")
        else:
            raise NetrcError(f"line {number}: a quotation mark without its end")


def own_contexts(settings: CrawlSettings, seed_origins: Set[str]) -> dict[tuple[str, int], Contexts]:
    """TLS contexts with a client certificate (--client-cert), by host and port; the first for an endpoint counts.

    A certificate is shown only to a host that asks for one. Raises SettingError for files without certificate and key.
    """
    found: dict[tuple[str, int], Contexts] = {}
    for given in settings.client_certificates:
        contexts = lru_cache(maxsize=None)(partial(showing, given.file, given.key, settings.ca_file))
        contexts(HTTP_1)
        place = None if given.host is None else Place(given.host, "--client-cert")
        origins = seed_origins if place is None else place.of(seed_origins)
        endpoints = set() if place is None else place.endpoints()
        endpoints |= {endpoint(f"{origin}/") for origin in origins if origin.startswith("https://")}
        for one in endpoints:
            found.setdefault(one, contexts)
    return found
